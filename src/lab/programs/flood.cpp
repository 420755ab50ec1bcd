// SPDX-License-Identifier: Apache-2.0
// flood: all other ranks send messages to rank 0, which takes them as they come; a time is that of
// as many messages as there are senders.
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/values.hpp"

namespace weft {
namespace {

struct FloodPlan {
  std::size_t bytes, iterations;
  Laps& laps;
};

comm::Task run_flood(comm::Endpoint& ep, const FloodPlan& plan) {
  constexpr comm::Tag drop = 1;
  std::vector<std::byte> data(plan.bytes);
  if (ep.rank() != 0) {
    for (std::size_t i = 0; i < plan.iterations; ++i) co_await ep.send(0, drop, data);
    co_return;
  }
  const auto senders = static_cast<std::size_t>(ep.size() - 1);
  const std::size_t all = plan.iterations * senders;
  constexpr std::size_t window = 16;  // receives that are posted
  std::vector<comm::LastOp> ops(window);
  comm::Time before = ep.now();
  for (std::size_t i = 0; i < all + window; ++i) {
    comm::LastOp& op = ops[i % window];
    if (i >= window && i - window < all) {
      co_await *op.get();
      if (const std::size_t taken = i - window + 1; taken % senders == 0) {
        plan.laps.add(0, taken / senders - 1, ep.now() - before);
        before = ep.now();
      }
    }
    if (i < all) op.make([&] { return ep.recv(comm::any_source, drop, data); });
  }
}

}  // namespace

std::vector<Param> flood_params() {
  return {{"bytes", message_size, "0B", "of data"}, iterations_param()};
}

Prepared flood_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  const FloodPlan plan{size_from(params, "bytes"), params.whole<std::size_t>("iterations"), laps};
  if (setting.ranks() < 2) throw Error("flood: two ranks are needed");
  laps.expect(plan.iterations);
  return {[plan](comm::Endpoint& ep) { return run_flood(ep, plan); }, {}};
}

}  // namespace weft
