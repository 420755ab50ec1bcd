// SPDX-License-Identifier: Apache-2.0
// Trials of flows: each that asks for a promise runs beside others that take the rest of its hosts.
#include "lab/flows/trial.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace weft {
namespace {

struct Trials {
  const Machine& machine;
  const FlowsPlan& plan;
  const TrialRunner& run;

  /// Whether a flow uses all of the promise that it asks for, beside others that take the rest of
  /// its hosts: messages that are too short, or too few under way, wait too long for each other. As
  /// a program would on the machine, it tries.
  bool can_use(const FlowPlan& flow) const {
    constexpr int bins = 20, warm_up = 4, messages = 32, packets = 256;
    constexpr std::size_t others_each = 3;
    FlowsPlan trial{.flows = {flow},
                    .policy = plan.policy,
                    .limits = plan.limits,
                    .link_percent = plan.link_percent};
    FlowPlan& tried = trial.flows.front();
    tried.every = tried.start = Duration{0};
    tried.message = std::min(flow.message, Bytes{packets * machine.nic.mtu.count});
    trial.bin = std::max<Duration>(std::chrono::microseconds(500),
                                   messages * (tried.message / flow.bandwidth) / bins);
    tried.stop = bins * trial.bin;
    FlowPlan other;
    other.stop = tried.stop;
    for (std::size_t host = 0; host < machine.fabric().host_count(); ++host) {
      const HostId there(host);
      if (trial.flows.size() > 2 * others_each) break;
      if (there == flow.from || there == flow.to) continue;
      const bool out = trial.flows.size() % 2 == 1;
      other.from = out ? flow.from : there;
      other.to = out ? there : flow.to;
      trial.flows.push_back(other);
    }
    const FlowsFound found = run(trial);
    if (!found.flows.front().granted) return true;  // the managers will say why not
    return sent_between(found, 0, warm_up * trial.bin, bins * trial.bin) >=
           kept_share * in_megabytes(flow.bandwidth);
  }

  /// Why a flow cannot use the promise that it asks for, and how much it could. Nothing if it can.
  std::string inability(const FlowPlan& flow) const {
    // Where even the usual messages cannot, there is less to give than the managers were told.
    FlowPlan usual = flow;
    usual.message = std::max(flow.message, FlowPlan{}.message);
    usual.window = std::max(flow.window, FlowPlan{}.window);
    const bool is_usual = usual.message == flow.message && usual.window == flow.window;
    if (is_usual || can_use(flow) || !can_use(usual)) return "";
    FlowPlan less = flow;
    std::int64_t fits = 0, step = flow.bandwidth.bits_per_second;
    for (int halvings = 0; halvings < 6; ++halvings) {
      step /= 2;
      less.bandwidth = {fits + step};
      if (can_use(less)) fits += step;
    }
    return fmt::format(
        "messages of {}, {} under way, can use {} beside other flows, not {}: "
        "it takes longer ones, or more under way (window)",
        to_text(flow.message), flow.window, comm::qos::in_bytes({fits}),
        comm::qos::in_bytes(flow.bandwidth));
  }
};

}  // namespace

std::vector<std::string> inabilities(const Machine& machine, const FlowsPlan& plan,
                                     const TrialRunner& run) {
  const Trials trials{machine, plan, run};
  std::map<std::tuple<HostId, HostId, std::int64_t, std::int64_t, int, comm::Priority>, std::string>
      tried;
  std::vector<std::string> all;
  for (const FlowPlan& flow : plan.flows) {
    if (flow.service != FlowService::promised) {
      all.emplace_back();
      continue;
    }
    const auto [at, is_new] = tried.try_emplace({flow.from, flow.to, flow.bandwidth.bits_per_second,
                                                 flow.message.count, flow.window, flow.priority});
    if (is_new) at->second = trials.inability(flow);
    all.push_back(at->second);
  }
  return all;
}

}  // namespace weft
