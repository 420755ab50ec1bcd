// SPDX-License-Identifier: Apache-2.0
// Which members of a call are in its bytes, by its kind and by what is unusual about it.
#include "trace/packing.hpp"

#include "base/error.hpp"

namespace weft::trace {
namespace {

/// Groups of members that kinds use.
enum Fields : unsigned {
  peer_field = 1,
  tag_field = 2,
  bytes_field = 4,
  request_field = 8,
  second_half = 16,
  time_field = 32,
  seconds_field = 64,
  sizes_field = 128,
  receive_sizes_field = 256,
  requests_field = 512,
  made_field = 1024,
};

/// Members that have their usual values in most calls.
enum Unusual : unsigned {
  other_communicator = 1,
  other_stream = 2,
  other_nic = 4,
  other_line = 8,
  has_received = 16,
  received_as_posted = 32,
  has_dependencies = 64,
};

constexpr unsigned fields_of(CallKind kind) {
  switch (kind) {
    case CallKind::init:
    case CallKind::finalize:
    case CallKind::barrier:
    case CallKind::free_communicator:
      return 0;
    case CallKind::compute:
      return time_field;
    case CallKind::begin_timed:
    case CallKind::end_timed:
    case CallKind::read_clock:
      return time_field | seconds_field;
    case CallKind::send:
    case CallKind::ssend:
    case CallKind::recv:
      return peer_field | tag_field | bytes_field;
    case CallKind::isend:
    case CallKind::irecv:
      return peer_field | tag_field | bytes_field | request_field;
    case CallKind::wait:
      return request_field;
    case CallKind::waitall:
      return requests_field;
    case CallKind::sendrecv:
      return peer_field | tag_field | bytes_field | second_half;
    case CallKind::bcast:
    case CallKind::reduce:
    case CallKind::gather:
    case CallKind::scatter:
      return peer_field | bytes_field;
    case CallKind::allreduce:
    case CallKind::scan:
    case CallKind::allgather:
    case CallKind::alltoall:
    case CallKind::reduce_scatter_block:
      return bytes_field;
    case CallKind::gatherv:
    case CallKind::scatterv:
      return peer_field | bytes_field | sizes_field;
    case CallKind::allgatherv:
    case CallKind::reduce_scatter:
      return sizes_field;
    case CallKind::alltoallv:
      return sizes_field | receive_sizes_field;
    case CallKind::make_communicator:
      return made_field;
  }
  return 0;
}

constexpr auto fields_by_kind = [] {
  std::array<unsigned, call_kinds> fields{};
  for (int kind = 0; kind < call_kinds; ++kind)
    fields[static_cast<std::size_t>(kind)] = fields_of(static_cast<CallKind>(kind));
  return fields;
}();

/// What a recv or sendrecv gets when it gets what it asks for.
ReceivedMessage as_posted(const Call& call) {
  const bool both = call.kind == CallKind::sendrecv;
  return {.source = both ? call.from : call.peer, .bytes = both ? call.capacity : call.bytes};
}

bool is_as_posted(const Call& call) {
  return (call.kind == CallKind::recv || call.kind == CallKind::sendrecv) &&
         call.received.size() == 1 && call.received.front() == as_posted(call);
}

unsigned unusual_of(const Call& call, const LastCall& last) {
  unsigned out = 0;
  if (call.communicator != world) out |= other_communicator;
  if (call.stream != 0) out |= other_stream;
  if (call.nic != 0) out |= other_nic;
  if (call.line != last.line + 1) out |= other_line;
  if (is_as_posted(call)) {
    out |= received_as_posted;
  } else if (!call.received.empty()) {
    out |= has_received;
  }
  if (!call.after.empty()) out |= has_dependencies;
  return out;
}

void pass_time(CallPacker& bytes, const Duration& time) {
  constexpr std::int64_t nanosecond = 1000;
  const bool whole = time.count() % nanosecond == 0;
  bytes.number(static_cast<std::uint64_t>(whole ? time.count() / nanosecond : time.count()) << 1 |
               (whole ? 0U : 1U));
}
void pass_time(CallUnpacker& bytes, Duration& time) {
  const std::uint64_t number = bytes.number();
  const auto half = static_cast<std::int64_t>(number >> 1);
  time = Duration((number & 1) != 0 ? half : half * 1000);
}

/// Dependencies lead back: by how far.
void pass_dependency(CallPacker& bytes, const Dependency& one, std::uint64_t index) {
  invariant(one.on < index, "a call depends on one that comes later");
  bytes.number((index - one.on) << 1 | (one.only_begun ? 1U : 0U));
}
void pass_dependency(CallUnpacker& bytes, Dependency& one, std::uint64_t index) {
  const std::uint64_t number = bytes.number();
  one = {.on = index - (number >> 1), .only_begun = (number & 1) != 0};
}

template <class Packing, class SomeCall>
void pass_unusual(Packing& bytes, SomeCall& call, unsigned unusual, LastCall& last) {
  if ((unusual & other_communicator) != 0) bytes.any(call.communicator);
  if ((unusual & other_stream) != 0) bytes.any(call.stream);
  if ((unusual & other_nic) != 0) bytes.any(call.nic);
  if ((unusual & other_line) != 0) bytes.step(call.line, last.line);
  if ((unusual & has_received) != 0)
    bytes.list(call.received, [&](auto& one) {
      bytes.step(one.request, last.request);
      bytes.any(one.source);
      bytes.any(one.tag);
      bytes.any(one.bytes);
    });
  if ((unusual & has_dependencies) != 0)
    bytes.list(call.after, [&](auto& one) { pass_dependency(bytes, one, last.index); });
}

template <class Packing, class SomeCall>
void pass_lists(Packing& bytes, SomeCall& call, unsigned fields, LastCall& last) {
  const auto plain = [&](auto& value) { bytes.any(value); };
  if ((fields & sizes_field) != 0) bytes.list(call.sizes, plain);
  if ((fields & receive_sizes_field) != 0) bytes.list(call.receive_sizes, plain);
  if ((fields & requests_field) != 0)
    bytes.list(call.requests, [&](auto& request) { bytes.step(request, last.request); });
  if ((fields & made_field) != 0) {
    bytes.any(call.origin);
    bytes.any(call.made);
    bytes.list(call.members, plain);
  }
}

template <class Packing, class SomeCall>
void pass_fields(Packing& bytes, SomeCall& call, LastCall& last) {
  const unsigned fields = fields_by_kind[static_cast<std::size_t>(call.kind)];
  if ((fields & peer_field) != 0) bytes.any(call.peer);
  if ((fields & tag_field) != 0) bytes.any(call.tag);
  if ((fields & bytes_field) != 0) bytes.any(call.bytes);
  if ((fields & request_field) != 0) bytes.step(call.request, last.request);
  if ((fields & time_field) != 0) pass_time(bytes, call.time);
  if ((fields & seconds_field) != 0) bytes.any(call.seconds);
  if ((fields & second_half) != 0) {
    bytes.any(call.from);
    bytes.any(call.receive_tag);
    bytes.any(call.capacity);
  }
  if (fields >= sizes_field) pass_lists(bytes, call, fields, last);
}

/// As a new one, but for the memory of its lists.
void clear(Call& call) {
  call.communicator = world;
  call.stream = call.nic = 0;
  call.peer = call.from = 0;
  call.tag = call.receive_tag = 0;
  call.bytes = call.request = call.capacity = 0;
  call.time = {};
  call.seconds = 0;
  call.origin = {};
  call.made = 0;
  call.sizes.clear();
  call.receive_sizes.clear();
  call.requests.clear();
  call.received.clear();
  call.members.clear();
  call.after.clear();
}

}  // namespace

void pack(const Call& call, LastCall& last, std::string& out) {
  CallPacker bytes(out);
  const unsigned unusual = unusual_of(call, last);
  out += static_cast<char>(call.kind);
  out += static_cast<char>(unusual);
  pass_fields(bytes, call, last);
  pass_unusual(bytes, call, unusual, last);
  last.line = call.line;
  ++last.index;
}

void unpack(const char*& at, LastCall& last, Call& into) {
  clear(into);
  into.kind = static_cast<CallKind>(*at++);
  const auto unusual = static_cast<unsigned char>(*at++);
  CallUnpacker bytes(at);
  pass_fields(bytes, into, last);
  into.line = last.line + 1;
  pass_unusual(bytes, into, unusual, last);
  if ((unusual & received_as_posted) != 0) into.received.push_back(as_posted(into));
  last.line = into.line;
  ++last.index;
}

}  // namespace weft::trace
