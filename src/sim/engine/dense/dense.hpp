// SPDX-License-Identifier: Apache-2.0
// Dense: the fast path for busy networks. A bit of a word stands for a switch, so that one
// instruction works on 64 or more switches: buffers and credits are counted, lanes and crossbars
// allocated, turns taken and flits moved in words. Only packets are handled one by one: their
// routes, and where their heads and tails are. The same packets arrive in the same cycles as on the
// event-driven paths, and the network can change over between any two cycles.
//
// Switches come in blocks of one, two or four words. A slot is a lane of a port of a switch, port *
// lanes + lane, in as well as out. Numbers have a word for every bit of theirs. A turn (a
// round-robin pointer) is a mask: word q has the bits of the switches whose turn is at or below q.
// Turn 0 is the same as one behind the last: all zeros.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/dense/layout.hpp"
#include "sim/engine/state.hpp"

namespace weft::sim {

class Dense {
 public:
  virtual ~Dense() = default;
  Dense(const Dense&) = delete;

  /// Whether so many flit-hops in so many cycles are handled faster in words.
  bool pays(std::uint64_t hops, Cycle cycles) const;
  bool on() const { return on_; }
  /// Whether a packet may be waiting for room behind its lane. If there is none everybody who has a
  /// lane will be done with it, and packets do not wait for each other in a circle.
  bool lacks_room() const;
  /// Adds what has gone over lanes to the books: at the latest when 2^32 packets have.
  void count_sent();

  /// Takes over from the event-driven path. Does nothing as long as a packet is being thrown away.
  void enter();
  /// Hands the network back.
  void leave();

  // The parts of a cycle, as in Engine::step.
  virtual void take_arrivals() = 0;
  /// NICs inject; lanes and crossbars are allocated and flits move. False when nothing moved.
  virtual bool serve() = 0;

 protected:
  Dense(State& state, Sizes sizes);

  /// The bits of `from` that go to the same word, all by the same number of places.
  struct Hop {
    Word from;
    Index to;     ///< the word of the first lane there
    Index delay;  ///< cycles
    int rotate;
  };
  /// By port of a block, and its words.
  struct Hops {
    std::vector<Index> first;  ///< and the last's end
    std::vector<Hop> all;
  };
  /// Words that are due in some cycles from now.
  struct Later {
    Words words{};
    std::size_t each = 0;
    Cycle mask = 0;
    void make(std::size_t words_each, Cycle longest);
    Word* at(Cycle cycle) { return &words[(cycle & mask) * each]; }
  };

  /// A line: the packets that are in an in-lane, on the link to it, or partly gone, as a list. Or
  /// one of the packets of a line; in a plain network a packet is in one line at a time.
  struct alignas(16) Knot {
    Index next = nothing;  ///< behind it; of a line: its front packet
    union {
      Index last = 0;  ///< of a line: its last packet, while there is a front one
      Index packet;
      Index row;  ///< of a packet of a plain network: of the table of ways
    };
    union {
      std::uint32_t sent = 0;  ///< packets over the out-lane that leads here, in plain networks
      std::uint32_t arrives;   ///< in plain networks: the cycle, its last 32 bits
    };
    std::uint16_t port = 0;  ///< the out-port of the packet behind it, in plain networks, or of a
                             ///< line's front packet, once that has come
    std::uint16_t had = 0;   ///< of a line: the slot that had the out-lane that leads to it
  };
  /// Knots are named by their distance in bytes from the first one: it takes the fewest steps.
  struct Knots {
    std::vector<Knot> all{};
    static constexpr Index apart = sizeof(Knot);
    static Knot& at(Knot* first, Index knot) {
      return *reinterpret_cast<Knot*>(reinterpret_cast<char*>(first) + knot);
    }
    Knot& operator[](Index knot) { return at(all.data(), knot); }
    const Knot& operator[](Index knot) const { return all[knot / apart]; }
  };
  /// Lines come first, by place, and then those of hosts; then packets.
  Index line_of(Index in_lane) const {
    return in_lane < state_.switch_lanes
               ? line_at(place(in_lane))
               : host_lines_ + (in_lane - state_.switch_lanes) * Knots::apart;
  }
  Index line_at(const Place& at) const { return static_cast<Index>(at_.line(at)) * Knots::apart; }
  Index knot_of(Index packet) const { return packets_ + packet * Knots::apart; }
  Index packet_of(Index knot) const {
    return plain_ ? (knot - packets_) / Knots::apart : knots_[knot].packet;
  }
  Index front(Index line) const { return packet_of(knots_[line].next); }
  /// In plain networks: one for every packet.
  void have_knots() {
    const std::size_t count = packets_ / Knots::apart + state_.slots.size();
    if (knots_.all.size() < count) more_knots(count);
  }
  /// A packet's head is on its way to an in-lane.
  void queue(Index line, Index packet);
  /// The front packet has left.
  void pop(Index line);

  /// Finds the out-port of an in-lane's front packet, which asks for a lane of it at `when`.
  virtual void route(const Place& at, Cycle when) = 0;
  Place place(Index id) const { return at_.place(state_.in[id]); }
  Index lane_at(const Place& at) const { return first_lane_[at_.home(at)] + at.slot; }
  /// The lane of a host that has this line.
  Index host_lane(Index line) const {
    return state_.switch_lanes + (line - host_lines_) / Knots::apart;
  }

  State& state_;
  const Layout<> at_;
  Index blocks_ = 0;
  Index count_bits_ = 0, left_bits_ = 0, lane_bits_ = 0;

  // By in-lane.
  Words head_;            ///< the flit that leaves next is a head
  Words count_, filled_;  ///< flits in the buffer; whether there are any
  Words left_;            ///< flits of the front packet that have not left, less one
  Words out_of_;          ///< and by out-port: whether the lane that it was given last is there
  Words lane_of_;         ///< that lane
  Words may_;             ///< by lane: the front packet may have it (unless any_idle_)
  Words sending_, room_;  ///< the front packet has it; and it has room
  Words nic_, nic_left_;  ///< the NIC before it sends a packet; its flits, less one
  Words nic_credits_, nic_open_;
  // By out-lane, and by out-port.
  Words credits_, open_;  ///< open: there are credits
  Words idle_;            ///< no packet has it
  Words to_host_;         ///< the port leads to a host, which takes everything
  // Turns: by out-port, in-port; in-port, out-port; in-lane.
  Words grant_turn_, accept_turn_, lane_turn_;

  Later arrivals_;
  Later wanted_;         ///< by out-port and in-lane: the front packet asks for a lane
  Cycle allocates_ = 0;  ///< when lanes are allocated next
  Cycle comes_ = 0;      ///< when flits come next
  Later credited_;       ///< switches; then, as many words, NICs
  Hops onward_, from_nic_, backward_;  ///< flits, flits of NICs, credits
  std::vector<Index> host_ports_;      ///< ports of blocks that have hosts
  /// Where packets of a host come in: lane 0 of its port, its line, its word; and bit of that.
  struct Entry {
    Index lane, line, word, bit;
  };
  std::vector<Entry> entries_;  ///< by host

  std::vector<Index> first_lane_, first_port_;  ///< by switch
  /// Where a port leads to: the line of its lane 0; the word, for out-port 0, where that asks for
  /// lanes.
  struct Exit {
    Index line = 0, word = 0, home = 0, flight = 0;
  };
  std::vector<Exit> exits_;  ///< by switch and port; then by host
  Knots knots_;
  Index host_lines_ = 0, packets_ = 0;  ///< the first of them
  Index free_knot_ = nothing;
  /// A line whose next packet has come to the front; its word in the block, for out-port 0, and its
  /// bit of that.
  struct Uncovered {
    const Knot* line;
    std::size_t place;
  };
  std::vector<Uncovered> uncovered_;        ///< room for all of a block and cycle
  Index flight_ = 0;                        ///< in plain networks: between switches,
  Index nic_flight_ = 0, host_flight_ = 0;  ///< from hosts, and to hosts
  bool any_idle_ = false;                   ///< a packet may have any idle lane
  std::uint32_t most_hops_ = 0;
  /// By destination and switch: the out-port, or nowhere if the packet cannot go on. Empty where
  /// ways depend on more, or the table would be too large.
  std::vector<std::uint8_t> ways_;
  static constexpr std::uint8_t nowhere = 0xFF;
  /// The same in plain networks: the switches that are to come, with this one. Packets have all
  /// theirs counted from the beginning.
  std::vector<std::uint8_t> to_go_;
  static constexpr std::uint8_t most_to_go = 0xFF;
  /// Packets of one flit, any lanes, ways that all lead to hosts, and links that are short and
  /// alike. Then packets know when they come, and there is no need to count flits in buffers and on
  /// links.
  bool plain_ = false;
  bool alike_ = false;  ///< the links are

 private:
  /// Flits of a packet that have yet to come to a lane.
  struct Rest {
    Index packet;
    std::uint32_t flits;
  };
  Index knot_for(Index packet);
  void more_knots(std::size_t count);
  void make_words();
  void make_exits();
  Exit exit_of(const Port& port) const;
  void make_hops();
  void make_ways();
  bool count_to_go();
  bool is_plain();
  bool links_alike();
  bool looks_plain() const;  ///< as far as is known without a table of ways
  using HopLists = std::vector<std::vector<Hop>>;
  void add_hop(HopLists& lists, const Place& from, Index to_port, Index delay) const;
  void copy_turns(bool into_words);
  bool enter_credits();
  void enter_port(Index s, Index p);
  void enter_lane(Index id);
  void enter_nic(Index host);
  void enter_events();
  std::vector<Rest> leave_lane(Index id);
  void leave_nic(Index host);
  void count_flits(Index id);
  void leave_stage(Index id);
  void leave_events();
  Arrival next_flit(Index id, std::vector<Rest>& rests) const;

  bool on_ = false;
};

/// Null where a network has what words cannot do. The state must outlive it.
std::unique_ptr<Dense> make_dense(State& state);

/// Whether there is code made for these numbers of ports and lanes.
constexpr bool made_for(Sizes sizes) {
  return sizes.ports == 5 && (sizes.lanes == 1 || sizes.lanes == 2 || sizes.lanes == 4);
}
/// For blocks of one, two or four words.
template <Index wide>
std::unique_ptr<Dense> make_dense_of(State& state, Sizes sizes);

}  // namespace weft::sim
