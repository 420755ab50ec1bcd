// SPDX-License-Identifier: Apache-2.0
// overlap: barriers in a row by pairwise exchange of the barrier's number, and a rank that is slow
// between writing to its partner and polling its own flag. Meanwhile the partner may write the
// number of the next barrier: a rank that polls for *at least* its own number is released all the
// same, one that polls for *exactly* its own waits for ever (Gupta et al., 2002, section 6.4).
#include <array>
#include <bit>

#include "lab/programs/programs.hpp"
#include "lab/programs/shared/values.hpp"

namespace weft {
namespace {

constexpr std::size_t most_steps = 16;
constexpr comm::Tag overlap_address = 1;

struct OverlapPlan {
  std::size_t iterations;
  comm::Rank slow;
  Duration pause;
  bool at_least;
  Laps& laps;
};

comm::Task run_overlap(comm::Endpoint& ep, const OverlapPlan& plan) {
  std::array<std::uint8_t, most_steps> flags{}, numbers{};
  std::array<comm::RemoteSlice, most_steps> there{};
  std::array<comm::LastOp, most_steps> puts{};
  flags.fill(0xff);
  const auto steps = static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(ep.size())));
  const auto partner = [&](std::size_t step) { return ep.rank() ^ (comm::Rank{1} << step); };
  const comm::Region region = ep.expose(std::as_writable_bytes(std::span(flags)));
  for (std::size_t step = 0; step < steps; ++step) {
    const comm::RemoteSlice mine = region.slice(step);
    comm::Op sent = ep.send(partner(step), overlap_address, comm::bytes_of(mine));
    co_await ep.recv(partner(step), overlap_address, comm::writable_bytes_of(there[step]));
    co_await sent;
  }
  for (std::size_t i = 0; i < plan.iterations; ++i) {
    const comm::Time before = ep.now();
    const auto number = static_cast<std::uint8_t>(i);
    for (std::size_t step = 0; step < steps; ++step) {
      if (comm::Op* const last = puts[step].get()) co_await *last;
      numbers[step] = number;
      puts[step].make(
          [&] { return ep.put(partner(step), there[step], comm::bytes_of(numbers[step])); });
      if (ep.rank() == plan.slow && i % 2 == 0) co_await ep.sleep(plan.pause);
      co_await ep.until(flags[step],
                        plan.at_least ? comm::at_least(number) : comm::equal_to(number));
    }
    plan.laps.add(ep.rank(), i, ep.now() - before);
  }
}

}  // namespace

std::vector<Param> overlap_params() {
  return {iterations_param(),
          {"slow", any_rank, "0", "the rank that is slow"},
          {"pause", DurationText{}, "100us", "how slow, in every other barrier"},
          {"test", OneOf{"equal", "at_least"}, "at_least",
           "how the number that was written is compared"}};
}

Prepared overlap_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  const auto ranks = static_cast<unsigned>(setting.ranks());
  if (ranks < 2 || !std::has_single_bit(ranks) || ranks > 1U << most_steps)
    throw Error("overlap: {} ranks: a power of two, 2 or more, is needed", ranks);
  const OverlapPlan plan{params.whole<std::size_t>("iterations"),
                         rank_from(params, "slow", setting), params.duration("pause"),
                         params.is("test", "at_least"), laps};
  laps.expect(plan.iterations);
  return {[plan](comm::Endpoint& ep) { return run_overlap(ep, plan); }};
}

}  // namespace weft
