// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line, one file each. A verb declares its arguments and returns the
// action that runs when it is chosen.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/arguments.hpp"

namespace weft::cli {

/// The exit code: 0 fine, 1 a check found something, an engine refused or a promise was broken, 2
/// wrong input, 3 a simulation ran into a deadlock, 4 a host program did not end.
using Action = std::function<int()>;
inline constexpr int exit_fine = 0;
inline constexpr int exit_found = 1;
inline constexpr int exit_wrong_input = 2;
inline constexpr int exit_deadlock = 3;
inline constexpr int exit_unfinished = 4;

struct Verb {
  std::string_view name;
  std::string_view summary;
  std::string_view example;  ///< ends the help
  Action (*add)(Arguments&);
};

std::span<const Verb> verbs();

/// Parses the command line and does what it says. Returns the exit code; throws Error.
int run(int argc, char** argv);

/// The positional arguments and options of a verb.
Takes takes(const Verb& verb);
/// What weft list can list.
std::vector<std::string_view> list_kinds();

Action add_list(Arguments&);
Action add_make(Arguments&);
Action add_show(Arguments&);
Action add_route(Arguments&);
Action add_check(Arguments&);
Action add_cluster(Arguments&);
Action add_verify(Arguments&);
Action add_mcast(Arguments&);
Action add_order(Arguments&);
Action add_sim(Arguments&);
Action add_run(Arguments&);
Action add_qos(Arguments&);
Action add_sweep(Arguments&);
Action add_study(Arguments&);
Action add_reproduce(Arguments&);
Action add_completion(Arguments&);

}  // namespace weft::cli
