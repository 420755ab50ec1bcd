// SPDX-License-Identifier: Apache-2.0
// BitSliced: the faster path for busy networks. A bit of a word stands for a switch, so that one
// instruction works on 64 or more switches: buffers and credits are counted, lanes and crossbars
// allocated and flits moved in words. Only packets are handled one by one: their next hops, and
// where their heads and tails are (lane_queues.hpp). The same packets arrive in the same cycles as
// in the event-driven pipeline, and FlitSimulator can change paths between any two cycles: enter()
// takes everything out of the units, leave() puts it back.
//
// Numbers have a word for every bit of theirs. A round-robin pointer is a mask: word q has the bits
// of the switches whose pointer is at or below q. Pointer 0 is the same as one behind the last: all
// zeros.
//
// Plain networks are a special case: packets of one flit that may have any lane, or those of a
// class that follows from turns, next hops by destination that all lead to hosts, perhaps by an
// intermediate destination, and links that are short and equal. There a packet that leaves a switch
// knows when it will request which port of the next one, and flits in buffers and on links need not
// be counted.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/flit/bitsliced/lane_queues.hpp"
#include "sim/flit/bitsliced/word_layout.hpp"
#include "sim/flit/bitsliced/word_links.hpp"
#include "sim/flit/choices.hpp"
#include "sim/flit/pipeline.hpp"

namespace weft::sim {

/// What leads packets of plain networks.
enum class PlainRoutes : std::uint8_t {
  by_table,   ///< next hops by destination, on any lane
  by_turns,   ///< the same; the lane class follows from the turn
  by_phases,  ///< choice tables without choices: next hops and lane classes by phase
};

class BitSliced {
 public:
  virtual ~BitSliced() = default;
  BitSliced(const BitSliced&) = delete;

  /// The time that so many flit-hops in so many cycles take in words, as a rough share of that by
  /// events.
  double time_estimate(std::uint64_t hops, Cycle cycles) const;
  bool on() const { return on_; }
  /// Whether a packet may be waiting for room behind its lane. If none is, everybody who has a lane
  /// will be done with it, and packets do not wait for each other in a dependency cycle.
  bool lacks_room() const;
  /// Whether a packet has been routed in this cycle that cannot go on: then, after receive(), the
  /// event-driven pipeline throws it away and does the rest of the cycle.
  bool must_leave() const { return stranded_ <= units_.now; }
  /// Adds what has gone over lanes to the units' counts: at the latest when 2^32 packets have.
  void count_sent();

  /// Takes over from the event-driven pipeline. Does nothing as long as a packet is being thrown
  /// away.
  void enter();
  /// Hands the network back.
  void leave();

  // Several threads (parts.cpp): each has some of the blocks, with their hosts, as a part.
  /// Switches that stay together.
  Index switches_of_block() const { return 64 * at_.wide(); }
  /// Whether that can be done, if no packet is ever lost, which would end words for all of them.
  bool can_part() const;
  /// A part, with the blocks of some switches; once the whole has been entered.
  virtual std::unique_ptr<BitSliced> make_part(const PipelineUnits& of,
                                               const std::vector<Index>& switches) = 0;
  /// What parts send to each other is handed out.
  static void join_parts(const std::vector<BitSliced*>& parts);
  /// Packets are in queues of parts from now on: those of all blocks share lines of the cache.
  void give_packets(const std::vector<BitSliced*>& parts);
  /// A part has words of its own: it takes what is in those of the whole, and puts it back. All
  /// parts may do so at once.
  void begin_run(const BitSliced& whole) { copy_words(whole, *this); }
  void end_run(BitSliced& whole) {
    take_joins_of_others(window_);
    copy_words(*this, whole);
  }
  /// Before a part goes on, up to `end`: it takes the packets that others have sent to it.
  void begin_window(Cycle end);
  /// All packets, and what is on its way from part to part, are in the whole again.
  void take_back(const std::vector<BitSliced*>& parts);

  /// Flits and credits arrive in this cycle.
  virtual void receive() = 0;
  /// The rest of the work of the cycle: NICs inject, lanes and crossbars are allocated, flits move.
  /// False when none did.
  virtual bool step() = 0;

 protected:
  BitSliced(const PipelineUnits& of, SliceSizes sizes);
  BitSliced(BitSliced& whole, const PipelineUnits& of, const std::vector<Index>& switches);

  Index queue_of(Index lane) const {
    return layout_.is_host(layout_.port_of(lane))
               ? queues_.host_queues() + (lane - layout_.switch_lanes()) * LaneQueues::apart
               : queue_at(place(lane));
  }
  Index queue_at(const LanePlace& at) const {
    return static_cast<Index>(at_.queue(at)) * LaneQueues::apart;
  }
  /// The lane of a host that has this queue.
  Index host_lane(Index queue) const {
    return layout_.switch_lanes() + (queue - queues_.host_queues()) / LaneQueues::apart;
  }
  /// A lane of a switch, as the units number it, and the other way round.
  LanePlace place(Index lane) const {
    const SwitchPort& port = units_.ports[layout_.port_of(lane)];
    return at_.place(port.home, port.number * at_.lanes() + layout_.lane_in_port(lane));
  }
  Index lane_at(const LanePlace& at) const {
    const Index port = first_port_[at_.home(at)] + at.lane / at_.lanes();
    return (port << layout_.lane_bits) + at.lane % at_.lanes();
  }

  /// What goes into it, and out of it.
  HeadProgress progress_of(const Head& head) const {
    return {head.hops, head.lane_class,
            phases_.any() ? head.phase() : static_cast<std::uint8_t>(head.level)};
  }
  void put_into(Head& head, HeadProgress progress) const {
    head.hops = progress.hops;
    head.lane_class = progress.lane_class;
    if (phases_.any())
      head.set_phase(progress.level);
    else
      head.level = progress.level;
  }

  /// The front packet of an in-lane requests a lane of its out-port at `when`.
  virtual void route(const LanePlace& at, Cycle when) = 0;

  Units& units_;
  const Layout& layout_;
  Routing& routing_;
  Choices& choices_;
  Phases& phases_;
  Injector& injection_;
  const WordLayout<> at_;
  Index blocks_ = 0;
  Index count_bits_ = 0, left_bits_ = 0, lane_bits_ = 0, set_bits_ = 0;

  // By in-lane.
  Words head_;              ///< the flit that leaves next is a head
  Words count_, filled_;    ///< flits in the buffer; whether there are any
  Words left_;              ///< flits of the front packet that have not left yet, less one
  Words lane_set_;          ///< the lanes of its out-port that the front packet may have: a number
  Words out_of_, lane_of_;  ///< the out-port (by out-port and in-lane) and the lane that it had
                            ///< last, or has
  Words sending_, room_;    ///< the front packet has it; and it has room
  Words nic_, nic_left_;    ///< the NIC before it sends a packet; its flits, less one
  Words nic_credits_, nic_open_;
  // By out-lane, and by out-port.
  Words credits_, open_;  ///< open: there are credits
  Words idle_;            ///< no packet has it
  Words closed_;          ///< nor this one, whose buffer must be empty first (Layout::empty_lanes)
  Words to_host_;         ///< the port leads to a host, which takes everything
  // Round-robin pointers: by out-port, in-port; in-port, out-port; in-lane.
  Words grant_turn_, accept_turn_, lane_turn_;

  DelayedWords arrivals_;
  DelayedWords lane_requested_;  ///< by out-port and in-lane: the front packet requests a lane
  DelayedWords credited_;        ///< switches; then, as many words, NICs
  // Packets that may choose among ports, by in-lane (choose_ports.hpp).
  DelayedWords choosing_;  ///< the front packet chooses
  Words waiting_;          ///< it has found no port with an idle lane
  Words released_;         ///< by block: a lane has become idle since packets have chosen
  WordShifts onward_, from_nic_, backward_;  ///< flits, flits of NICs, credits
  std::vector<Index> host_ports_;            ///< ports of blocks that have hosts
  /// Where packets of a host come in: lane 0 of its port, its queue, its word; and bit of that.
  struct EntryLane {
    Index lane, queue, word, bit;
  };
  SharedArray<EntryLane> entries_;  ///< by host

  SharedArray<Index> first_port_;  ///< by switch
  /// Where a port leads to: the queue of its lane 0; the switch, or the host; the word, for
  /// out-port 0, where lane 0 requests lanes; the port there, of the switch.
  struct LinkTarget {
    Index queue = 0, word = 0, home = 0;
    std::uint16_t flight = 0, port = 0;
  };
  SharedArray<LinkTarget> link_targets_;  ///< by switch and port; then by host
  LaneQueues queues_;
  /// A queue whose next packet has come to the front; its word in the block, for out-port 0, and
  /// its bit of that.
  struct NewHead {
    PacketNode* queue;
    std::size_t place;
  };
  std::vector<NewHead> new_heads_;          ///< room for all of a block and cycle
  Index flight_ = 0;                        ///< in plain networks: between switches,
  Index nic_flight_ = 0, host_flight_ = 0;  ///< from hosts, and to hosts
  bool any_idle_lane_ = false;              ///< a packet may have any idle lane
  bool plain_classes_ = false;              ///< or those of its class, which follows from turns
  bool plain_phases_ = false;               ///< or from its phase
  Cycle stranded_ = never;                  ///< when a packet is at the front that cannot go on
  /// By destination and switch: the out-port, or nowhere if the packet cannot go on. Empty where
  /// next hops depend on more, or the table would be too large.
  SharedArray<std::uint8_t> next_ports_;
  static constexpr std::uint8_t nowhere = 0xFF;
  /// The same in plain networks: the switches that are to come, with this one.
  SharedArray<std::uint8_t> hops_to_go_;
  static constexpr std::uint8_t most_hops_to_go = 0xFF;
  /// The same where packets have phases (plain_phases.cpp). Rows are by phase, then destination, or
  /// intermediate destination; at the end of the latter a packet goes on by another row.
  struct PhaseHop {
    std::uint8_t port, lanes;  ///< a set of them
    bool turns() const { return port == nowhere; }
  };
  SharedArray<PhaseHop> phase_hops_;  ///< by row and switch
  std::vector<Index> first_row_;      ///< by phase
  Index rows_behind_ = 0;             ///< of the phase behind an intermediate destination
  /// The first row, of zeros: of packets that have not been at the front of a lane yet.
  static constexpr Index not_drawn = 0;
  /// The row of a packet that begins in an in-lane of a switch, routed there at `when`.
  Index drawn_row(Index lane, Index home, Index packet, Cycle when);
  /// The front packet of a lane begins.
  void start_front(const LanePlace& at, Cycle when);
  /// That of a packet when it comes to its intermediate destination.
  Index row_behind(Index node) const;
  Index row_to(PhaseId phase, Index host, Index packet) const;
  bool plain_ = false;
  bool equal_links_ = false;  ///< between switches, from hosts and to hosts; and short

  // Of a part: its blocks, and what goes to those of others.
  std::vector<Index> own_blocks_;
  std::vector<std::uint8_t> is_own_;  ///< by block; empty: all are
  bool is_own(Index block) const { return is_own_.empty() || is_own_[block] != 0; }
  /// What goes to other parts. They read it when it is due; a window later it is cleared here. (A
  /// line of the cache that several write is slow.)
  struct FarShifts {
    WordShifts shifts;
    DelayedWords due;               ///< a port's lanes are side by side, for each shift's word
    std::map<Index, Index> places;  ///< by the word that the whole has

    void make(Cycle longest);
  };
  FarShifts far_onward_, far_backward_;
  /// A packet that joins the queue of a lane, with what its node says, or will say.
  struct FarJoin {
    const LinkTarget* to;
    Index lane, packet;
    PacketNode node;
  };
  /// By part that gets them, in windows of even number and in others.
  std::array<std::vector<std::vector<FarJoin>>, 2> far_joins_;
  std::size_t window_ = 0;
  [[gnu::noinline]] void join_later(const FarJoin& join) {
    far_joins_[window_ % 2][part_of_block_[join.to->home / switches_of_block()]].push_back(join);
  }
  virtual void take_joins(const std::vector<FarJoin>& joins) = 0;
  void receive_far_words();

 private:
  // Parts.
  /// Words of another part that come to blocks of this one.
  struct FarWords {
    DelayedWords* due;
    std::size_t first;         ///< in a cycle
    std::vector<Index> words;  ///< of lane 0: where they come to

    void prefetch(Cycle at, Index lanes) const;
    void add_to(DelayedWords& own, Cycle at, const WordLayout<>& layout) const;
  };
  std::vector<FarWords> far_arrivals_, far_credits_;
  FarWords far_words(FarShifts& from) const;
  std::vector<const BitSliced*> others_;
  std::vector<Index> part_of_block_;
  Index number_ = 0;  ///< of this part
  void split(const WordShifts& all, WordShifts& near, WordShifts& far) const;
  Index block_of_word(Index word) const {
    return word / (at_.switch_lanes() * at_.wide()) % blocks_;  // or of its NICs
  }
  void take_joins_of_others(std::size_t window);
  Cycle window_begin_ = 0, window_end_ = 0;
  static constexpr std::array words_that_change{
      &BitSliced::head_,        &BitSliced::count_,     &BitSliced::filled_,
      &BitSliced::left_,        &BitSliced::lane_set_,  &BitSliced::out_of_,
      &BitSliced::lane_of_,     &BitSliced::sending_,   &BitSliced::room_,
      &BitSliced::nic_,         &BitSliced::nic_left_,  &BitSliced::nic_credits_,
      &BitSliced::nic_open_,    &BitSliced::credits_,   &BitSliced::open_,
      &BitSliced::idle_,        &BitSliced::closed_,    &BitSliced::grant_turn_,
      &BitSliced::accept_turn_, &BitSliced::lane_turn_, &BitSliced::waiting_,
      &BitSliced::released_};
  static constexpr std::array delayed_words{&BitSliced::arrivals_, &BitSliced::lane_requested_,
                                            &BitSliced::credited_, &BitSliced::choosing_};
  void copy_words(const BitSliced& from, BitSliced& to) const;
  template <class Visit>
  void each_own_lane(Visit visit) const;

  // Laying out words (build.cpp).
  void make_words();
  void make_link_targets();
  LinkTarget link_target_of(const SwitchPort& port) const;
  void make_links();
  void make_next_ports();
  bool count_hops_to_go();
  bool has_equal_links();
  bool make_phase_hops();
  std::optional<Index> add_rows(PhaseId phase);
  std::optional<PhaseHop> phase_hop(PhaseId phase, Index column, Index s, Index host) const;
  bool looks_plain() const;  ///< as far as is known without a table of next ports
  using ShiftLists = std::vector<std::vector<WordShift>>;
  void add_shift(ShiftLists& lists, const LanePlace& from, Index to_port, Index delay) const;

  // Changing over (enter.cpp, leave.cpp).
  void enter_port(Index p);
  void enter_lane(Index id, std::uint32_t left);
  std::vector<std::uint32_t> flits_left() const;
  void append(Index queue, const Head& head, bool routed);
  void append_in_phase(PacketNode& before, const Head& head, Index home, bool routed);
  void enter_nic(Index host);
  bool enter_credits();
  void enter_events();
  void enter_head(const HeadArrival& flit, Cycle arrival);
  /// Flits of a packet that have yet to come to a lane.
  struct PacketRest {
    Index packet;
    std::uint32_t flits;
    HeadProgress progress;  ///< unless the network is plain
  };
  using PacketRests = std::vector<PacketRest>;
  PacketRests leave_lane(Index id);
  PacketRests queued_packets(Index id) const;
  void leave_buffer(InLane& lane, const LanePlace& at, PacketRests& rests);
  void leave_stage(InLane& lane, Index id);
  void leave_waiting(InLane& lane, Index id);
  bool leave_choosing(InLane& lane, Index id);
  void leave_sending(InLane& lane, Index id);
  void leave_nic(Index host);
  void leave_events(std::vector<PacketRests>& to_come);
  void leave_flit(Index id, Cycle arrival, PacketRests& rests);
  template <class Visit>
  static void take_bits(DelayedWords& delayed, Cycle now, Visit visit);
  void count_flits(Index id);
  Head head_at(const PacketRest& rest, const LanePlace& at) const;
  PhaseId phase_of(Index row) const;
  void note_routed(InLane& lane, Index id, Index out_port) const;
  void copy_turns(bool into_words);
  template <class Visit>
  void each_lane(Visit visit) const {
    for (Index p = 0; p < layout_.switch_ports; ++p)
      for (Index v = 0; v < at_.lanes(); ++v) visit((p << layout_.lane_bits) + v);
  }
  bool has(const Words& words, const LanePlace& at) const {
    return (words[at_.word(at)] & at.mask()) != 0;
  }

  bool on_ = false;
};

/// Null where a network has what words cannot do. What it gets must outlive it.
std::unique_ptr<BitSliced> make_bit_sliced(const PipelineUnits& of);

/// Whether there is code made for these numbers of ports and lanes.
constexpr bool made_for(SliceSizes sizes) {
  return sizes.ports == 5 && (sizes.lanes == 1 || sizes.lanes == 2 || sizes.lanes == 4);
}
/// For blocks of one, two or four words.
template <Index wide>
std::unique_ptr<BitSliced> make_bit_sliced_of(const PipelineUnits& of, SliceSizes sizes);

}  // namespace weft::sim
