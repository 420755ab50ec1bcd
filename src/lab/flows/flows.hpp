// SPDX-License-Identifier: Apache-2.0
// Flows: streams of messages that come and go on a machine, each with the service it asks for, and
// the bandwidth that each gets over time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "comm/qos/service.hpp"
#include "lab/cluster/machine.hpp"

namespace weft {

enum class FlowService {
  free,         ///< as fast as possible, without asking the managers
  paced,        ///< at a given interval between packets
  best_effort,  ///< at the rate that the managers allow
  promised,     ///< at a bandwidth that the managers grant; refused, it does not send
};

/// Whether a flow of this kind asks the managers.
inline bool asks_managers(FlowService service) {
  return service == FlowService::best_effort || service == FlowService::promised;
}

struct FlowPlan {
  std::string name{};
  HostId from{}, to{};
  FlowService service = FlowService::best_effort;
  Bandwidth bandwidth{};  ///< asked for, when promised
  Duration interval{};    ///< when paced
  Duration every{};       ///< how often its program sends a message; 0: as soon as it can
  Bytes message{65536};
  Duration start{}, stop{};  ///< when it asks for its service, and when it sends no more
  comm::Priority priority = comm::Priority::low;
  int window = 4;  ///< messages under way
};

struct FlowsPlan {
  std::vector<FlowPlan> flows{};
  Duration bin = std::chrono::milliseconds(10);  ///< of the bandwidth over time
  comm::qos::Policy policy = comm::qos::Policy::equal;
  comm::qos::Limits limits{};  ///< of a host; only where a flow asks the managers
  int link_percent = 0;  ///< of a link between switches that is handed out; 0: usual_link_percent
};

/// The share of a promise that counts as kept.
inline constexpr double kept_share = 0.97;

/// How much of the links between switches can be handed out so that promises are kept. Packets that
/// wait hold the links behind them, up to their source if buffers are smaller than packets: a
/// network does not carry more than this when many flows share it, and less when it is asked for
/// more (docs/reference/scenarios.md). 40, or 60 where every buffer holds two packets.
int usual_link_percent(const Machine& machine);

inline bool asks_managers(const FlowsPlan& plan) {
  return std::any_of(plan.flows.begin(), plan.flows.end(),
                     [](const FlowPlan& flow) { return asks_managers(flow.service); });
}

struct FlowFound {
  bool granted = true;
  std::string why{};                   ///< it was refused
  Duration began{}, ended{};           ///< sending
  std::uint64_t bytes = 0;             ///< received in all
  double packet_bytes = 0;             ///< data in its packets, on average
  std::vector<std::uint64_t> packets;  ///< dispatched by its NIC, by bin
  std::vector<Duration> interval;      ///< between packets, at the end of each bin; 0: free
};

struct FlowsFound {
  std::vector<FlowFound> flows{};
  Duration bin{};
  Duration time{};         ///< of the whole run, virtual
  std::string deadlock{};  ///< of the network, described: then the flows did not end
  std::uint64_t packets = 0, flit_hops = 0;

  std::size_t bins() const { return flows.empty() ? 0 : flows.front().packets.size(); }
};

/// Called at the end of every bin with the share of the run that is done, 0 to 1.
using FlowsProgress = std::function<void(double share)>;

/// Runs the flows to their ends. Throws Error for a plan that the machine cannot carry out.
FlowsFound run_flows(const Machine& machine, const FlowsPlan& plan,
                     const FlowsProgress& progress = {});

/// What a flow sent in [from, to), in MB/s, by its packets; both are multiples of the bin.
double sent_between(const FlowsFound& found, std::size_t flow, Duration from, Duration to);

}  // namespace weft
