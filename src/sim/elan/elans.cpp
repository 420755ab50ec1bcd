// SPDX-License-Identifier: Apache-2.0
// Elans: what there is, sizes and times, and who handles which event.
#include "sim/elan/elans.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace weft::sim {
namespace {

std::uint64_t size(Bytes bytes) { return static_cast<std::uint64_t>(bytes.count); }

/// A packet: its header and transactions, at least one. Those with data carry a block, however few
/// of its bytes are wanted.
std::uint32_t elan_flits(const elan::Model& model, Bytes flit, std::uint64_t data) {
  const std::uint64_t blocks = (data + size(model.block) - 1) / size(model.block);
  const std::uint64_t bytes = size(model.packet_header) +
                              std::max<std::uint64_t>(1, blocks) * size(model.block_header) +
                              blocks * size(model.block);
  return static_cast<std::uint32_t>(
      std::max<std::uint64_t>(2, (bytes + size(flit) - 1) / size(flit)));
}

HostSetup with_packets_of(const elan::Model& model, HostSetup setup) {
  const std::uint64_t longest = std::max(size(model.payload), size(model.descriptor));
  setup.options.network.longest_packet = elan_flits(model, setup.switches.flit, longest);
  setup.options.network.circuits = true;
  setup.options.network.breakages = true;
  return setup;
}

std::uint32_t lanes_of(const SwitchModel& switches, const Tables& tables) {
  return static_cast<std::uint32_t>(switches.lanes > 0 ? switches.lanes : tables.lane_count);
}

}  // namespace

Elans::Elans(const NicModel& nic, const elan::Model& model, const HostSetup& setup)
    : HostModel(nic, with_packets_of(model, setup)),
      elan_(model),
      window_(lanes_of(setup.switches, tables_) + 1),
      hop_time_(cycle_ * (setup.switches.route + setup.switches.lane + setup.switches.allocate +
                          setup.switches.cross + setup.switches.link)),
      units_(fabric_.host_count()),
      routes_(fabric_, network_) {
  for (const Group& group : tables_.groups) {
    auto& places = member_of_.emplace_back(fabric_.host_count(), none);
    for (std::size_t i = 0; i < group.members.size(); ++i)
      places[group.members[i].index()] = static_cast<std::uint32_t>(i);
  }
}

elan::Memory& Elans::memory_of(HostId host) {
  auto& memory = unit(host).memory;
  if (!memory) memory = std::make_unique<elan::Memory>(elan_.memory);
  return *memory;
}

std::span<const std::string_view> Elans::part_names() const {
  static constexpr std::array<std::string_view, 5> names{"pci", "bus", "microcode", "thread",
                                                         "memory"};
  return names;
}

const Resource& Elans::part(HostId host, std::size_t index) const {
  const Unit& of = units_[host.index()];
  const std::array<const Resource*, 5> parts{&of.pci, &of.bus, &of.microcode, &of.thread,
                                             &memory(host)};
  return *parts[index];
}

std::vector<std::pair<std::string_view, std::uint64_t>> Elans::counters() const {
  std::uint64_t misses = 0, mapped = 0;
  for (const Unit& of : units_) {
    if (!of.memory) continue;
    misses += of.memory->counters().tlb_misses;
    mapped += of.memory->counters().pages_mapped;
  }
  return {{"packets sent again", counts_.retries},
          {"routes changed", counts_.reroutes},
          {"doubles dropped", counts_.duplicates},
          {"packets given up", counts_.unreachable},
          {"traps", counts_.traps},
          {"TLB misses", misses},
          {"pages mapped", mapped}};
}

// --- sizes and times ----------------------------------------------------------------------------

/// Data of a packet.
std::uint64_t Elans::packet_bytes(const Job& job, std::uint32_t packet) const {
  const std::uint64_t bytes = job.asks ? size(elan_.descriptor) : job.bytes;
  return std::min(size(elan_.payload), bytes - packet * size(elan_.payload));
}

std::uint32_t Elans::blocks_of(std::uint64_t bytes) const {
  return static_cast<std::uint32_t>((bytes + size(elan_.block) - 1) / size(elan_.block));
}

std::uint32_t Elans::flits_of(std::uint64_t data) const { return elan_flits(elan_, flit_, data); }

Duration Elans::pci_time(std::uint64_t bytes) const {
  return elan_.pci_setup + Bytes{static_cast<std::int64_t>(bytes)} / elan_.pci;
}

/// When a block that has just come, over PCI or the link, is through the internal bus, which took
/// its words as they came.
Duration Elans::through_bus(HostId host) {
  const Duration now = kernel_.now();
  return std::max(now, unit(host).bus.enter(now - elan_.bus, elan_.bus));
}

std::uint32_t Elans::header_flits() const {
  return static_cast<std::uint32_t>((elan_.packet_header.count + flit_.count - 1) / flit_.count);
}

std::uint32_t Elans::block_flits() const {
  const std::int64_t bytes = elan_.block_header.count + elan_.block.count;
  return static_cast<std::uint32_t>((bytes + flit_.count - 1) / flit_.count);
}

/// From the beginning of a job's data.
std::uint64_t Elans::offset(std::uint32_t packet, std::uint32_t block) const {
  return packet * size(elan_.payload) + block * size(elan_.block);
}

/// Of a token over so many switches and the links between them.
Duration Elans::token_time(unsigned hops) const { return hop_time_ * (hops + 1); }

/// A line of SDRAM is used: how long from now on until it is at hand. Several go one after another.
Duration Elans::touch(HostId host, std::uint64_t sdram, bool write) {
  if (memory_of(host).cache().touch(sdram, write)) return Duration{0};
  return unit(host).bus.enter(kernel_.now(), elan_.fill) - kernel_.now();
}

/// What the MMU takes to find an address of a process; nothing when its TLB knows.
Duration Elans::translation_time(HostId host, const elan::ProcessLocation& of,
                                 elan::Address address, elan::Access access, elan::Process by) {
  const auto found = memory_of(host).translate(of.context, address, access, by);
  const auto* translation = std::get_if<elan::Translation>(&found);
  if (translation == nullptr) return Duration{0};  // it is refused when the packet is whole
  Duration time{0};
  for (std::uint32_t i = 0; i < translation->reads; ++i)
    time = std::max(time, touch(host, translation->read_at[i], false));
  // Pages of SDRAM need nobody: the Elan's own tables are enough.
  if (translation->mapped_now && translation->physical.kind == elan::MemoryKind::main)
    time += elan_.map_page;
  return time;
}

std::size_t Elans::members(const Job& job) const {
  if (!is_multicast(job)) return 1;
  const std::vector<HostId>& all = tables_.groups[job.group()].members;
  const bool self = member_of_[job.group()][job.from.index()] != none;
  return all.size() - (self ? 1 : 0);
}

std::size_t Elans::member(const Job& job, HostId host) const {
  return is_multicast(job) ? member_of_[job.group()][host.index()] : 0;
}

/// The process at one end.
elan::ProcessLocation Elans::place_of(const Job& job, HostId host, bool source) const {
  if (job.what == What::broadcast)
    return source ? job.broadcast.from
                  : elan::ProcessLocation{host, job.broadcast.contexts[member(job, host)]};
  return source ? job.dma.from : job.dma.to;
}

// --- events -------------------------------------------------------------------------------------

void Elans::fire(std::uint64_t what) {
  const auto id = static_cast<std::uint32_t>(what >> 32U);
  const auto more = static_cast<std::uint32_t>(what >> 8U) & event_mask;
  const auto current = [&](FlightId flight) {
    return (flights_[flight].attempt & event_mask) == more && flights_[flight].job != none;
  };
  switch (static_cast<Due>(what & 0xffU)) {
    case Due::posted:
      command(id);
      return;
    case Due::commanded:
      commanded(id);
      return;
    case Due::checked:
      check(id);
      return;
    case Due::started: {
      const HostId host = jobs_[flights_[id].job].from;
      for (std::uint32_t block = 0; block < flights_[id].blocks; ++block)
        request(host, {true, id, block});
      if (flights_[id].blocks == 0) inject(id);
      return;
    }
    case Due::read_at:
      access({true, id, more});
      return;
    case Due::write_at:
      access({false, id, more});
      return;
    case Due::fetched:
      at(through_bus(flights_[id].from), Due::read, id, more);
      return;
    case Due::read:
      read_block(id);
      return;
    case Due::came:
      block_came(id, more);
      return;
    case Due::through:
      block_through(id, more);
      return;
    case Due::written:
      block_written(id);
      return;
    case Due::take:
      take(id);
      return;
    case Due::answered:
      if (current(id) && !flights_[id].suspect) answered(id);
      return;
    case Due::broke:
      if (current(id)) failed(id);
      return;
    case Due::again:
      if (current(id)) try_again(id);
      return;
    case Due::feed:
      feed(HostId(id));
      return;
    case Due::ended:
      report(id);
      return;
    case Due::set:
      set_now(id);
      return;
    case Due::copied:
      copied(id);
      return;
    case Due::local:
      end_local(id);
      return;
  }
}

}  // namespace weft::sim
