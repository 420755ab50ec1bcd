// SPDX-License-Identifier: Apache-2.0
// Fitting a NIC to two measurements, and writing the file.
#include "lab/program/design.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/params.hpp"
#include "lab/program/path.hpp"

namespace weft {
namespace {

constexpr Bytes small_size{8}, large_size{4 << 20};

/// What is known of a design, and whether it was given.
struct DesignValue {
  std::string text;
  bool given;
  DesignValue(const std::string& value, const char* usual)
      : text(value.empty() ? usual : value), given(!value.empty()) {}
  std::string comment(const char* what) const {
    return fmt::format("{}: {}", given ? "given" : "assumption", what);
  }
};

template <class Parse>
auto part_of_design(const char* what, const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const Error& error) {
    throw Error("{}: {}", what, error.what());
  }
}

/// A machine whose NIC is still to be found.
class DesignFit {
 public:
  explicit DesignFit(const ClusterDesign& design)
      : speed(design.speed, "100Gb/s"),
        cable(design.cable, "50ns"),
        host_cable(design.host_cable, "10ns"),
        switch_latency(design.switch_latency, "130ns"),
        nic_latency(design.nic_latency, "450ns"),
        from_file(is_file(design.topology)),
        design_(design) {
    part_of_design("cable", cable.text, duration_from);
    part_of_design("host cable", host_cable.text, duration_from);
    part_of_design("switch latency", switch_latency.text, duration_from);
    part_of_design("link", speed.text, bandwidth_from);
    latency_ = 2 * part_of_design("NIC latency", nic_latency.text, duration_from);
    if (from_file && (speed.given || cable.given || host_cable.given))
      throw Error("{}: a fabric file says itself how fast and how long its links are",
                  design.topology);
    const auto twice = [&](const DesignValue& value, const char* key) {
      if (value.given && !from_file && Spec::parse(design.topology).values.contains(key))
        throw Error("{}: its {} is given twice", design.topology, key);
    };
    twice(speed, "speed");
    twice(cable, "delay");
    twice(host_cable, "host_delay");
    const Fabric fabric =
        find_fabric(design.topology, {speed.text, cable.text, host_cable.text, cable.text});
    if (fabric.host_count() < 2) throw Error("{}: two hosts are needed", design.topology);
    const auto other =
        design.farthest ? farthest_from(fabric, HostId(0)) : nearest_to(fabric, HostId(0));
    if (!other)
      throw Error("{}: {} reaches no other host", design.topology, fabric[HostId(0)].name);
    path_ = path_between(fabric, HostId(0), *other);
    fabric_latency = fabric[fabric[HostId(0)].on].latency > Duration{0};
    rate_ = fastest_ = fastest_link(fabric);
  }

  const DesignValue speed, cable, host_cable, switch_latency, nic_latency;
  const bool from_file;
  bool fabric_latency = false;  ///< the fabric says how long its switches take

  void meet_measurements() {
    if (design_.small) meet_small(*design_.small);
    if (design_.large) meet_large(*design_.large);
  }

  static constexpr const char *o_s = "100ns", *o_r = "230ns", *g = "290ns";
  std::string nic() const {
    return fmt::format("loggp:o_s={},o_r={},g={},L={},G={}", o_s, o_r, g, to_text(latency_),
                       to_text(rate_));
  }
  static std::string library() { return "ucx:send=0ns,recv=0ns,rendezvous=0ns"; }
  std::string switches() const {
    if (fabric_latency && !switch_latency.given) return "infiniband";
    return "infiniband:latency=" + switch_latency.text;
  }
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
  Bandwidth fastest() const { return fastest_; }
  bool at_limit() const { return at_limit_; }

 private:
  /// Half a round trip grows as L does.
  void meet_small(Duration measured) {
    for (int turn = 0; turn < 2; ++turn) {
      const Duration off = measured - simulated(small_size);
      if (latency_ + off < Duration{0})
        throw Error(
            "8 B in {}: overheads, switches and cables alone take {}; is the switch latency right, "
            "and the number of switches?",
            microseconds_text(measured), microseconds_text(simulated(small_size) - latency_));
      latency_ += off;
    }
  }
  /// The time of a long message is that of its bytes and a rest that does not depend on the rate.
  void meet_large(Duration measured) {
    rate_ = fastest_;
    const Duration least = simulated(large_size);
    if (measured < least - least / 100)
      throw Error(
          "4 MiB in {}: over links of {} they take {} with the fastest NIC; are the links faster?",
          microseconds_text(measured), to_text(fastest_), microseconds_text(least));
    at_limit_ = measured <= least;
    if (at_limit_) return;
    for (int turn = 0; turn < 6; ++turn) {
      const Duration bytes = large_size / rate_;
      const Duration wanted = bytes + (measured - simulated(large_size));
      if (wanted <= Duration{0}) return;
      const double megabits =
          static_cast<double>(large_size.count) * 8e6 / static_cast<double>(wanted.count());
      rate_ = std::min(fastest_, {std::llround(megabits) * 1'000'000});
    }
  }

  const ClusterDesign& design_;
  std::optional<Fabric> path_;
  Bandwidth fastest_{}, rate_{};
  Duration latency_{};
  bool at_limit_ = false;  ///< the links are too slow for what was measured
};

/// An engine that suits the topology.
std::string usual_engine(const std::string& topology) {
  const std::string name = topology.substr(0, topology.find(':'));
  const auto is_one_of = [&](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  constexpr std::array<std::string_view, 5> grids{"mesh", "torus", "ring", "hypercube", "hyperx"};
  if (is_one_of(grids)) return "dor";
  if (name == "dragonfly") return "dfsssp";
  return default_tables(topology);
}

/// A text between quotes of TOML.
std::string quoted(const std::string& text) {
  if (text.find_first_of("\"\\\n") != std::string::npos)
    throw Error("\"{}\": a name without quotes and backslashes is needed", text);
  return fmt::format("\"{}\"", text);
}

}  // namespace

std::string microseconds_text(Duration time) {
  return fmt::format("{:.3f} us", static_cast<double>(time.count()) * 1e-6);
}

DesignedCluster design_cluster(const ClusterDesign& design) {
  DesignFit fit(design);
  const std::string engine = design.engine.empty() ? usual_engine(design.topology) : design.engine;
  require_engine(engine);
  fit.meet_measurements();
  DesignedCluster out;
  out.small = fit.simulated(small_size);
  out.large = fit.simulated(large_size);
  std::string& text = out.text;
  const auto line = [&](const std::string& setting, const std::string& comment) {
    text += fmt::format("{:<27} # {}\n", setting, comment);
  };
  const auto setting = [&](const char* key, const DesignValue& value, const char* what) {
    line(fmt::format("{} = {}", key, quoted(value.text)), value.comment(what));
  };
  text += fmt::format(
      "# Made by weft cluster new. weft show cluster FILE prints what follows from it.\nname = "
      "{}\n",
      quoted(design.name));
  text += fmt::format("about = {}\n",
                      quoted(fmt::format("links of {}, switches of {}", to_text(fit.fastest()),
                                         fit.switch_latency.text)));
  const std::string& topology =
      design.written_topology.empty() ? design.topology : design.written_topology;
  text += fmt::format("topologies = [{}]\n", quoted(topology));
  line(fmt::format("engines = [{}]", quoted(engine)), "weft list engines");
  if (!fit.from_file) {
    text += "\n[links]\n";
    setting("speed", fit.speed, "of every link");
    setting("delay", fit.cable, "between switches; fibre delays by 5 ns a metre");
    setting("host_delay", fit.host_cable, "to hosts");
  }
  text += "\n[switches]\n";
  if (fit.switch_latency.given || !fit.fabric_latency)
    setting("latency", fit.switch_latency, "from port to port");
  line(fmt::format("lanes = {}", design.lanes), "that tables may use");
  text += "\n[hosts]\n";
  line(fmt::format("library = {}", quoted(DesignFit::library())),
       "copies and protocols as MPI over UCX; its times are in o_s and o_r");
  text += "\n[hosts.nic]\nname = \"loggp\"\n";
  line(fmt::format("o_s = \"{}\"", DesignFit::o_s), "assumption: Azure HBv2, as LogGP");
  line(fmt::format("o_r = \"{}\"", DesignFit::o_r), "assumption: the same");
  line(fmt::format("g = \"{}\"", DesignFit::g), "assumption: the same");
  line(fmt::format("L = \"{}\"", to_text(fit.latency())),
       design.small ? "such that 8 B take as long as measured"
                    : fit.nic_latency.comment("twice the latency of a NIC"));
  line(fmt::format("G = \"{}\"", to_text(fit.rate())),
       !design.large || fit.at_limit() ? "the speed of the links"
                                       : "such that 4 MiB take as long as measured");
  return out;
}

}  // namespace weft
