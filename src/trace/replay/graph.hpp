// SPDX-License-Identifier: Apache-2.0
// Ranks of a graph: a call begins as soon as those that it depends on allow it.
#pragma once
#include "trace/replay/replay.hpp"

namespace weft::trace {

comm::Task run_graph(comm::Endpoint& endpoint, ReplayJob& job, Rank rank);

}  // namespace weft::trace
