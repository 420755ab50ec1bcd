// SPDX-License-Identifier: Apache-2.0
// Phases: the way of packets through choice tables: the phase that each is in, the column that
// steers it, its intermediate destination, and whether it takes a detour. A packet's phase travels
// with its head; its intermediate destination stays here.
#pragma once
#include <optional>
#include <vector>

#include "fabric/intermediate_draws.hpp"
#include "sim/flit/candidate_sets.hpp"
#include "sim/flit/draws.hpp"

namespace weft::sim {

class Phases {
 public:
  Phases(Units& units, const Routing& routing, const CandidateSets& sets);
  Phases(const Phases&) = delete;
  Phases& operator=(const Phases&) = delete;

  /// Whether the network has choice tables.
  bool any() const { return tables_ != nullptr; }
  /// The entry that a packet reads at a switch, at once, or after a decision.
  struct Step {
    NextHops to{};
    PhaseId phase = 0;
  };
  /// Of a packet that is routed at `when`: in this cycle, unless reads_queues() is false.
  WEFT_HOT Step operator()(Index id, Index at, const Head& head, Cycle when) {
    PhaseId phase = head.hops == 0 ? start({id, at, when}, head) : head.phase();
    for (;;) {
      const PhaseRecord& record = phases_[phase];
      if (record.detour) return next({id, at, when}, head, phase);
      const NextHops found = entry(at, column(record, head));
      const bool ends = found.is_end();
      if (!(record.to_intermediate & ends)) return {found, phase};
      phase = record.next;
    }
  }
  /// Whether all that a packet decides is its start, without looking at queues.
  bool never_choose() const;
  std::size_t count() const { return phases_.size(); }
  bool leads_to_intermediate(PhaseId phase) const { return phases_[phase].to_intermediate; }
  PhaseId behind(PhaseId phase) const { return phases_[phase].next; }
  /// The entry of a column, and what may steer packets.
  NextHops entry(Index at, Index column) const { return entries_[at * width_ + column]; }
  Index column_of(PhaseId phase, Index host, Index intermediate) const {
    return phases_[phase].to_intermediate ? intermediate : phases_[phase].columns[host];
  }
  Index columns() const { return static_cast<Index>(width_); }
  /// Those of intermediate destinations, with that of packets that have none.
  std::vector<Index> intermediate_columns() const;
  Index intermediate_of(Index packet) const { return intermediate_[packet]; }
  /// Whether decisions depend on the queues at the time.
  bool reads_queues() const { return reads_queues_; }
  /// Whether decisions look at queues of other switches: those that look() has noted, so that it
  /// does not matter which switch comes first in a cycle.
  bool looks_at_paths() const { return looks_at_paths_; }
  void look();
  /// So many packets may have intermediate destinations: until then threads share this.
  void make_room(std::size_t packets);

 private:
  using Queue = DetourDecision::Queue;
  struct PhaseRecord {
    bool to_intermediate = false;
    PhaseId next = 0;
    std::optional<PhaseId> detour{};
    std::vector<Index> columns{};  ///< by host; behind those of the tables: there is no route
    const std::vector<Index>* column_of = nullptr;  ///< by host, or by packet:
    unsigned key_at = 0;  ///< which of the two, as bits of a destination and a packet
  };
  /// Where a packet is steered to.
  struct PricedPath {
    PhaseId phase;
    Index column;
    Index host;
  };
  /// What lies ahead of a packet: flits in queues, and hops.
  struct Ahead {
    std::uint64_t queue = 0;
    std::uint32_t hops = 0;
  };

  /// That steers a packet in a phase. (No branch: it would be guessed wrong.)
  WEFT_HOT Index column(const PhaseRecord& record, const Head& head) const {
    const std::uint64_t both = std::uint64_t{head.to} << 32U | head.packet;
    return (*record.column_of)[static_cast<Index>(both >> record.key_at)];
  }
  /// The first of the candidates of an entry that leads on.
  LaneChoice first_of(NextHops entry) const {
    return entry.is_one() ? entry.only() : sets_.all(entry.set()).front();
  }
  /// Of packets that have no intermediate destination.
  Index ended_column() const { return static_cast<Index>(width_ - 1); }
  /// A front packet's in-lane and switch, and when it is routed there.
  struct Routed {
    Index lane, at;
    Cycle when;
  };
  PhaseId start(const Routed& where, const Head& head);
  PhaseId start_by_queue(Draws& draws, Index at, const Head& head);
  Step next(const Routed& where, const Head& head, PhaseId phase);
  bool takes_detour(const Routed& where, const Head& head, PhaseId phase);
  bool leads_to(Index at, NextHops found, Index host) const;
  void list_draws();
  Index draw(Draws& draws, Index first, Index last) const;
  void remember(Index packet, Index intermediate);
  Index first_switch(const Head& head) const;
  Ahead ahead(Index at, const PricedPath& aim) const;
  std::uint32_t first_queue(Index at, NextHops entry) const;
  std::uint32_t queue(Index at, const LaneChoice& choice) const;
  std::uint64_t price(Index at, const PricedPath& aim, std::uint32_t weight) const;

  Units& units_;
  const Routing& routing_;
  const CandidateSets& sets_;
  const ChoiceTables* tables_;
  std::size_t width_ = 0;          ///< columns; then one without routes, and one that ends at once
  std::vector<NextHops> entries_;  ///< by switch, column
  std::vector<PhaseRecord> phases_;
  std::vector<Index> last_switch_;                  ///< by host
  std::optional<IntermediateDraws> intermediates_;  ///< where there are intermediate destinations
  std::vector<std::vector<Index>> drawn_;           ///< columns, by both groups; empty: too many
  std::vector<Index> intermediate_;                 ///< by packet: a column
  bool reads_queues_ = false, looks_at_paths_ = false;
  std::vector<std::uint32_t> noted_;  ///< by port: its queue when look() was called
};

}  // namespace weft::sim
