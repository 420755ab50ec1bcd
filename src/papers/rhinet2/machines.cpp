// SPDX-License-Identifier: Apache-2.0
// Figures 9 and 10 and section IV.G: bandwidth by topology, buffers, speed and protocol; and the
// simulation study that the paper compares itself with.
#include <algorithm>

#include "papers/rhinet2/experiments.hpp"

namespace weft::papers::rhinet2 {
namespace {

/// The topologies with 32 hosts.
const std::vector<std::string> compared{"A 32",      "B surrogate 32", "mesh 32",
                                        "torus 32",  "ring 8",         "mesh 4x2",
                                        "torus 4x2", "fat tree 14 32", "Clos 32"};
const std::vector<std::string> loads{"bit-reversal", "complement"};

Rhinet2Run on(const std::string& topology, const std::string& pattern) {
  return pushes(topology, usual_engine(topology), pattern, full_packet);
}

double bandwidth(const Rhinet2Study& study, const std::string& topology,
                 const std::string& pattern) {
  return study.at(on(topology, pattern)).mean;
}

}  // namespace

Rhinet2Runs fig9_runs(const Rhinet2Study&) {
  Rhinet2Runs out{pushes("mesh", "dl", "pair 3", full_packet)};
  for (const std::string& topology : compared)
    for (const std::string& pattern : loads) out.push_back(on(topology, pattern));
  return out;
}

Section fig9(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  Answers answers(context.stated, "fig9");
  Sheet sheet{"fig9", "MB/s of a host, 32 hosts, 1792 B", {"topology"}};
  for (const std::string& pattern : loads) sheet.columns.push_back(pattern);
  for (const std::string& topology : compared) {
    sheet.rows.push_back({topology});
    for (const std::string& pattern : loads)
      sheet.rows.back().emplace_back(bandwidth(study, topology, pattern));
  }
  Largest most, highest_bits, highest_complement;
  for (const std::string& pattern : loads)
    most.add(bandwidth(study, "torus 32", pattern) / bandwidth(study, "A 32", pattern) - 1,
             pattern);
  answers.number("gain", 100 * most.value,
                 joined(most.where, "two hosts of a switch meet on the torus's links"));
  const double three = study.at(pushes("mesh", "dl", "pair 3", full_packet)).mean;
  const double torus = bandwidth(study, "torus 32", "complement");
  answers.claim("three-hops", std::abs(torus / three - 1) < small,
                fmt::format("{:.1f} and {:.1f} MB/s", torus, three));
  bool trees = true;
  for (const std::string& topology : compared) {
    highest_bits.add(bandwidth(study, topology, "bit-reversal"), topology);
    highest_complement.add(bandwidth(study, topology, "complement"), topology);
  }
  answers.claim("Clos", highest_bits.where == "Clos 32" && highest_complement.where == "Clos 32",
                fmt::format("bit reversal: {}, complement: {}", highest_bits.where,
                            highest_complement.where));
  for (const std::string& pattern : loads)
    for (const char* other : {"mesh 4x2", "torus 4x2"})
      trees =
          trees && bandwidth(study, "fat tree 14 32", pattern) < bandwidth(study, other, pattern);
  answers.claim("fat-tree", trees, "see the table");
  return {.id = "fig9", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

// Figure 10.

namespace {

const std::vector<std::string> machine_routings{"dl", "updown"};

Rhinet2Run with(MachineVariant setting, const std::string& engine, const std::string& pattern) {
  const char* topology = setting == MachineVariant::fast_links ? "A 32 8Gb/s" : "A 32";
  Rhinet2Run run = pushes(topology, engine, pattern, full_packet);
  run.setting = setting;
  return run;
}

Rhinet2Run without_waiting(const Rhinet2Study& study, Rhinet2Run run) {
  run.window = study.free_window();
  return run;
}

Rhinet2Run pair_without_waiting(const Rhinet2Study& study, int hops) {
  return without_waiting(study, pushes("mesh", "dl", fmt::format("pair {}", hops), full_packet));
}

}  // namespace

Rhinet2Runs fig10_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const std::string& engine : machine_routings)
    for (const std::string& pattern : patterns) {
      for (const MachineVariant setting :
           {MachineVariant::usual, MachineVariant::wormhole, MachineVariant::fast_links})
        out.push_back(with(setting, engine, pattern));
      out.push_back(without_waiting(study, with(MachineVariant::usual, engine, pattern)));
    }
  for (const int hops : {1, 3, 7}) out.push_back(pair_without_waiting(study, hops));
  return out;
}

Section fig10(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  Answers answers(context.stated, "fig10");
  Sheet sheet{"fig10",
              "MB/s of a host on A, 32 hosts, 1792 B",
              {"engine", "traffic", "usual", "Stop,Go=1", "8 Gb/s", "no-ack-wait"}};
  Largest buffers, routing;
  double faster = 0;
  for (const std::string& pattern : patterns) {
    for (const std::string& engine : machine_routings) {
      const Rhinet2Run usual = with(MachineVariant::usual, engine, pattern);
      const Rhinet2Run wormhole = with(MachineVariant::wormhole, engine, pattern);
      const Rhinet2Run fast = with(MachineVariant::fast_links, engine, pattern);
      buffers.add(std::abs(gain(study, wormhole, usual)), fmt::format("{}, {}", engine, pattern));
      faster += gain(study, fast, usual) / 4;
      sheet.rows.push_back({engine, pattern, study.at(usual).mean, study.at(wormhole).mean,
                            study.at(fast).mean, study.at(without_waiting(study, usual)).mean});
    }
    routing.add(gain(study, without_waiting(study, with(MachineVariant::usual, "dl", pattern)),
                     without_waiting(study, with(MachineVariant::usual, "updown", pattern))),
                pattern);
  }
  answers.claim(
      "buffers", buffers.value < small,
      fmt::format("stop at the first flit that waits, against 4 KB: {:.1f} % at most ({})",
                  100 * buffers.value, buffers.where));
  answers.number("8Gb", 100 * faster, "the mean of both routings and traffics");
  const double near = study.at(pair_without_waiting(study, 1)).mean;
  const double far = study.at(pair_without_waiting(study, 7)).mean;
  answers.claim("no-distance", std::abs(far / near - 1) < 0.01,
                fmt::format("{:.1f} MB/s at one hop, {:.1f} at seven", near, far));
  answers.number("no-ack-gain", 100 * routing.value, routing.where);
  return {.id = "fig10", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

// Section IV.G.

namespace {

std::uint64_t networks(const Rhinet2Study& study) { return study.quick() ? 1 : 10; }

Rhinet2Run carried(std::uint64_t network, const char* engine) {
  return {Quantity::throughput, "irregular", engine, "uniform", 128, network};
}
/// On three lanes: up*/down* takes any idle one; one of the two layers of DL has two of them.
constexpr const char *updown = "updown", *dl = "dl", *dl_low = "dl:select=low_port";

}  // namespace

Rhinet2Runs simstudy_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (std::uint64_t network = 1; network <= networks(study); ++network)
    for (const char* engine : {updown, dl, dl_low}) out.push_back(carried(network, engine));
  return out;
}

Section simstudy(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  Answers answers(context.stated, "simstudy");
  Sheet sheet{"simstudy",
              "flits per host and cycle that random networks of 16 switches carry",
              {"network", "updown", "dl", "dl, low port", "dl/updown", "selection"}};
  Largest routing, selection;
  for (std::uint64_t network = 1; network <= networks(study); ++network) {
    const Rhinet2Run own = carried(network, dl), other = carried(network, updown),
                     low = carried(network, dl_low);
    const std::string where = fmt::format("network {} of {}", network, networks(study));
    routing.add(gain(study, own, other), where);
    selection.add(gain(study, own, low), where);
    const auto text = [&](const Rhinet2Run& run) {
      return fmt::format("{:.4f}", study.at(run).mean);
    };
    sheet.rows.push_back({static_cast<std::int64_t>(network), text(other), text(own), text(low),
                          percent(gain(study, own, other)), percent(gain(study, own, low))});
  }
  answers.number("routing", 100 * routing.value, routing.where);
  answers.number("selection", 100 * selection.value, selection.where + ", DL");
  return {.id = "simstudy", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::rhinet2
