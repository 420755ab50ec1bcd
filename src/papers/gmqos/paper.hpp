// SPDX-License-Identifier: Apache-2.0
// The row of gmqos in the catalogue of papers.
#pragma once
#include "papers/runner/paper.hpp"

namespace weft::papers::gmqos {

Paper paper();

}  // namespace weft::papers::gmqos
