// SPDX-License-Identifier: Apache-2.0
// The row of hardware in the catalogue of papers.
#pragma once
#include "papers/runner/paper.hpp"

namespace weft::papers::hardware {

Paper paper();

}  // namespace weft::papers::hardware
