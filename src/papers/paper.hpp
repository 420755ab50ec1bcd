// SPDX-License-Identifier: Apache-2.0
// Papers: functions from a laboratory to a page. One file per paper, one row per file; what they
// share is in parts/, what they state in expected/.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papers/page.hpp"

namespace weft::papers {

/// One table, figure or statement of a paper, which can be reproduced by itself.
struct Experiment {
  std::string_view name;  ///< "table12"
  std::string_view about;
};

/// What a paper is reproduced with.
struct Lab {
  std::vector<std::string> experiments{};  ///< names, in the paper's order
  std::string cluster{};                   ///< file or name of the machine; empty: the paper's
  bool quick = false;                      ///< a small version of what takes long
  unsigned threads = 1;
  /// Told by one thread at a time: how far it is, 0 to 1, and in what.
  std::function<void(double, const std::string&)> progress = [](auto, const auto&) {};
};

struct Paper {
  std::string_view name;
  std::string_view summary;  ///< title and authors
  std::vector<Experiment> experiments;
  std::string_view cluster;  ///< of weft list clusters
  /// The sections of the lab's experiments.
  Page (*reproduce)(const Lab&);
};

std::span<const Paper> papers();

/// What is to be done for "ibamesh" or "ibamesh/mft".
struct Request {
  const Paper* paper = nullptr;
  std::vector<std::string> experiments{};
};
/// Throws Error naming what there is.
Request find_request(std::string_view text);

/// Reproduces the request; name, title and label of the page are filled in.
Page reproduce(std::string_view request, Lab lab);

}  // namespace weft::papers
