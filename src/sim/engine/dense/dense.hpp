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

  /// The packets that are in an in-lane, on the link to it, or partly gone, as a list.
  struct alignas(16) Line {
    Index first = nothing, last = 0;  ///< last: while there is a first
    std::uint16_t port = 0;           ///< the out-port of the first, once its head has come
    std::uint16_t turn = 0;           ///< of lane allocation, for the out-lane that leads here
    std::uint32_t sent = 0;           ///< packets over that out-lane, in plain networks
  };
  struct Node {
    Index packet, next;
  };
  /// In a plain network a packet is in one line at a time, and this is its node.
  struct alignas(16) Trip {
    Index next = nothing, to = 0;
    std::uint32_t arrives = 0;         ///< the cycle, its last 32 bits
    std::uint16_t port = 0, hops = 0;  ///< out-port there; switches up to there
  };
  Index front(Index id) const {
    return plain_ ? lines_[id].first : nodes_[lines_[id].first].packet;
  }
  /// A packet's head is on its way to an in-lane.
  void queue(Index id, Index packet);
  /// The front packet has left.
  void pop(Line& line);

  /// Finds the out-port of an in-lane's front packet, which asks for a lane of it at `when`.
  virtual void route(const Place& at, Index id, Cycle when) = 0;
  Place place(Index id) const { return at_.place(state_.in[id]); }
  Index lane_at(const Place& at) const { return first_lane_[at_.home(at)] + at.slot; }

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
  /// Where packets of a host come in: lane 0 of its port, and of its words; its bit of them.
  struct Entry {
    Index lane, word, bit;
  };
  std::vector<Entry> entries_;  ///< by host

  std::vector<Index> first_lane_, first_port_;  ///< by switch
  /// Where a port leads to: its lane 0; the word, for out-port 0, where that asks for lanes.
  struct Exit {
    Index target = nothing, word = 0, home = 0, flight = 0;
  };
  std::vector<Exit> exits_;  ///< by port
  std::vector<Line> lines_;  ///< by in-lane, and lane of a host
  std::vector<Node> nodes_;
  std::vector<Trip> trips_;  ///< by packet
  Index free_node_ = nothing;
  std::vector<Arrival> ejected_;  ///< in a block and cycle: room for all of them
  bool any_idle_ = false;         ///< a packet may have any idle lane
  std::uint32_t most_hops_ = 0;
  /// By destination and switch: the out-port, or nowhere if the packet cannot go on. Empty where
  /// ways depend on more, or the table would be too large.
  std::vector<std::uint8_t> ways_;
  static constexpr std::uint8_t nowhere = 0xFF;
  /// Packets of one flit, any lanes, ways that all lead to hosts, and short links. Then packets
  /// know when they come, and there is no need to count flits in buffers and on links.
  bool plain_ = false;

 private:
  /// Flits of a packet that have yet to come to a lane.
  struct Rest {
    Index packet;
    std::uint32_t flits;
  };
  void make_words();
  void make_hops();
  void make_ways();
  bool all_lead_on() const;
  bool is_plain() const;
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

}  // namespace weft::sim
