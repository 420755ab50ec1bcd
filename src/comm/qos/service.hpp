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
// asked for. Managers that die with their rank are not replaced.
#pragma once
#include <coroutine>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
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
  PathFinder route{};  ///< from a flow's ranks to its path; called at rank 0 only
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
  /// Ends when all ranks have called it; each has its answers by then.
  Task close();

 private:
  /// A rank wants to close, then all of a host do, then everyone may.
  enum class ClosingScope : std::uint8_t { rank, host, everyone };
  struct Closing {
    ClosingScope scope{};
    Rank leader = 0;  ///< of the host
    int ranks = 0;    ///< there
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
  void take(const BandwidthRequest& request) { local_->ask(request); }
  void take(const ManagerMessage& message);
  void take(const Closing& closing);
  void deliver();
  void post(Outgoing outgoing);

  Team team_;
  Rank leader_ = 0;  ///< where the local manager of this host is
  int ranks_here_ = 1;
  std::uint64_t tickets_ = 0;
  Bell bell_;
  std::unique_ptr<Local> local_;    ///< on the first rank of a host
  std::unique_ptr<Master> master_;  ///< on rank 0
  std::deque<Outgoing> outgoing_;
  int closing_here_ = 0, closing_ = 0;
  std::vector<Rank> closing_leaders_;
  bool closed_ = false;
  std::optional<Task> receiver_, sender_;
};

}  // namespace weft::comm::qos
