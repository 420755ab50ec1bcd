// SPDX-License-Identifier: Apache-2.0
// Running an exchange as a host program.
#include "papers/rhinet2/exchange.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "comm/unbacked.hpp"
#include "lab/cluster/waiting.hpp"
#include "run/simulated/world.hpp"
#include "sim/nics/nic.hpp"

namespace weft::papers::rhinet2 {
namespace {

using comm::Endpoint;
using comm::Rank;
using comm::RemoteSlice;
using comm::Task;

constexpr comm::Tag addresses = 1;
/// Hosts do not march in step: they begin within 20 us, more than a write takes.
constexpr std::uint64_t latest_begin = 20'000'000;

/// Completions of a flow in the measured time.
struct CompletionCount {
  std::int64_t writes = -1;  ///< the first one only starts the clock
  comm::Time first{}, last{};

  void add(comm::Time now, comm::Time from) {
    if (now < from) return;
    if (++writes == 0) first = now;
    last = now;
  }
};

struct Role {
  Rank to = -1;
  Duration begins{0};  ///< after all know where to write
  std::vector<Rank> from{};
  CompletionCount count{};
};

/// One write after the other.
Task write_on(Endpoint& ep, const ExchangeSetup& exchange, RemoteSlice at, Role& role) {
  const std::vector<std::byte> data(static_cast<std::size_t>(exchange.size.count));
  for (;;) {
    co_await ep.put(role.to, at, data);
    role.count.add(ep.now(), exchange.warm_up);
  }
}

/// One message after the other, and as many received: those who send to each other take turns.
Task send_on(Endpoint& ep, const ExchangeSetup& exchange, Role& role) {
  const std::span<std::byte> data = comm::unbacked(static_cast<std::size_t>(exchange.size.count));
  co_await ep.spend(role.begins);
  for (;;) {
    comm::Op sent = ep.send(role.to, addresses, data);
    co_await sent;
    for (const Rank from : role.from) co_await ep.recv(from, addresses, data);
    role.count.add(ep.now(), exchange.warm_up);
  }
}

Task take_part(Endpoint& ep, const ExchangeSetup& exchange, Role& role) {
  if (exchange.library.buffers && role.to >= 0) co_await send_on(ep, exchange, role);
  std::vector<std::byte> memory(static_cast<std::size_t>(exchange.size.count));
  const comm::Region region = ep.expose(memory);
  const RemoteSlice own = region.slice();
  comm::Ops sent(ep, role.from.size());
  for (const Rank from : role.from)
    sent.add([&] { return ep.send(from, addresses, comm::bytes_of(own)); });
  std::vector<Task> writers;
  if (role.to >= 0) {
    RemoteSlice at;
    co_await ep.recv(role.to, addresses, comm::writable_bytes_of(at));
    if (role.begins.count() > 0) co_await ep.spend(role.begins);
    for (int i = 0; i < exchange.window; ++i) {
      writers.push_back(write_on(ep, exchange, at, role));
      writers.back().start(ep.ready());
    }
  }
  const std::uint64_t never = 0;
  co_await ep.until(never, comm::at_least<std::uint64_t>(1));
}

/// MB/s from the first to the last write; of few writes, over the whole time, as they come in
/// bursts.
double bandwidth(const CompletionCount& count, const ExchangeSetup& exchange) {
  constexpr std::int64_t few = 10;
  const bool between = count.writes >= few;
  const std::int64_t writes = between ? count.writes : count.writes + 1;
  const Duration time = between ? count.last - count.first : exchange.measured;
  return static_cast<double>(writes * exchange.size.count) * 1e6 /
         static_cast<double>(time.count());
}

std::vector<Role> roles_of(const ExchangeSetup& exchange) {
  std::vector<Role> out(exchange.fabric.host_count());
  for (const ExchangeFlow& flow : exchange.flows) {
    Role& source = out[flow.from.index()];
    if (source.to >= 0)
      throw Error("exchange: host \"{}\" is the source of two flows",
                  exchange.fabric[flow.from].name);
    source.to = static_cast<Rank>(flow.to.index());
    out[flow.to.index()].from.push_back(static_cast<Rank>(flow.from.index()));
  }
  if (exchange.seed == 0) return out;
  Rng rng(exchange.seed);
  for (Role& role : out) role.begins = Duration(static_cast<std::int64_t>(rng.below(latest_begin)));
  return out;
}

}  // namespace

double ExchangeResult::mean() const {
  return std::accumulate(megabytes_per_second.begin(), megabytes_per_second.end(), 0.0) /
         static_cast<double>(megabytes_per_second.size());
}
double ExchangeResult::least() const {
  return *std::min_element(megabytes_per_second.begin(), megabytes_per_second.end());
}
double ExchangeResult::most() const {
  return *std::max_element(megabytes_per_second.begin(), megabytes_per_second.end());
}

ExchangeResult run_exchange(const ExchangeSetup& exchange) {
  if (exchange.flows.empty() || exchange.size.count < 1 || exchange.window < 1)
    throw Error("exchange: it needs a flow, a byte and a window of at least one write");
  const sim::SwitchModel switches = settled(exchange.switches, exchange.fabric, exchange.tables);
  const sim::NicModel nic = sim::nic_from(exchange.nic);
  std::vector<Role> roles = roles_of(exchange);
  run::World world(exchange.fabric, exchange.tables, switches, nic,
                   {.until = exchange.warm_up + exchange.measured, .library = exchange.library});
  const run::WorldResult outcome = world.run([&](Endpoint& ep) {
    return take_part(ep, exchange, roles[static_cast<std::size_t>(ep.rank())]);
  });
  if (outcome.ended != run::WorldEnd::out_of_time)
    throw Error("exchange: it came to a stand:\n{}", outcome.explanation);
  ExchangeResult out;
  for (const ExchangeFlow& flow : exchange.flows)
    out.megabytes_per_second.push_back(bandwidth(roles[flow.from.index()].count, exchange));
  out.flit_hops = world.hosts().network().totals().flit_hops;
  return out;
}

}  // namespace weft::papers::rhinet2
