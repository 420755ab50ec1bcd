// SPDX-License-Identifier: Apache-2.0
// A process that tries to reach other processes' memory.
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "comm/elan3.hpp"
#include "papers/qsnet/elan_trials.hpp"
#include "sim/elan/elans.hpp"

namespace weft::papers::qsnet {
namespace {

using comm::Elan3;
using comm::Endpoint;
using comm::Rank;
using comm::RegionRights;
using comm::Task;

constexpr Rank offender = 0, owner = 1, partner = 2, gone = 3;
constexpr comm::Tag offered = 1, over = 2;
constexpr std::size_t size = 5000, exported = 4000;
constexpr std::byte filler{0x5a};

/// The memory of the owner: for its partner only, read-only, closed again, with an event in main
/// memory, and for the traffic of others.
struct Offer {
  Elan3::Address for_partner = 0, read_only = 0, closed = 0, main = 0, traffic = 0;
};

sim::elan::Memory memory_of(const Machine& machine) {
  return sim::elan::Memory(require_elan(machine).memory);
}

struct Trespass {
  MemoryTrial found{};
  std::size_t stream = 0;  ///< DMAs of the partner

  Task own(Endpoint& ep);
  Task use(Endpoint& ep);
  Task offend(Endpoint& ep);
  Task leave(Endpoint& ep);
  Task act(Endpoint& ep) {
    switch (ep.rank()) {
      case offender:
        return offend(ep);
      case owner:
        return own(ep);
      case partner:
        return use(ep);
      default:
        return leave(ep);
    }
  }
};

Task Trespass::own(Endpoint& ep) {
  Elan3& elan = *ep.capability<Elan3>();
  std::array<Elan3::Block, 5> blocks{};
  for (Elan3::Block& block : blocks) {
    block = elan.allocate(Elan3::Store::main, size);
    std::fill(block.bytes.begin(), block.bytes.end(), filler);
  }
  const std::array<Rank, 1> friends{partner};
  const auto a = elan.open(blocks[0], RegionRights::remote, friends);
  const auto b = elan.open(blocks[1].part(0, exported), RegionRights::remote_read);
  { const auto once = elan.open(blocks[2], RegionRights::remote); }
  const auto d = elan.open(blocks[3], RegionRights::remote);
  const auto e = elan.open(blocks[4], RegionRights::remote, friends);
  const Offer offer{blocks[0].elan, blocks[1].elan, blocks[2].elan, blocks[3].elan, blocks[4].elan};
  for (const Rank rank : {offender, partner})
    co_await ep.send(rank, offered, comm::bytes_of(offer));
  try {
    elan.poll(blocks[0].elan);
  } catch (const Error& error) {
    found.event_in_main = error.what();
  }
  for (const Rank rank : {offender, partner}) co_await ep.recv(rank, over, {});
  for (std::size_t i = 0; i < 4; ++i)
    found.changed += static_cast<std::size_t>(std::count_if(
        blocks[i].bytes.begin(), blocks[i].bytes.end(), [](std::byte x) { return x != filler; }));
  found.traps_of_others += elan.traps().size();
}

/// Uses the memory that it may use, all the time.
Task Trespass::use(Endpoint& ep) {
  constexpr std::size_t times = 100;
  Elan3& elan = *ep.capability<Elan3>();
  Offer offer;
  co_await ep.recv(owner, offered, comm::writable_bytes_of(offer));
  const Elan3::Block data = elan.allocate(Elan3::Store::main, size);
  for (std::size_t i = 0; i < times; ++i) {
    ++found.meanwhile;
    const comm::Result result = co_await elan.dma({.from = partner,
                                                   .to = owner,
                                                   .source = data.elan,
                                                   .target = offer.traffic,
                                                   .bytes = size});
    if (result.ok()) ++found.undisturbed;
  }
  co_await ep.send(owner, over, {});
  found.traps_of_others += elan.traps().size();
}

Task Trespass::offend(Endpoint& ep) {
  Elan3& elan = *ep.capability<Elan3>();
  Offer offer;
  co_await ep.recv(owner, offered, comm::writable_bytes_of(offer));
  co_await ep.recv(gone, offered, {});
  co_await ep.sleep(std::chrono::microseconds(50));  // the process has exited
  const Elan3::Block data = elan.allocate(Elan3::Store::main, size);
  const auto open = elan.open(data, RegionRights::remote);
  struct Try {
    const char* what;
    bool allowed;
    Elan3::Dma dma;
  };
  const auto write = [&](Rank to, Elan3::Address at, std::size_t bytes) {
    return Elan3::Dma{
        .from = offender, .to = to, .source = data.elan, .target = at, .bytes = bytes};
  };
  const auto read = [&](Elan3::Address at, std::size_t bytes) {
    return Elan3::Dma{
        .from = owner, .to = offender, .source = at, .target = data.elan, .bytes = bytes};
  };
  Elan3::Dma with_event = write(owner, offer.main, 0);
  with_event.target_event = offer.main;
  const std::array<Try, 8> tries{{
      {"writes what is open to another only", false, write(owner, offer.for_partner, 100)},
      {"reads what is open to another only", false, read(offer.for_partner, 100)},
      {"reads what is open for reading", true, read(offer.read_only, exported)},
      {"reads a byte beyond it", false, read(offer.read_only, exported + 1)},
      {"writes what is open for reading", false, write(owner, offer.read_only, 100)},
      {"writes what was open once", false, write(owner, offer.closed, 100)},
      {"sets an event in main memory", false, with_event},
      {"writes to a process that has left", false, write(gone, offer.for_partner, 100)},
  }};
  for (const Try& each : tries) {
    const std::size_t before = elan.traps().size();
    const comm::Result result = co_await elan.dma(each.dma);
    found.attempts.push_back(
        {each.what, each.allowed, result.ok(),
         elan.traps().size() == before + 1 ? elan.traps().back() : std::string()});
  }
  co_await ep.send(owner, over, {});
}

Task Trespass::leave(Endpoint& ep) {
  ep.capability<Elan3>()->allocate(Elan3::Store::main, size);
  co_await ep.send(offender, offered, {});
}

}  // namespace

const sim::elan::Model& require_elan(const Machine& machine) {
  const auto* const elan = machine.nic.capability<sim::elan::Model>();
  if (elan == nullptr) throw Error("the NIC {} is no Elan", machine.nic.spec);
  return *elan;
}

std::optional<std::uint64_t> elan_address(const Machine& machine, std::uint64_t of_host) {
  return memory_of(machine).to_elan(of_host);
}

std::optional<std::uint64_t> host_address(const Machine& machine, std::uint64_t of_elan) {
  if (of_elan > 0xffff'ffffU) return std::nullopt;
  return memory_of(machine).to_host(static_cast<sim::elan::Address>(of_elan));
}

MemoryTrial try_memory(const Machine& machine) {
  memory_of(machine);  // throws Error for sizes that no Elan has
  run::WorldOptions options;
  for (std::size_t i = 0; i < 4; ++i) options.hosts.emplace_back(i);
  options.library = machine.library;
  if (machine.fabric().host_count() < options.hosts.size())
    throw Error("a trial of memory needs {} hosts", options.hosts.size());
  run::World world(machine.fabric(), machine.tables(), machine.switches, machine.nic, options);
  Trespass trespass;
  const run::WorldResult outcome = world.run([&](Endpoint& ep) { return trespass.act(ep); });
  if (outcome.ended != run::WorldEnd::finished)
    throw Error("a trial of memory came to a stand:\n{}", outcome.explanation);
  return std::move(trespass.found);
}

}  // namespace weft::papers::qsnet
