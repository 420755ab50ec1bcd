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
/// Throws Error that lists the papers, or the experiments of a paper, for another name.
PaperRequest find_request(std::string_view text);

/// Reproduces the request; name, title and label of the page are filled in.
Page reproduce(std::string_view request, Lab lab);

}  // namespace weft::papers
