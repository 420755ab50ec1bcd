// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line, one file each. A verb adds its options to the parser and returns
// what is to be done when it was chosen.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string_view>

namespace weft::cli {

/// The exit code: 0 fine, 1 a check found something, 2 wrong input.
using Action = std::function<int()>;
inline constexpr int exit_fine = 0;
inline constexpr int exit_found = 1;
inline constexpr int exit_wrong_input = 2;

struct Verb {
  std::string_view name;
  std::string_view summary;
  std::string_view example;  ///< ends the help
  Action (*add)(CLI::App&);
};

std::span<const Verb> verbs();

Action add_list(CLI::App&);
Action add_make(CLI::App&);
Action add_show(CLI::App&);
Action add_route(CLI::App&);
Action add_check(CLI::App&);
Action add_verify(CLI::App&);
Action add_mcast(CLI::App&);
Action add_order(CLI::App&);
Action add_study(CLI::App&);
Action add_completion(CLI::App&);

}  // namespace weft::cli
