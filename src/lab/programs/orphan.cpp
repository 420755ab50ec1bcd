// SPDX-License-Identifier: Apache-2.0
// orphan: a rank waits for a message that nobody sends, and so do those that wait for it.
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/values.hpp"

namespace weft {
namespace {

comm::Task wait_in_vain(comm::Endpoint& ep, comm::Rank orphan) {
  constexpr comm::Tag never = 7;
  std::uint64_t word = 0;
  const comm::Rank from = ep.rank() == orphan ? comm::any_source : orphan;
  co_await ep.recv(from, never, comm::writable_bytes_of(word));
}

}  // namespace

std::vector<Param> orphan_params() {
  return {{"rank", any_rank, "0", "the rank that waits; the others wait for it"}};
}

Prepared orphan_program(const Params& params, const ProgramSetting& setting, Laps&) {
  const auto orphan = rank_from(params, "rank", setting);
  return {[orphan](comm::Endpoint& ep) { return wait_in_vain(ep, orphan); }};
}

}  // namespace weft
