// SPDX-License-Identifier: Apache-2.0
// The row of rhinet2 in the catalogue of papers.
#pragma once
#include "papers/runner/paper.hpp"

namespace weft::papers::rhinet2 {

Paper paper();

}  // namespace weft::papers::rhinet2
