// SPDX-License-Identifier: Apache-2.0
// pingpong: a message there and back between two ranks, or one each way at once; the others do
// nothing.
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/two_ranks.hpp"

namespace weft {
namespace {

comm::Task run_pingpong(comm::Endpoint& ep, const TwoRanks& plan) {
  constexpr comm::Tag ball = 1;
  if (ep.rank() != plan.from && ep.rank() != plan.to) co_return;
  std::vector<std::byte> data(plan.bytes);
  for (std::size_t i = 0; i < plan.warmup || plan.laps.goes_on(i - plan.warmup); ++i) {
    const comm::Time before = ep.now();
    if (ep.rank() == plan.from) {
      co_await ep.send(plan.to, ball, data);
      co_await ep.recv(plan.to, ball, data);
      if (i >= plan.warmup) plan.laps.add(ep.rank(), i - plan.warmup, ep.now() - before);
    } else {
      co_await ep.recv(plan.from, ball, data);
      co_await ep.send(plan.from, ball, data);
    }
  }
}

/// Both ranks send at the same time.
comm::Task run_both_ways(comm::Endpoint& ep, const TwoRanks& plan) {
  constexpr comm::Tag ball = 1;
  if (ep.rank() != plan.from && ep.rank() != plan.to) co_return;
  const comm::Rank other = ep.rank() == plan.from ? plan.to : plan.from;
  const std::vector<std::byte> out(plan.bytes);
  std::vector<std::byte> in(plan.bytes);
  for (std::size_t i = 0; i < plan.warmup || plan.laps.goes_on(i - plan.warmup); ++i) {
    const comm::Time before = ep.now();
    comm::Op received = ep.recv(other, ball, in);
    comm::Op sent = ep.send(other, ball, out);
    co_await received;
    if (i >= plan.warmup) plan.laps.add(ep.rank(), i - plan.warmup, ep.now() - before);
    co_await sent;
  }
}

bool is_both(const Params& params) { return params.flag("both"); }

std::vector<Figure> pingpong_figures(const Params& params, const Laps& laps) {
  const Duration one_way = laps.all().mean / (is_both(params) ? 1 : 2);
  return {{"one_way", microseconds_of(one_way), "us"},
          {"bandwidth", megabytes_per_second(size_from(params, "bytes"), one_way), "MB/s"}};
}

}  // namespace

std::vector<Param> pingpong_params() {
  return {{"bytes", message_size, "8B", "of data"},
          steady_iterations_param,
          warmup_param(),
          {"from", any_rank, "0", "the rank that begins"},
          {"to", any_rank, "1", "the rank that answers"},
          {"both", YesNo{}, "no", "yes: one each way at once"}};
}

Prepared pingpong_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  const TwoRanks plan(params, setting, laps);
  const bool both = is_both(params);
  expect_iterations(params, laps);
  return {[plan, both](comm::Endpoint& ep) {
            return both ? run_both_ways(ep, plan) : run_pingpong(ep, plan);
          },
          {},
          pingpong_figures};
}

}  // namespace weft
