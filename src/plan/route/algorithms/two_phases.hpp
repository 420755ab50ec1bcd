// SPDX-License-Identifier: Apache-2.0
// TwoPhases: routes to an intermediate destination and from there to the last one (Valiant, 1981),
// each phase with lanes of its own. They are valiant and romm, and the detours of ugal and par.
#pragma once
#include <optional>
#include <string_view>
#include <variant>

#include "base/params.hpp"
#include "fabric/tables.hpp"
#include "plan/route/algorithms/dragonfly_routes.hpp"

namespace weft {

/// The lanes of a dragonfly's links by what they are for (Kim et al., 2008; Jiang, Kim, Dally,
/// 2009), in the order in which packets take them.
struct DragonflyLanes {
  int undecided = 0;  ///< local links before a second decision (par)
  int detour = 0;     ///< local and global links to the group of an intermediate destination
  int to_router = 0;  ///< local links to an intermediate switch there
  int local = 0;      ///< local links on the way to the last group
  int global = 0;     ///< global links to it
  int last = 0;       ///< local links there
  int count = 0;
};

struct TwoPhases {
  static constexpr PhaseId to_host = 0, to_intermediate = 1, undecided = 2;

  /// Choice tables with the first two phases; packets start in the second.
  Tables tables;
  /// Where the fabric is routed as a dragonfly.
  std::optional<DragonflyRoutes> dragonfly{};
  DragonflyLanes lanes{};
  bool all_links = false;  ///< of a dragonfly, where several lead to a group
  bool is_hyperx = false;

  ChoiceTables& choices() { return std::get<ChoiceTables>(tables.paths); }
  /// The ports of a dragonfly's canonical routes.
  std::vector<PortNumber> ports(SwitchId at, SwitchId to) const {
    return all_links ? dragonfly->ports(at, to) : dragonfly->one_port(at, to);
  }
};

/// What the engines differ in.
struct TwoPhaseNeeds {
  bool dragonfly_only = false;
  bool decides_again = false;  ///< a lane more on dragonflies
  bool takes_booksim = false;  ///< the parameter `lanes` may be "booksim"
};

/// By the parameters of detour_params(), and `lanes`. Refused, with the number of lanes that would
/// do, when there are too few, and where the fabric is not what the base routes need.
std::variant<TwoPhases, Refused> two_phases(const Fabric& fabric, const Params& params,
                                            TwoPhaseNeeds needs = {});
std::vector<Param> detour_params();
std::vector<Param> dragonfly_detour_params();

/// Two phases of dimension order.
std::variant<TwoPhases, Refused> two_dimension_orders(const Fabric& fabric, int most);

/// Refused unless so many lanes do.
std::optional<Refused> too_few_lanes(int needed, std::string_view what_for, int there);

}  // namespace weft
