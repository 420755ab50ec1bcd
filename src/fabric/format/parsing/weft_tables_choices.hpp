// SPDX-License-Identifier: Apache-2.0
// The lines of weft's tables that belong to choice tables: "choice", "phase", "start", the rules of
// intermediate destinations and detours, and the columns "in" a phase and "via" an intermediate
// destination. weft_tables_read.cpp calls each when it has read the keyword.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fabric/format/parsing/weft_tables_words.hpp"

namespace weft::weft_tables {

template <class Value>
struct NamedValue {
  Value value;
  std::string_view name;
};

inline constexpr std::array rule_names{
    NamedValue<IntermediateRule>{IntermediateRule::any, "any"},
    NamedValue<IntermediateRule>{IntermediateRule::elsewhere, "elsewhere"},
    NamedValue<IntermediateRule>{IntermediateRule::between, "between"},
    NamedValue<IntermediateRule>{IntermediateRule::aligned, "aligned"},
    NamedValue<IntermediateRule>{IntermediateRule::up_to_last, "up_to_last"}};
inline constexpr std::array queue_names{
    NamedValue<DetourDecision::Queue>{DetourDecision::Queue::port, "port"},
    NamedValue<DetourDecision::Queue>{DetourDecision::Queue::lane, "lane"},
    NamedValue<DetourDecision::Queue>{DetourDecision::Queue::path, "path"}};
inline constexpr std::array start_names{NamedValue<StartRule>{StartRule::random, "random"},
                                        NamedValue<StartRule>{StartRule::queue, "queue"},
                                        NamedValue<StartRule>{StartRule::level, "level"}};

template <class Names, class Value>
std::string_view name_of(const Names& names, Value value) {
  for (const auto& each : names)
    if (each.value == value) return each.name;
  return {};
}

/// Choice tables, line by line.
class ChoiceLines {
 public:
  /// With the order of the list of switches and the number of lanes, as far as they are read.
  ChoiceLines(FabricWords& words, const std::vector<SwitchId>& order, const int& lane_count)
      : words_(words),
        order_(order),
        lane_count_(lane_count),
        out_(0, words.fabric().switch_count()) {}

  void choice();
  void regions();
  void intermediates();
  void decide();
  void start();
  void phase();

  /// Before the first column, and at the end. Throws Error where a line of the head names phases
  /// that do not exist, or that lead elsewhere.
  void end_head(const Source& source) const;
  /// At the end. Throws Error where there are no intermediate destinations though packets need one.
  void end_columns(const Source& source) const;
  /// The phase of the line "in 0 to h0 h1".
  PhaseId column_phase();
  void assign(PhaseId phase, HostId to, ColumnId column);
  void add_intermediate(ColumnId column) { out_.intermediates.columns.push_back(column); }
  /// The entries of a column, to the end of the line.
  void column();

  bool have_one_phase() const { return out_.phases.size() == 1; }

  ChoiceTables finish() && { return std::move(out_); }

 private:
  ChoiceTables::Entry set(SwitchId at);
  void require_phases(const Source& source) const;
  Candidate candidate();
  PhaseId phase_number() {
    return static_cast<PhaseId>(words_.number(most_phases - 1, "the number of a phase"));
  }
  template <class Names>
  auto named(const Names& names, std::string_view what);

  FabricWords& words_;
  const std::vector<SwitchId>& order_;
  const int& lane_count_;
  ChoiceTables out_;
  std::vector<ChoiceTables::Entry> sets_{};  ///< by their numbers in the file
  std::vector<PortNumber> greatest_port_{};  ///< by set
  std::vector<ChoiceTables::Entry> row_{};
  std::size_t without_phase_ = 0;  ///< the first line with a candidate that names none
  PhaseId last_phase_ = 0;         ///< that a candidate leads to, and its line
  std::size_t last_phase_line_ = 0, start_line_ = 0;
  std::vector<std::size_t> phase_lines_{};
};

}  // namespace weft::weft_tables
