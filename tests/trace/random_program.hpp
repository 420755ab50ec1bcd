// SPDX-License-Identifier: Apache-2.0
// Random MPI programs that can come to their end, with every call but those of wildcards.
#pragma once
#include "base/rng.hpp"
#include "calls.hpp"

namespace weft::testing {

/// All ranks take part in one step after another: a message, a collective, or computing.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : rng_(seed), calls_(2 + below(4)) {
    for (std::size_t rank = 0; rank < calls_.size(); ++rank)
      everyone_.push_back(static_cast<trace::Rank>(rank));
  }

  RankCalls make() {
    for (const trace::Rank rank : everyone_) add(rank, {.kind = Kind::init});
    for (std::uint64_t left = below(20); left > 0; --left) step();
    for (const trace::Rank rank : everyone_) add(rank, {.kind = Kind::finalize});
    return calls_;
  }

 private:
  using Kind = trace::CallKind;

  std::uint64_t below(std::uint64_t limit) { return rng_.below(limit); }
  trace::Rank rank() { return everyone_[below(everyone_.size())]; }
  std::int32_t communicator() {
    return static_cast<std::int32_t>(below(static_cast<std::uint64_t>(made_) + 1));
  }
  void add(trace::Rank rank, trace::Call call) {
    call.line = ++line_;
    calls_[static_cast<std::size_t>(rank)].push_back(std::move(call));
  }

  void step() {
    switch (below(5)) {
      case 0:
        return message();
      case 1:
        return nonblocking();
      case 2:
        return exchange();
      case 3:
        return add(rank(), {.kind = Kind::compute, .time = Duration(1000 * below(1000))});
      default:
        return collective(
            static_cast<Kind>(static_cast<std::uint64_t>(Kind::barrier) +
                              below(1 + static_cast<std::uint64_t>(Kind::make_communicator) -
                                    static_cast<std::uint64_t>(Kind::barrier))));
    }
  }

  void message() {
    const trace::Rank from = rank(), to = rank();
    if (from == to) return;
    const auto tag = static_cast<std::int64_t>(below(3));
    const std::uint64_t bytes = below(100);
    const std::int32_t on = communicator();
    add(from, {.kind = below(2) != 0 ? Kind::send : Kind::ssend,
               .communicator = on,
               .peer = to,
               .tag = tag,
               .bytes = bytes});
    add(to, {.kind = Kind::recv,
             .communicator = on,
             .peer = from,
             .tag = tag,
             .bytes = bytes + below(2),
             .received = {{.source = from, .bytes = bytes}}});
  }

  void nonblocking() {
    const trace::Rank from = rank(), to = rank();
    const std::uint64_t bytes = below(100), sent = request_++, received = request_++;
    add(to, {.kind = Kind::irecv, .peer = from, .tag = 9, .bytes = bytes, .request = received});
    add(from, {.kind = Kind::isend, .peer = to, .tag = 9, .bytes = bytes, .request = sent});
    add(from, {.kind = Kind::wait, .request = sent});
    add(to, {.kind = Kind::waitall,
             .requests = {received},
             .received = {{.request = received, .source = from, .bytes = bytes}}});
  }

  void exchange() {
    for (std::size_t own = 0; own < everyone_.size(); ++own) {
      const trace::Rank right = everyone_[(own + 1) % everyone_.size()],
                        left = everyone_[(own + everyone_.size() - 1) % everyone_.size()];
      add(everyone_[own], {.kind = Kind::sendrecv,
                           .peer = right,
                           .tag = 5,
                           .bytes = 64,
                           .from = left,
                           .receive_tag = 5,
                           .capacity = 64,
                           .received = {{.source = left, .bytes = 64}}});
    }
  }

  void collective(Kind kind) {
    trace::Call call{.kind = kind, .communicator = communicator()};
    if (has_root(kind)) call.peer = rank();
    if (kind >= Kind::bcast && kind <= Kind::reduce_scatter_block) call.bytes = below(100);
    const bool by_root = kind == Kind::gatherv || kind == Kind::scatterv;
    if (kind == Kind::allgatherv || kind == Kind::reduce_scatter)
      call.sizes.assign(everyone_.size(), below(100));
    if (kind == Kind::make_communicator) {
      call.origin = trace::CommunicatorOrigin::dup;
      call.made = ++made_;
      call.members = everyone_;
    }
    const std::uint64_t each = 1 + below(100);
    for (const trace::Rank own : everyone_) {
      trace::Call mine = call;
      if (kind == Kind::alltoallv || (by_root && own == call.peer))
        mine.sizes.assign(everyone_.size(), each);
      if (kind == Kind::alltoallv) mine.receive_sizes = mine.sizes;
      if (by_root && own != call.peer) mine.bytes = each;
      add(own, mine);
    }
  }

  Rng rng_;
  RankCalls calls_;
  std::vector<trace::Rank> everyone_;
  std::int32_t made_ = 0;
  std::uint64_t request_ = 0, line_ = 0;
};

}  // namespace weft::testing
