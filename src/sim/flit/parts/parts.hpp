// SPDX-License-Identifier: Apache-2.0
// NetworkParts: a network on several threads. Nothing that a switch does is seen by another one
// before the shortest link has carried it there (Units::window): for so many cycles, a window,
// every part goes on by itself. The results are the same for any number of parts.
//
// Where the driver cannot tell hosts apart, or where switches tell of packets that several parts
// know, hosts stay with the whole network, and are moved between two windows.
#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "sim/flit/parts/part.hpp"
#include "sim/flit/parts/window_barrier.hpp"

namespace weft::sim {

class NetworkParts {
 public:
  /// Two or more threads, and a block of switches or more for each: of `words`, where those move
  /// them, or of the units. The parts of blocks may be given.
  NetworkParts(const WholeNetwork& whole, Index threads, BitSliced* words,
               std::vector<Index> part_of_block = {});
  /// How many can have a block of words.
  static Index most_parts(const Layout& layout, const BitSliced& words) {
    return (layout.blocks + together(layout, &words) - 1) / together(layout, &words);
  }
  /// Blocks of the units that have those of words.
  static Index together(const Layout& layout, const BitSliced* words) {
    return words == nullptr ? 1
                            : std::max<Index>(1, words->switches_of_block() >> layout.block_bits);
  }
  ~NetworkParts();
  NetworkParts(const NetworkParts&) = delete;

  /// Moves the network from now on, up to a cycle, or until nothing is left to do before it, or
  /// so many seconds have gone by. Drivers are those of parts. Returns the seconds.
  double run(Network& network, const Driver& driver, const std::vector<Driver*>& of_parts,
             Cycle until, double seconds);

  /// Or: moves the switches only, from take_switches() to give_switches().
  void take_switches();
  bool have_switches() const { return have_switches_; }
  /// What comes to hosts now.
  void bring_ejections();
  /// When hosts have had these cycles. What becomes of packets is for the reports of the whole.
  void run_switches(Cycle begin, Cycle end);
  bool are_busy() const;
  /// If not; never without anything.
  Cycle next_event();
  void give_switches();

 private:
  void enter(Network& network, const std::vector<Driver*>& drivers);
  void leave();
  /// What is on links, in queues and in lists goes to its part, or back.
  void scatter();
  void gather();
  bool stays(Index port) const { return have_switches_ && layout_.is_host(port); }
  template <class Visit>
  void each_line(Visit visit) const;
  static void move_packets(Index lane, Units& from, Units& to);
  void work(Index part);
  void run_windows(Index part);
  void follow(Index part);
  void step(Index part);
  void start();
  void quit();
  using Clock = std::chrono::steady_clock;
  void rethrow();
  std::exception_ptr first_failure() const {
    const auto found = std::find_if(failed_.begin(), failed_.end(),
                                    [](const std::exception_ptr& one) { return one != nullptr; });
    return found == failed_.end() ? nullptr : *found;
  }
  void join(bool with_whole);
  void share_records();
  bool begin_window();
  void make_room();
  /// Of a delay line, for a port: hosts have a block of their own, or (ejections) the only one.
  template <class Line>
  Index block_of(Index port, Line) const {
    return layout_.is_host(port) ? layout_.blocks : whole_.units.ports[port].block;
  }
  Index block_of(Index, DelayLine<Ejection> Units::*) const { return 0; }
  Index part_of_port(Index port) const {
    const SwitchPort& at = whole_.units.ports[port];
    return part_of_block_[layout_.is_host(port) ? whole_.units.ports[at.peer].block : at.block];
  }

  WholeNetwork whole_;
  const Layout& layout_;
  BitSliced* words_;  ///< or null
  std::vector<BitSliced*> words_of_parts_;
  std::vector<Index> part_of_block_;
  std::vector<std::uint64_t> all_blocks_;  ///< a bit for each
  std::vector<std::unique_ptr<NetworkPart>> parts_;
  std::vector<std::exception_ptr> failed_;  ///< by part
  // The window that all parts are in, changed while they wait for each other.
  const Driver* driver_ = nullptr;
  Cycle until_ = 0, window_begin_ = 0, window_end_ = 0;
  std::optional<Clock::time_point> stop_at_;
  std::size_t records_ = 0;  ///< of packets, that all parts know
  WindowBarrier barrier_;
  // Threads rest between two runs.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::uint64_t runs_ = 0;
  bool quit_ = false;
  bool have_switches_ = false;
  bool resting_ = false;               ///< follow() ends
  std::vector<std::jthread> threads_;  ///< of all parts but the first one
};

}  // namespace weft::sim
