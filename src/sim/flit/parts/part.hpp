// SPDX-License-Identifier: Apache-2.0
// NetworkPart: some of the switches of a network, with their hosts, which a thread moves: what is
// on links, timers, records of packets and counts are its own. It shares the arrays of lanes and
// ports with the others, each of which works on those of its switches.
//
// Hosts may instead stay with the whole network, where one driver has them all.
//
// What a part sends to another is in its own delay lines, where the other one reads it when it is
// due: different cycles have different lists, so that nobody waits for anybody else before the end
// of a window. A part forgets a window later what others have read.
#pragma once
#include <memory>
#include <vector>

#include "sim/flit/bitsliced/bitsliced.hpp"
#include "sim/flit/pipeline.hpp"
#include "sim/network_core.hpp"
#include "sim/timers.hpp"

namespace weft::sim {

/// The units of a whole network, from which parts are made.
struct WholeNetwork {
  Units& units;
  Routing& routing;
  Choices& choices;
  Branches& branches;
  Phases& phases;
  Reports& reports;
  Timers& timers;
  Injector& injection;
};

class NetworkPart {
 public:
  /// `words` of the whole: it moves those of its switches; null: it moves switches by events.
  NetworkPart(const WholeNetwork& whole, std::vector<Index> blocks, std::vector<Index> hosts,
              BitSliced* words);
  NetworkPart(const NetworkPart&) = delete;

  /// Takes over its hosts from the whole, and gives them back.
  void enter(Network& network, Driver& driver);
  void leave();

  /// Hosts and switches, up to `end`.
  void step(Cycle end);

  /// Or: hosts are elsewhere.
  void enter_switches();
  /// Switches, after what hosts have done meanwhile.
  void run_switches(Cycle begin, Cycle end);
  /// Gives up what it has for the whole, except lines and queues.
  void leave_switches();

  /// Whether it has something to do now.
  bool is_busy() const;
  /// If not: when it has; never without anything. Called while all parts wait.
  Cycle next_event();
  Units units;
  Branches branches;
  Reports reports;
  std::unique_ptr<BitSliced> words;  ///< or null

 private:
  class Facade;
  void begin(Cycle now, bool has_hosts);
  void step_hosts();
  void step_by_events(Cycle end);
  void step_in_words(Cycle end);
  void forget();
  void give_back_records();

  WholeNetwork whole_;
  std::vector<Index> blocks_, hosts_;
  Timers timers_;
  Choices choices_;
  Injector injection_;
  Failures failures_;
  std::unique_ptr<AnyPipeline> pipeline_;
  std::vector<HostId> fired_;
  bool words_are_busy_ = true;
  std::vector<std::uint64_t> foreign_blocks_;
  std::uint64_t given_back_ = 0;          ///< records
  Cycle sent_from_ = 0, sent_until_ = 0;  ///< the last window
  std::unique_ptr<Network> network_;
};

}  // namespace weft::sim
