// SPDX-License-Identifier: Apache-2.0
// A rank of a simulated world: how its operations are begun, and withdrawn.
#include "run/simulated/endpoint.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "run/simulated/elan3.hpp"
#include "run/simulated/world.hpp"

namespace weft::run {

using comm::Events;
using comm::Op;
using comm::OpHandle;
using comm::OpKind;
using comm::OpRequest;
using comm::Rank;
using comm::Status;

SimulatedEndpoint::SimulatedEndpoint(World& world, const RankLocation& place,
                                     const comm::Tagged::Costs& costs)
    : Endpoint(place.rank, world.size_, world.part_of(place.host).ready()),
      world_(world),
      part_(world.part_of(place.host)),
      place_(place),
      tagged_(*this, part_.pool(), costs) {}

comm::Time SimulatedEndpoint::now() const { return part_.now(); }

void SimulatedEndpoint::post(Op& op) {
  const OpRequest& request = op.request();
  switch (request.kind) {
    case OpKind::send:
      tagged_.send(op);
      return;
    case OpKind::recv:
      if (!world_.buffers_ || world_.options_.library.match.count() > 0)
        work({{}, world_.model_.descriptor});
      tagged_.recv(op);
      return;
    case OpKind::put:
    case OpKind::get:
    case OpKind::set_event:
    case OpKind::multicast:
      post_shipment(op);
      return;
    case OpKind::notice:
      post_notice(op);
      return;
    case OpKind::until:
      if (holds(request))
        complete(op, {.status = Status::ok});
      else
        watching_.push_back(&op);
      return;
    case OpKind::wait_event:
      post_event_wait(op);
      return;
    case OpKind::sleep:
      part_.later(now() + request.time, {.rank = rank(), .op = op.handle()});
      return;
    case OpKind::spend:
      part_.later(world_.processor(*this).enter(now(), request.time),
                  {.rank = rank(), .op = op.handle()});
      return;
    case OpKind::store:
      post_store(op);
      return;
    case OpKind::dma:
    case OpKind::wait_nic_event:
      world_.elans_->of(rank()).post(op);
      return;
  }
}

/// A put, a get, the setting of an event, or a multicast.
void SimulatedEndpoint::post_shipment(Op& op) {
  const OpRequest& request = op.request();
  Shipment shipment{.notify = request.notify,
                    .from = rank(),
                    .to = request.peer,
                    .op = op.handle(),
                    .at = request.at,
                    .value = request.value};
  if (request.kind == OpKind::put) {
    shipment.kind = ShipmentKind::put;
    shipment.sets_event = request.sets_event;
    shipment.event = static_cast<Events::Event>(request.envelope.tag);
    shipment.payload = comm::Buffer(part_.pool(), request.data);
    part_.ship(std::move(shipment), request.notify ? sim::Move::notice : sim::Move::write,
               request.data.size());
  } else if (request.kind == OpKind::get) {
    if (!world_.model_.reads) {
      complete(op, {.status = Status::refused});
      return;
    }
    shipment.kind = ShipmentKind::get;
    shipment.payload = comm::Buffer::sized(request.into.size());
    part_.ship(std::move(shipment), sim::Move::read, request.into.size());
  } else if (request.kind == OpKind::set_event) {
    shipment.kind = ShipmentKind::event;
    shipment.event = static_cast<Events::Event>(request.value);
    part_.ship(std::move(shipment), sim::Move::event, 0);
  } else {
    shipment.kind = ShipmentKind::multicast;
    shipment.header = {.envelope = request.envelope, .bytes = request.data.size()};
    shipment.payload = comm::Buffer(part_.pool(), request.data);
    part_.ship_to_group(std::move(shipment), static_cast<std::uint32_t>(request.value));
  }
}

void SimulatedEndpoint::post_notice(Op& op) {
  work({{}, world_.model_.descriptor});
  const auto found = notices_.post(op.request().envelope, &op);
  op.carried.ticket = found.ticket;
  if (found.message)
    complete(op, {.status = Status::ok,
                  .sender = found.message->from,
                  .bytes = found.message->bytes,
                  .immediate = found.message->immediate});
}

/// Cache lines go from cache to cache one after another, and the processor waits for its own.
void SimulatedEndpoint::post_store(Op& op) {
  const comm::Time begun = world_.processor(*this).free_at(now());
  const comm::Time done = part_.hosts().memory(place_.host).enter(begun, world_.model_.store);
  world_.processor(*this).enter(now(), done - begun);
  part_.later(done, {.kind = DeferredKind::store, .rank = rank(), .op = op.handle()});
}

void SimulatedEndpoint::withdraw(Op& op) {
  switch (op.request().kind) {
    case OpKind::send:
    case OpKind::recv:
      tagged_.withdraw(op);
      return;
    case OpKind::notice:
      if (op.carried.ticket != decltype(notices_)::no_ticket) notices_.withdraw(op.carried.ticket);
      return;
    case OpKind::until:
      std::erase(watching_, &op);
      return;
    case OpKind::wait_event:
      std::erase(event_waiting_, &op);
      return;
    case OpKind::wait_nic_event:
      world_.elans_->of(rank()).withdraw(op);
      return;
    default:
      return;  // the world knows it by its handle only
  }
}

void SimulatedEndpoint::exposing(std::span<std::byte>) {
  if (world_.model_.expose.count() > 0) world_.processor(*this).enter(now(), world_.model_.expose);
}

void SimulatedEndpoint::alarm(comm::Time at) {
  if (at >= alarm_) return;
  alarm_ = at;
  part_.later(at, {.kind = DeferredKind::expire, .rank = rank()});
}

/// Completes operations that wait for memory which the program itself has changed.
void SimulatedEndpoint::poll(Op&) {
  for (std::size_t i = 0; i < watching_.size(); ++i) {
    Op* const op = watching_[i];
    if (!holds(op->request())) continue;
    watching_.erase(watching_.begin() + static_cast<std::ptrdiff_t>(i--));
    complete(*op, {.status = Status::ok});
  }
}

Duration SimulatedEndpoint::combining(std::size_t bytes) const {
  return world_.options_.library.combining(bytes);
}

Duration SimulatedEndpoint::copying(std::size_t bytes) const {
  const comm::Library& library = world_.options_.library;
  return library.copy_in.bits_per_second > 0 ? library.copying_in(bytes) : world_.copy_time(bytes);
}

// --- messages -----------------------------------------------------------------------------------

void SimulatedEndpoint::carry(Rank to, const comm::Header& header, comm::Buffer payload,
                              OpHandle done, comm::LayerWork before) {
  Shipment shipment{.kind = ShipmentKind::tagged,
                    .from = rank(),
                    .to = to,
                    .op = done,
                    .header = header,
                    .payload = std::move(payload)};
  if (!in_window(to, header.step)) {
    work(before);
    part_.carry(std::move(shipment));
    return;
  }
  const bool first = waiting_fragments_.empty();
  waiting_fragments_.push({part_.keep(std::move(shipment)), before});
  if (first) send_next_in_window();
}

bool SimulatedEndpoint::in_window(Rank to, comm::ProtocolStep step) const {
  return world_.options_.library.window > 0 && step != comm::ProtocolStep::data &&
         world_.rank(to).place().host != place_.host;
}

/// Sends waiting fragments as long as the window has room.
void SimulatedEndpoint::send_next_in_window() {
  while (!waiting_fragments_.empty() && unacknowledged_ < world_.options_.library.window) {
    const WaitingFragment next = waiting_fragments_.pop();
    ++unacknowledged_;
    work(next.before);
    part_.carry(part_.take_kept(next.shipment));
  }
  const sim::Resource& processor = world_.processor(*this);
  waits_since_ = processor.free_at(now());
  work_before_ = processor.busy();
}

void SimulatedEndpoint::acknowledged() {
  --unacknowledged_;
  if (waiting_fragments_.empty()) return;
  const sim::Resource& processor = world_.processor(*this);
  const Duration work = processor.busy() - (processor.free_at(now()) - now()) - work_before_;
  if (now() > waits_since_ + work) ack_ += now() - waits_since_ - work;
  send_next_in_window();
}

/// The NIC has been given a fragment; another one waits for its acknowledgment.
void SimulatedEndpoint::fragment_posted() {
  if (waiting_fragments_.empty()) return;
  const comm::Time ready = part_.hosts().nic_ready(place_.host);
  const sim::Resource& processor = world_.processor(*this);
  nic_ += ready - now();
  waits_since_ = std::max(processor.free_at(now()), ready);
  work_before_ = processor.busy();
}

void SimulatedEndpoint::fetch(Rank from, const comm::Header& header, std::size_t bytes) {
  part_.ship({.kind = ShipmentKind::fetch,
              .from = rank(),
              .to = from,
              .header = header,
              .payload = comm::Buffer::sized(bytes)},
             sim::Move::read, bytes);
}

void SimulatedEndpoint::unpack(Op& op, comm::Fragment fragment, const comm::Result& result) {
  // A library's work comes first; without one and without a copy there is nothing to wait for.
  const Duration time = world_.copy_time(fragment.data.size());
  const bool waits = time.count() > 0 || world_.options_.library.buffers;
  const comm::Time done = waits ? world_.processor(*this).enter(now(), time) : now();
  if (done == now()) {
    fragment.copy_to(op.request().into);
    if (result.status != Status::pending) complete(op, result);
    return;
  }
  part_.later(done, {.kind = DeferredKind::unpack,
                     .rank = rank(),
                     .op = op.handle(),
                     .result = result,
                     .fragment = std::move(fragment)});
}

void SimulatedEndpoint::completed(Op& op, const comm::Result& result) {
  if (result.ok() || result.status == Status::truncated)
    part_.notice(*this, op, result);
  else
    complete(op, result);
}

void SimulatedEndpoint::notice_arrived(Rank from, std::uint64_t bytes, std::uint64_t immediate) {
  const auto op = notices_.arrive({0, from, 0}, {from, bytes, immediate});
  if (!op) return;
  (*op)->carried.ticket = decltype(notices_)::no_ticket;
  part_.notice(*this, **op,
               {.status = Status::ok, .sender = from, .bytes = bytes, .immediate = immediate});
}

void SimulatedEndpoint::touched(std::span<const std::byte> memory) {
  const std::less<const std::byte*> before;
  for (std::size_t i = 0; i < watching_.size(); ++i) {
    Op* const op = watching_[i];
    const auto word = op->request().data;
    const bool apart = !before(word.data(), memory.data() + memory.size()) ||
                       !before(memory.data(), word.data() + word.size());
    if (apart || !holds(op->request())) continue;
    watching_.erase(watching_.begin() + static_cast<std::ptrdiff_t>(i--));
    part_.notice(*this, *op, {.status = Status::ok});
  }
}

void SimulatedEndpoint::work(comm::LayerWork time) {
  if (time.total().count() == 0) return;
  const comm::Time begin = world_.processor(*this).free_at(now());
  world_.processor(*this).enter(now(), time.total());
  library_work_.book(begin, begin + time.library);
  library_work_.done(now());  // forgets what is done
}

bool SimulatedEndpoint::match(Rank from, Duration time) {
  if (!world_.elans_ || world_.rank(from).place().host == place_.host) return false;
  nic_free_ = time.count() > 0 ? part_.hosts().nic_work(place_.host, time) : now();
  return true;
}

void SimulatedEndpoint::hand_over(Op& op, comm::Buffer payload, const comm::Result& result) {
  const comm::Time there = part_.hosts().hand_over(place_.host, nic_free_, payload.size());
  part_.later(there, {.kind = DeferredKind::hand_over,
                      .rank = rank(),
                      .op = op.handle(),
                      .result = result,
                      .fragment = {std::move(payload)}});
}

void SimulatedEndpoint::lose(Rank peer, Status why) {
  gone(peer, why);
  tagged_.gone(peer, why);
}

// --- capabilities -------------------------------------------------------------------------------

void* SimulatedEndpoint::find_capability(const std::type_info& type) {
  if (type == typeid(Events) && world_.model_.events) return static_cast<Events*>(&events_here_);
  if (type == typeid(comm::Multicast) && !world_.tables_.groups.empty())
    return static_cast<comm::Multicast*>(&multicast_here_);
  if (type == typeid(comm::RateControl) && world_.model_.schedule == sim::Schedule::by_rate)
    return static_cast<comm::RateControl*>(&rates_here_);
  if (type == typeid(comm::Elan3) && world_.elans_)
    return static_cast<comm::Elan3*>(&world_.elans_->of(rank()));
  if (type == typeid(comm::SharedMemory)) return static_cast<comm::SharedMemory*>(&shared_here_);
  return nullptr;
}

void SimulatedEndpoint::post_event_wait(Op& op) {
  if (events_here_.poll(static_cast<Events::Event>(op.request().envelope.tag)) >=
      op.request().value)
    complete(op, {.status = Status::ok});
  else
    event_waiting_.push_back(&op);
}

void SimulatedEndpoint::set_event(Events::Event event) {
  events_.resize(Events::most);
  const std::uint64_t count = ++events_[event];
  std::erase_if(copies_, [&](const CopyOnEvent& copy) {
    if (copy.event != event || copy.count != count) return false;
    std::copy(copy.from.begin(), copy.from.end(), copy.to.begin());
    world_.touched(place_.host, copy.to);
    return true;
  });
  for (std::size_t i = 0; i < event_waiting_.size(); ++i) {
    Op* const op = event_waiting_[i];
    if (static_cast<Events::Event>(op->request().envelope.tag) != event ||
        count < op->request().value)
      continue;
    event_waiting_.erase(event_waiting_.begin() + static_cast<std::ptrdiff_t>(i--));
    part_.notice(*this, *op, {.status = Status::ok});
  }
}

void SimulatedEndpoint::RatesHere::set_interval(const comm::Flow& flow, Duration interval) {
  leased_.erase(flow);
  pace(flow, interval);
}
void SimulatedEndpoint::RatesHere::pace(const comm::Flow& flow, Duration interval) {
  const sim::FlowKey key = at_.world_.flow_key(flow);
  invariant(key.from == at_.place_.host, "a NIC is given the rate of another host's flow");
  at_.part_.hosts().set_interval(key, interval);
}
void SimulatedEndpoint::RatesHere::set_leased(const comm::Flow& flow, Duration interval) {
  set_interval(flow, interval);
  if (interval.count() > 0) leased_.insert(flow);
}
void SimulatedEndpoint::RatesHere::set_lease(comm::Time end) {
  lease_ = end;
  if (!std::exchange(waits_, true))
    at_.part_.later(end, {.kind = DeferredKind::end_lease, .rank = at_.rank()});
}
void SimulatedEndpoint::RatesHere::stop_others(std::span<const comm::Flow> known) {
  for (const comm::Flow& flow : leased_)
    if (std::find(known.begin(), known.end(), flow) == known.end()) pace(flow, stopped);
}
void SimulatedEndpoint::RatesHere::end_lease() {
  waits_ = false;
  if (at_.now() < lease_) return set_lease(lease_);
  stop_others({});
}
std::uint64_t SimulatedEndpoint::RatesHere::dispatched(const comm::Flow& flow) const {
  return at_.part_.hosts().dispatched(at_.world_.flow_key(flow));
}

Op SimulatedEndpoint::EventsHere::set(Rank at, Event event) {
  invariant(event < most, "there is no such event");
  return Op(at_, {.kind = OpKind::set_event, .peer = at, .value = event});
}
Op SimulatedEndpoint::EventsHere::put_and_set(Rank to, comm::RemoteSlice slice,
                                              std::span<const std::byte> data, Event event) {
  invariant(event < most, "there is no such event");
  return Op(at_, {.kind = OpKind::put,
                  .sets_event = true,
                  .peer = to,
                  .envelope = {.tag = event},
                  .data = data,
                  .at = slice});
}
Op SimulatedEndpoint::EventsHere::wait(Event event, std::uint64_t count) {
  return Op(at_, {.kind = OpKind::wait_event, .envelope = {.tag = event}, .value = count});
}
std::uint64_t SimulatedEndpoint::EventsHere::poll(Event event) const {
  return event < at_.events_.size() ? at_.events_[event] : 0;
}
void SimulatedEndpoint::EventsHere::copy_when(Event event, std::uint64_t count,
                                              std::span<const std::byte> from,
                                              std::span<std::byte> to) {
  invariant(from.size() == to.size(), "a block copy has two ends of the same size");
  if (poll(event) >= count) {
    std::copy(from.begin(), from.end(), to.begin());
    at_.world_.touched(at_.place_.host, to);
  } else {
    at_.copies_.push_back({event, count, from, to});
  }
}

std::size_t SimulatedEndpoint::MulticastHere::most() const {
  return static_cast<std::size_t>(at_.world_.model_.mtu.count);
}
int SimulatedEndpoint::MulticastHere::groups() const {
  return static_cast<int>(at_.world_.tables_.groups.size());
}
Op SimulatedEndpoint::MulticastHere::send(int group, comm::Tag tag,
                                          std::span<const std::byte> data) {
  invariant(group >= 0 && group < groups() && data.size() <= most(),
            "there is no such group, or too much data for one packet");
  return Op(at_, {.kind = OpKind::multicast,
                  .envelope = {0, at_.rank(), tag},
                  .data = data,
                  .value = static_cast<std::uint64_t>(group)});
}

int SimulatedEndpoint::SharedHere::ranks_here() const {
  return static_cast<int>(at_.world_.ranks_on(at_.place_.host).size());
}
int SimulatedEndpoint::SharedHere::index_here() const {
  return static_cast<int>(at_.place_.processor);
}
Rank SimulatedEndpoint::SharedHere::rank_here(int index) const {
  return at_.world_.ranks_on(at_.place_.host)[static_cast<std::size_t>(index)]->rank();
}
std::span<std::byte> SimulatedEndpoint::SharedHere::segment(std::uint64_t name, std::size_t bytes) {
  auto& segment = at_.part_.segment(at_.place_.host, name);
  if (segment.empty()) segment.resize(bytes);
  invariant(segment.size() == bytes, "ranks disagree about the size of a shared segment");
  return segment;
}
Op SimulatedEndpoint::SharedHere::store(std::uint64_t& word, std::uint64_t value) {
  return Op(at_, {.kind = OpKind::store, .into = comm::writable_bytes_of(word), .value = value});
}
Op SimulatedEndpoint::SharedHere::increment(std::uint64_t& word) {
  return Op(at_, {.kind = OpKind::store, .notify = true, .into = comm::writable_bytes_of(word)});
}

}  // namespace weft::run
