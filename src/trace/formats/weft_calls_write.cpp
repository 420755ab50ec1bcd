// SPDX-License-Identifier: Apache-2.0
// Writes weft's own format of traces.
#include "base/error.hpp"
#include "base/text.hpp"
#include "trace/formats/formats.hpp"

namespace weft::trace {
namespace {

class CallsWriter {
 public:
  explicit CallsWriter(std::ostream& stream) : out_(stream) {}

  void write(const Trace& trace) {
    out_.print("# mpi trace format 1\nranks {}\n", trace.ranks());
    Call call;
    for (Rank rank = 0; rank < trace.ranks(); ++rank) {
      out_.print("rank {}\n", rank);
      for (CallCursor cursor = trace.calls(rank); cursor.next(call);) write(call);
    }
  }

 private:
  template <class... Numbers>
  void put(Numbers... numbers) {
    (out_.print(" {}", numbers), ...);
  }
  void put_all(const std::vector<std::uint64_t>& numbers) {
    for (const std::uint64_t number : numbers) put(number);
  }
  void put_received(const ReceivedMessage& got) {
    put(got.source, got.bytes);
    if (got.tag != any_message_tag) put(got.tag);
  }
  /// A number with `places` decimals in `fraction`, of which zeros behind the usual ones are left
  /// out.
  void put_decimal(std::int64_t whole, std::int64_t fraction, int places, std::size_t usual) {
    std::string decimals = fmt::format("{:0{}}", fraction, places);
    while (decimals.size() > usual && decimals.back() == '0') decimals.pop_back();
    out_.print(" {}{}{}", whole, decimals.empty() ? "" : ".", decimals);
  }

  void write(const Call& call) {
    out_.put(to_text(call.kind));
    write_arguments(call);
    const bool named = call.kind == CallKind::make_communicator ||
                       call.kind == CallKind::free_communicator;  // among the arguments
    if (call.communicator != world && !named) out_.print(" @{}", call.communicator);
    out_.put("\n");
  }

  void write_arguments(const Call& call);
  void write_waitall(const Call& call) {
    put_all(call.requests);
    for (const ReceivedMessage& got : call.received) {
      out_.print(" ; {}", got.request);
      put_received(got);
    }
  }
  void write_made(const Call& call) {
    put(call.made, origin_words[static_cast<std::size_t>(call.origin)], call.communicator);
    for (const Rank member : call.members) put(member);
  }

  Printer out_;
};

void CallsWriter::write_arguments(const Call& call) {
  switch (call.kind) {
    case CallKind::init:
    case CallKind::finalize:
    case CallKind::barrier:
      return;
    case CallKind::compute:
      return put_decimal(call.time.count() / 1000, call.time.count() % 1000, 3, 0);
    case CallKind::begin_timed:
    case CallKind::end_timed:
    case CallKind::read_clock:
      return put_decimal(call.seconds, call.time.count(), 12, 9);
    case CallKind::isend:
    case CallKind::irecv:
      put(call.request);
      return put(call.peer, call.tag, call.bytes);
    case CallKind::send:
    case CallKind::ssend:
    case CallKind::recv:
      put(call.peer, call.tag, call.bytes);
      break;
    case CallKind::wait:
      put(call.request);
      break;
    case CallKind::waitall:
      return write_waitall(call);
    case CallKind::sendrecv:
      put(call.peer, call.tag, call.bytes, call.from, call.receive_tag, call.capacity);
      break;
    case CallKind::make_communicator:
      return write_made(call);
    case CallKind::free_communicator:
      return put(call.communicator);
    default:
      if (has_root(call.kind)) put(call.peer);
      if (call.sizes.empty()) return put(call.bytes);
      put_all(call.sizes);
      if (call.kind == CallKind::alltoallv) out_.put(" ;");
      return put_all(call.receive_sizes);
  }
  for (const ReceivedMessage& got : call.received) put_received(got);
}

}  // namespace

namespace weft_calls {

void write(std::ostream& stream, const Trace& trace) {
  if (trace.is_graph())
    throw Error("{}: a graph, whose calls have no order: weft's own format cannot hold it",
                trace.source());
  CallsWriter(stream).write(trace);
}

}  // namespace weft_calls
}  // namespace weft::trace
