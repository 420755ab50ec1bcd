// SPDX-License-Identifier: Apache-2.0
// Takes the ranks' requests to their Elans, from the processor's work to the answer.
#include <utility>

#include "base/error.hpp"
#include "run/simulated/elan3.hpp"
#include "run/simulated/world.hpp"

namespace weft::run {

using comm::Op;
using comm::Rank;
using comm::Status;

ElanRanks::ElanRanks(World& world, sim::Elans& elans)
    : world_(world),
      elans_(elans),
      ranks_(static_cast<std::size_t>(world.size())),
      left_(static_cast<std::size_t>(world.size())) {
  elans_.listen(*this);
}

ElanRank& ElanRanks::of(Rank rank) {
  auto& found = ranks_[static_cast<std::size_t>(rank)];
  if (!found) found = std::make_unique<ElanRank>(*this, world_.rank(rank));
  return *found;
}

void ElanRanks::leave(Rank rank) {
  left_[static_cast<std::size_t>(rank)] = true;
  if (const auto& leaving = ranks_[static_cast<std::size_t>(rank)]) leaving->leave();
}

const sim::elan::Model& ElanRanks::model() const { return elans_.elan_model(); }

void ElanRanks::issue(const ElanRank& by, comm::OpHandle op, Asked asked) {
  const std::uint32_t id = requests_.insert({by.at_.rank(), op, std::move(asked)});
  elans_.kernel().at(world_.processor(by.at_).enter(by.at_.now(), model().command), *this, id);
}

void ElanRanks::fire(std::uint64_t cookie) {
  const ElanRank& by = of(requests_[cookie].rank);
  if (!by.attached_) {
    requests_.extract(static_cast<std::uint32_t>(cookie));
    return;
  }
  Asked asked = *std::exchange(requests_[cookie].asked, std::nullopt);
  if (auto* dma = std::get_if<sim::elan::DmaDescriptor>(&asked)) {
    dma->cookie = cookie;
    elans_.start(*dma);
  } else if (auto* broadcast = std::get_if<sim::elan::BroadcastDescriptor>(&asked)) {
    broadcast->cookie = cookie;
    elans_.start(*broadcast);
  } else {
    start(by.place_, std::get<Chained>(asked), cookie);
  }
}

/// Arms a chained action, unless its event was released meanwhile.
void ElanRanks::start(const sim::elan::ProcessLocation& by, const Chained& chained,
                      std::uint64_t cookie) {
  const auto there =
      elans_.memory_of(by.host).view(by.context, chained.event, comm::Elan3::event_bytes);
  const bool gone = !there || there->kind != sim::elan::MemoryKind::sdram;
  const auto* copy = std::get_if<sim::elan::BlockCopyDescriptor>(&chained.then);
  if (gone || copy != nullptr) requests_.extract(static_cast<std::uint32_t>(cookie));
  if (gone) return;
  if (copy != nullptr) {
    elans_.on_event(by, chained.event, {.count = chained.count, .copy = *copy});
    return;
  }
  sim::elan::DmaDescriptor dma = std::get<sim::elan::DmaDescriptor>(chained.then);
  dma.cookie = cookie;
  elans_.on_event(by, chained.event, {.count = chained.count, .dma = dma});
}

void ElanRanks::done(std::uint64_t cookie, sim::TransferStatus outcome,
                     const std::optional<sim::elan::Trap>& trap) {
  const ElanRequest request = requests_.extract(static_cast<std::uint32_t>(cookie));
  ElanRank& by = of(request.rank);
  if (trap && by.attached_) by.traps_.push_back(to_text(*trap));
  SimulatedEndpoint& at = world_.rank(request.rank);
  Op* const op = at.find(request.op);
  if (op == nullptr) return;
  at.complete(*op, {.status = outcome == sim::TransferStatus::ok        ? Status::ok
                              : outcome == sim::TransferStatus::refused ? Status::refused
                                                                        : Status::peer_gone});
}

void ElanRanks::event(const sim::elan::ProcessLocation& of, sim::elan::Address event,
                      std::uint64_t count) {
  for (const SimulatedEndpoint* here : world_.ranks_on(of.host)) {
    const auto& rank = ranks_[static_cast<std::size_t>(here->rank())];
    if (rank && rank->attached_ && rank->place_.context == of.context)
      rank->event_set(event, count);
  }
}

void ElanRanks::written(HostId host, std::span<const std::byte> memory) {
  world_.touched(host, memory);
  for (const SimulatedEndpoint* here : world_.ranks_on(host))
    if (const auto& rank = ranks_[static_cast<std::size_t>(here->rank())]) rank->written(memory);
}

}  // namespace weft::run
