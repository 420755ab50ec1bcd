// SPDX-License-Identifier: Apache-2.0
// Hosts and their NICs: how a transfer goes from stage to stage.
#include "sim/hosts/staged_hosts.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace weft::sim {
namespace {

std::uint32_t flits_of(Bytes flit, const NicModel& model, std::uint64_t bytes) {
  const std::int64_t size = std::max(static_cast<std::int64_t>(bytes), model.smallest.count);
  return static_cast<std::uint32_t>(
      std::max<std::int64_t>(1, (size + flit.count - 1) / flit.count));
}

const std::vector<TransferStages>& paths_for(const NicModel& model, std::size_t move) {
  const bool as_write = static_cast<Move>(move) == Move::notice && model.paths[move].empty();
  return model.paths[as_write ? static_cast<std::size_t>(Move::write) : move];
}

HostSetup with_packets_of(const NicModel& model, HostSetup setup) {
  const auto longest =
      static_cast<std::uint64_t>(std::max(model.mtu.count + model.header.count, model.ack.count));
  setup.options.network.longest_packet = flits_of(setup.switches.flit, model, longest);
  setup.options.network.receive_buffers = model.receive_buffers;
  setup.options.network.departures = model.schedule != Schedule::as_posted;
  return setup;
}

}  // namespace

HostFactory staged_hosts() {
  return [](const NicModel& model, const HostSetup& setup) -> std::unique_ptr<HostModel> {
    return std::make_unique<StagedHosts>(model, setup);
  };
}

StagedHosts::StagedHosts(const NicModel& model, const HostSetup& setup)
    : HostModel(model, with_packets_of(model, setup)),
      nics_(std::make_shared<Nics>(fabric_.host_count())),
      parts_(nics_->parts),
      links_(nics_->links),
      ack_flits_(flits(static_cast<std::uint64_t>(model.ack.count))),
      active_(nics_->active),
      windows_(fabric_.host_count()) {
  invariant(model.window == 0 || model.acknowledge == Acknowledge::packet,
            "a window counts acknowledgments of packets");
  for (std::size_t move = 0; move < move_count; ++move) {
    for (const TransferStages& path : paths_for(model, move))
      nics_->tracks[move].push_back(track_of(path));
    nics_->local[move] = track_of(model.local[move]);
  }
  if (model.schedule != Schedule::as_posted) {
    senders_.assign(fabric_.host_count(), {.dispatcher = {model.schedule, model.tick}});
    if (model.send_tokens > 0) tokens_.resize(2 * fabric_.host_count() * processors_each_);
  }
  turns_.resize(fabric_.host_count());
}

StagedHosts::StagedHosts(StagedHosts& first)
    : HostModel(first),
      nics_(first.nics_),
      parts_(first.parts_),
      links_(first.links_),
      ack_flits_(first.ack_flits_),
      active_(nics_->active) {}

std::span<const std::string_view> StagedHosts::part_names() const {
  // In the order of Part.
  static constexpr std::array<std::string_view, 5> names{"bus", "nic", "dma_out", "dma_in",
                                                         "memory"};
  static_assert(names.size() + first_part == part_count);
  return names;
}

// --- the network's reports ----------------------------------------------------------------------

void StagedHosts::delivered(Network& network, const Packet& packet, HostId at, unsigned) {
  enter(network);
  reported();
  const auto id = static_cast<std::uint32_t>(packet.tag >> 32U);
  const auto number = static_cast<std::uint32_t>(packet.tag);
  if (packet.kind == acknowledgment)
    pass({id, number, TransferPhase::ack_in});
  else
    pass({id, packet.group == no_group ? number : static_cast<std::uint32_t>(at.index()),
          TransferPhase::packet_in});
  leave();
}

/// Sends a lost packet again after a while, up to `retries` times; then the transfer fails.
void StagedHosts::lost(Network& network, const Packet& packet, HostId, Loss) {
  enter(network);
  reported();
  const auto id = static_cast<std::uint32_t>(packet.tag >> 32U);
  Active& active = active_[id];
  const bool is_data = packet.kind != acknowledgment;
  if (packet.group == no_group && active.retries < model_.retries) {
    ++active.retries;
    if (is_data && !steps_by_packet(active.transfer)) ++active.steps;
    const TransferPhase phase = is_data ? TransferPhase::enter : TransferPhase::ack_enter;
    const TransferStep step{id, static_cast<std::uint32_t>(packet.tag), phase, again};
    kernel_.at(kernel_.now() + model_.retry_after, *this, step.number());
  } else {
    const HostId source = active.transfer.from;
    const bool unicast = packet.group == no_group;
    if (unicast) active.outcome = TransferStatus::lost;
    const bool one_of_many = is_data && !steps_by_packet(active.transfer);
    if (!one_of_many || ++active.arrived == active.packets) drop(id);
    if (unicast) open_window(source);
  }
  leave();
}

// --- stages -------------------------------------------------------------------------------------

void StagedHosts::begin(const Transfer& transfer) {
  ++begun_;
  const std::uint32_t id = active_.acquire();
  Active& active = active_[id];
  active = {.transfer = transfer, .track = &track_for(transfer), .steps = 1};
  if (transfer.group == no_group) active.flow = flow_of(transfer);
  if (transfer.group == no_group && transfer.from != transfer.to) {
    active.ordered = true;
    active.number = flows_[active.flow].begun++;
  }
  post(id);
}

std::uint32_t StagedHosts::flow_of(const Transfer& transfer) {
  return flows_.of({transfer.from, transfer.to, transfer.from_processor, transfer.to_processor,
                    transfer.urgent});
}

void StagedHosts::fire(std::uint64_t what) {
  const TransferStep step = TransferStep::from(what);
  if (step.stage == TransferStep::over)
    next_phase(step);
  else
    pass(step);
}

StagedHosts::Track StagedHosts::track_of(const TransferStages& path) {
  Track track;
  track.up_to = path.up_to;
  const auto put = [&](TransferPhase phase, const Stages& stages) {
    const std::size_t begin = track.stages.size();
    for (const NicStage& stage : stages) {
      if (stage.fixed.count() == 0 && stage.per_kibibyte == 0) continue;
      if (stage.part == Part::latency && !stage.depends_on_size() && track.stages.size() > begin) {
        track.stages.back().after += stage.fixed;
        continue;
      }
      if (track.stages.size() > begin)
        track.stages.back().next = static_cast<std::uint8_t>(track.stages.size() - begin);
      track.stages.push_back(track_stage(stage, phase));
    }
    invariant(track.stages.size() - begin < TransferStep::over, "a phase has too many stages");
    std::fill(track.begin.begin() + static_cast<std::ptrdiff_t>(index(phase)) + 1,
              track.begin.end(), static_cast<std::uint8_t>(track.stages.size()));
  };
  put(TransferPhase::post, path.post);
  put(TransferPhase::submit, path.submit);
  put(TransferPhase::packet_out, path.packet_out);
  put(TransferPhase::packet_send, path.packet_send);
  put(TransferPhase::packet_in, path.packet_in);
  put(TransferPhase::deliver, path.deliver);
  put(TransferPhase::ack_out, path.ack_out);
  put(TransferPhase::ack_in, path.ack_in);
  return track;
}

StagedHosts::TrackStage StagedHosts::track_stage(const NicStage& stage, TransferPhase phase) {
  TrackStage at{.stage = stage, .at_target = at_target(phase)};
  if (stage.part == Part::latency || stage.streams || stage.trails || stage.turns || stage.per_page)
    return at;
  at.simple = true;
  at.fixed = !stage.depends_on_size();
  if (fabric_.host_count() == 0) return at;
  const Transfer anywhere{.from = HostId(0), .to = HostId(0)};
  at.first = &resource(anywhere, {0, 0, phase}, stage.part);
  if (stage.part == Part::processor) {
    at.per_host = processors_each_;
    at.processors = ~std::uint32_t{0};
  } else if (stage.part != Part::memory) {
    at.per_host = sizeof(NicParts) / sizeof(Resource);
  }
  return at;
}

const StagedHosts::Track& StagedHosts::track_for(const Transfer& transfer) const {
  const auto move = static_cast<std::size_t>(transfer.move);
  if (transfer.group == no_group && transfer.from == transfer.to) return nics_->local[move];
  if (transfer.from_buffer) return nics_->tracks[move].back();
  for (const Track& track : nics_->tracks[move])
    if (transfer.bytes <= track.up_to) return track;
  invariant(false, "a NIC model has no path for a move of this size");
  return nics_->local[move];
}

const Resource& StagedHosts::part(HostId host, Part part) const {
  if (part == Part::memory) return memory(host);
  return parts_[host.index()][static_cast<std::size_t>(part) - first_part];
}

/// The service time of a stage for this step, where it depends on the size of what is served.
/// Messages begin at the start of a page.
Duration StagedHosts::time_by_size(const NicStage& stage, const Active& active,
                                   TransferStep step) const {
  const std::uint64_t size = bytes(active, step);
  if (!stage.per_page || size == 0) return stage.time(size);
  const auto page = static_cast<std::uint64_t>(model_.page.count);
  const std::uint64_t first = step.packet * active.chunk;
  return stage.time(size, static_cast<std::int64_t>((first + size - 1) / page - first / page + 1));
}

/// The time a part loses when it changes from its last job to this one.
Duration StagedHosts::turn(const Active& active, TransferStep step) {
  LastServed& last = turns_[place(active.transfer, step).index()];
  const LastServed next{active.flow, at_target(step.phase)};
  Duration cost{0};
  if (last.flow != Flows::nothing) {
    if (last.receives != next.receives)
      cost = model_.direction_change;
    else if (last.flow != next.flow)
      cost = model_.flow_change;
  }
  last = next;
  return cost;
}

/// A stage that streams began with the packet's first flit, or releases the packet so that its last
/// flit leaves when the part finishes.
Duration StagedHosts::serve_specially(const Active& active, TransferStep step,
                                      const NicStage& stage, Duration time) {
  const Duration now = kernel_.now();
  if (stage.turns) time += turn(active, step);
  Resource& part = resource(active.transfer, step, stage.part);
  if (stage.trails) return part.enter(now, time) - time;
  if (!stage.streams) return part.enter(now, time);
  const Duration on_link =
      flit_time_[place(active.transfer, step).index()] * packet_flits(active, step);
  if (step.phase == TransferPhase::packet_in) return std::max(now, part.enter(now - on_link, time));
  return std::max(now, part.enter(now, time) - on_link);
}

/// Takes a step through its stages, up to the next event or to the end of the phase. (What is
/// special is apart, so that the rest needs few registers.)
void StagedHosts::pass(TransferStep step) {
  const Active& active = active_[step.id];
  const Track& track = *active.track;
  const unsigned i = track.begin[index(step.phase)] + unsigned{step.stage};
  if (i >= track.begin[index(step.phase) + 1]) {
    next_phase(step);
    return;
  }
  const TrackStage& at = track.stages[i];
  const bool simple = at.simple && active.transfer.group == no_group;
  Duration time = at.stage.fixed;
  if (!at.fixed && simple) time += at.stage.by_size(bytes(active, step));
  if (!simple || time.count() == 0) {
    pass_special_stages(step);
    return;
  }
  const Duration done = at.part(active.transfer).enter(kernel_.now(), time);
  kernel_.at(done + at.after, *this, step.at(step.phase, at.next).number());
}

void StagedHosts::pass_special_stages(TransferStep step) {
  const Active& active = active_[step.id];
  const Track& track = *active.track;
  const unsigned end = track.begin[index(step.phase) + 1];
  for (unsigned i = track.begin[index(step.phase)] + unsigned{step.stage}; i < end; ++i) {
    const TrackStage& at = track.stages[i];
    const Duration time = this->time(at.stage, active, step), now = kernel_.now();
    const Duration until = (time.count() == 0 ? now : serve(active, step, at, time)) + at.after;
    if (until == now) continue;
    kernel_.at(until, *this, step.at(step.phase, at.next).number());
    return;
  }
  next_phase(step);
}

void StagedHosts::next_phase(TransferStep step) {
  switch (step.phase) {
    case TransferPhase::post:
      user_->posted(active_[step.id].transfer.cookie);
      pass({step.id, 0, TransferPhase::submit});
      return;
    case TransferPhase::submit:
      submitted(step.id);
      return;
    case TransferPhase::packet_out:
      if (scheduled(active_[step.id].transfer))
        staged(step);
      else
        enter_window(step);
      return;
    case TransferPhase::packet_send:
      put_on_link(step.at(TransferPhase::enter));
      return;
    case TransferPhase::enter:
      put_on_link(step);
      return;
    case TransferPhase::packet_in:
      packet_arrived(step);
      return;
    case TransferPhase::deliver:
      land(step);
      return;
    case TransferPhase::ack_out:
    case TransferPhase::ack_enter:
      acknowledge(step);
      return;
    case TransferPhase::ack_in: {
      const HostId source = active_[step.id].transfer.from;
      release_buffer(source);
      drop(step.id);
      open_window(source);
      return;
    }
    case TransferPhase::feed:
      senders_[step.id].alarm = Kernel::never;
      feed(HostId(step.id));
      return;
    case TransferPhase::retry:
      land(step.at(TransferPhase::deliver));
      return;
  }
}

void StagedHosts::acknowledge(TransferStep step) {
  const Transfer& transfer = active_[step.id].transfer;
  send({.from = transfer.to,
        .to = transfer.from,
        .flits = ack_flits_,
        .control = true,
        .kind = acknowledgment,
        .tag = std::uint64_t{step.id} << 32U | step.packet},
       1);
}

std::uint32_t StagedHosts::flits(std::uint64_t bytes) const {
  return flits_of(flit_, model_, bytes);
}

}  // namespace weft::sim
