// SPDX-License-Identifier: Apache-2.0
// A hardware broadcast to a range of hosts, and who has its data when.
#include <algorithm>

#include "base/error.hpp"
#include "comm/elan3.hpp"
#include "papers/qsnet/elan_trials.hpp"
#include "plan/mcast/mcast.hpp"

namespace weft::papers::qsnet {
namespace {

using comm::Elan3;
using comm::Endpoint;
using comm::Rank;
using comm::Task;

constexpr std::byte sent_value{0x77};
/// The first broadcast maps pages on demand, the second is measured.
constexpr comm::Time first_start = std::chrono::milliseconds(1),
                     start = std::chrono::milliseconds(10), end = std::chrono::milliseconds(30);

class RangeTrial {
 public:
  RangeTrial(const Machine& machine, const BroadcastRange& range)
      : machine_(machine), range_(range), tables_(machine.tables()) {
    GroupRequest request{"range", {}};
    for (std::size_t i = range.first; i <= range.last; ++i) request.members.emplace_back(i);
    Grouped grouped = make_group({machine.fabric(), machine.tables(), request}, "rooted");
    if (const auto* refused = std::get_if<Refused>(&grouped))
      throw Error("rooted: {}", refused->why);
    tables_.groups.push_back(std::get<Group>(std::move(grouped)));
  }

  BroadcastTrial run() {
    run::WorldOptions options;
    if (range_.dead) options.network.faults.links.push_back({.host = HostId(range_.last)});
    run::World world(machine_.fabric(), tables_, machine_.switches, machine_.nic, options);
    const run::WorldResult outcome = world.run([&](Endpoint& ep) { return act(ep); });
    if (outcome.ended != run::WorldEnd::finished)
      throw Error("a trial of a broadcast came to a stand:\n{}", outcome.explanation);
    return out_;
  }

 private:
  bool is_member(Rank rank) const {
    const auto at = static_cast<std::size_t>(rank);
    return at >= range_.first && at <= range_.last;
  }

  Task act(Endpoint& ep);
  Task give(Endpoint& ep, const Elan3::Block& block, Elan3::Event came);

  const Machine& machine_;
  BroadcastRange range_;
  Tables tables_;
  BroadcastTrial out_;
};

Task RangeTrial::give(Endpoint& ep, const Elan3::Block& block, Elan3::Event came) {
  std::fill(block.bytes.begin(), block.bytes.end(), sent_value);
  const comm::Time before = ep.now();
  const comm::Result result = co_await ep.capability<Elan3>()->broadcast(
      {.group = static_cast<int>(tables_.groups.size()) - 1,
       .source = block.elan,
       .target = block.elan,
       .bytes = range_.bytes,
       .target_event = came});
  out_.ok = result.ok();
  out_.acknowledged = ep.now() - before;
}

Task RangeTrial::act(Endpoint& ep) {
  Elan3& elan = *ep.capability<Elan3>();
  const Elan3::Block block = elan.allocate(Elan3::Store::main, range_.bytes);
  const Elan3::Block other = elan.allocate(Elan3::Store::main, std::size_t{1} << 18U);
  const Elan3::Event came = elan.make_event();
  const Elan3::Segment data = elan.open(block, comm::RegionRights::remote),
                       more = elan.open(other, comm::RegionRights::remote),
                       word = elan.open_event(came);
  const auto last = static_cast<Rank>(range_.last);
  const bool root = static_cast<std::size_t>(ep.rank()) == range_.first;
  comm::LastOp traffic;
  if (root) {
    co_await ep.sleep(first_start - ep.now());
    co_await give(ep, block, came);
  }
  if (range_.busy && !is_member(ep.rank())) {
    co_await ep.sleep(start - std::chrono::microseconds(100) - ep.now());
    traffic.make([&] {
      return elan.dma({.from = ep.rank(),
                       .to = last,
                       .source = other.elan,
                       .target = other.elan,
                       .bytes = other.bytes.size()});
    });
  }
  co_await ep.sleep(start - ep.now());
  if (root) {
    co_await give(ep, block, came);
  } else if (is_member(ep.rank())) {
    comm::Op waiting = elan.wait(came, 2);
    waiting.within(end - start);
    if ((co_await waiting).ok()) {
      const Duration time = ep.now() - start;
      out_.first_has = out_.have == 0 ? time : std::min(out_.first_has, time);
      out_.last_has = std::max(out_.last_has, time);
      ++out_.have;
    }
  }
  co_await ep.sleep(end + std::chrono::milliseconds(1) - ep.now());
  const auto right = std::count(block.bytes.begin(), block.bytes.end(), sent_value);
  const bool whole = right == static_cast<std::ptrdiff_t>(block.bytes.size());
  if (is_member(ep.rank()) && !root && whole) ++out_.right;
  if (!is_member(ep.rank()) && (right > 0 || elan.poll(came) > 0)) ++out_.others;
}

}  // namespace

BroadcastTrial try_broadcast(const Machine& machine, const BroadcastRange& range) {
  require_elan(machine);
  if (range.first >= range.last || range.last >= machine.fabric().host_count())
    throw Error("a broadcast from host {} to host {} of {} is none", range.first, range.last,
                machine.fabric().host_count());
  return RangeTrial(machine, range).run();
}

}  // namespace weft::papers::qsnet
