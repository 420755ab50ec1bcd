// SPDX-License-Identifier: Apache-2.0
// A rank's Elan3: memory and exports, and the requests to its Elan.
#include "run/simulated/elan3.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "run/simulated/world.hpp"

namespace weft::run {

using comm::Elan3;
using comm::Op;
using comm::OpKind;
using comm::Rank;

namespace {

sim::elan::MemoryKind to_sim(Elan3::Store store) {
  return store == Elan3::Store::elan ? sim::elan::MemoryKind::sdram : sim::elan::MemoryKind::main;
}

Elan3::Block from_sim(const sim::elan::MemoryBlock& block) {
  const bool main = block.kind == sim::elan::MemoryKind::main;
  return {block.elan, block.host, main ? Elan3::Store::main : Elan3::Store::elan, block.bytes};
}

sim::elan::AccessRights to_sim(comm::RegionRights rights) {
  using sim::elan::AccessRights;
  const bool read = allows(rights, comm::RegionRights::remote_read);
  const bool write = allows(rights, comm::RegionRights::remote_write);
  return read && write ? AccessRights::both
         : read        ? AccessRights::read
         : write       ? AccessRights::write
                       : AccessRights::none;
}

}  // namespace

/// A rank whose program ended before its first use is not attached.
ElanRank::ElanRank(ElanRanks& all, SimulatedEndpoint& at)
    : Elan3(at),
      all_(all),
      at_(at),
      place_{at.place().host, 0},
      attached_(!all.left_[static_cast<std::size_t>(at.rank())]) {
  if (!attached_) return;
  place_.context = memory().attach(static_cast<sim::elan::Process>(at.rank()));
  seen_ = allocate(Store::elan, memory().page_bytes()).part(0, event_bytes);
  std::fill(seen_.bytes.begin(), seen_.bytes.end(), std::byte{1});
  words_ = allocate(Store::main, memory().page_bytes());
}

sim::elan::Memory& ElanRank::memory() const { return all_.elans_.memory_of(place_.host); }

void ElanRank::leave() {
  if (attached_) memory().detach(place_.context);
  attached_ = false;
}

// --- memory -------------------------------------------------------------------------------------

Elan3::Block ElanRank::allocate(Store store, std::size_t bytes) {
  return from_sim(memory().allocate(place_.context, to_sim(store), bytes));
}
Elan3::Block ElanRank::map(std::span<std::byte> bytes) {
  return from_sim(memory().map(place_.context, bytes));
}
void ElanRank::release(Address address) { all_.elans_.release_block(place_, address); }

std::uint64_t ElanRank::export_to(Address first, std::size_t bytes, comm::RegionRights rights,
                                  std::span<const Rank> partners) {
  std::vector<sim::elan::Process> processes;
  for (const Rank partner : partners) {
    require_rank(partner);
    processes.push_back(static_cast<sim::elan::Process>(partner));
  }
  return memory().open(place_.context, first, bytes, to_sim(rights), processes);
}
void ElanRank::close(std::uint64_t segment) { memory().close(segment); }

void ElanRank::require_rank(Rank rank) const {
  if (rank < 0 || rank >= at_.size())
    throw Error("Elan3: there is no rank {}; there are {}", rank, at_.size());
}
void ElanRank::require_size(std::uint64_t bytes) {
  if (bytes >> 32U != 0)
    throw Error("Elan3: a DMA of {} bytes: there are no more than 2^32 addresses", bytes);
}
void ElanRank::require_event(Event event) const { all_.elans_.event_count(place_, event); }

// --- DMAs ---------------------------------------------------------------------------------------

sim::elan::DmaDescriptor ElanRank::descriptor(const Dma& dma) const {
  require_rank(dma.from);
  require_rank(dma.to);
  require_size(dma.bytes);
  if (dma.from == at_.rank() && dma.source_event != 0) require_event(dma.source_event);
  if (dma.to == at_.rank() && dma.target_event != 0) require_event(dma.target_event);
  return {.by = static_cast<sim::elan::Process>(at_.rank()),
          .at = place_,
          .from = all_.of(dma.from).place_,
          .to = all_.of(dma.to).place_,
          .source = dma.source,
          .target = dma.target,
          .bytes = dma.bytes,
          .source_event = dma.source_event,
          .target_event = dma.target_event,
          .urgent = dma.priority == comm::Priority::high,
          .queue = dma.queue,
          .table = dma.table,
          .cookie = 0};
}

Op ElanRank::dma(const Dma& dma) {
  asked_ = descriptor(dma);
  return Op(at_, {.kind = OpKind::dma, .peer = dma.to == at_.rank() ? dma.from : dma.to});
}

Op ElanRank::set(Rank rank, Event event) {
  asked_ = descriptor({.from = at_.rank(), .to = rank, .target_event = event});
  return Op(at_, {.kind = OpKind::dma, .peer = rank});
}

Op ElanRank::broadcast(const BroadcastRequest& broadcast) {
  const auto& groups = all_.world_.tables_.groups;
  if (broadcast.group < 0 || static_cast<std::size_t>(broadcast.group) >= groups.size())
    throw Error("Elan3: there is no group {}; there are {}", broadcast.group, groups.size());
  if (broadcast.source_event != 0) require_event(broadcast.source_event);
  require_size(broadcast.bytes);
  sim::elan::BroadcastDescriptor asked{.by = static_cast<sim::elan::Process>(at_.rank()),
                                       .from = place_,
                                       .group = static_cast<std::uint32_t>(broadcast.group),
                                       .contexts = {},
                                       .source = broadcast.source,
                                       .target = broadcast.target,
                                       .bytes = broadcast.bytes,
                                       .source_event = broadcast.source_event,
                                       .target_event = broadcast.target_event,
                                       .urgent = broadcast.priority == comm::Priority::high,
                                       .cookie = 0};
  for (const HostId host : groups[asked.group].members) {
    const auto there = all_.world_.ranks_on(host);
    const std::size_t mine = at_.place().processor;
    asked.contexts.push_back(mine < there.size() ? all_.of(there[mine]->rank()).place_.context
                                                 : sim::elan::Context{0});
  }
  asked_ = std::move(asked);
  return Op(at_, {.kind = OpKind::dma});
}

void ElanRank::load_routes(std::uint32_t table,
                           const std::map<Rank, std::vector<std::uint16_t>>& routes) {
  std::map<HostId, sim::elan::Tags> by_host;
  for (const auto& [rank, tags] : routes) {
    require_rank(rank);
    by_host[all_.world_.rank(rank).place().host] = tags;
  }
  all_.elans_.load_routes(place_.host, table, by_host);
}

void ElanRank::post(Op& op) {
  if (op.request().kind == OpKind::wait_nic_event)
    post_wait(op);
  else if (const auto* dma = std::get_if<sim::elan::DmaDescriptor>(&asked_))
    all_.issue(*this, op.handle(), *dma);
  else
    all_.issue(*this, op.handle(), std::get<sim::elan::BroadcastDescriptor>(asked_));
}

// --- events -------------------------------------------------------------------------------------

Elan3::Event ElanRank::make_event() {
  const Block word = allocate(Store::elan, event_bytes);
  std::fill(word.bytes.begin(), word.bytes.end(), std::byte{0});  // the memory may be reused
  return word.elan;
}

std::uint64_t ElanRank::poll(Event event) {
  const std::uint64_t count = all_.elans_.event_count(place_, event);
  sim::Resource& processor = all_.world_.processor(at_);
  const comm::Time begun = processor.free_at(at_.now());
  processor.enter(begun, all_.elans_.look(place_.host, begun) - begun);
  return count;
}

Op ElanRank::wait(Event event, std::uint64_t count, How how) {
  require_event(event);
  asked_ = Wait{event, count, how};
  return Op(at_, {.kind = OpKind::wait_nic_event, .envelope = {.tag = event}, .value = count});
}

void ElanRank::post_wait(Op& op) {
  const Wait wait = std::get<Wait>(asked_);
  if (wait.how == How::busy_wait) {
    const std::size_t place = free_flag();
    Flag& flag = flags_[place];
    flag.armed = true;
    flag.op = &op;
    std::fill(flag.main.bytes.begin(), flag.main.bytes.end(), std::byte{0});
    all_.issue(*this, {},
               ElanRanks::Chained{
                   wait.event, wait.count,
                   sim::elan::BlockCopyDescriptor{seen_.elan, flag.main.elan,
                                                  static_cast<std::uint32_t>(event_bytes)}});
    return;
  }
  const comm::Time since = all_.world_.processor(at_).free_at(at_.now());
  // A rank looks before it blocks.
  if (all_.elans_.event_count(place_, wait.event) >= wait.count)
    look(op, since);
  else
    waiting_.push_back({&op, wait, since});
}

std::size_t ElanRank::free_flag() {
  for (std::size_t i = 0; i < flags_.size(); ++i)
    if (!flags_[i].armed) return i;
  const std::size_t each = words_.bytes.size() / event_bytes, within = flags_.size() % each;
  if (within == 0 && !flags_.empty()) words_ = allocate(Store::main, words_.bytes.size());
  flags_.push_back({words_.part(within * event_bytes, event_bytes)});
  return flags_.size() - 1;
}

/// Completes a wait by polling: the processor has polled since `since`, and its next poll sees the
/// event.
void ElanRank::look(const Op& op, comm::Time since) {
  const comm::Time now = at_.now();
  const Duration turn = all_.elans_.look_time();
  const Duration asked = now > since ? now - since : Duration{0};
  const comm::Time next = since + turn * ((asked.count() + turn.count() - 1) / turn.count());
  const comm::Time done = all_.elans_.look(place_.host, next);
  all_.world_.processor(at_).enter(next, done - next);
  all_.world_.part_of(at_.place().host).later(done, {.rank = at_.rank(), .op = op.handle()});
}

void ElanRank::withdraw(Op& op) {
  std::erase_if(waiting_, [&](const Waiting& waiting) { return waiting.op == &op; });
  for (Flag& flag : flags_)
    if (flag.op == &op) flag.op = nullptr;
}

void ElanRank::copy_when(Event event, std::uint64_t count, const Block& from, const Block& to) {
  require_event(event);
  if (from.store != Store::elan || to.store != Store::main)
    throw Error("Elan3: a block copy goes from Elan memory to main memory");
  if (from.bytes.size() != to.bytes.size())
    throw Error("Elan3: a block copy of {} bytes to {}", from.bytes.size(), to.bytes.size());
  for (const Block& block : {from, to})
    if (const auto trap =
            memory().check(place_.context, block.elan, block.bytes.size(), sim::elan::Access::write,
                           static_cast<sim::elan::Process>(at_.rank())))
      throw Error("Elan3: {}", to_text(*trap));
  all_.issue(
      *this, {},
      ElanRanks::Chained{event, count,
                         sim::elan::BlockCopyDescriptor{
                             from.elan, to.elan, static_cast<std::uint32_t>(from.bytes.size())}});
}

void ElanRank::dma_when(Event event, std::uint64_t count, const Dma& dma) {
  require_event(event);
  all_.issue(*this, {}, ElanRanks::Chained{event, count, descriptor(dma)});
}

void ElanRank::event_set(Event event, std::uint64_t count) {
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    if (waiting.wait.event != event || count < waiting.wait.count) return false;
    if (waiting.wait.how == How::poll)
      look(*waiting.op, waiting.since);
    else
      all_.world_.part_of(at_.place().host)
          .later(all_.world_.processor(at_).enter(at_.now(), all_.model().interrupt),
                 {.rank = at_.rank(), .op = waiting.op->handle()});
    return true;
  });
}

void ElanRank::written(std::span<const std::byte> memory) {
  for (Flag& flag : flags_) {
    if (!flag.armed || flag.main.bytes.data() != memory.data()) continue;
    flag.armed = false;
    if (flag.op != nullptr)
      all_.world_.part_of(at_.place().host)
          .notice(at_, *std::exchange(flag.op, nullptr), {.status = comm::Status::ok});
  }
}

}  // namespace weft::run
