// SPDX-License-Identifier: Apache-2.0
// Figures 4 to 6 of the VIA barrier paper, drawn from the sheets of their experiments.
#pragma once
#include "papers/viabarrier/experiments.hpp"

namespace weft::papers::viabarrier {

/// "fig4a", "fig4b", "fig4c": powers of two of hosts.
PaperFigure drawing_4(const std::vector<Stated>& stated, const Sheet& sheet);
/// Every number of hosts of clusters 1 and 2.
PaperFigure drawing_5(const std::vector<Stated>& stated, const Sheet& first, const Sheet& second);
/// One and two tasks a host.
PaperFigure drawing_6(const std::vector<Stated>& stated, const Sheet& sheet);

}  // namespace weft::papers::viabarrier
