// SPDX-License-Identifier: Apache-2.0
// put: one rank writes to another's memory, `window` writes at a time; a time is from the end of
// one write to the end of the next.
#include <algorithm>

#include "lab/programs/programs.hpp"
#include "lab/programs/shared/two_ranks.hpp"

namespace weft {
namespace {

constexpr comm::Tag put_address = 1;

/// Runs all puts, `window` at a time. The first `warmup` end before the others begin: puts of one
/// window end close together, because they share the route.
comm::Task write(comm::Endpoint& ep, const TwoRanks& plan, std::size_t window) {
  std::vector<std::byte> data(plan.bytes);
  comm::RemoteSlice there;
  co_await ep.recv(plan.to, put_address, comm::writable_bytes_of(there));
  std::vector<comm::LastOp> puts(window);
  for (const bool measured : {false, true}) {
    const std::size_t count = measured ? plan.laps.iterations() : plan.warmup;
    comm::Time before = ep.now();
    for (std::size_t i = 0; i < count + window; ++i) {
      comm::LastOp& put = puts[i % window];
      if (i >= window && i - window < count) {
        const comm::Result result = co_await *put.get();
        if (!result.ok()) throw Error("put: {}", to_text(result.status));
        const comm::Time now = ep.now();
        if (measured) plan.laps.add(ep.rank(), i - window, now - before);
        before = now;
      }
      if (i < count) put.make([&] { return ep.put(plan.to, there, data); });
    }
  }
  co_await ep.send(plan.to, put_address, {});
}

comm::Task expose(comm::Endpoint& ep, const TwoRanks& plan) {
  std::vector<std::byte> memory(plan.bytes);
  const comm::Region region = ep.expose(memory);
  const comm::RemoteSlice slice = region.slice();
  co_await ep.send(plan.from, put_address, comm::bytes_of(slice));
  co_await ep.recv(plan.from, put_address, {});
}

comm::Task idle(comm::Endpoint&) { co_return; }

std::vector<Figure> put_figures(const Params& params, const Laps& laps) {
  return {{"bandwidth", megabytes_per_second(size_from(params, "bytes"), laps.all().mean), "MB/s"}};
}

}  // namespace

std::vector<Param> put_params() {
  return {{"bytes", message_size, "4KiB", "of data"},
          iterations_param(),
          warmup_param(),
          {"from", any_rank, "0", "the rank that writes"},
          {"to", any_rank, "1", "the rank that is written to"},
          {"window", Whole{1, 1'000'000}, "1", "writes under way at once"}};
}

Prepared put_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  const TwoRanks plan(params, setting, laps);
  laps.expect(params.whole<std::size_t>("iterations"));
  const auto window = params.whole<std::size_t>("window");
  const auto program = [plan, window](comm::Endpoint& ep) {
    if (ep.rank() == plan.from) return write(ep, plan, window);
    return ep.rank() == plan.to ? expose(ep, plan) : idle(ep);
  };
  return {program, {}, put_figures};
}

}  // namespace weft
