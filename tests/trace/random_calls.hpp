// SPDX-License-Identifier: Apache-2.0
// Random calls of every kind, as weft's own format can hold them; together they make no program.
#pragma once
#include "base/rng.hpp"
#include "calls.hpp"

namespace weft::testing {

class RandomCalls {
 public:
  explicit RandomCalls(std::uint64_t seed) : rng_(seed), ranks_(1 + below(4)) {}

  RankCalls make() {
    RankCalls out(ranks_);
    std::uint64_t line = 0;
    for (own_ = 0; own_ < static_cast<trace::Rank>(ranks_); ++own_)
      for (std::uint64_t left = below(40); left > 0; --left) {
        auto& calls = out[static_cast<std::size_t>(own_)];
        calls.push_back(call(static_cast<trace::CallKind>(below(trace::call_kinds))));
        calls.back().line = line += 1 + below(3);
      }
    return out;
  }

 private:
  using Kind = trace::CallKind;

  std::uint64_t below(std::uint64_t limit) { return rng_.below(limit); }
  std::uint64_t number() { return below(2) != 0 ? below(100) : rng_.next() >> below(64); }
  trace::Rank rank() { return static_cast<trace::Rank>(below(ranks_)); }
  trace::Rank source() { return static_cast<trace::Rank>(below(ranks_ + 2)) - 2; }
  std::int64_t tag() { return static_cast<std::int64_t>(number() >> 1); }
  std::int64_t any_tag() { return below(4) != 0 ? tag() : trace::any_message_tag; }
  Duration nanoseconds() { return Duration(static_cast<std::int64_t>(number() >> 12) * 1000); }
  std::vector<std::uint64_t> numbers(std::uint64_t count) {
    std::vector<std::uint64_t> out(count);
    for (std::uint64_t& one : out) one = number();
    return out;
  }
  trace::ReceivedMessage received(std::uint64_t request, bool any) {
    return {request, rank(), any ? tag() : trace::any_message_tag, number()};
  }

  trace::Call call(Kind kind) {
    trace::Call out{.kind = kind};
    const bool on_communicator = (kind >= Kind::send && kind <= Kind::irecv) ||
                                 kind == Kind::sendrecv ||
                                 (is_collective(kind) && kind < Kind::make_communicator);
    if (on_communicator && below(2) != 0)
      out.communicator = static_cast<std::int32_t>(below(1000)) - 1;
    if (kind == Kind::compute) out.time = nanoseconds();
    if (kind >= Kind::begin_timed) {
      out.seconds = static_cast<std::int64_t>(number() >> 1);
      out.time = Duration(static_cast<std::int64_t>(below(1'000'000'000'000)));
    }
    if (kind >= Kind::send && kind <= Kind::sendrecv) message(out);
    if (kind >= Kind::barrier) collective(out);
    return out;
  }

  void message(trace::Call& out) {
    const Kind kind = out.kind;
    const bool receives = kind == Kind::recv || kind == Kind::irecv;
    if (kind != Kind::wait && kind != Kind::waitall) {
      out.peer = receives ? source() : (below(5) != 0 ? rank() : trace::no_rank);
      out.tag = receives ? any_tag() : tag();
      out.bytes = number();
    }
    if (kind == Kind::isend || kind == Kind::irecv || kind == Kind::wait) out.request = number();
    if (kind == Kind::recv) out.received = {received(0, out.tag == trace::any_message_tag)};
    if (kind == Kind::recv && below(2) != 0)
      out.received = {{.source = out.peer, .bytes = out.bytes}}, out.tag = tag();
    if (kind == Kind::wait && below(2) != 0) out.received = {received(out.request, below(2) != 0)};
    if (kind == Kind::sendrecv) {
      out.from = source();
      out.receive_tag = any_tag();
      out.capacity = number();
      out.received = {received(0, out.receive_tag == trace::any_message_tag)};
    }
    if (kind != Kind::waitall) return;
    out.requests = numbers(1 + below(4));
    for (const std::uint64_t request : out.requests)
      if (below(2) != 0) out.received.push_back(received(request, below(2) != 0));
  }

  void collective(trace::Call& out) {
    const Kind kind = out.kind;
    if (has_root(kind)) out.peer = rank();
    const bool by_root = kind == Kind::gatherv || kind == Kind::scatterv;
    if ((kind >= Kind::bcast && kind < Kind::gatherv) || by_root) out.bytes = number();
    const bool has_sizes = kind >= Kind::allgatherv && kind <= Kind::reduce_scatter;
    if (has_sizes || (by_root && out.peer == own_))
      out.sizes = numbers(2 + below(4)), out.bytes = 0;
    if (kind == Kind::alltoallv) out.receive_sizes = numbers(out.sizes.size());
    if (kind == Kind::free_communicator) out.communicator = 1 + static_cast<int>(below(1000));
    if (kind != Kind::make_communicator) return;
    out.communicator = static_cast<std::int32_t>(below(1000));
    out.origin = static_cast<trace::CommunicatorOrigin>(below(3));
    out.made = below(3) != 0 ? 1 + static_cast<std::int32_t>(below(1000)) : -1;
    for (std::uint64_t left = out.made < 0 ? 0 : 1 + below(4); left > 0; --left)
      out.members.push_back(rank());
  }

  Rng rng_;
  std::uint64_t ranks_;
  trace::Rank own_ = 0;
};

}  // namespace weft::testing
