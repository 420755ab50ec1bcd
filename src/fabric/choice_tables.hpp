// SPDX-License-Identifier: Apache-2.0
// ChoiceTables: destination tables that leave choices. An entry names a set of candidates, any of
// which a packet may take; a packet has a phase, which says what steers it, and may be sent to an
// intermediate destination first (Valiant, 1981; UGAL: Singh, 2005). They serve InfiniBand's groups
// of ports, adaptive routing with escape lanes, and all routing that is not minimal.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "fabric/fabric.hpp"
#include "fabric/grid.hpp"

namespace weft {

using PhaseId = std::uint8_t;
inline constexpr std::size_t most_phases = 8;

/// One thing that a packet may do next: leave by a port, on a lane, and go on in a phase. In
/// another phase another column may steer it; only a detour leads from one that leads to hosts to
/// one that leads to intermediate destinations.
struct Candidate {
  PortNumber port = 0;
  Lane lane = by_lanes;         ///< of the link behind the port
  PhaseId phase = 0;            ///< from here on
  std::uint8_t preference = 0;  ///< candidates with a smaller one are taken before others
  /// The lane follows from Tables::lanes.
  static constexpr Lane by_lanes = 0xFF;
  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

/// What steers the packets that are in a phase: the columns of their destinations, or that of their
/// intermediate destination. At a switch where such a column says `here`, the packet goes on in
/// phase `next`, at once: what it has come by, and on which lane, stays as it is.
struct Phase {
  std::string name;
  bool to_intermediate = false;
  /// By destination; empty: as Tables::to_host. Not for a phase that leads to intermediates.
  IdVector<HostId, ColumnId> to_host{};
  PhaseId next = 0;  ///< of a phase that leads to intermediates: the one behind it
  /// At every switch where a packet is in this phase it decides, once, whether it stays in it or
  /// goes to an intermediate destination now, in that phase. (UGAL: candidates lead out of the
  /// phase, so it decides at its first switch only; PAR: at the first two.)
  std::optional<PhaseId> detour{};
  friend bool operator==(const Phase&, const Phase&) = default;
};

/// Which intermediate destinations a packet may draw, each equally likely.
enum class IntermediateRule {
  any,        ///< all, those at its own or the last switch included
  elsewhere,  ///< not of the region of its first switch, nor of that of its last one
  between,    ///< those on a shortest path (the minimal rectangle of a mesh: ROMM)
  aligned,    ///< with the coordinates in which its first and last switch agree (HyperX)
  /// All; of those behind the packet's last switch, that switch itself (BookSim 2's Valiant on
  /// flattened butterflies).
  up_to_last,
};

struct Intermediates {
  std::vector<ColumnId> columns;  ///< their switches are those whose entry is `here`
  IntermediateRule rule = IntermediateRule::any;
  /// By switch; empty: every switch is a region of its own.
  IdVector<SwitchId, std::uint32_t> region{};
  friend bool operator==(const Intermediates&, const Intermediates&) = default;
};

/// How a packet decides on a detour: it stays if
///   queue * weight <= queue of the detour * weight of the detour + threshold,
/// where a queue is the number of flits that have left for a port and whose credits have not come
/// back, and a weight of 0 stands for the number of hops to the destination.
struct DetourDecision {
  enum class Queue {
    port,  ///< of the first port, all lanes together (UGAL-L)
    lane,  ///< of the lane that it would take there (UGAL-L_VC)
    path,  ///< of all ports on the way, together (UGAL-G)
  };
  Queue queue = Queue::port;
  std::uint32_t weight = 0, detour_weight = 0;
  std::int32_t threshold = 0;
  std::uint32_t draws = 1;  ///< intermediate destinations that are drawn; the best one counts
  friend bool operator==(const DetourDecision&, const DetourDecision&) = default;
};

/// How hosts' packets get their first phase, where there are several.
enum class StartRule {
  random,  ///< each equally likely
  queue,   ///< that whose first port has the shorter queue; ties at random
  level,   ///< by service level: `starts` are those of levels 0, 1, …, the last of all others
};

class ChoiceTables {
 public:
  /// An entry: the number of a candidate set, or one of these.
  using Entry = std::uint32_t;
  static constexpr Entry at_end = ~Entry{0};  ///< here: the last switch, or the intermediate one
  static constexpr Entry no_route = at_end - 1;

  ChoiceTables() = default;
  ChoiceTables(std::size_t columns, std::size_t switches) : next(columns, switches, no_route) {}

  Grid<Entry> next;  ///< next[column][switch]
  /// Packets begin in one of `starts`.
  std::vector<Phase> phases{Phase{}};
  std::vector<PhaseId> starts{0};
  StartRule start_rule = StartRule::random;
  Intermediates intermediates{};
  DetourDecision decision{};

  /// The entry of these candidates. Equal sets have the same; their order does not matter.
  Entry add(std::vector<Candidate> candidates);
  std::span<const Candidate> candidates(Entry entry) const {
    return {candidates_.data() + begin_[entry], begin_[entry + 1] - begin_[entry]};
  }
  std::size_t set_count() const { return begin_.size() - 1; }

  std::size_t size() const { return next.size(); }
  std::size_t width() const { return next.width(); }
  IdRange<ColumnId> ids() const { return next.ids(); }
  /// Whether packets are ever sent to intermediate destinations.
  bool have_detours() const;
  /// Whether an entry means the same as one of other tables, whatever numbers their sets have.
  bool same_choices(Entry entry, const ChoiceTables& other, Entry of_other) const;
  /// The same routes, whatever numbers their sets have.
  friend bool operator==(const ChoiceTables& a, const ChoiceTables& b);

 private:
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> begin_{0};
  std::map<std::vector<Candidate>, Entry> known_;
};

/// Whether a column leads from a switch by another, or to it, along first candidates.
bool leads_by(const Fabric& fabric, const ChoiceTables& choices, ColumnId column, SwitchId from,
              SwitchId by);

struct Tables;
/// The column to a host in a phase that leads to hosts.
ColumnId column_of(const Tables& tables, const ChoiceTables& choices, PhaseId phase, HostId to);

/// Throws Error when choice tables name what the fabric or the other tables do not have, or let
/// packets take more than one detour.
void require_choices(const Fabric& fabric, const Tables& tables, const ChoiceTables& choices);

}  // namespace weft
