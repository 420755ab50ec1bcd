// SPDX-License-Identifier: Apache-2.0
// The option for threads that move one network.
#pragma once
#include "cli/arguments/arguments.hpp"
#include "cli/warnings.hpp"
#include "lab/cluster/threads.hpp"

namespace weft::cli {

inline void add_threads(Arguments& arguments, std::uint64_t& threads) {
  arguments.option(
      "--threads NUMBER", threads,
      "that move one network together where that is faster, with the\nsame results; 0: "
      "all cores, as far as it is large enough to gain");
}

/// Tells the user of a host program why threads share out only its switches.
inline void warn_of_hosts(const Machine& machine, std::uint64_t threads, bool ranks_are_apart) {
  if (threads < 2) return;
  if (const std::string why = hosts_stay_because(machine, ranks_are_apart); !why.empty())
    warn({fmt::format("--threads {}: hosts stay with one thread, as {}", threads, why)});
}

}  // namespace weft::cli
