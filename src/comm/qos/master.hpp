// SPDX-License-Identifier: Apache-2.0
// Master: the manager that keeps the books. It makes one change after another: first everyone who
// gets less confirms it, then the others get more. A pure state machine: messages in, messages out.
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
using Route = std::function<std::variant<Path, Refused>(const Flow&)>;

class Master {
 public:
  struct Start {
    Limits limits{};
    int hosts = 0;
    Policy policy = Policy::equal;
    Route route{};
    std::uint64_t epoch = 1;  ///< greater than those of its earlier lives; a start time does
    /// Whom to ask what they have before anything is decided; nobody at the very first start.
    std::vector<Rank> locals{};
  };
  /// Throws Error for wrong limits, and without a route.
  explicit Master(Start start);

  void receive(const Message& message);
  std::vector<Message> take_outbox() { return std::exchange(outbox_, {}); }

  const Books& books() const { return books_; }
  /// Whether it still learns what the flows have.
  bool rebuilding() const { return rebuilding_; }
  /// Whether it waits for nobody and has nothing to do.
  bool idle() const { return !rebuilding_ && awaited_.empty() && queue_.empty(); }

 private:
  using Kind = Message::Kind;
  struct AtLocal {
    std::uint64_t life = 0;
    // While the books are rebuilt:
    bool greeted = false;   ///< it knows nothing
    bool reported = false;  ///< all it knows
    std::optional<std::uint64_t> count{};
    std::vector<Holding> holdings{};
  };
  /// What a flow has as far as its local manager was told.
  struct Told {
    Rank local = 0;
    Holding holding{};
  };

  std::uint64_t send(Rank local, Message message);
  void greet(const Message& message);
  void welcome(Rank local);
  void take_report(const Message& message);
  void rebuild_if_complete();
  bool restore(const Holding& holding);
  void advance();
  void begin(const Message& request);
  std::optional<Refused> decide(const Message& request);
  void lower(const Told& told);
  void conclude();
  Holding holding_of(const Flow& flow) const;

  Start start_;
  Books books_;
  bool rebuilding_;
  std::uint64_t version_ = 0;
  std::map<Rank, AtLocal> locals_;
  std::unordered_map<Flow, Told, FlowHash> told_;
  std::deque<Message> queue_;
  // The change under way.
  std::map<std::uint64_t, Rank> awaited_;  ///< versions to be confirmed, and by whom
  std::vector<Flow> raises_;
  std::optional<Message> granting_;
  std::vector<Message> outbox_;
};

}  // namespace weft::comm::qos
