// SPDX-License-Identifier: Apache-2.0
// weft cluster: writes a cluster file from data sheets and two measurements, or copies one that
// weft brings along.
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/verbs.hpp"
#include "lab/cluster/find_file.hpp"
#include "lab/program/design.hpp"

namespace weft::cli {
namespace {

struct ClusterArguments {
  std::string action, name, out, small, large;
  std::uint64_t lanes = 8;
  ClusterDesign design;
};

/// Asks on a terminal for what was not given; an empty answer is the default.
void ask(std::string& value, const char* question) {
  if (isatty(STDIN_FILENO) == 0) return;
  std::cerr << question << ": " << std::flush;
  std::string answer;
  if (std::getline(std::cin, answer) && !answer.empty()) value = answer;
}

/// "1.62us", or for 4 MiB also "11.4GB/s".
std::optional<Duration> measured(const std::string& text, Bytes size, const char* option) {
  if (text.empty()) return std::nullopt;
  try {
    Duration time{0};
    if (text.ends_with("/s") && size > Bytes{1024}) {
      const Bandwidth rate = bandwidth_from(text);
      if (rate.bits_per_second > 0) time = size / rate;
    } else {
      time = duration_from(text);
    }
    if (time == Duration{0}) throw Error("\"{}\": no message is so fast, or so slow", text);
    return time;
  } catch (const Error& error) {
    throw Error("{}: {}", option, error.what());
  }
}

int copy_cluster(const ClusterArguments& options) {
  if (options.name.empty())
    throw Error("cluster copy: the name of a cluster is needed, of weft list clusters");
  const std::string text = find_file(options.name, {"cluster", embedded_clusters()}).source.text;
  prepare_outputs({options.out}, {});
  write_file(options.out.empty() ? "-" : options.out, [&](std::ostream& out) { out << text; });
  return exit_fine;
}

int make_cluster(ClusterArguments options) {
  if (options.action == "copy") return copy_cluster(options);
  if (options.action != "new")
    throw Error("cluster: \"{}\" is not known here; there are: new copy", options.action);
  if (!options.name.empty())
    throw Error("cluster new: a name is given by --name \"{}\"", options.name);
  ClusterDesign& design = options.design;
  if (design.topology.empty()) {
    ask(design.topology, "Topology, as in clos2:leaves=32,spines=16,hosts=32, or a fabric file");
    ask(design.speed, "Speed of links [100Gb/s]");
    ask(design.switch_latency, "Latency of a switch, port to port [130ns]");
    ask(design.nic_latency, "Latency of a NIC with its bus [450ns]");
    ask(options.small, "Half round trip of 8 B, if it was measured [none]");
    ask(options.large, "Half round trip of 4 MiB, or its bandwidth, if it was measured [none]");
  }
  if (design.topology.empty())
    throw Error("cluster new: a topology is needed: --topology clos2:leaves=32,spines=16,hosts=32");
  std::ostream& said = prepare_outputs({options.out}, {design.topology});
  const bool relative = std::filesystem::path(design.topology).is_relative();
  if (is_file(design.topology) && relative && !options.out.empty() && options.out != "-") {
    const std::filesystem::path folder = std::filesystem::absolute(options.out)
                                             .parent_path();  // cluster files name paths from there
    design.written_topology = std::filesystem::relative(design.topology, folder).string();
  }
  design.small = measured(options.small, Bytes{8}, "--pingpong-8B");
  design.large = measured(options.large, Bytes{4 << 20}, "--pingpong-4MiB");
  design.lanes = static_cast<int>(options.lanes);
  if (options.lanes < 1 || options.lanes > most_lanes)
    throw Error("--lanes: a whole number from 1 to {} is needed", most_lanes);
  const DesignedCluster made = design_cluster(design);
  if (options.out.empty() || options.out == "-") {
    std::cout << made.text;
  } else {
    write_file(options.out, [&](std::ostream& out) { out << made.text; });
  }
  const auto say = [&](const char* size, Duration simulated, std::optional<Duration> given) {
    (options.out.empty() ? std::cerr : said)
        << fmt::format("{:5} {} one way in simulation{}\n", size, microseconds_text(simulated),
                       given ? ", measured " + microseconds_text(*given) : "");
  };
  say("8 B", made.small, design.small);
  say("4 MiB", made.large, design.large);
  return exit_fine;
}

}  // namespace

Action add_cluster(Arguments& arguments) {
  auto options = std::make_shared<ClusterArguments>();
  ClusterDesign& design = options->design;
  arguments.required("action", options->action,
                     "new: write a cluster file; copy: one that weft brings along");
  arguments.optional("cluster", options->name, "copy: which one, of weft list clusters");
  arguments.option("--topology TOPOLOGY", design.topology,
                   "topology or fabric file; on a terminal, weft asks for it and more");
  arguments.option("--engine ENGINE", design.engine, "routing engine; otherwise one that suits");
  arguments.option("--name NAME", design.name, "what reports call it");
  arguments.option("--link SPEED", design.speed, "of links; otherwise 100Gb/s");
  arguments.option("--cable TIME", design.cable,
                   "delay between switches, 5 ns a metre; otherwise 50ns");
  arguments.option("--host-cable TIME", design.host_cable,
                   "delay between hosts and switches; otherwise 10ns");
  arguments.option("--switch-latency TIME", design.switch_latency, "port to port; otherwise 130ns");
  arguments.option("--nic-latency TIME", design.nic_latency,
                   "of a NIC with its bus; otherwise 450ns, or what 8 B take");
  arguments.option("--lanes NUMBER", options->lanes, "of the switches, that tables may use");
  arguments.option("--pingpong-8B TIME", options->small, "measured: half a round trip of 8 B");
  arguments.option("--pingpong-4MiB TIME", options->large,
                   "measured: half a round trip of 4 MiB, or its bandwidth (11.4GB/s)");
  arguments.flag("--farthest", design.farthest,
                 "they were measured between the farthest hosts, not on one switch");
  arguments.option("-o,--output FILE", options->out, "write it to this file");
  return [options] { return make_cluster(*options); };
}

}  // namespace weft::cli
