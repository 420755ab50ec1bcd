// SPDX-License-Identifier: Apache-2.0
// pingpong: a message there and back between two ranks; the others do nothing.
#include "lab/programs/parts/two_ranks.hpp"
#include "lab/programs/rows.hpp"

namespace weft {
namespace {

comm::Task play(comm::Endpoint& ep, const TwoRanks& plan) {
  constexpr comm::Tag ball = 1;
  std::vector<std::byte> data(plan.bytes);
  for (std::size_t i = 0; i < plan.warmup + plan.iterations; ++i) {
    const comm::Time before = ep.now();
    if (ep.rank() == plan.from) {
      co_await ep.send(plan.to, ball, data);
      co_await ep.recv(plan.to, ball, data);
      if (i >= plan.warmup) plan.laps.add(ep.rank(), i - plan.warmup, ep.now() - before);
    } else if (ep.rank() == plan.to) {
      co_await ep.recv(plan.from, ball, data);
      co_await ep.send(plan.from, ball, data);
    }
  }
}

std::vector<Figure> figures(const Params& params, const Laps& laps) {
  const Duration one_way = laps.all().mean / 2;
  return {{"one_way", in_microseconds(one_way), "us"},
          {"bandwidth", megabytes_per_second(size_from(params, "bytes"), one_way), "MB/s"}};
}

}  // namespace

Prepared pingpong_program(const Params& params, const Setting& setting, Laps& laps) {
  const TwoRanks plan(params, setting, laps);
  return {[plan](comm::Endpoint& ep) { return play(ep, plan); }, {}, figures};
}

}  // namespace weft
