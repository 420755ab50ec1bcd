// SPDX-License-Identifier: Apache-2.0
// Tagged: how tagged messages travel. A short one goes eagerly, with its envelope; of a long or a
// synchronous one only the envelope goes (a request), and the data follow straight into the
// receiver's buffer when it has said that it is ready (clear). Worlds provide a Carrier below; a
// Library says what the work costs where time is modelled.
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

/// Steps of the eager and of the rendezvous protocol.
enum class ProtocolStep : std::uint8_t {
  eager,      ///< envelope and data
  request,    ///< envelope of a long message
  clear,      ///< the receiver is ready for its data
  data,       ///< data of a long message
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
  /// Models the layer's own work, before what it calls next.
  virtual void work(Duration time) = 0;
  /// Lets the NIC match an envelope of a rank; what is called next is the NIC's work, too. Returns
  /// false where the NIC has no processor, and between ranks that share memory.
  virtual bool match(Rank from, Duration time) = 0;
  /// The NIC copies to the buffer of a receive; the processor notices, does its own work and
  /// completes the receive.
  virtual void hand_over(Op& op, Buffer payload, const Result& result) = 0;
};

class Tagged {
 public:
  struct Costs {
    Library library{};
    std::size_t eager_limit = 0;  ///< where the library has none
    int connections = 0;          ///< polled to find a message
  };
  Tagged(Carrier& carrier, Pool& pool, const Costs& costs);

  void send(Op& op);
  void recv(Op& op);
  void arrived(Rank from, const Header& header, Buffer payload);
  /// Forgets an Op of kind send or recv.
  void withdraw(Op& op);
  /// A rank is gone: drops its requests, and ends receives that wait for its data.
  void gone(Rank peer, Status why);
  /// Whether a posted receive matches this message.
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
  Duration poll_all_;  ///< to poll all connections once
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
