// SPDX-License-Identifier: Apache-2.0
// Several pages of the same experiments with different seeds, as one: means, confidence intervals,
// and verdicts on which seeds disagree.
#pragma once
#include <vector>

#include "papers/runner/page.hpp"

namespace weft::papers {

/// The first page has all experiments, the others those that depend on the seed.
Page over_seeds(const std::vector<Page>& pages);

}  // namespace weft::papers
