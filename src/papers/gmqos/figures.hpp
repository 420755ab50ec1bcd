// SPDX-License-Identifier: Apache-2.0
// Figures 5.1 to 5.12 of the study of rate control.
#pragma once
#include "papers/gmqos/experiments.hpp"

namespace weft::papers::gmqos {

// Curves, drawn from the sheets of their experiments.
PaperFigure drawing_51(const Sheet& sheet);
PaperFigure drawing_52(const Sheet& sheet);
PaperFigure drawing_53(const std::vector<Stated>& stated, const Sheet& sheet);
PaperFigure drawing_54(const std::vector<Stated>& stated, const Sheet& sheet);
PaperFigure drawing_59(const std::vector<Stated>& stated, const Sheet& sheet);

/// A rate that the text prints, in the middle of its period.
struct PrintedRate {
  double at = 0;       ///< ms
  double packets = 0;  ///< in 1000 ticks
};
/// Packets of every flow over time: figures 5.11 and 5.12.
PaperFigure drawing_of_packets(const std::string& number, const std::string& title,
                               const Sheet& sheet, const std::vector<PrintedRate>& printed);

/// The flows of one setting, beside what the paper prints of them.
struct FlowBars {
  std::string setting;
  std::vector<double> got;        ///< MB/s
  std::vector<double> printed{};  ///< MB/s; empty: the text has none
};
/// Bars of every flow by setting: figures 5.5 to 5.8 and 5.10.
PaperFigure drawing_of_shares(const std::string& number, const std::string& title,
                              const std::vector<std::string>& flows,
                              const std::vector<FlowBars>& bars);

}  // namespace weft::papers::gmqos
