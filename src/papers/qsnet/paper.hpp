// SPDX-License-Identifier: Apache-2.0
// The row of qsnet in the catalogue of papers.
#pragma once
#include "papers/runner/paper.hpp"

namespace weft::papers::qsnet {

Paper paper();

}  // namespace weft::papers::qsnet
