// SPDX-License-Identifier: Apache-2.0
// Service: the managers at work. Every rank makes one; the first rank of each host runs its local
// manager beside the program, and rank 0 the master as well. A program asks for bandwidth and waits
// for the answer:
//
//   Team everyone(ep);
//   Service service(everyone, settings);
//   const Flow flow{ep.rank(), 3};
//   const Answer answer = co_await service.reserve(flow, bandwidth);
//   …
//   co_await service.release(flow);
//   co_await service.close();
//
// The managers do not hold back flows that they do not know: programs send in flows that they have
// asked for. Managers that die with their rank are not replaced. The flows of a host that dies are
// forgotten when its lease is over, and all flows stop when that of rank 0 does. As managers look
// at the clock, a simulated world with an open service is never quiet: a program that waits for
// nothing there needs a time at which it ends.
#pragma once
#include <coroutine>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "comm/capabilities.hpp"
#include "comm/qos/local.hpp"
#include "comm/qos/master.hpp"
#include "comm/task.hpp"
#include "comm/team.hpp"

namespace weft::comm::qos {

struct Settings {
  Limits limits{};
  int hosts = 0;  ///< as the paths number them
  Policy policy = Policy::equal;
  PathFinder route{};     ///< from a flow's ranks to its path; called at rank 0 only
  ResourceNames names{};  ///< for refusals
  Duration lease = usual_lease;
  /// Replaces the endpoint's, if given: holds packets back where the NIC does not.
  RateControl* rate_control = nullptr;
};

struct Answer {
  bool granted = false;
  std::string why{};    ///< of a refusal
  Duration interval{};  ///< between the packets of the flow, from now on
};

class Service {
 public:
  /// All ranks make it of the team of everyone, in the same order among its parts. Throws Error for
  /// another team, and at rank 0 for wrong settings.
  Service(Team& everyone, const Settings& settings);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  Pool& frames() const { return team_.frames(); }

  /// Requests a promise for a flow of this rank, or a change of its promise.
  TaskOf<Answer> reserve(Flow flow, Bandwidth bandwidth);
  /// Requests a share of what promises leave; it changes as other flows come and go.
  TaskOf<Answer> best_effort(Flow flow);
  /// Releases the flow's grant. The flow may send nothing until the answer has come.
  TaskOf<Answer> release(Flow flow);
  /// Ends when all ranks have called it that are alive; each has its answers by then.
  Task close();

 private:
  /// A rank tells its local manager that it wants to close, that the master, and when all have, it
  /// tells the local managers that everyone may.
  enum class ClosingScope : std::uint8_t { rank, host, everyone };
  struct Closing {
    ClosingScope scope{};
    Rank who = 0;
    Rank leader = 0;  ///< where its local manager is
  };
  /// A message to a rank with managers.
  using Parcel = std::variant<BandwidthRequest, ManagerMessage, Closing>;
  struct Outgoing {
    Rank to = 0;
    Tag tag = 0;
    std::variant<Parcel, Reply> what{};
  };
  /// Where the sender waits for something to send.
  struct Bell {
    Ready& ready;
    std::coroutine_handle<> waiting{};
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> handle) { waiting = handle; }
    void await_resume() {}
    void ring() {
      if (waiting) ready.push(std::exchange(waiting, nullptr));
    }
  };

  TaskOf<Answer> ask(BandwidthRequest request);
  Task receive();
  Task send();
  Task watch();
  void take(const BandwidthRequest& request) { local_->ask(request, team_.endpoint().now()); }
  void take(const ManagerMessage& message);
  void take(const Closing& closing);
  void await_death(Rank rank);
  bool gone(Rank rank) const;
  void close_without_the_dead();
  void deliver();
  void post(const Outgoing& outgoing);

  Team team_;
  Rank leader_ = 0;  ///< where the local manager of this host is
  std::uint64_t tickets_ = 0;
  Bell bell_;
  std::unique_ptr<Local> local_;    ///< on the first rank of a host
  std::unique_ptr<Master> master_;  ///< on rank 0
  std::deque<Outgoing> outgoing_;
  std::set<Rank> closing_leaders_;
  std::optional<std::set<Rank>> not_closing_;  ///< at rank 0, once the first rank wants to close
  std::map<Rank, std::unique_ptr<LastOp>> deaths_;  ///< receives that only the peer's death ends
  bool closed_ = false;
  Duration lease_;
  LastOp watching_;  ///< until the next look at the clock
  std::optional<Task> receiver_, sender_, watcher_;
};

}  // namespace weft::comm::qos
