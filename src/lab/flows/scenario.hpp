// SPDX-License-Identifier: Apache-2.0
// A scenario file: flows that come and go, and what each asks for.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fabric/format/format.hpp"
#include "lab/flows/flows.hpp"

namespace weft {

/// A host as a file names it.
struct NamedHost {
  std::string name{};                   ///< unless it is named by number
  std::optional<std::uint32_t> number;  ///< its place in the fabric, from 0
  std::size_t line = 0;
};

struct ScenarioFlow {
  FlowPlan plan{};  ///< without its hosts
  NamedHost from{}, to{};
};

struct Scenario {
  std::string file{};  ///< for complaints
  std::string about{};
  std::string cluster{};  ///< cluster file or the name of one; empty: the user gives one
  comm::qos::Policy policy = comm::qos::Policy::equal;
  std::optional<Bandwidth> capacity{};  ///< of a host, for the managers; otherwise measured
  int link_percent = 0;  ///< of links between switches, for the managers; 0: the machine's usual
  Duration bin{}, length{};
  std::vector<ScenarioFlow> flows{};
};

/// Reads a scenario file. Throws Error with file, line, key and what would be right.
Scenario read_scenario(const Source& source);

/// The scenario file of this path ("-" is standard input), or the one embedded in the program under
/// this name. A cluster file is looked for in the scenario's folder, too.
Scenario find_scenario(const std::string& path_or_name);

/// The flows between the hosts of a fabric; limits are still to be filled in. Throws Error
/// for a host that the fabric lacks.
FlowsPlan plan_of(const Scenario& scenario, const Fabric& fabric);

/// "equal", "max-min". The inverse throws Error.
std::string_view to_text(comm::qos::Policy policy);
comm::qos::Policy policy_from(std::string_view text);

}  // namespace weft
