// SPDX-License-Identifier: Apache-2.0
// AdmissionControl: the master's record of all flows. Every flow passes resources: its two hosts,
// and the ports of switches between. Some flows have a promise; the others, best effort, share what
// is left (Gulati 2001, sections 3.3 and 4.3). It never promises more than a resource has. Pure: no
// messages, no time, whole numbers only.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/slots.hpp"
#include "comm/qos/limits.hpp"
#include "comm/types.hpp"

namespace weft::comm::qos {

/// Hosts are numbered from 0.
using HostNumber = std::int32_t;

/// A port of a switch on a flow's path. Ports have small numbers, each the same for every
/// path.
struct Port {
  std::uint32_t number = 0;
  Bandwidth capacity{};
};

/// The route of a flow's packets.
struct Path {
  HostNumber source = 0, target = 0;
  std::vector<Port> ports{};
};

/// The hash of a flow, for hash tables.
struct FlowHash {
  std::size_t operator()(const Flow& flow) const;
};

/// How best-effort flows share what promises leave.
enum class Policy : std::uint8_t {
  /// At each host and port in equal parts; a flow gets the least along its path (section 4.3). The
  /// rest of its larger shares is left unused.
  equal,
  /// No flow can get more without another getting less that has no more (progressive filling:
  /// Bertsekas and Gallager, Data Networks, 6.5.2).
  max_min,
};

/// What refusals call a host and a port; without these, by number.
struct ResourceNames {
  std::function<std::string(HostNumber)> host = [](HostNumber number) {
    return "host " + std::to_string(number);
  };
  std::function<std::string(std::uint32_t)> port = [](std::uint32_t number) {
    return "port " + std::to_string(number);
  };
};

enum class GrantKind : std::uint8_t { none, promise, best_effort };

/// What a flow was granted.
struct Grant {
  GrantKind kind = GrantKind::none;
  Bandwidth promise{};  ///< of a promise
  friend bool operator==(const Grant&, const Grant&) = default;
};

class AdmissionControl {
 public:
  /// Throws Error for wrong limits.
  AdmissionControl(const Limits& limits, int hosts, Policy policy, ResourceNames names = {});

  // Each returns why it refuses, and then changes nothing; or nothing when it grants the request.
  /// Also replaces an earlier grant of the flow, at once or not at all.
  std::optional<Refused> reserve(const Flow& flow, const Path& path, Bandwidth bandwidth);
  std::optional<Refused> best_effort(const Flow& flow, const Path& path);
  std::optional<Refused> release(const Flow& flow);

  /// A flow whose rate is another than at the last changes().
  struct Change {
    Flow flow{};
    Bandwidth before{}, after{};  ///< before is 0 for a new flow
  };
  /// Computes the rates anew where something has changed.
  std::vector<Change> changes();

  /// The most that the NIC of a flow may send by now: less than its rate before that is announced,
  /// more before less is confirmed. 0 for a new flow.
  void set_allowed(const Flow& flow, Bandwidth most);
  /// Whether a flow can have this rate besides what all others are allowed.
  bool room_for(const Flow& flow, Bandwidth rate) const;

  Grant grant(const Flow& flow) const;
  /// As of the last changes().
  Bandwidth rate(const Flow& flow) const;
  /// Visits all flows with a grant, in an order that follows from earlier requests.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const FlowEntry& entry : entries_)
      if (entry.grant.kind != GrantKind::none) visit(entry.flow);
  }
  std::size_t size() const { return places_.size(); }
  const Limits& limits() const { return limits_; }

  /// What all flows of a resource take, as of the last changes().
  HostLoad load_of_host(HostNumber host) const;
  Bandwidth load_of_port(std::uint32_t number) const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  enum Direction : std::uint8_t { in, out };

  /// A best-effort flow in the list of a resource it passes.
  struct Member {
    std::uint32_t entry, use;
  };
  /// Hosts come first, then ports; through a port flows only go out.
  struct SharedResource {
    std::int64_t capacity = 0;  ///< of a port; 0: not known yet
    std::array<std::int64_t, 2> promised{};
    std::array<std::int64_t, 2> allowed{};
    std::array<std::uint32_t, 2> sharing{};  ///< best-effort flows
    std::uint32_t flows = 0;                 ///< of both kinds
    std::uint32_t sending = 0;               ///< flows that are allowed something
    bool changed = false;
    std::int64_t share = 0;  ///< of each best-effort flow, under `equal`
    std::vector<Member> members{};
  };
  struct Use {
    std::uint32_t resource;
    Direction direction;
    std::uint32_t place;  ///< among the resource's members
  };
  struct FlowEntry {
    Flow flow{};
    Grant grant{};
    std::int64_t rate = 0;
    std::int64_t reported = 0;  ///< the rate at the last changes()
    std::int64_t allowed = 0;
    bool changed = false;
    std::vector<Use> uses{};
  };
  class Filling;  ///< progressive, in shares.cpp

  bool is_host(std::uint32_t resource) const { return resource < hosts_; }
  std::uint32_t resource_of(const Port& port) const { return hosts_ + port.number; }
  std::uint32_t find(const Flow& flow) const;
  HostLoad load_of(std::uint32_t resource) const;

  std::optional<Refused> check_path(const Flow& flow, const Path& path) const;
  std::optional<Refused> check_bandwidth(Bandwidth bandwidth) const;
  std::optional<Refused> check_room(const Path& path, std::int64_t bandwidth) const;
  std::optional<Refused> check_host(HostNumber host, Direction direction, std::int64_t more) const;
  std::optional<Refused> check_port(const Port& port, std::int64_t more) const;

  std::uint32_t entry_of(const Flow& flow);
  void enter(std::uint32_t entry, const Path& path, const Grant& grant);
  void use(std::uint32_t entry, std::uint32_t resource, Direction direction);
  void leave(std::uint32_t entry);
  void count(const FlowEntry& entry, int by);
  void mark(std::uint32_t resource);
  void mark_entry(std::uint32_t entry);

  bool fits(std::uint32_t resource, std::int64_t incoming, std::int64_t outgoing) const;
  std::int64_t level(std::uint32_t resource, const std::array<std::int64_t, 2>& taken,
                     const std::array<std::uint32_t, 2>& open) const;
  bool alone(const FlowEntry& entry) const;
  std::int64_t rate_alone(const FlowEntry& entry) const;
  std::int64_t rate_shared(const FlowEntry& entry) const;
  void share_equally();
  void set_rate(std::uint32_t entry, std::int64_t rate);

  Limits limits_;
  std::uint32_t hosts_;
  Policy policy_;
  ResourceNames names_;
  std::vector<SharedResource> resources_;
  Slots<FlowEntry> entries_;
  std::unordered_map<Flow, std::uint32_t, FlowHash> places_;
  std::vector<std::uint32_t> changed_resources_, changed_entries_;
};

}  // namespace weft::comm::qos
