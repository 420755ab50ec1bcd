// SPDX-License-Identifier: Apache-2.0
// Reading scenario files.
#include "lab/flows/scenario.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/error.hpp"
#include "base/words.hpp"
#include "fabric/format/parsing/text.hpp"
#include "fabric/names.hpp"
#include "lab/cluster/find_file.hpp"
#include "lab/cluster/host_names.hpp"
#include "lab/cluster/toml_reader.hpp"
#include "lab/flows/scenario_keys.hpp"

namespace weft {
namespace {

constexpr std::array policies{std::pair{comm::qos::Policy::equal, std::string_view("equal")},
                              std::pair{comm::qos::Policy::max_min, std::string_view("max-min")}};

constexpr Duration never{0};
constexpr Bytes longest_message{64 << 20};

/// 1, 2 or 5 times a power of ten, so that the length has some 100 to 200 bins.
Duration usual_bin(Duration length) {
  for (std::int64_t power = 1;; power *= 10)
    for (const std::int64_t step : {1, 2, 5})
      if (Duration(step * power) >= length / 200) return Duration(step * power);
}

class ScenarioReader {
 public:
  explicit ScenarioReader(const Source& source) : source_(source), toml_(source) {}

  Scenario read() {
    const toml::table root = parse_toml(source_);
    if (const toml::node* format = root.get("weft"))
      toml_.fail(*format, "this is a fabric, not a scenario; to run one on it: --topology");
    if (const toml::node* topologies = root.get("topologies"))
      toml_.fail(*topologies, "this is a cluster, not a scenario; to run one on it: --cluster");
    toml_.known(root, scenario_root_keys);
    scenario_.file = source_.name;
    scenario_.about = toml_.text(root, "about", "");
    scenario_.cluster = toml_.text(root, "cluster", "");
    if (root.contains("policy"))
      scenario_.policy = toml_.parsed(root, "policy", toml_.text(root, "policy", ""), policy_from);
    if (root.contains("capacity")) scenario_.capacity = bandwidth(root, "capacity");
    scenario_.link_percent = static_cast<int>(toml_.whole(root, "link_percent", 0, {1, 100}));
    scenario_.length = duration(root, "length", never);
    scenario_.bin = duration(root, "bin", never);
    read_flows(root);
    finish(root);
    return std::move(scenario_);
  }

 private:
  void read_flows(const toml::table& root) {
    const toml::node* node = root.get("flow");
    if (node == nullptr)
      throw Error("{}: there are no flows; each is a table: [[flow]]", source_.name);
    const toml::array* flows = node->as_array();
    if (flows == nullptr || flows->empty() || !flows->is_homogeneous<toml::table>())
      toml_.fail(*node, "flow is a list of tables, each of them [[flow]]");
    for (const toml::node& flow : *flows) read_flow(*flow.as_table());
  }

  void read_flow(const toml::table& in) {
    toml_.known(in, scenario_flow_keys);
    ScenarioFlow flow;
    flow.plan.name = name(in);
    flow.from = host(in, "from");
    flow.to = host(in, "to");
    read_service(in, flow.plan);
    if (in.contains("message")) flow.plan.message = message(in);
    flow.plan.window = static_cast<int>(toml_.whole(in, "window", flow.plan.window, {1, 1024}));
    flow.plan.priority = priority(in);
    read_times(in, flow.plan);
    scenario_.flows.push_back(std::move(flow));
  }

  std::string name(const toml::table& in) {
    const std::string usual = fmt::format("flow {}", scenario_.flows.size() + 1);
    std::string name = toml_.text(in, "name", usual);
    const toml::node& at = in.contains("name") ? *in.get("name") : in;
    if (name.empty() || name.size() > 60 || one_line(name) != name)
      toml_.fail(at, "name is one line of 1 to 60 characters");
    const auto [first, fresh] = names_.emplace(name, at.source().begin.line);
    if (!fresh)
      toml_.fail(at, fmt::format("two flows are called \"{}\"; the other is in line {}", name,
                                 first->second));
    return name;
  }

  NamedHost host(const toml::table& in, std::string_view key) const {
    const toml::node* node = in.get(key);
    if (node == nullptr)
      toml_.fail(
          in, fmt::format("{} is missing: a host by its name, {} = \"h0\", or number", key, key));
    NamedHost out;
    out.line = node->source().begin.line;
    if (const auto text = node->value_exact<std::string>()) {
      out.name = *text;
    } else if (const auto number = node->value_exact<std::int64_t>();
               number && *number >= 0 && *number <= 0x7FFF'FFFF) {
      out.number = static_cast<std::uint32_t>(*number);
    } else {
      toml_.fail(*node,
                 fmt::format("{} is a host: its name in quotes, or its number from 0 on", key));
    }
    return out;
  }

  void read_service(const toml::table& in, FlowPlan& flow) const {
    std::string_view given;
    for (const std::string_view key : {"promise", "best_effort", "interval", "free"}) {
      if (!in.contains(key)) continue;
      if (!given.empty())
        toml_.fail(*in.get(key),
                   fmt::format("a flow has one service: {} or {}, not both", given, key));
      given = key;
    }
    if (given == "promise") {
      flow.service = FlowService::promised;
      flow.bandwidth = bandwidth(in, "promise");
    } else if (given == "interval") {
      flow.service = FlowService::paced;
      flow.interval = duration(in, "interval", never);
    } else if (!given.empty()) {
      if (!toml_.yes(in, given))
        toml_.fail(*in.get(given), fmt::format("{} is true, or left out", given));
      flow.service = given == "free" ? FlowService::free : FlowService::best_effort;
    }
  }

  void read_times(const toml::table& in, FlowPlan& flow) const {
    if (in.contains("start"))
      flow.start = toml_.parsed(in, "start", toml_.text(in, "start", ""), duration_from);
    flow.stop = duration(in, "stop", scenario_.length);
    const toml::node& at = in.contains("stop") ? *in.get("stop") : in;
    if (flow.stop == never)
      toml_.fail(at, fmt::format("\"{}\" never stops: it needs a stop = \"2s\", or the scenario a "
                                 "length = \"2s\" above its flows",
                                 flow.name));
    if (flow.start >= flow.stop)
      toml_.fail(at, fmt::format("\"{}\" starts at {}, which must be before it stops, at {}",
                                 flow.name, weft::to_text(flow.start), weft::to_text(flow.stop)));
    if (scenario_.length != never && flow.stop > scenario_.length)
      toml_.fail(at, fmt::format("\"{}\" stops at {}, after the scenario's length of {}", flow.name,
                                 weft::to_text(flow.stop), weft::to_text(scenario_.length)));
  }

  Bytes message(const toml::table& in) const {
    return toml_.parsed(in, "message", toml_.text(in, "message", ""), [](const std::string& text) {
      const Bytes bytes = bytes_from(text);
      if (bytes.count < 1 || bytes > longest_message)
        throw Error("a message has 1B to {}", weft::to_text(longest_message));
      return bytes;
    });
  }

  comm::Priority priority(const toml::table& in) const {
    const std::string text = toml_.text(in, "priority", "low");
    if (text != "low" && text != "high")
      toml_.fail(*in.get("priority"), "priority is \"low\" or \"high\"");
    return text == "high" ? comm::Priority::high : comm::Priority::low;
  }

  Bandwidth bandwidth(const toml::table& in, std::string_view key) const {
    return toml_.parsed(in, key, toml_.text(in, key, ""), [](const std::string& text) {
      const Bandwidth out = bandwidth_from(text);
      if (out.bits_per_second == 0) throw Error("it must be more than nothing");
      return out;
    });
  }

  /// A duration above zero.
  Duration duration(const toml::table& in, std::string_view key, Duration fallback) const {
    if (!in.contains(key)) return fallback;
    return toml_.parsed(in, key, toml_.text(in, key, ""), [](const std::string& text) {
      const Duration out = duration_from(text);
      if (out.count() == 0) throw Error("it must be more than nothing");
      return out;
    });
  }

  void finish(const toml::table& root) {
    for (const ScenarioFlow& flow : scenario_.flows)
      scenario_.length = std::max(scenario_.length, flow.plan.stop);
    if (scenario_.bin == never) scenario_.bin = usual_bin(scenario_.length);
    constexpr std::int64_t most = 10'000'000;
    if (scenario_.length / scenario_.bin > most / static_cast<std::int64_t>(scenario_.flows.size()))
      toml_.fail(root.contains("bin") ? *root.get("bin") : root,
                 fmt::format("bin: {} bins for each of {} are too many; {} are possible",
                             scenario_.length / scenario_.bin,
                             counted(scenario_.flows.size(), "flow", "flows"), most));
  }

  const Source& source_;
  TomlReader toml_;
  Scenario scenario_{};
  std::map<std::string, std::size_t> names_{};  ///< with their lines
};

HostId host_of(const Scenario& scenario, const Fabric& fabric, const NamedHost& host) {
  try {
    if (!host.number) return host_called(fabric, host.name);
    if (*host.number < fabric.host_count()) return HostId(*host.number);
    throw Error("the fabric has no host {}; they are numbered from 0 to {}", *host.number,
                fabric.host_count() - 1);
  } catch (const Error& error) {
    throw Error("{}:{}: {}", scenario.file, host.line, one_line(error.what()));
  }
}

}  // namespace

Scenario read_scenario(const Source& source) { return ScenarioReader(source).read(); }

Scenario find_scenario(const std::string& path_or_name) {
  if (path_or_name == "-") return read_scenario(read_input(path_or_name));
  const FoundFile found = find_file(path_or_name, {"scenario", embedded_scenarios()});
  Scenario scenario = read_scenario(found.source);
  if (found.folder && is_file((*found.folder / scenario.cluster).string()))
    scenario.cluster = (*found.folder / scenario.cluster).string();
  return scenario;
}

FlowsPlan plan_of(const Scenario& scenario, const Fabric& fabric) {
  FlowsPlan plan;
  plan.bin = scenario.bin;
  plan.policy = scenario.policy;
  plan.link_percent = scenario.link_percent;
  for (const ScenarioFlow& flow : scenario.flows) {
    FlowPlan& out = plan.flows.emplace_back(flow.plan);
    out.from = host_of(scenario, fabric, flow.from);
    out.to = host_of(scenario, fabric, flow.to);
    if (out.from == out.to)
      throw Error("{}:{}: \"{}\" goes from {} to itself; a flow needs two hosts", scenario.file,
                  flow.to.line, out.name, fabric[out.from].name);
  }
  return plan;
}

std::string_view to_text(comm::qos::Policy policy) {
  for (const auto& [value, name] : policies)
    if (value == policy) return name;
  return "";
}

comm::qos::Policy policy_from(std::string_view text) {
  for (const auto& [value, name] : policies)
    if (name == text) return value;
  throw Error("the policy \"{}\" is neither equal nor max-min", shown(text));
}

}  // namespace weft
