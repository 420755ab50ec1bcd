// SPDX-License-Identifier: Apache-2.0
// Compares collective calls by numbers that stand for their sequences; only where these differ are
// the calls of two ranks walked side by side to find the first that does.
#include "trace/checks/collectives.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/words.hpp"
#include "trace/checks/mixing.hpp"
#include "trace/collective_order.hpp"

namespace weft::trace {
namespace {

bool is_by_root(CallKind kind) { return kind == CallKind::gatherv || kind == CallKind::scatterv; }

/// A number for all that must be the same on every member.
std::uint64_t number_of(const Call& call) {
  std::uint64_t out = mixed(0, static_cast<std::uint64_t>(call.kind));
  if (has_root(call.kind)) out = mixed(out, static_cast<std::uint64_t>(call.peer));
  if (call.kind == CallKind::make_communicator)
    out = mixed(out, static_cast<std::uint64_t>(call.origin));
  if (is_by_root(call.kind) || call.kind == CallKind::alltoallv) return out;
  out = mixed(out, call.bytes);
  for (const std::uint64_t size : call.sizes) out = mixed(out, size);
  return out;
}

/// "bcast of 8 bytes from rank 0", as far as it must be the same on every member.
std::string collective_text(const Call& call) {
  std::string out(to_text(call.kind));
  if (call.kind == CallKind::make_communicator)
    out += fmt::format(" {}", origin_words[static_cast<std::size_t>(call.origin)]);
  const bool has_bytes =
      call.kind >= CallKind::bcast && call.kind <= CallKind::reduce_scatter_block;
  if (has_bytes) out += " of " + counted(call.bytes, "byte", "bytes");
  if (call.kind == CallKind::allgatherv || call.kind == CallKind::reduce_scatter)
    out += fmt::format(" of {} bytes in all",
                       std::accumulate(call.sizes.begin(), call.sizes.end(), std::uint64_t{0}));
  if (has_root(call.kind)) out += fmt::format(" with root {}", call.peer);
  return out;
}

/// The factor of what `from` sends to `to` in a call.
std::uint64_t factor(std::uint64_t call, std::size_t from, std::size_t to) {
  return mixed(mixed(call, from), to);
}

/// Walks through the collective calls of a rank on one communicator, in the order in which they
/// match those of others.
class CollectiveWalk {
 public:
  CollectiveWalk(const Trace& trace, std::int32_t communicator, Rank given_rank)
      : rank(given_rank), cursor_(trace.calls(rank)), communicator_(communicator) {
    if (trace.is_graph()) read_graph(trace);
  }
  bool next() {
    if (!ordered_.empty()) {
      call = std::move(ordered_.extract(ordered_.begin()).mapped());
      return true;
    }
    return read();
  }
  Rank rank;
  Call call{};

 private:
  bool read() {
    while (cursor_.next(call)) {
      if (!is_collective(call.kind)) continue;
      ++read_;
      if (call.communicator == communicator_) return true;
    }
    return false;
  }
  void read_graph(const Trace& trace) {
    const std::vector<std::uint64_t> numbers = collective_numbers(trace, rank);
    while (read()) ordered_.emplace(numbers[read_ - 1], call);
  }

  CallCursor cursor_;
  std::int32_t communicator_;
  std::size_t read_ = 0;                   ///< collectives of all communicators
  std::map<std::uint64_t, Call> ordered_;  ///< those of a graph, by their numbers
};

/// The calls of all members at the same place of their sequences.
class SizesOfMembers {
 public:
  SizesOfMembers(const Trace& trace, const KnownCommunicator& communicator)
      : trace_(trace), communicator_(communicator) {
    for (const Rank member : communicator.members)
      walks_.emplace_back(trace, communicator.id, member);
  }
  /// Throws Error at the first disagreement.
  void find() {
    while (next()) {
      const CallKind kind = walks_.front().call.kind;
      if (kind == CallKind::alltoallv) compare_all();
      if (is_by_root(kind)) compare_with_root();
    }
  }

 private:
  bool next() {
    return std::all_of(walks_.begin(), walks_.end(),
                       [](CollectiveWalk& walk) { return walk.next(); });
  }
  void compare_all() const {
    for (std::size_t from = 0; from < walks_.size(); ++from)
      for (std::size_t to = 0; to < walks_.size(); ++to)
        compare(from, walks_[from].call.sizes[to], to, walks_[to].call.receive_sizes[from]);
  }
  void compare_with_root() const {
    const std::size_t root = *communicator_.position(walks_.front().call.peer);
    const Call& call = walks_[root].call;
    for (std::size_t other = 0; other < walks_.size(); ++other) {
      if (other == root) continue;
      const std::uint64_t own = walks_[other].call.bytes;
      if (call.kind == CallKind::gatherv) compare(other, own, root, call.sizes[other]);
      if (call.kind == CallKind::scatterv) compare(root, call.sizes[other], other, own);
    }
  }
  void compare(std::size_t from, std::uint64_t sent, std::size_t to, std::uint64_t received) const {
    if (sent == received) return;
    throw Error("{}: rank {} sends rank {} {}, which expects {}: {}",
                trace_.place_of(walks_[from].rank, walks_[from].call), walks_[from].rank,
                walks_[to].rank, counted(sent, "byte", "bytes"), received,
                trace_.place_of(walks_[to].rank, walks_[to].call));
  }

  const Trace& trace_;
  const KnownCommunicator& communicator_;
  std::vector<CollectiveWalk> walks_;
};

}  // namespace

void CollectiveCounts::begin(Rank rank) {
  own_.clear();
  seen_ = 0;
  if (trace_.is_graph()) numbers_ = collective_numbers(trace_, rank);
}

void CollectiveCounts::require_fit(Rank rank, const Call& call,
                                   const KnownCommunicator& communicator) const {
  if (has_root(call.kind) && !communicator.position(call.peer))
    throw Error("{}: root {} is not in {}", trace_.place_of(rank, call), call.peer,
                communicator_text(trace_, call.communicator));
  const std::size_t members = communicator.members.size();
  const auto require_each = [&](const std::vector<std::uint64_t>& sizes) {
    if (sizes.size() != members)
      throw Error("{}: {} for the {} of {}; each needs one", trace_.place_of(rank, call),
                  counted(sizes.size(), "size", "sizes"), counted(members, "member", "members"),
                  communicator_text(trace_, call.communicator));
  };
  const bool has_sizes =
      (call.kind >= CallKind::allgatherv && call.kind <= CallKind::reduce_scatter);
  if (has_sizes || (is_by_root(call.kind) && call.peer == rank)) require_each(call.sizes);
  if (call.kind == CallKind::alltoallv) require_each(call.receive_sizes);
}

void CollectiveCounts::add_sizes(Rank rank, const Call& call,
                                 const KnownCommunicator& communicator) {
  const std::uint64_t number = own_[call.communicator].calls;
  CommunicatorCalls& all = all_[call.communicator];
  const std::size_t own = *communicator.position(rank);
  const bool gathers = call.kind == CallKind::gatherv;
  if (call.kind == CallKind::alltoallv) {
    for (std::size_t other = 0; other < call.sizes.size(); ++other) {
      all.sent += call.sizes[other] * factor(number, own, other);
      all.received += call.receive_sizes[other] * factor(number, other, own);
    }
  } else if (rank == call.peer) {
    for (std::size_t other = 0; other < call.sizes.size(); ++other)
      if (other != own)
        (gathers ? all.received : all.sent) +=
            call.sizes[other] * (gathers ? factor(number, other, own) : factor(number, own, other));
  } else {
    const std::size_t root = *communicator.position(call.peer);
    (gathers ? all.sent : all.received) +=
        call.bytes * (gathers ? factor(number, own, root) : factor(number, root, own));
  }
}

void CollectiveCounts::add(Rank rank, const Call& call, const KnownCommunicator& communicator) {
  require_fit(rank, call, communicator);
  ++seen_;
  if (call.communicator == self) return;
  if (call.kind == CallKind::alltoallv || is_by_root(call.kind))
    add_sizes(rank, call, communicator);
  CallSequence& sequence = own_[call.communicator];
  const std::uint64_t place = trace_.is_graph() ? numbers_[seen_ - 1] : sequence.calls;
  sequence.number += mixed(place, number_of(call));
  ++sequence.calls;
}

void CollectiveCounts::end(Rank rank, const CommunicatorTable& communicators) {
  for (const std::int32_t id : communicators.of_rank()) {
    if (id == self) continue;
    CommunicatorCalls& all = all_[id];
    const CallSequence sequence = own_[id];
    if (all.first == no_rank) {
      all.first = rank;
      all.sequence = sequence;
    } else if (sequence.calls != all.sequence.calls || sequence.number != all.sequence.number) {
      fail_difference(id, all.first, rank);
    }
  }
}

void CollectiveCounts::fail_difference(std::int32_t communicator, Rank one, Rank other) const {
  CollectiveWalk ones(trace_, communicator, one), others(trace_, communicator, other);
  const std::string name = communicator_text(trace_, communicator);
  for (std::uint64_t number = 1;; ++number) {
    const bool more = ones.next(), others_more = others.next();
    if (more && others_more && number_of(ones.call) == number_of(others.call)) continue;
    invariant(more || others_more, "collective calls differ and are the same");
    if (more != others_more) {
      const CollectiveWalk& longer = more ? ones : others;
      throw Error("{}: rank {} calls {} as collective {} on {}, rank {} has only {}",
                  trace_.place_of(longer.rank, longer.call), longer.rank,
                  collective_text(longer.call), number, name, more ? other : one, number - 1);
    }
    throw Error("{}: rank {} calls {} as collective {} on {}, rank {} calls {}: {}",
                trace_.place_of(other, others.call), other, collective_text(others.call), number,
                name, one, collective_text(ones.call), trace_.place_of(one, ones.call));
  }
}

void CollectiveCounts::require_equal_sizes(const CommunicatorTable& communicators) const {
  for (const auto& entry : all_)
    if (entry.second.sent != entry.second.received)
      SizesOfMembers(trace_, communicators.all().at(entry.first)).find();
}

}  // namespace weft::trace
