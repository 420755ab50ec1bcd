// SPDX-License-Identifier: Apache-2.0
// The papers that weft reproduces, and the reproduction of one or of one of its experiments.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papers/runner/paper.hpp"

namespace weft::papers {

std::span<const Paper> papers();

/// The experiments that "ibamesh" or "ibamesh/mft" names.
struct PaperRequest {
  const Paper* paper = nullptr;
  std::vector<std::string> experiments{};
};
/// Throws Error that lists the papers, or the experiments of a paper, for another name. A quick run
/// of a whole paper leaves out costly experiments.
PaperRequest find_request(std::string_view text, bool quick = false);

/// Reproduces the request; name, title and label of the page are filled in. On the paper's own
/// machine a claim that is not judged on as many cases as the paper names is a bug.
Page reproduce(std::string_view request, Lab lab);
/// The mean over so many seeds; what depends on none runs once.
Page reproduce_with_seeds(std::string_view request, const Lab& lab, std::size_t seeds);

}  // namespace weft::papers
