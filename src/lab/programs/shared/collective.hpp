// SPDX-License-Identifier: Apache-2.0
// What the programs of collectives share: algorithms by name, and the parameters handed on to them.
#pragma once
#include "lab/programs/program.hpp"

namespace weft {

/// A rank, or empty: none.
inline constexpr WholeUpTo root_rank{0, "ranks-1", ""};
/// Parameters of the algorithm are handed on as they are written; the algorithm checks them.
inline constexpr Param by_param{"by", FreeText{}, "", "of the algorithm: messages or puts"};
inline constexpr Param scheme_param{
    "scheme", FreeText{}, "",
    "hardware: the group's (weft list groups); otherwise rooted over Elans, oriented over other "
    "NICs"};

/// A collective, and the tables it needs where they are not the machine's.
struct ChosenCollective {
  comm::CollectiveSpec collective;
  comm::Rank root = 0;  ///< of the schedule, or rank 0
  std::optional<Tables> tables{};
};

/// The algorithms to choose from: of a "barrier", the names of its rows, and their parameters.
struct Collectives {
  std::string_view kind;
  std::vector<std::string_view> names{};
  std::vector<std::string_view> params{};
};
template <class AnyCollective>
Collectives collectives_of() {
  Collectives out{AnyCollective::kind, {}, {}};
  for (const auto& row : comm::algorithms<AnyCollective>()) {
    out.names.push_back(row.name);
    for (const Param& param : row.params) out.params.push_back(param.name);
  }
  return out;
}

/// The spec of an algorithm, with the parameters of the collective that are given.
Spec algorithm_spec(const Params& params, const std::string& name, const Collectives& among);

/// The parameter "algorithm" is one of the collectives, or a visiting order (its schedule is made
/// for the setting's hosts). Parameters of the collective are handed on where they are given.
ChosenCollective choose_collective(const Params& params, const ProgramSetting& setting,
                                   const Collectives& among);

/// The schedule of a visiting order of hosts: the first rank of every host in this order, then the
/// ranks within each host by doubling.
std::vector<comm::ScheduledSend> rank_schedule(const ProgramSetting& setting,
                                               std::string_view order,
                                               std::optional<comm::Rank> root);

}  // namespace weft
