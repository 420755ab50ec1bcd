// SPDX-License-Identifier: Apache-2.0
// Local: the manager of one host. It takes the requests of the ranks there to the master, and sets
// the intervals of the flows that begin there. A pure state machine: messages in, messages out.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "comm/capabilities.hpp"
#include "comm/qos/messages.hpp"

namespace weft::comm::qos {

/// What a rank asks of the manager of its host. The ticket comes back with the reply.
struct Request {
  std::uint64_t ticket = 0;
  Rank asker = 0;
  Wish wish{};
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
static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>);

class Local {
 public:
  struct Start {
    Rank at = 0;             ///< the rank whose process it is
    std::uint64_t life = 1;  ///< greater than those of its earlier lives; a start time does
    RateControl* nic = nullptr;
  };
  /// Knows nothing, and says hello to the master.
  explicit Local(const Start& start);

  void ask(const Request& request);
  void receive(const Message& message);

  std::vector<Message> take_outbox() { return std::exchange(outbox_, {}); }
  std::vector<Reply> take_replies() { return std::exchange(replies_, {}); }
  /// Whether it has learned its flows.
  bool knows() const { return known_; }

 private:
  using Kind = Message::Kind;
  /// Flows that have been released stay, with nothing: so that late messages are known to be late.
  struct Record {
    Holding holding{};
    std::uint64_t version = 0;
    bool stopping = false;  ///< until the master knows that it is released
  };
  struct Pending {
    std::uint64_t number;
    Request request;
  };

  void send(Message message);
  void send_request(const Pending& pending);
  void begin(const Pending& pending);
  void refuse(const Request& request, const std::string& why);
  void follow(std::uint64_t epoch);
  void report();
  void learn(const Message& message);
  void learned();
  void heed(const Message& message);
  void answered(const Message& message);

  Start start_;
  bool known_ = false;
  std::uint64_t epoch_ = 0;     ///< of the master that is heeded
  std::uint64_t learned_ = 0;   ///< the version of the welcome; what is older is known with it
  std::uint64_t requests_ = 0;  ///< so far
  std::map<Flow, Record> records_;
  std::vector<Pending> pending_;
  /// Of a welcome that has not come whole.
  struct Welcome {
    std::uint64_t epoch = 0, version = 0;
    std::optional<std::uint64_t> count{};
    std::vector<Holding> holdings{};
  } welcome_;
  std::vector<Message> outbox_;
  std::vector<Reply> replies_;
};

}  // namespace weft::comm::qos
