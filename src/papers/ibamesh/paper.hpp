// SPDX-License-Identifier: Apache-2.0
// The row of ibamesh in the catalogue of papers.
#pragma once
#include "papers/runner/paper.hpp"

namespace weft::papers::ibamesh {

Paper paper();

}  // namespace weft::papers::ibamesh
