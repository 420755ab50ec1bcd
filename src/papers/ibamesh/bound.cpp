// SPDX-License-Identifier: Apache-2.0
// Serialisation bounds of the InfiniBand mesh study: a link carries one packet at a time, so the
// packets of the busiest link are a time that no switch and no lanes can shorten.
#include "fabric/walk.hpp"
#include "papers/ibamesh/study.hpp"
#include "plan/check/graph/group_steps.hpp"

namespace weft::papers::ibamesh {
namespace {

class ChannelLoads {
 public:
  explicit ChannelLoads(const Fabric& fabric)
      : fabric_(fabric),
        channels_(fabric.channel_count(), 0),
        from_host_(fabric.host_count(), 0),
        to_host_(fabric.host_count(), 0) {}

  void over(ChannelId c) { ++channels_[c]; }
  void from(HostId h) { ++from_host_[h]; }
  void to(HostId h) { ++to_host_[h]; }

  Bound busiest() const {
    Bound out;
    const auto take = [&](std::uint64_t packets, const auto& where) {
      if (packets > out.packets) out = {packets, where()};
    };
    for (HostId h : fabric_.hosts()) {
      take(from_host_[h], [] { return std::string("into the network from one host"); });
      take(to_host_[h], [] { return std::string("out of the network to one host"); });
    }
    for (ChannelId c : fabric_.channels())
      take(channels_[c], [&] {
        return fmt::format("from {} to {}", fabric_[fabric_.from(c)].name,
                           fabric_[fabric_.to(c)].name);
      });
    return out;
  }

 private:
  const Fabric& fabric_;
  IdVector<ChannelId, std::uint64_t> channels_;
  IdVector<HostId, std::uint64_t> from_host_, to_host_;
};

}  // namespace

Bound IbameshStudy::bound(const TrafficCase& what, Scheme scheme) const {
  const MulticastRun run{what, smallest(), 0, scheme};
  const Tables& routes = tables(run);
  ChannelLoads load(fabric_);
  Walker walk(fabric_, routes);
  for (const BurstPacket& packet : packets(run)) {
    load.from(packet.from);
    if (scheme == Scheme::unicast) {
      load.to(packet.to);
      for (const Hop& hop : walk(packet.from, packet.to).hops) load.over(hop.channel);
      continue;
    }
    const Group& group = routes.groups[packet.group];
    for (const HostId member : group.members)
      if (member != packet.from) load.to(member);
    for_each_step(fabric_, routes, group, [&](Hop, Hop out) { load.over(out.channel); });
  }
  return load.busiest();
}

}  // namespace weft::papers::ibamesh
