// SPDX-License-Identifier: Apache-2.0
// Random DMAs while links and switches fail at random and bits flip.
#include <algorithm>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "comm/elan3.hpp"
#include "fabric/detour.hpp"
#include "papers/qsnet/elan_trials.hpp"
#include "sim/elan/elans.hpp"

namespace weft::papers::qsnet {
namespace {

using comm::Elan3;
using comm::Endpoint;
using comm::Rank;
using comm::Task;

constexpr std::size_t slot_bytes = 2048;

/// A DMA from one rank to another; no other writes to its slot.
struct Sent {
  Rank to = 0;
  std::size_t slot = 0;  ///< among those of its source
  std::size_t bytes = 0;
  std::byte value{};
  bool ok = false;
  bool there = false;  ///< whether its data were there at the end
};

/// What had arrived at a rank from one source when an event was set.
struct Seen {
  Rank from = 0;
  std::vector<bool> slots{};
};

class FaultTrial {
 public:
  FaultTrial(const Machine& machine, int dmas, std::uint64_t seed);
  CampaignTrial run();

 private:
  Task act(Endpoint& ep);
  Task watch(Endpoint& ep, Rank from, const std::vector<Elan3::Event>& events,
             const Elan3::Block& in);
  bool is_there(const Elan3::Block& in, const Sent& sent, Rank from) const;
  void judge(const Fabric& fabric);

  const Machine& machine_;
  Rng rng_;
  std::uint64_t seed_;
  sim::Faults faults_;
  std::vector<std::vector<Sent>> sent_;  ///< by source, in order
  std::vector<std::vector<Seen>> seen_;  ///< by target
  CampaignTrial out_;
};

FaultTrial::FaultTrial(const Machine& machine, int dmas, std::uint64_t seed)
    : machine_(machine), rng_(seed), seed_(seed) {
  const Fabric& fabric = machine.fabric();
  const std::size_t hosts = fabric.host_count();
  constexpr sim::Cycle within = 40'000;
  for (std::uint64_t i = rng_.below(5); i > 0; --i)
    faults_.links.push_back(
        {.link = LinkId(rng_.below(fabric.link_count())), .at = rng_.below(within)});
  if (rng_.below(4) == 0)
    faults_.links.push_back({.host = HostId(rng_.below(hosts)), .at = rng_.below(within)});
  if (rng_.below(2) == 0)
    faults_.switches.push_back({SwitchId(rng_.below(fabric.switch_count())), rng_.below(within)});
  if (rng_.below(2) == 0) faults_.bit_error_rate = 1e-6 * static_cast<double>(1 + rng_.below(20));
  sent_.resize(hosts);
  seen_.resize(hosts);
  for (std::vector<Sent>& of : sent_)
    for (int i = 0; i < dmas; ++i)
      of.push_back({.to = static_cast<Rank>(rng_.below(hosts)),
                    .slot = static_cast<std::size_t>(i),
                    .bytes = 1 + rng_.below(rng_.below(3) == 0 ? slot_bytes : 300),
                    .value = static_cast<std::byte>(1 + rng_.below(255))});
}

bool FaultTrial::is_there(const Elan3::Block& in, const Sent& sent, Rank from) const {
  const std::size_t dmas = sent_.front().size();
  const auto bytes = in.bytes.subspan(
      (static_cast<std::size_t>(from) * dmas + sent.slot) * slot_bytes, sent.bytes);
  return std::all_of(bytes.begin(), bytes.end(),
                     [&](std::byte byte) { return byte == sent.value; });
}

/// Records what has arrived from a source whenever its event is set.
Task FaultTrial::watch(Endpoint& ep, Rank from, const std::vector<Elan3::Event>& events,
                       const Elan3::Block& in) {
  Elan3& elan = *ep.capability<Elan3>();
  for (std::uint64_t count = 1;; ++count) {
    co_await elan.wait(events[static_cast<std::size_t>(from)], count, Elan3::How::block);
    Seen seen{from};
    for (const Sent& sent : sent_[static_cast<std::size_t>(from)])
      seen.slots.push_back(sent.to == ep.rank() && is_there(in, sent, from));
    seen_[static_cast<std::size_t>(ep.rank())].push_back(std::move(seen));
  }
}

Task FaultTrial::act(Endpoint& ep) {
  constexpr comm::Time start = std::chrono::microseconds(1), end = std::chrono::seconds(1);
  Elan3& elan = *ep.capability<Elan3>();
  const std::size_t ranks = sent_.size(), dmas = sent_.front().size();
  const Elan3::Block out = elan.allocate(Elan3::Store::main, dmas * slot_bytes);
  const Elan3::Block in = elan.allocate(Elan3::Store::main, ranks * dmas * slot_bytes);
  const Elan3::Segment data = elan.open(in, comm::RegionRights::remote_write);
  std::vector<Elan3::Event> events;
  std::vector<Elan3::Segment> words;
  std::vector<Task> watchers;
  for (std::size_t from = 0; from < ranks; ++from) {
    events.push_back(elan.make_event());
    words.push_back(elan.open_event(events.back()));
  }
  for (std::size_t from = 0; from < ranks; ++from) {
    watchers.push_back(watch(ep, static_cast<Rank>(from), events, in));
    watchers.back().start(ep.ready());
  }
  co_await ep.sleep(start - ep.now());  // all ranks have opened their memory
  std::vector<comm::LastOp> ops(dmas);
  std::vector<Sent>& mine = sent_[static_cast<std::size_t>(ep.rank())];
  const auto me = static_cast<std::size_t>(ep.rank());
  for (const Sent& each : mine) {
    const auto bytes = out.bytes.subspan(each.slot * slot_bytes, each.bytes);
    std::fill(bytes.begin(), bytes.end(), each.value);
    ops[each.slot].make([&] {
      return elan.dma(
          {.from = ep.rank(),
           .to = each.to,
           .source = out.elan + static_cast<Elan3::Address>(each.slot * slot_bytes),
           .target = in.elan + static_cast<Elan3::Address>((me * dmas + each.slot) * slot_bytes),
           .bytes = each.bytes,
           .target_event = events[me],
           .queue = 0});
    });
  }
  for (Sent& each : mine) each.ok = (co_await *ops[each.slot].get()).ok();
  co_await ep.sleep(end - ep.now());
  for (std::size_t from = 0; from < ranks; ++from) {
    std::uint64_t there = 0;
    for (Sent& each : sent_[from])
      if (each.to == ep.rank()) {
        each.there = is_there(in, each, static_cast<Rank>(from));
        there += each.there ? 1 : 0;
      }
    const std::uint64_t seen = elan.poll(events[from]);
    out_.doubled += seen > there ? seen - there : 0;
    out_.lost += seen < there ? there - seen : 0;
  }
}

void FaultTrial::judge(const Fabric& fabric) {
  const Obstacles broken = sim::elan::obstacles_of(fabric, faults_);
  const Levels levels(fabric);
  for (std::size_t from = 0; from < sent_.size(); ++from)
    for (const Sent& each : sent_[from]) {
      ++out_.dmas;
      if (each.ok) {
        ++(each.there ? out_.delivered : out_.lost);
        continue;
      }
      const auto route = detour(fabric, levels, HostId(from),
                                HostId(static_cast<std::size_t>(each.to)), {&broken});
      ++(route ? out_.failed : out_.unreachable);
    }
  for (std::size_t to = 0; to < seen_.size(); ++to)
    for (const Seen& seen : seen_[to]) {
      bool missing = false;
      for (const Sent& each : sent_[static_cast<std::size_t>(seen.from)]) {
        if (static_cast<std::size_t>(each.to) != to || !each.there) continue;
        if (!seen.slots[each.slot])
          missing = true;
        else if (missing)
          ++out_.out_of_order;
      }
    }
}

CampaignTrial FaultTrial::run() {
  run::WorldOptions options;
  options.network.faults = faults_;
  options.network.seed = seed_;
  run::World world(machine_.fabric(), machine_.tables(), machine_.switches, machine_.nic, options);
  const run::WorldResult outcome = world.run([&](Endpoint& ep) { return act(ep); });
  out_.hangs = outcome.ended != run::WorldEnd::finished;
  out_.links = faults_.links.size();
  out_.switches = faults_.switches.size();
  out_.errors = faults_.bit_error_rate > 0;
  const auto& counts = world.hosts().capability<sim::Elans>()->counts();
  out_.retries = counts.retries;
  out_.reroutes = counts.reroutes;
  out_.doubles_dropped = counts.duplicates;
  if (!out_.hangs) judge(machine_.fabric());
  return out_;
}

}  // namespace

CampaignTrial& CampaignTrial::operator+=(const CampaignTrial& other) {
  links += other.links;
  switches += other.switches;
  errors = errors || other.errors;
  hangs = hangs || other.hangs;
  for (std::uint64_t CampaignTrial::*each :
       {&CampaignTrial::dmas, &CampaignTrial::delivered, &CampaignTrial::unreachable,
        &CampaignTrial::failed, &CampaignTrial::lost, &CampaignTrial::doubled,
        &CampaignTrial::out_of_order, &CampaignTrial::retries, &CampaignTrial::reroutes,
        &CampaignTrial::doubles_dropped})
    this->*each += other.*each;
  return *this;
}

CampaignTrial try_faults(const Machine& machine, int dmas, std::uint64_t seed) {
  require_elan(machine);
  return FaultTrial(machine, dmas, seed).run();
}

}  // namespace weft::papers::qsnet
