// SPDX-License-Identifier: Apache-2.0
// Master: the manager with the admission control. It makes one change after another: first all
// flows that get less are confirmed, then the others get more. A pure state machine: messages in,
// messages out.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "comm/qos/admission_control.hpp"
#include "comm/qos/messages.hpp"

namespace weft::comm::qos {

/// The path of a flow through the network at hand, or why it has none that is fixed.
using PathFinder = std::function<std::variant<Path, Refused>(const Flow&)>;

struct MasterStart {
  Limits limits{};
  int hosts = 0;
  Policy policy = Policy::equal;
  PathFinder route{};
  std::uint64_t epoch = 1;  ///< greater than in its earlier lives; a start time will do
  /// Local managers that report their flows before anything is decided; none at the very first
  /// start.
  std::vector<Rank> locals{};
};

class Master {
 public:
  /// Throws Error for wrong limits, and without a route.
  explicit Master(MasterStart start);

  void receive(const ManagerMessage& message);
  std::vector<ManagerMessage> take_outbox() { return std::exchange(outbox_, {}); }

  const AdmissionControl& admission() const { return admission_; }
  /// Whether it still collects what the flows have.
  bool rebuilding() const { return rebuilding_; }
  /// Whether it waits for nobody and has nothing to do.
  bool idle() const { return !rebuilding_ && awaited_.empty() && queue_.empty(); }

 private:
  struct AtLocal {
    std::uint64_t life = 0;
    // While admission control is rebuilt:
    bool greeted = false;   ///< it knows nothing
    bool reported = false;  ///< all it knows
    std::optional<std::uint64_t> count{};
    std::vector<Holding> holdings{};
  };
  /// What a flow has as far as its local manager knows.
  struct AnnouncedHolding {
    Rank local = 0;
    Holding holding{};
  };

  std::uint64_t send(Rank local, ManagerMessage message);
  void greet(const ManagerMessage& message);
  void welcome(Rank local);
  void take_report(const ManagerMessage& message);
  void rebuild_if_complete();
  bool restore(const Holding& holding);
  void advance();
  void begin(const ManagerMessage& request);
  std::optional<Refused> decide(const ManagerMessage& request);
  void lower(const AnnouncedHolding& announced);
  void conclude();
  Holding holding_of(const Flow& flow) const;

  MasterStart start_;
  AdmissionControl admission_;
  bool rebuilding_;
  std::uint64_t version_ = 0;
  std::map<Rank, AtLocal> locals_;
  std::unordered_map<Flow, AnnouncedHolding, FlowHash> announced_;
  std::deque<ManagerMessage> queue_;
  // The change under way.
  std::map<std::uint64_t, Rank> awaited_;  ///< versions to be confirmed, and by whom
  std::vector<Flow> raises_;
  std::optional<ManagerMessage> granting_;
  std::vector<ManagerMessage> outbox_;
};

}  // namespace weft::comm::qos
