// SPDX-License-Identifier: Apache-2.0
// The row of viabarrier in the catalogue of papers.
#pragma once
#include "papers/runner/paper.hpp"

namespace weft::papers::viabarrier {

Paper paper();

}  // namespace weft::papers::viabarrier
