// SPDX-License-Identifier: Apache-2.0
// Fitting a NIC to two measurements, and writing the file.
#include "lab/program/design.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/params.hpp"
#include "lab/program/path.hpp"

namespace weft {
namespace {

constexpr Bytes small_size{8}, large_size{4 << 20};

/// A machine whose NIC is still to be found.
class DesignFit {
 public:
  explicit DesignFit(const ClusterDesign& design) : design_(design) {
    const auto checked = [](const char* what, const std::string& text, auto parse) {
      try {
        return parse(text);
      } catch (const Error& error) {
        throw Error("{}: {}", what, error.what());
      }
    };
    checked("cable", design.cable, duration_from);
    checked("host cable", design.host_cable, duration_from);
    checked("switch latency", design.switch_latency, duration_from);
    rate_ = checked("link", design.speed, bandwidth_from);
    latency_ = 2 * checked("NIC latency", design.nic_latency, duration_from);
    const Fabric fabric =
        find_fabric(design.topology, {design.speed, design.cable, design.host_cable, design.cable});
    if (fabric.host_count() < 2) throw Error("{}: two hosts are needed", design.topology);
    const HostId other =
        design.farthest ? farthest_from(fabric, HostId(0)) : nearest_to(fabric, HostId(0));
    path_ = path_between(fabric, HostId(0), other);
    fastest_ = fastest_link(fabric);
  }

  void meet_measurements() {
    if (design_.small) meet_small(*design_.small);
    if (design_.large) meet_large(*design_.large);
  }

  std::string nic() const {
    return fmt::format("loggp:L={},G={}", to_text(latency_), to_text(rate_));
  }
  static std::string library() { return "ucx:send=0ns,recv=0ns,rendezvous=0ns"; }
  std::string switches() const { return "infiniband:latency=" + design_.switch_latency; }
  Duration simulated(Bytes size) const {
    return half_round_trip(on_fabric(request_of({{.topology = design_.topology,
                                                  .engine = "minhop",
                                                  .switches = switches(),
                                                  .nic = nic(),
                                                  .library = library()},
                                                 {}}),
                                     *path_),
                           size);
  }
  Duration latency() const { return latency_; }
  Bandwidth rate() const { return rate_; }

 private:
  /// Half a round trip grows as L does.
  void meet_small(Duration measured) {
    for (int turn = 0; turn < 2; ++turn) {
      const Duration off = measured - simulated(small_size);
      if (latency_ + off < Duration{0})
        throw Error(
            "8 B in {}: overheads, switches and cables alone take {}; is the switch latency right, "
            "and the number of switches?",
            to_text(measured), to_text(simulated(small_size) - latency_));
      latency_ += off;
    }
  }
  /// The time of a long message is that of its bytes and a rest that does not depend on the rate.
  void meet_large(Duration measured) {
    rate_ = fastest_;
    const Duration least = simulated(large_size);
    if (measured < least - least / 100)
      throw Error("4 MiB in {}: the links alone take {}; are they faster than {}?",
                  to_text(measured), to_text(least), design_.speed);
    for (int turn = 0; turn < 6; ++turn) {
      const Duration bytes = large_size / rate_;
      const Duration wanted = bytes + (measured - simulated(large_size));
      if (wanted <= Duration{0}) return;
      const double megabits =
          static_cast<double>(large_size.count) * 8e6 / static_cast<double>(wanted.count());
      rate_ = std::min(fastest_, {static_cast<std::int64_t>(megabits + 0.5) * 1'000'000});
    }
  }

  const ClusterDesign& design_;
  std::optional<Fabric> path_;
  Bandwidth fastest_{}, rate_{};
  Duration latency_{};
};

/// An engine that suits the topology.
std::string usual_engine(const std::string& topology) {
  const std::string name = topology.substr(0, topology.find(':'));
  const auto is_one_of = [&](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  constexpr std::array<std::string_view, 4> trees{"clos2", "clos3", "xgft", "tree"};
  constexpr std::array<std::string_view, 4> grids{"mesh", "torus", "ring", "hypercube"};
  return is_one_of(trees) ? "dmodk" : is_one_of(grids) ? "dor" : "updown";
}

/// A text between quotes of TOML.
std::string quoted(const std::string& text) {
  if (text.find_first_of("\"\\\n") != std::string::npos)
    throw Error("\"{}\": a name without quotes and backslashes is needed", text);
  return fmt::format("\"{}\"", text);
}

}  // namespace

DesignedCluster design_cluster(const ClusterDesign& design) {
  DesignFit fit(design);
  fit.meet_measurements();
  const std::string engine = design.engine.empty() ? usual_engine(design.topology) : design.engine;
  DesignedCluster out;
  out.small = fit.simulated(small_size);
  out.large = fit.simulated(large_size);
  std::string& text = out.text;
  const auto line = [&](const std::string& setting, const std::string& comment) {
    text += fmt::format("{:<27} # {}\n", setting, comment);
  };
  text += fmt::format(
      "# Made by weft cluster new. weft show cluster FILE prints what follows from "
      "it.\nname = {}\nabout = {}\n",
      quoted(design.name),
      quoted(fmt::format("{} links, switches of {}", design.speed, design.switch_latency)));
  text += fmt::format(
      "topologies = [{}]\n",
      quoted(design.written_topology.empty() ? design.topology : design.written_topology));
  line(fmt::format("engines = [{}]", quoted(engine)), "weft list engines");
  text += "\n[links]\n";
  line(fmt::format("speed = \"{}\"", design.speed), "given");
  line(fmt::format("delay = \"{}\"", design.cable), "5 ns a metre of fibre, between switches");
  line(fmt::format("host_delay = \"{}\"", design.host_cable), "the same, to hosts");
  text += "\n[switches]\n";
  line(fmt::format("latency = \"{}\"", design.switch_latency), "given: port to port");
  line(fmt::format("lanes = {}", design.lanes), "that tables may use");
  text += "\n[hosts]\n";
  line(fmt::format("library = \"{}\"", DesignFit::library()),
       "copies and protocols as MPI over UCX; its times are in o_s and o_r");
  text += "\n[hosts.nic]\nname = \"loggp\"\n";
  line("o_s = \"100ns\"", "assumption: Azure HBv2, as LogGP");
  line("o_r = \"230ns\"", "assumption: the same");
  line("g = \"290ns\"", "assumption: the same");
  line(fmt::format("L = \"{}\"", to_text(fit.latency())),
       design.small ? "such that 8 B take as long as measured"
                    : "twice the latency of a NIC, which was given");
  line(fmt::format("G = \"{}\"", to_text(fit.rate())),
       design.large ? "such that 4 MiB take as long as measured" : "the speed of the links");
  return out;
}

}  // namespace weft
