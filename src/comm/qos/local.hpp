// SPDX-License-Identifier: Apache-2.0
// Local: the manager of one host. It forwards the requests of the host's ranks to the master, and
// sets the intervals of the flows that begin there. A pure state machine: messages in, messages
// out.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "comm/capabilities.hpp"
#include "comm/qos/messages.hpp"

namespace weft::comm::qos {

/// A rank's request to the manager of its host. The reply carries the same ticket.
struct BandwidthRequest {
  std::uint64_t ticket = 0;
  Rank asker = 0;
  RequestKind kind{};
  Flow flow{};
  Bandwidth bandwidth{};
};
struct Reply {
  std::uint64_t ticket = 0;
  Rank asker = 0;
  bool granted = false;
  Holding holding{};
  Reason reason{};
};
static_assert(std::is_trivially_copyable_v<BandwidthRequest> &&
              std::is_trivially_copyable_v<Reply>);

struct LocalStart {
  Rank at = 0;             ///< the rank whose process it is
  std::uint64_t life = 1;  ///< greater than in its earlier lives; a start time will do
  RateControl* nic = nullptr;
  Duration lease = usual_lease;  ///< the same for all managers
};

class Local {
 public:
  /// Knows nothing, and says hello to the master.
  explicit Local(const LocalStart& start, Time now = {});

  void ask(const BandwidthRequest& request, Time now);
  void receive(const ManagerMessage& message, Time now);
  /// Renews the lease, and ends it when the master was not heard for too long. To be called a few
  /// times in a lease.
  void tick(Time now);

  std::vector<ManagerMessage> take_outbox() { return std::exchange(outbox_, {}); }
  std::vector<Reply> take_replies() { return std::exchange(replies_, {}); }
  /// Whether it has learned its flows.
  bool synchronised() const { return knows_ == Knowledge::known; }

 private:
  /// Released flows stay, without a grant, so that late messages are recognised as late.
  struct LocalFlow {
    Holding holding{};
    std::uint64_t version = 0;
    bool stopping = false;  ///< until the master has recorded its release
  };
  struct PendingRequest {
    std::uint64_t number;
    BandwidthRequest request;
  };

  friend struct ManagerStates;  ///< for a test that visits all

  /// It knows its flows; it waits for them; it will ask for them when there is something to do.
  enum class Knowledge : std::uint8_t { known, awaited, dormant };

  void send(ManagerMessage message);
  void send_request(const PendingRequest& pending);
  void begin(const PendingRequest& pending);
  void refuse(const BandwidthRequest& request, const std::string& why);
  bool in_use() const;
  void begin_life(Knowledge knows);
  void set_now(Time now);
  void extend(Time end);
  void follow(std::uint64_t epoch);
  void report();
  void learn(const ManagerMessage& message);
  void learned();
  void apply(const ManagerMessage& message);
  void answered(const ManagerMessage& message);

  LocalStart start_;
  Knowledge knows_ = Knowledge::awaited;
  Time now_{};
  Time ends_{};                 ///< the lease, or the wait for one
  Time renewed_{};              ///< when it was to be renewed last
  std::uint64_t epoch_ = 0;     ///< of the master whose messages count
  std::uint64_t learned_ = 0;   ///< the version of the welcome, which contains all that is older
  std::uint64_t requests_ = 0;  ///< so far
  std::map<Flow, LocalFlow> records_;
  std::vector<PendingRequest> pending_;
  /// A welcome of which parts are still to come.
  struct Welcome {
    std::uint64_t epoch = 0, version = 0;
    std::optional<std::uint64_t> count{};
    std::vector<Holding> holdings{};
  } welcome_;
  std::vector<ManagerMessage> outbox_;
  std::vector<Reply> replies_;
};

}  // namespace weft::comm::qos
