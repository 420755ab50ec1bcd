// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line, one file each. A verb declares its arguments and returns the
// action that runs when it is chosen.
#pragma once
#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/arguments.hpp"

namespace weft::cli {

/// Returns one of the exit codes below.
using Action = std::function<int()>;
inline constexpr int exit_fine = 0;
inline constexpr int exit_found = 1;
inline constexpr int exit_wrong_input = 2;
inline constexpr int exit_deadlock = 3;
inline constexpr int exit_unfinished = 4;

struct ExitCode {
  int code;
  std::string_view meaning;
};
inline constexpr std::array exit_codes{
    ExitCode{exit_fine, "fine"},
    ExitCode{exit_found,
             "a check found something, a certificate does not hold, a routing engine or a "
             "multicast scheme refused the fabric, or a promise of bandwidth was not kept"},
    ExitCode{exit_wrong_input,
             "wrong input, on the command line or in a file: one line on standard error says what "
             "would be right, and nothing is written"},
    ExitCode{exit_deadlock, "a simulation ran into a deadlock"},
    ExitCode{exit_unfinished, "a host program did not come to its end"},
};

struct Verb {
  std::string_view name;
  std::string_view summary;
  std::string_view example;  ///< ends the help
  Action (*add)(Arguments&);
};

std::span<const Verb> verbs();

/// The command line that runs now, in the words of a shell.
const std::string& command_line();

/// Parses the command line and does what it says. Returns the exit code; throws Error.
int run(int argc, char** argv);

/// The positional arguments and options of a verb.
Takes takes(const Verb& verb);
/// What `weft VERB --help` prints, and `weft --help`.
std::string help_of(const Verb& verb);
std::string overview();

Action add_list(Arguments&);
Action add_make(Arguments&);
Action add_import(Arguments&);
Action add_show(Arguments&);
Action add_route(Arguments&);
Action add_check(Arguments&);
Action add_diff(Arguments&);
Action add_export(Arguments&);
Action add_live(Arguments&);
Action add_cluster(Arguments&);
Action add_verify(Arguments&);
Action add_mcast(Arguments&);
Action add_order(Arguments&);
Action add_sample(Arguments&);
Action add_sim(Arguments&);
Action add_run(Arguments&);
Action add_replay(Arguments&);
Action add_compare(Arguments&);
Action add_qos(Arguments&);
Action add_trace(Arguments&);
Action add_sweep(Arguments&);
Action add_merge(Arguments&);
Action add_study(Arguments&);
Action add_reproduce(Arguments&);
Action add_report(Arguments&);
Action add_completion(Arguments&);
Action add_help(Arguments&);

}  // namespace weft::cli
