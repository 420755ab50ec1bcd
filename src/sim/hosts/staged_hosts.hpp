// SPDX-License-Identifier: Apache-2.0
// StagedHosts: hosts whose NICs are described by stages. A transfer passes the stages of its
// model's path, its packets cross the flit network, and the user is notified of its progress.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/fifo.hpp"
#include "base/shared_slots.hpp"
#include "sim/hosts/dispatcher.hpp"
#include "sim/hosts/host_model.hpp"

namespace weft::sim {

class StagedHosts final : public HostModel {
 public:
  /// Throws Error like Network.
  StagedHosts(const NicModel& model, const HostSetup& setup);
  /// For another part.
  explicit StagedHosts(StagedHosts& first);

  void begin(const Transfer& transfer) override;
  /// Sets the least time between two packets of a flow; the model's schedule is by rate.
  void set_interval(const FlowKey& key, Duration interval) override;
  Duration interval(const FlowKey& key) override;  ///< 0 without a rate
  /// Packets with data of a flow that its NIC has dispatched; the model has a schedule.
  std::uint64_t dispatched(const FlowKey& key) override {
    return flows_[flows_.of(key)].dispatched;
  }
  Duration nic_ready(HostId host) const override {
    return std::max(part(host, Part::nic).free_at(kernel_.now()),
                    part(host, Part::dma_out).free_at(kernel_.now()));
  }
  std::span<const std::string_view> part_names() const override;
  const Resource& part(HostId host, std::size_t index) const override {
    return part(host, static_cast<Part>(first_part + index));
  }
  const Resource& part(HostId host, Part part) const;

 private:
  enum class TransferPhase : std::uint8_t {
    post,
    submit,
    packet_out,
    packet_send,
    enter,  ///< the link is free
    packet_in,
    deliver,
    ack_out,
    ack_enter,
    ack_in,
    feed,   ///< a NIC may send a packet; `id` is its host
    retry,  ///< another try at a target that had no receive token
  };
  /// The position of a message, one of its packets or its acknowledgment: a word, which is the
  /// number of its event.
  struct TransferStep {
    std::uint32_t id = 0;
    std::uint32_t packet : 24 = 0;  ///< its number; of a multicast, the host it reached
    TransferPhase phase : 4 {};
    std::uint8_t stage : 4 = 0;  ///< the next one of its phase, or `over`
    static constexpr unsigned over = 15;

    TransferStep(std::uint32_t of, std::uint32_t number, TransferPhase in, unsigned at = 0)
        : id(of), packet(number & 0xff'ffffU), phase(in), stage(at & 15U) {}
    TransferStep at(TransferPhase other, unsigned at_stage = 0) const {
      return {id, packet, other, at_stage};
    }
    std::uint64_t number() const { return std::bit_cast<std::uint64_t>(*this); }
    static TransferStep from(std::uint64_t number) { return std::bit_cast<TransferStep>(number); }
  };
  // Kinds of packets: data from the NIC's memory, other data, acknowledgments.
  static constexpr std::uint32_t other = 0, acknowledgment = 1, first_time = 2;
  static constexpr std::uint8_t again = 1;        ///< the stage of a packet that is sent again
  static constexpr std::size_t phase_count = 10;  ///< up to ack_in
  static constexpr std::size_t index(TransferPhase phase) {
    return static_cast<std::size_t>(phase);
  }
  /// A stage, and the latencies behind it, which need no events of their own.
  struct TrackStage {
    NicStage stage;
    /// On a part, which it occupies and nothing else: it neither streams nor trails, does not turn,
    /// and does not count pages.
    bool simple = false;
    bool fixed = false;                      ///< simple, and its time does not depend on the size
    bool at_target = false;                  ///< of the transfer; else at its source
    std::uint8_t next = TransferStep::over;  ///< the stage of the phase behind it
    // Where the part is, if it is simple.
    Resource* first = nullptr;     ///< of the first host, or processor
    std::uint32_t per_host = 1;    ///< parts between those of two hosts
    std::uint32_t processors = 0;  ///< a mask: all bits where processors have one each
    Duration after{0};

    Resource& part(const Transfer& transfer) const {
      const HostId host = at_target ? transfer.to : transfer.from;
      const std::uint32_t processor = at_target ? transfer.to_processor : transfer.from_processor;
      return first[host.index() * per_host + (processor & processors)];
    }
  };
  /// A path of the model, by phase, without the stages that take no time.
  struct Track {
    std::uint64_t up_to = 0;
    std::vector<TrackStage> stages{};
    std::array<std::uint8_t, phase_count + 1> begin{};  ///< the first stage of each phase
  };
  /// Two lines of the cache: stages need nothing but the first. Source and target may be in
  /// different parts: what packets do to a transfer, only one of them changes.
  struct alignas(64) Active {
    Transfer transfer{};
    const Track* track = nullptr;
    std::uint64_t chunk = 0;  ///< data in its packets but the last
    std::uint32_t packets = 0, launched = 0, sent = 0;
    std::uint32_t arrived = 0;  ///< packets, or lost for good
    /// Under way; at 0 the transfer is finished. All packets on their way are one, unless each is
    /// acknowledged (steps_by_packet).
    std::uint32_t steps = 0;
    std::uint32_t next = 0;  ///< the next in its queue, at its source or its target
    std::uint32_t number = 0;
    std::uint32_t flow = Flows::nothing;
    std::uint32_t flits = 0, last_flits = 0;  ///< of its packets, and of the last one
    int retries = 0;
    bool ordered = false;  ///< it must land in the order of its flow
    TransferStatus outcome = TransferStatus::ok;
  };

  // Driver and kernel.
  void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) override;
  void lost(Network& network, const Packet& packet, HostId at, Loss why) override;
  void departed(Network& network, const Packet& packet) override;
  void fire(std::uint64_t what) override;

  // HostModel.
  std::unique_ptr<HostModel> make_another() override {
    return model_.hosts_are_apart() ? std::make_unique<StagedHosts>(*this) : nullptr;
  }
  std::uint64_t under_way() const override { return active_.in_use(); }

  // What a transfer goes through.
  void pass(TransferStep step);
  void pass_special_stages(TransferStep step);
  std::uint32_t flow_of(const Transfer& transfer);
  Track track_of(const TransferStages& path);
  TrackStage track_stage(const NicStage& stage, TransferPhase phase);
  const Track& track_for(const Transfer& transfer) const;
  static bool at_target(TransferPhase phase) {
    return phase == TransferPhase::packet_in || phase == TransferPhase::deliver ||
           phase == TransferPhase::ack_out;
  }
  static HostId place(const Transfer& transfer, TransferStep step) {
    if (!at_target(step.phase)) return transfer.from;
    return transfer.group == no_group ? transfer.to : HostId(step.packet);
  }
  Resource& resource(const Transfer& transfer, TransferStep step, Part part) {
    const HostId host = place(transfer, step);
    if (part == Part::processor)
      return processor(host,
                       at_target(step.phase) ? transfer.to_processor : transfer.from_processor);
    if (part == Part::memory) return memory(host);
    return parts_[host.index()][static_cast<std::size_t>(part) - first_part];
  }
  /// When a part finishes a stage that takes a time.
  Duration serve(const Active& active, TransferStep step, const TrackStage& at, Duration time) {
    if (at.stage.part == Part::latency) return kernel_.now() + time;
    if (!at.simple) return serve_specially(active, step, at.stage, time);
    return resource(active.transfer, step, at.stage.part).enter(kernel_.now(), time);
  }
  Duration serve_specially(const Active& active, TransferStep step, const NicStage& stage,
                           Duration time);
  Duration turn(const Active& active, TransferStep step);
  Duration time(const NicStage& stage, const Active& active, TransferStep step) const {
    return stage.depends_on_size() ? time_by_size(stage, active, step) : stage.fixed;
  }
  Duration time_by_size(const NicStage& stage, const Active& active, TransferStep step) const;
  /// The data of the step: of a packet, or of the whole message.
  static std::uint64_t bytes(const Active& active, TransferStep step) {
    const Transfer& transfer = active.transfer;
    if (step.phase >= TransferPhase::ack_out) return 0;
    if (transfer.move == Move::read && transfer.from != transfer.to) return 0;
    if (step.phase < TransferPhase::packet_out || step.phase == TransferPhase::deliver)
      return transfer.bytes;
    const std::uint64_t number = transfer.group == no_group ? step.packet : 0;
    return std::min(active.chunk, transfer.bytes - number * active.chunk);
  }
  void next_phase(TransferStep step);
  void acknowledge(TransferStep step);
  // A NIC with a schedule (sender.cpp).
  bool scheduled(const Transfer& transfer) const {
    return !senders_.empty() && transfer.group == no_group;
  }
  struct Tokens;
  Tokens* tokens_of(const Transfer& transfer);
  void post(std::uint32_t id);
  void return_token(Tokens& tokens);
  std::uint32_t place_of(std::uint32_t flow);
  void enqueue(std::uint32_t id);
  void feed(HostId host);
  void staged(TransferStep step);

  bool steps_by_packet(const Transfer& transfer) const {
    return transfer.group != no_group || model_.acknowledge == Acknowledge::packet;
  }
  void release_buffer(HostId at) {
    if (model_.receive_buffers > 0) network_.release_buffer(at);
  }
  void submitted(std::uint32_t id);
  void cut(Active& active) const;
  void launch(std::uint32_t id);
  void enter_window(TransferStep step);
  void enter_link(TransferStep step);
  void put_on_link(TransferStep step);
  void packet_arrived(TransferStep step);
  void in_turn(std::uint32_t id);
  void take_turn(std::uint32_t id);
  std::uint32_t take_held(Flows::FlowState& flow);
  void deliver(std::uint32_t id);
  void land(TransferStep step);
  bool waits_behind(TransferStep step);
  void retry_later(TransferStep step);
  void retry_next(std::uint32_t flow);
  void respond(std::uint32_t id);
  void open_window(HostId host);
  void drop(std::uint32_t id);
  std::uint32_t flits(std::uint64_t bytes) const;
  static std::uint32_t packet_flits(const Active& active, TransferStep step) {
    return step.packet + 1U < active.packets ? active.flits : active.last_flits;
  }
  std::uint32_t members(const Transfer& transfer) const;

  static constexpr auto first_part = static_cast<std::size_t>(Part::bus);  ///< with a name
  /// From the bus up to the memory, which all models have; two lines of the cache.
  struct alignas(64) NicParts : std::array<Resource, part_count - first_part - 1> {};
  /// What all parts share.
  struct Nics {
    explicit Nics(std::size_t hosts) : parts(hosts), links(hosts) {}
    std::array<std::vector<Track>, move_count> tracks;
    std::array<Track, move_count> local;
    std::vector<NicParts> parts;  ///< by host
    std::vector<Resource> links;
    SharedSlots<Active> active;
  };
  std::shared_ptr<Nics> nics_;
  std::vector<NicParts>& parts_;
  std::vector<Resource>& links_;
  std::uint32_t ack_flits_;  ///< of an acknowledgment
  PartOfSlots<Active> active_;
  Flows flows_;
  /// A NIC with a schedule, by host.
  struct Sender {
    Dispatcher dispatcher;
    bool busy = false;               ///< a packet is on its way to the NIC's memory
    std::uint32_t buffers = 0;       ///< that hold packets
    Duration alarm = Kernel::never;  ///< when its feed event is due
  };
  std::vector<Sender> senders_;
  /// The last job of a part with `turns`, by host.
  struct LastServed {
    std::uint32_t flow = Flows::nothing;
    bool receives = false;
  };
  std::vector<LastServed> turns_;
  /// Messages under way of a port and priority, and those that wait for a token.
  struct Tokens {
    std::uint32_t used = 0;
    std::deque<std::uint32_t> waiting{};
  };
  std::vector<Tokens> tokens_;
  /// Unacknowledged packets of a host, and packets that wait for room in the window.
  struct AcknowledgmentWindow {
    std::uint32_t used = 0;
    Fifo<TransferStep> waiting{};
  };
  std::vector<AcknowledgmentWindow> windows_;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
};

}  // namespace weft::sim
