// SPDX-License-Identifier: Apache-2.0
// NicModel: a NIC and its host as data: for every kind of move the stages that a message and its
// packets pass, on contended parts of the host; and the factory of the hosts that execute moves
// (StagedHosts, unless the NIC has hosts of its own).
#pragma once
#include <any>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace weft::sim {

/// Parts of a host that serve one at a time. Every rank has a processor of its own; the others are
/// shared by the ranks of a host. `latency` is no part: it only takes time.
enum class Part : std::uint8_t { latency, processor, bus, nic, dma_out, dma_in, memory };
inline constexpr std::size_t part_count = 7;

/// Time on a part: a fixed one plus one by size.
struct NicStage {
  Part part{};
  Duration fixed{0};
  std::int64_t per_kibibyte = 0;  ///< picoseconds
  /// The part works on a packet while its flits pass the link, in either direction, so that only
  /// the longer of the two counts. Last of `packet_out`, first on its part of `packet_in`.
  bool streams = false;
  /// The part is busy for this time, but what it serves goes on as soon as it begins: a least time
  /// between two.
  bool trails = false;
  /// The fixed time is spent for every page of memory that is touched.
  bool per_page = false;
  /// The part takes longer when it changes to another flow, or between sending and receiving.
  bool turns = false;

  NicStage(Part on, Duration time) : part(on), fixed(time) {}
  /// `rate` 0: the time does not depend on the size.
  NicStage(Part on, Duration time, Bandwidth rate);
  static NicStage streaming(Part on, Duration time, Bandwidth rate) {
    NicStage stage(on, time, rate);
    stage.streams = true;
    return stage;
  }
  static NicStage trailing(Part on, Duration time) {
    NicStage stage(on, time);
    stage.trails = true;
    return stage;
  }
  bool depends_on_size() const { return per_kibibyte != 0 || per_page; }
  Duration time(std::uint64_t bytes, std::int64_t pages = 1) const {
    return fixed * (per_page ? pages : 1) + by_size(bytes);
  }
  Duration by_size(std::uint64_t bytes) const {
    const auto rate = static_cast<std::uint64_t>(per_kibibyte);
    if ((bytes | rate) >> 31U == 0)  // mostly: 64 bits are enough
      return Duration(static_cast<std::int64_t>((bytes * rate + 1023) >> 10U));
    const auto time = (static_cast<__int128>(bytes) * per_kibibyte + 1023) >> 10U;
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
    return Duration(time < most ? static_cast<std::int64_t>(time) : most);
  }
};
using Stages = std::vector<NicStage>;

enum class Move : std::uint8_t {
  message,   ///< to whatever the target has posted
  write,     ///< into the target's memory
  notice,    ///< a write that consumes a receive descriptor; without a path: as a write
  read,      ///< the request of a read; it carries no data
  response,  ///< the data of a read, from the target back
  event,     ///< sets an event in the target's NIC
};
inline constexpr std::size_t move_count = 6;

/// The stages that a move passes, in this order.
struct TransferStages {
  std::uint64_t up_to = std::numeric_limits<std::uint64_t>::max();  ///< the most bytes it serves
  // Once, at the source.
  Stages post{};    ///< the processor's work, with the copy of the program's buffer if there is one
  Stages submit{};  ///< until the NIC begins: doorbell, descriptor
  // For each packet.
  Stages packet_out{};   ///< at the source, until it enters the link, or is in the NIC's memory
  Stages packet_send{};  ///< then, where there is a schedule, until it enters the link
  Stages packet_in{};    ///< at the target, from the link to memory
  // Once, at the target, when all packets are there.
  Stages deliver{};  ///< until the target is notified: completion entry, polling
  // The acknowledgment.
  Stages ack_out{};  ///< at the target
  Stages ack_in{};   ///< at the source, until its program is notified
};

enum class Acknowledge : std::uint8_t {
  never,    ///< a move ends for its source when the last packet has left; refusals are reported
  message,  ///< one for each message
  packet,   ///< one for each packet
};

/// In which order a NIC sends packets.
enum class Schedule : std::uint8_t {
  as_posted,   ///< in the order in which the parts serve them
  by_message,  ///< round robin among connections and their ports, a message at a time
  by_packet,   ///< the same, a packet at a time
  by_rate,     ///< every flow at its own rate
};

class HostModel;
struct HostSetup;
struct NicModel;

/// Makes the hosts of a network with this NIC. Throws Error like Network.
using HostFactory = std::function<std::unique_ptr<HostModel>(const NicModel&, const HostSetup&)>;
/// Returns the factory of hosts that take moves through the stages of the model.
HostFactory staged_hosts();

struct NicModel {
  std::string spec;
  HostFactory make_hosts = staged_hosts();
  /// By Move; of several paths the first that serves the size is taken.
  std::array<std::vector<TransferStages>, move_count> paths{};
  /// Between ranks of the same host, by Move: post, submit and deliver.
  std::array<TransferStages, move_count> local{};

  Bytes mtu{4096};    ///< data in a packet
  Bytes header{0};    ///< of a packet, with its trailer
  Bytes smallest{0};  ///< packet, header included
  Bytes ack{0};       ///< size of an acknowledgment
  Acknowledge acknowledge = Acknowledge::message;
  std::uint32_t window = 0;    ///< unacknowledged packets of a NIC; 0: any number
  std::uint32_t prefetch = 4;  ///< packets of a message in the NIC before they enter the link
  int retries = 0;             ///< of a packet that was lost
  Duration retry_after{0};

  Schedule schedule = Schedule::as_posted;
  // With a schedule the NIC has a memory for packets. It takes the next packet when the one before
  // has passed `packet_out` and a buffer is free; its link stands still while it cannot receive.
  std::uint32_t send_buffers = 1;
  std::uint32_t receive_buffers = 0;  ///< 0: any number
  std::uint32_t send_tokens = 0;      ///< messages of a port and priority under way; 0: any number
  Duration tick{1};                   ///< of the counter that paces flows
  bool equal_chunks = false;          ///< the packets of a message are of one size
  Bytes page{4096};
  Duration flow_change{0}, direction_change{0};  ///< extra time of stages with `turns`

  bool insists_on_descriptors = false;  ///< a message without a posted receive is an error,
  bool patient = false;      ///< or is sent again after `retry_after`, until there is one
  bool connections = false;  ///< an error breaks the connection of the two ranks
  bool reads = true;         ///< remote memory can be read
  bool events = false;
  Bytes eager{0};          ///< tagged messages up to this size go without asking
  Duration descriptor{0};  ///< processor: to post a receive
  Duration poll{0};        ///< from a change in memory until a polling processor has seen it
  Bandwidth copy{0};       ///< processor: memory to memory
  /// Tagged messages are copied to registered memory first, unless the library does so.
  bool copies_messages = false;
  Duration expose{0};          ///< to register memory
  Duration store{0};           ///< to a word of memory that another processor has in its cache
  bool has_processor = false;  ///< the NIC's own, which can match tagged messages
  const char* group_scheme = "oriented";  ///< default of hardware multicasts (plan/mcast)
  std::any particulars{};                 ///< parameters that only this kind of NIC has

  /// Whether a transfer's source and its target know of each other by packets only, and hosts of
  /// their own transfers only: hosts may then be on several threads.
  bool hosts_are_apart() const {
    return acknowledge == Acknowledge::message && schedule == Schedule::as_posted &&
           receive_buffers == 0 && !patient;
  }
  /// The particulars of a kind of NIC; null where this is another. What its hosts do for programs
  /// is HostModel::capability.
  template <class Particulars>
  const Particulars* capability() const {
    return std::any_cast<Particulars>(&particulars);
  }
};

}  // namespace weft::sim
