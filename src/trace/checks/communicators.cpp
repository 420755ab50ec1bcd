// SPDX-License-Identifier: Apache-2.0
// Follows the communicators that a rank makes and frees.
#include "trace/checks/communicators.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/text.hpp"

namespace weft::trace {

KnownCommunicator::KnownCommunicator(std::int32_t given_id, std::vector<Rank> given_members)
    : id(given_id), members(std::move(given_members)) {
  for (std::size_t i = 0; i < members.size(); ++i) positions_.emplace_back(members[i], i);
  std::sort(positions_.begin(), positions_.end());
}

std::optional<std::size_t> KnownCommunicator::position(Rank rank) const {
  const auto found = std::lower_bound(positions_.begin(), positions_.end(), std::pair(rank, 0UL));
  if (found == positions_.end() || found->first != rank) return std::nullopt;
  return found->second;
}

std::string communicator_text(const Trace& trace, std::int32_t id) {
  if (id == world) return "the world";
  for (const Communicator& one : trace.head().communicators)
    if (one.id == id) return fmt::format("group {}", shown(one.name));
  return fmt::format("communicator {}", id);
}

CommunicatorTable::CommunicatorTable(const Trace& trace) : trace_(trace) {
  std::vector<Rank> everyone(static_cast<std::size_t>(trace.ranks()));
  std::iota(everyone.begin(), everyone.end(), 0);
  all_.emplace(world, KnownCommunicator(world, std::move(everyone)));
  for (const Communicator& one : trace.head().communicators)
    all_.emplace(one.id, KnownCommunicator(one.id, one.members));
}

void CommunicatorTable::begin(Rank rank) {
  rank_ = rank;
  self_ = KnownCommunicator(self, {rank});
  own_.clear();
  own_.emplace(self, &self_);
  own_.emplace(world, &all_.at(world));
  for (const Communicator& one : trace_.head().communicators)
    if (const KnownCommunicator& known = all_.at(one.id); known.position(rank))
      own_.emplace(one.id, &known);
}

const KnownCommunicator& CommunicatorTable::of(const Call& call) const {
  const auto found = own_.find(call.communicator);
  if (found != own_.end() && found->second != nullptr) return *found->second;
  const bool is_group =
      all_.contains(call.communicator) && all_.at(call.communicator).first_place.empty();
  throw Error("{}: rank {} {} {}", trace_.place_of(rank_, call), rank_,
              found != own_.end() ? "has freed"
              : is_group          ? "is not in"
                                  : "has not made",
              communicator_text(trace_, call.communicator));
}

void CommunicatorTable::require_members(const Call& call) const {
  const std::string place = trace_.place_of(rank_, call);
  const KnownCommunicator& parent = of(call);
  KnownCommunicator made(call.made, call.members);
  if (!made.position(rank_))
    throw Error("{}: rank {} makes communicator {} and is not among its members", place, rank_,
                call.made);
  for (std::size_t i = 0; i < call.members.size(); ++i) {
    const Rank member = call.members[i];
    if (!parent.position(member))
      throw Error("{}: member {} is not in {}", place, member,
                  communicator_text(trace_, call.communicator));
    if (made.position(member) != i) throw Error("{}: member {} is there twice", place, member);
  }
}

void CommunicatorTable::make(const Call& call) {
  if (call.made < 0) return;
  require_members(call);
  const std::string place = trace_.place_of(rank_, call);
  if (own_.contains(call.made))
    throw Error("{}: communicator {} is there already; ids are used once", place, call.made);
  auto [found, is_new] = all_.emplace(call.made, KnownCommunicator(call.made, call.members));
  KnownCommunicator& known = found->second;
  if (is_new) {
    known.first_place = place;
    known.parent = call.communicator;
  } else if (known.members != call.members || known.parent != call.communicator) {
    throw Error("{}: communicator {} has other members or another parent in {}", place, call.made,
                known.first_place.empty() ? trace_.source() : known.first_place);
  }
  ++known.makers;
  own_.emplace(call.made, &known);
}

void CommunicatorTable::apply(const Call& call) {
  if (call.kind == CallKind::make_communicator) make(call);
  if (call.kind != CallKind::free_communicator) return;
  if (call.communicator == world || call.communicator == self)
    throw Error("{}: {} cannot be freed", trace_.place_of(rank_, call),
                communicator_text(trace_, call.communicator));
  own_[call.communicator] = nullptr;
}

std::vector<std::int32_t> CommunicatorTable::of_rank() const {
  std::vector<std::int32_t> out;
  for (const auto& entry : own_) out.push_back(entry.first);
  std::sort(out.begin(), out.end());
  return out;
}

void CommunicatorTable::require_made() const {
  for (const auto& entry : all_) {
    const KnownCommunicator& known = entry.second;
    if (known.first_place.empty() || known.makers == known.members.size()) continue;
    throw Error("{}: communicator {} has {} members, but only {} of them make it",
                known.first_place, known.id, known.members.size(), known.makers);
  }
}

}  // namespace weft::trace
