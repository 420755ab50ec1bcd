// SPDX-License-Identifier: Apache-2.0
// Master: the manager with the admission control. It decides requests at once, and announces what
// follows from them: less without delay, more as soon as there is room. A pure state machine:
// messages and time in, messages out.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
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
  ResourceNames names{};
  Duration lease = usual_lease;  ///< the same for all managers
  std::uint64_t epoch = 1;       ///< greater than in its earlier lives; a start time will do
  /// Local managers that report their flows before anything is decided; none at the very first
  /// start.
  std::vector<Rank> locals{};
};

class Master {
 public:
  /// Throws Error for wrong limits, and without a route.
  explicit Master(MasterStart start, Time now = {});

  void receive(const ManagerMessage& message, Time now);
  /// Forgets the flows of local managers that were not heard for too long. To be called a few times
  /// in a lease.
  void tick(Time now);
  std::vector<ManagerMessage> take_outbox() { return std::exchange(outbox_, {}); }

  const AdmissionControl& admission() const { return admission_; }
  /// Whether it still collects what the flows have.
  bool rebuilding() const { return rebuilding_; }
  /// Whether it has nothing to do, nor anything to announce.
  bool idle() const { return !rebuilding_ && due_.empty(); }

 private:
  friend struct ManagerStates;  ///< for a test that visits all

  struct AtLocal {
    std::uint64_t life = 0;
    bool alive = false;          ///< in this life; its lease is not over
    Time sent{};                 ///< its latest message, by its clock
    Time ends{};                 ///< its lease, by the master's clock
    std::uint64_t welcomed = 0;  ///< the version of a welcome that is not confirmed
    // While admission control is rebuilt:
    bool settled = false;  ///< all its flows are known
    std::optional<std::uint64_t> count{};
    std::vector<Holding> holdings{};
    std::set<std::uint64_t> stops{};  ///< versions to be confirmed, of flows that no longer fit
  };
  struct Announcement {
    std::uint64_t version;
    Bandwidth rate;
  };
  struct FlowAtMaster {
    Rank local = 0;
    Holding announced{};  ///< last
    /// Those that its NIC may follow now: from the last one that is confirmed on, without those
    /// before a greater one. So the first has the greatest rate.
    std::vector<Announcement> in_force{};
    std::optional<std::uint64_t> granting{};  ///< the number of the request to be granted
    Bandwidth allowed() const { return in_force.empty() ? Bandwidth{} : in_force.front().rate; }
    void note(const Announcement& next) {
      std::erase_if(in_force, [&](const Announcement& old) { return old.rate <= next.rate; });
      in_force.push_back(next);
    }
  };

  std::uint64_t send(Rank local, ManagerMessage message);
  void hear(AtLocal& at, const ManagerMessage& message, Time now);
  void greet(const ManagerMessage& message, Time now);
  void welcome(Rank local);
  void take_report(AtLocal& at, const ManagerMessage& message);
  void confirm(AtLocal& at, const ManagerMessage& message);
  void confirm(FlowAtMaster& flow, const Flow& name, std::uint64_t version);
  void forget(Rank local, AtLocal& at);
  /// Does what has become possible.
  void advance();
  void rebuild_if_settled();
  bool restore(const Holding& holding);
  void begin(const ManagerMessage& request);
  std::optional<Refused> decide(const ManagerMessage& request);
  void announce_due();
  void announce(const Flow& name, FlowAtMaster& flow, const Holding& holding);
  Holding holding_of(const Flow& flow) const;

  MasterStart start_;
  AdmissionControl admission_;
  bool rebuilding_;
  std::uint64_t version_ = 0;
  std::map<Rank, AtLocal> locals_;
  std::map<Flow, FlowAtMaster> flows_;
  std::set<Flow> due_;                ///< flows to be announced when there is room
  std::deque<ManagerMessage> queue_;  ///< requests until admission control is rebuilt
  std::vector<ManagerMessage> outbox_;
};

}  // namespace weft::comm::qos
