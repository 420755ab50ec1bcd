// SPDX-License-Identifier: Apache-2.0
// Quality of service as an attribute of a team, as MPI has attributes of communicators (Gulati
// 2001, section 4.4.2), but with types. A key is made once; setting it for a peer asks the
// managers, getting it returns their answer:
//
//   QosKey qos(service, framing);
//   co_await qos.set(team, {.peer = 3, .bandwidth = bandwidth});   // MPI_Comm_set_attr
//   if (const Standing* standing = qos.get(team, 3))               // MPI_Comm_get_attr
//     … standing->granted, standing->why …
//   co_await qos.set(team, {.peer = 3});                           // no bandwidth: released
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "comm/qos/service.hpp"

namespace weft::comm::qos {

/// How the message-passing library turns messages into packets.
struct MessageFraming {
  Bytes packet{4096};  ///< what a packet carries; a shorter one takes as long
  Bytes header{0};     ///< its own, with each message
  Bandwidth most{};  ///< what it carries in one flow, whatever the NIC could: 50 MB/s for MPICH-GM
};
/// The bandwidth of packets that messages of this size need to carry `bandwidth` of their own
/// bytes; rounded up.
Bandwidth raw_bandwidth(const MessageFraming& framing, Bandwidth bandwidth, Bytes message);

/// What a program wants for its messages to a peer.
struct Quality {
  Rank peer = 0;          ///< in the team
  Bandwidth bandwidth{};  ///< of the messages' own bytes; 0: releases the promise
  Priority priority = Priority::low;
  Bytes message{65'536};  ///< a usual size: short messages fill their packets badly
};

/// The managers' answer to a Quality.
struct Standing {
  Quality asked{};  ///< last
  bool granted = false;
  std::string why{};    ///< of a refusal
  Bandwidth has{};      ///< of the messages' own bytes; it stays when the next request is refused
  Duration interval{};  ///< between packets, when it was granted
};

class QosKey {
 public:
  QosKey(Service& service, const MessageFraming& framing) : service_(service), framing_(framing) {}

  Pool& frames() const { return service_.frames(); }

  /// Asks the managers for a promise to this rank's messages to a member, or releases it.
  TaskOf<Standing> set(const Team& team, Quality quality);
  /// What was set last through this team; null if nothing was, or if it has been released. A flow
  /// is the same in all teams: setting it through another one takes it from this.
  const Standing* get(const Team& team, Rank peer, Priority priority = Priority::low) const;

 private:
  struct AttributeRecord {
    std::uint64_t context;
    Flow flow;
    Standing standing;
  };
  static Flow flow_to(const Team& team, Rank peer, Priority priority) {
    return {team.in_world(team.rank()), team.in_world(peer), priority};
  }
  std::string refusal(const Team& team, const Quality& quality) const;
  AttributeRecord& record_of(const Team& team, const Flow& flow);
  void forget(const Flow& flow, std::uint64_t except);

  Service& service_;
  MessageFraming framing_;
  std::vector<AttributeRecord> records_;
};

}  // namespace weft::comm::qos
