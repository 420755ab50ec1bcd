// SPDX-License-Identifier: Apache-2.0
// A paper: a table of experiments, and a function that reproduces some of them on a page. Each has
// a folder of its own beside this one, with what the paper states in expected.csv.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "papers/runner/page.hpp"

namespace weft::papers {

/// One table, figure or statement of a paper, which can be reproduced by itself.
struct Experiment {
  std::string_view name;  ///< "table12"
  std::string_view about;
  bool random = false;  ///< it depends on a seed
  bool costly = false;  ///< it takes minutes: a quick run of the whole paper leaves it out
};

/// What a paper is reproduced with.
struct Lab {
  std::vector<std::string> experiments{};  ///< names, in the paper's order
  std::string cluster{};                   ///< file or name of the machine; empty: the paper's
  bool quick = false;                      ///< a small version of what takes long
  std::uint64_t repetition = 0;            ///< 1 and more: other seeds than the cluster file's
  unsigned threads = 1;
  /// Called by one thread at a time with the share that is done, 0 to 1, and what is being done.
  std::function<void(double, const std::string&)> progress = [](auto, const auto&) {};

  /// The first of a million seeds of the repetition, those of the first begin with what the cluster
  /// file declares.
  std::uint64_t seed_from(std::uint64_t declared) const {
    return declared + repetition * 1'000'000;
  }
};

struct Paper {
  std::string_view name;
  std::string_view summary;  ///< title and authors
  std::vector<Experiment> experiments;
  std::string_view cluster;  ///< of weft list clusters; where there are several, the first
  /// The sections of the lab's experiments.
  Page (*reproduce)(const Lab&);
  std::vector<std::string_view> further_clusters{};
};

}  // namespace weft::papers
