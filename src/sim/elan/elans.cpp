// SPDX-License-Identifier: Apache-2.0
// Makes the units of the Elans, connects them with each other and with the network, and carries
// transfers within a host.
#include "sim/elan/elans.hpp"

#include <array>

#include "base/error.hpp"
#include "sim/timing.hpp"

namespace weft::sim {
namespace {

HostSetup with_packets_of(const elan::Model& model, HostSetup setup) {
  setup.options.network.longest_packet =
      elan::PacketFormat(model, setup.switches.flit).most_flits();
  setup.options.network.circuits = true;
  setup.options.network.fault_sites = true;
  return setup;
}

/// The time of a token through a switch and over a link.
Duration hop_time(const HostSetup& setup) {
  const Timing timing(setup.fabric, setup.switches);
  return timing.cycle() * timing.stages(SwitchId(0)).sum();
}

std::uint32_t lanes_of(const SwitchModel& switches, const Tables& tables) {
  return static_cast<std::uint32_t>(switches.lanes > 0 ? switches.lanes : tables.lane_count);
}

elan::Boards boards_of(std::size_t hosts, const elan::Model& model, const Kernel& kernel) {
  elan::Boards boards;
  for (std::size_t i = 0; i < hosts; ++i) boards.push_back(elan::Board(model, kernel));
  return boards;
}

}  // namespace

Elans::Elans(const NicModel& nic, const elan::Model& model, const HostSetup& setup)
    : HostModel(nic, with_packets_of(model, setup)),
      model_of_elan_(model),
      shared_{.kernel = kernel_,
              .model = model_of_elan_,
              .format = elan::PacketFormat(model, flit_),
              .timing = {.flit = flit_time_,
                         .hop = hop_time(setup),
                         .lanes = lanes_of(setup.switches, tables_)},
              .boards = boards_of(fabric_.host_count(), model_of_elan_, kernel_),
              .operations = elan::Operations(model, tables_, fabric_.host_count()),
              .users = elan::Users(user_)},
      routes_(fabric_, network_),
      dma_engines_(shared_, {.network = *this,
                             .routes = routes_,
                             .memory = memory_requests_,
                             .inputters = inputters_,
                             .commands = commands_}),
      inputters_(shared_, {.sources = dma_engines_,
                           .memory = memory_requests_,
                           .commands = commands_,
                           .events = events_}),
      memory_requests_(shared_, dma_engines_, inputters_),
      commands_(shared_, dma_engines_, events_),
      events_(shared_, commands_),
      threads_(shared_) {}

// --- the host model -----------------------------------------------------------------------------

void Elans::begin(const Transfer& transfer) {
  ++begun_;
  if (transfer.group == no_group && transfer.from == transfer.to) {
    begin_local(transfer);
    return;
  }
  Resource& works = processor(transfer.from, transfer.from_processor);
  commands_.issue(transfer, transfer.by_nic ? threads_.free_at(transfer.from)
                                            : works.enter(kernel_.now(), shared_.model.command));
}

std::span<const std::string_view> Elans::part_names() const {
  static constexpr std::array<std::string_view, 5> names{"pci", "bus", "microcode", "thread",
                                                         "memory"};
  return names;
}

const Resource& Elans::part(HostId host, std::size_t index) const {
  const auto [pci, bus, microcode] = shared_.boards[host].parts();
  const std::array<const Resource*, 5> parts{pci, bus, microcode, &threads_.resource(host),
                                             &memory(host)};
  return *parts[index];
}

ElanCounts Elans::counts() const {
  const auto& sources = dma_engines_.counts();
  return {.retries = sources.retries,
          .reroutes = sources.reroutes,
          .duplicates = inputters_.duplicates(),
          .unreachable = sources.unreachable,
          .traps = shared_.operations.traps()};
}

std::vector<std::pair<std::string_view, std::uint64_t>> Elans::counters() const {
  std::uint64_t misses = 0, mapped = 0;
  for (const elan::Board& board : shared_.boards) {
    const elan::MmuCounters* const mmu = board.mmu_counters();
    if (mmu == nullptr) continue;
    misses += mmu->tlb_misses;
    mapped += mmu->pages_mapped;
  }
  const ElanCounts all = counts();
  return {{"packets sent again", all.retries},
          {"routes changed", all.reroutes},
          {"doubles dropped", all.duplicates},
          {"packets abandoned", all.unreachable},
          {"traps", all.traps},
          {"TLB misses", misses},
          {"pages mapped", mapped}};
}

// --- virtual addresses --------------------------------------------------------------------------

void Elans::start(const elan::BroadcastDescriptor& broadcast) {
  invariant(broadcast.contexts.size() == tables_.groups.at(broadcast.group).members.size(),
            "a broadcast names a process on every host of its group");
  commands_.issue(broadcast);
}

Duration Elans::look(HostId host, Duration from) {
  return shared_.boards[host].slip_over_pci(from, elan::event_bytes) + shared_.model.pci_latency;
}

void Elans::release_block(const elan::ProcessLocation& of, elan::Address address) {
  const std::uint64_t bytes = memory_of(of.host).release(of.context, address);
  events_.disarm(of, {address, address + bytes});
}

// --- the network --------------------------------------------------------------------------------

void Elans::delivered(Network&, const Packet& packet, HostId, unsigned) { end_report(packet); }

void Elans::lost(Network&, const Packet& packet, HostId, Loss) { end_report(packet); }

void Elans::end_report(const Packet& packet) {
  enter();
  reported();
  dma_engines_.report_came(static_cast<elan::FlightId>(packet.tag));
  leave();
}

void Elans::broken(Network&, const Packet& packet, const FaultSite& site) {
  enter();
  dma_engines_.circuit_broke(packet, site);
  leave();
}

void Elans::reached(Network&, const Packet& packet, HostId host) {
  enter();
  inputters_.header_came(static_cast<elan::FlightId>(packet.tag), host);
  leave();
}

void Elans::filled(Network&, const Packet& packet, HostId host, bool whole, unsigned hops) {
  enter();
  const auto flight = static_cast<elan::FlightId>(packet.tag);
  dma_engines_.circuit_reached(flight, packet.id);
  if (whole) inputters_.packet_came(flight, host, hops);
  leave();
}

// --- within a host ------------------------------------------------------------------------------

/// Processors of a host share memory: the sender's processor copies.
void Elans::begin_local(const Transfer& transfer) {
  const auto bytes = static_cast<std::int64_t>(transfer.bytes);
  const Duration copy = model_.copy.bits_per_second > 0 ? Bytes{bytes} / model_.copy : Duration{0};
  Resource& works = processor(transfer.from, transfer.from_processor);
  const Duration done = works.enter(kernel_.now(), shared_.model.command + copy) + model_.store;
  kernel_.at(done, *this, local_.insert(Transfer(transfer)));
}

void Elans::fire(std::uint64_t local) {
  const Transfer transfer = local_.extract(static_cast<std::uint32_t>(local));
  user_->posted(transfer.cookie);
  user_->sent(transfer.cookie);
  const TransferStatus outcome = user_->admit(transfer.cookie);
  if (outcome == TransferStatus::ok) user_->landed(transfer.cookie, transfer.to);
  user_->finished(transfer.cookie, outcome);
}

}  // namespace weft::sim
