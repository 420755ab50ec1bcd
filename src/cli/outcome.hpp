// SPDX-License-Identifier: Apache-2.0
// The exit code of a run of host programs.
#pragma once
#include "cli/verbs.hpp"
#include "run/simulated/world.hpp"

namespace weft::cli {

inline int exit_code(run::WorldEnd ended) {
  switch (ended) {
    case run::WorldEnd::finished:
      return exit_fine;
    case run::WorldEnd::deadlocked:
      return exit_deadlock;
    case run::WorldEnd::stuck:
    case run::WorldEnd::out_of_time:
      return exit_unfinished;
  }
  return exit_unfinished;
}

}  // namespace weft::cli
