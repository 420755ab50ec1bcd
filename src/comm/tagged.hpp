// SPDX-License-Identifier: Apache-2.0
// Tagged: how tagged messages travel. A short one goes eagerly, with its envelope; of a long or a
// synchronous one only the envelope goes (a request), and the data follow straight into the
// receiver's buffer when it has said that it is ready (clear). Worlds provide a Carrier below; what
// the work costs, where time is modelled, says a Library.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/matcher.hpp"
#include "base/slots.hpp"
#include "comm/library.hpp"
#include "comm/op.hpp"
#include "comm/pool.hpp"

namespace weft::comm {

/// What a part of a message is in the eager and in the rendezvous protocol.
enum class ProtocolStep : std::uint8_t {
  eager,      ///< envelope and data
  request,    ///< envelope of a long message
  clear,      ///< its data may come
  data,       ///< they come
  withdrawn,  ///< its sender has withdrawn it
};

struct Header {
  ProtocolStep step{};
  Priority priority = Priority::low;
  Envelope envelope{};
  std::uint64_t bytes = 0;
  OpHandle sender{}, receiver{};
};

/// What Tagged needs of the world below.
class Carrier {
 public:
  virtual ~Carrier() = default;
  /// Takes a header and its payload to Tagged::arrived of another rank; those of one rank to
  /// another keep their order. Completes the Op `done`, if any, when its buffer may be used again
  /// (eager), or the receiver has the data.
  virtual void carry(Rank to, const Header& header, Buffer payload, OpHandle done) = 0;
  /// Copies to the buffer of a receive and completes it; that may take time, in which the Op may be
  /// withdrawn.
  virtual void unpack(Op& op, Buffer payload, const Result& result) = 0;
  virtual void completed(Op& op, const Result& result) = 0;
  virtual Op* find_op(OpHandle handle) = 0;
  /// The layer's own work: what it asks for next comes after it.
  virtual void work(Duration time) = 0;
  /// The NIC looks at an envelope of a rank, and what is asked for next is its work, too. Not so
  /// (false) where it has no processor of its own, and between ranks that share memory.
  virtual bool match(Rank from, Duration time) = 0;
  /// The NIC copies to the buffer of a receive, and when the processor has seen it and done its own
  /// work, completes it.
  virtual void hand_over(Op& op, Buffer payload, const Result& result) = 0;
};

class Tagged {
 public:
  struct Costs {
    Library library{};
    std::size_t eager_limit = 0;  ///< where the library has none
    int connections = 0;          ///< that are looked at to find a message
  };
  Tagged(Carrier& carrier, Pool& pool, const Costs& costs);

  void send(Op& op);
  void recv(Op& op);
  void arrived(Rank from, const Header& header, Buffer payload);
  /// Forgets an Op of kind send or recv.
  void withdraw(Op& op);
  /// A rank is gone: its requests lead nowhere, and nor do receives that wait for its data.
  void gone(Rank peer, Status why);
  /// Whether a receive waits that this message would fit.
  bool awaits(const Envelope& message) const { return matcher_.awaits(message); }

  std::size_t unexpected() const { return matcher_.unexpected(); }

 private:
  struct Stored {
    Rank from = 0;
    Header header{};
    Buffer payload{};
  };
  enum ReceiveStage : std::uint32_t { posted, matched, requested };

  bool matched_by_nic(Rank from);
  void deliver(Op& op, Stored message, bool by_nic);
  void take_data(const Header& header, const Buffer& payload);
  bool stop_clearing(OpHandle receiver);
  void forget_message(Rank from, const Header& header);
  static Result result_of(const Op& op, const Header& header);

  Carrier& carrier_;
  Pool& pool_;
  Library library_;
  std::size_t eager_limit_;
  Duration turn_;  ///< over all connections
  Matcher<Op*, std::uint32_t> matcher_;
  Slots<Stored> stored_;  ///< unexpected messages
  struct Clearing {
    Rank from;
    OpHandle sender, receiver;
    bool by_nic;
  };
  std::vector<Clearing> clearing_;  ///< receives that wait for the data of a long message
};

}  // namespace weft::comm
