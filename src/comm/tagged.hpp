// SPDX-License-Identifier: Apache-2.0
// Tagged: how tagged messages travel. A short one goes eagerly, with its envelope, in one or more
// fragments; of a long or a synchronous one only the envelope goes (a request), and the data follow
// straight into the receiver's buffer: the receiver says that it is ready (clear) and the sender
// writes them, or the receiver reads them and says so (done). Worlds provide a Carrier below; a
// Library says what the work costs where time is modelled.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/matcher.hpp"
#include "base/slots.hpp"
#include "comm/library.hpp"
#include "comm/op.hpp"
#include "comm/pool.hpp"

namespace weft::comm {

/// Steps of the eager and of the rendezvous protocol.
enum class ProtocolStep : std::uint8_t {
  eager,      ///< envelope and data, or the first fragment of them
  fragment,   ///< a later fragment
  request,    ///< envelope of a long message
  clear,      ///< the receiver is ready for its data
  data,       ///< data of a long message
  done,       ///< the receiver has read them
  withdrawn,  ///< its sender has withdrawn it
};

struct Header {
  ProtocolStep step{};
  Priority priority = Priority::low;
  std::uint32_t number = 0;  ///< of the message, counted by its sender
  Envelope envelope{};
  std::uint64_t bytes = 0;   ///< of the message
  std::uint64_t offset = 0;  ///< of a fragment in it
  OpHandle sender{}, receiver{};
};

/// A step of a tagged message as an OperationLog hears of it; of several fragments the last.
struct MessageStep {
  ProtocolStep step{};
  bool answers = false;           ///< it comes from the message's receiver, as a read does
  bool by_nic = false;            ///< no processor has a part in sending it
  Rank sender = 0, receiver = 0;  ///< of the message
  std::uint64_t message = 0;      ///< Op::Carried::message
  std::uint64_t bytes = 0;        ///< of the message
  Time wanted{};                  ///< of the answer to a request: when its receive was posted
  Rank from() const { return answers ? receiver : sender; }
  bool to_sender() const { return step == ProtocolStep::clear || step == ProtocolStep::done; }
  Rank to() const { return to_sender() ? sender : receiver; }
  bool has_data() const { return step != ProtocolStep::request && !to_sender(); }
};

/// A part of a message.
struct Fragment {
  Buffer data{};
  std::uint64_t offset = 0;
  /// Copies as much of it as fits the buffer of the message.
  void copy_to(std::span<std::byte> into) const {
    if (data.has_contents() && offset < into.size()) data.copy_to(into.subspan(offset));
  }
};

/// The processor's time for a part of a message: of the library, and of the one below it.
struct LayerWork {
  Duration library{0}, lower{0};
  Duration total() const { return library + lower; }
};

/// What Tagged needs of the world below.
class Carrier {
 public:
  virtual ~Carrier() = default;
  /// Takes a header and its payload, after the processor's work on them, to Tagged::arrived of
  /// another rank; those of one rank to another keep their order. Completes the Op `done`, if any,
  /// when its buffer may be used again (eager), or the receiver has the data.
  virtual void carry(Rank to, const Header& header, Buffer payload, OpHandle done,
                     LayerWork before) = 0;
  /// Reads the first `bytes` of a long message from its sender's memory. Tagged::arrived is then
  /// called here with this header and the data, or with the step `withdrawn` if the sender's Op is
  /// gone.
  virtual void fetch(Rank from, const Header& header, std::size_t bytes) = 0;
  /// Copies to the buffer of a receive and completes it, unless the result is pending: then more
  /// fragments are to come. That may take time, in which the Op may be withdrawn.
  virtual void unpack(Op& op, Fragment fragment, const Result& result) = 0;
  virtual void completed(Op& op, const Result& result) = 0;
  virtual Op* find_op(OpHandle handle) = 0;
  /// Models the processor's work, before what is called next.
  virtual void work(LayerWork time) = 0;
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
    const Library& library;       ///< must outlive the Tagged
    std::size_t eager_limit = 0;  ///< where the library has none
    int connections = 0;          ///< polled to find a message
    bool reads = false;           ///< the NIC can read remote memory
  };
  Tagged(Carrier& carrier, Pool& pool, const Costs& costs);

  void send(Op& op);
  void recv(Op& op);
  void arrived(Rank from, const Header& header, Buffer payload);
  /// Forgets an Op of kind send or recv.
  void withdraw(Op& op);
  /// A rank is gone: drops its requests and incomplete messages, and ends receives that wait for
  /// its data.
  void gone(Rank peer, Status why);
  /// Whether a posted receive matches this message.
  bool awaits(const Envelope& message) const { return matcher_.awaits(message); }

  std::size_t unexpected() const { return matcher_.unexpected(); }

  /// The number of a message, unique in the world.
  static std::uint64_t message_of(Rank from, const Header& header) {
    return std::uint64_t{static_cast<std::uint32_t>(from)} << 32U | header.number;
  }

 private:
  struct Stored {
    Rank from = 0;
    Header header{};
    Buffer payload{};
    std::uint64_t arrived = 0;  ///< of the payload
    bool incomplete() const { return header.step == ProtocolStep::eager && arrived < header.bytes; }
  };
  enum ReceiveStage : std::uint32_t { posted, matched, requested };

  void send_eagerly(const Op& op, Header header);
  bool matched_by_nic(Rank from);
  void match_or_store(Stored&& message);
  void store(std::uint32_t place, Stored&& message);
  void deliver(Op& op, Stored&& message, bool by_nic);
  void deliver_data(Op& op, Stored&& message);
  void answer(const Op& op, const Stored& request, bool by_nic);
  void take_fragment(Rank from, const Header& header, Buffer payload);
  void take_data(Rank from, const Header& header, Buffer payload);
  bool stop_clearing(OpHandle receiver);
  void forget_message(Rank from, const Header& header);
  void drop_incomplete(Rank from, Status why);
  LayerWork send_work(bool first) const;
  Duration recv_work(bool first) const;
  static Result result_of(const Op& op, Rank from, const Header& header);

  Carrier& carrier_;
  Pool& pool_;
  const Library& library_;
  bool reads_;              ///< the receiver of a long message reads it
  std::uint32_t sent_ = 0;  ///< messages
  std::size_t eager_limit_, fragment_;
  Duration poll_all_;  ///< to poll all connections once
  Matcher<Op*, std::uint32_t> matcher_;
  Slots<Stored> stored_;  ///< unexpected messages
  struct Clearing {
    Rank from;
    OpHandle sender, receiver;
    bool by_nic;
  };
  std::vector<Clearing> clearing_;  ///< receives that wait for the data of a long message
  /// A message of which fragments are to come.
  struct Incomplete {
    Rank from;
    OpHandle sender;
    std::uint64_t missing;  ///< bytes
    std::uint32_t place;    ///< among the unexpected messages, or `taken` by a receive
    OpHandle receiver;
  };
  static constexpr std::uint32_t taken = Slots<Stored>::none;
  std::vector<Incomplete>::iterator find_incomplete(Rank from, OpHandle sender);
  std::vector<Incomplete> incomplete_;
};

}  // namespace weft::comm
