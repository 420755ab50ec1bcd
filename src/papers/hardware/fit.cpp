// SPDX-License-Identifier: Apache-2.0
// The calibration of the machines' cluster files: each constant from one published point, by the
// secant method on the simulator itself. Half a round trip is linear in every time, and in the time
// of a byte, so two simulations suffice.
#include <algorithm>
#include <cmath>

#include "papers/hardware/experiments.hpp"

namespace weft::papers::hardware {
namespace {

enum class Where { nic, library, link };

/// A constant that is found so that a message of `bytes` takes as long as published.
struct FittedConstant {
  std::string_view machine, key;
  Where where;
  const char* unit;
  double low, high;  ///< where it is simulated, in that unit
  std::size_t bytes;
  std::string_view stated;  ///< us, or GB/s
};
constexpr std::size_t of_4_mib = 4 << 20;
constexpr std::array fitted_constants{
    FittedConstant{"azure_hbv3", "latency", Where::nic, "ns", 50, 500, 8, "azure_hbv3/8B"},
    FittedConstant{"azure_hbv3", "rendezvous", Where::library, "ns", 1000, 9000, of_4_mib,
                   "azure_hbv3/4MiB"},
    FittedConstant{"azure_hbv2", "latency", Where::nic, "ns", 50, 500, 1, "fit/azure_hbv2-L"},
    FittedConstant{"azure_hc44rs", "latency", Where::nic, "ns", 50, 500, 8, "azure_hc44rs/8B"},
    FittedConstant{"azure_hc44rs", "rendezvous", Where::library, "ns", 1000, 9000, of_4_mib,
                   "azure_hc44rs/4MiB"},
    FittedConstant{"deep_est", "recv", Where::library, "ns", 50, 500, 1, "fit/deep_est-L"},
    FittedConstant{"deep_est", "speed", Where::link, "Gb/s", 80, 100, longest,
                   "fit/deep_est-16MiB"},
    FittedConstant{"alps2022", "latency", Where::nic, "ns", 50, 500, 8, "alps2022/8B"},
    FittedConstant{"alps2022", "rendezvous", Where::library, "ns", 1000, 9000, of_4_mib,
                   "alps2022/4MiB"},
    FittedConstant{"piz_daint", "latency", Where::nic, "ns", 50, 500, 1, "fit/piz_daint-L"},
    FittedConstant{"piz_daint", "speed", Where::link, "Gb/s", 70, 90, longest,
                   "fit/piz_daint-16MiB"},
    FittedConstant{"dane", "latency", Where::nic, "ns", 50, 500, 8, "dane/8B"},
    FittedConstant{"dane", "speed", Where::link, "Gb/s", 90, 120, of_4_mib, "dane/4MiB"},
};

/// A constant that follows from published points by arithmetic.
struct DerivedConstant {
  std::string_view machine, key;
  double value;
  std::string from;
};

bool is_rate(const Stated& stated) { return stated.unit == "GB/s"; }

/// The published time in us.
double target(const HardwareContext& context, const FittedConstant& constant) {
  for (const Stated& stated : context.stated)
    if (stated.id == constant.stated)
      return is_rate(stated) ? microseconds_at(constant.bytes, stated.value) : stated.value;
  invariant(false, "a constant follows from no point");
  return 0;
}

double simulated(const HardwareStudy& study, const FittedConstant& constant, double value) {
  const std::string text = fmt::format("{}={:g}{}", constant.key, value, constant.unit);
  OtherValues other;
  (constant.where == Where::nic       ? other.nic
   : constant.where == Where::library ? other.library
                                      : other.topology) = text;
  return study.simulated_half_trip(
      study.ping(machine_named(constant.machine), constant.bytes, other));
}

double fitted(const HardwareContext& context, const FittedConstant& constant) {
  // What the time is linear in: the constant, or the time of a byte.
  const auto turned = [&](double value) {
    return constant.where == Where::link ? 1 / value : value;
  };
  const double low = turned(constant.low), high = turned(constant.high);
  const double at_low = simulated(context.study, constant, constant.low);
  const double at_high = simulated(context.study, constant, constant.high);
  return turned(low + (target(context, constant) - at_low) * (high - low) / (at_high - at_low));
}

/// The value that the cluster file has, in the constant's unit: ns, Gb/s or GB/s.
double in_file(const Cluster& cluster, Where where, std::string_view key) {
  if (where == Where::link)
    return static_cast<double>(bandwidth_from(cluster.links.speed).bits_per_second) / 1e9;
  const Spec spec = Spec::parse(where == Where::nic ? cluster.nic : cluster.library);
  const std::string& text = spec.values.at(std::string(key));
  if (key == "copy_out") return static_cast<double>(bandwidth_from(text).bits_per_second) / 8e9;
  return static_cast<double>(duration_from(text).count()) / 1e3;
}

DerivedConstant copy_of(const HardwareContext& context, std::string_view machine, double o_r) {
  const std::string id = fmt::format("fit/{}-64KiB", machine);
  return {machine, "copy_out", copy_out_for(value_of(context.stated, id), o_r), id};
}

/// The link's speed, from the times of 4 and 16 MiB and what packets carry beside data.
DerivedConstant speed_of(const HardwareContext& context, std::string_view machine, double mtu) {
  const std::string id = fmt::format("fit/{}-16MiB", machine);
  const double time = microseconds_at(longest, value_of(context.stated, id)) -
                      value_of(context.stated, fmt::format("{}/4MiB", machine));
  constexpr double header = 26, flit = 64;
  const double on_wire = flit * std::ceil((mtu + header) / flit) / mtu;
  return {machine, "speed", 8 * gigabytes_per_second(longest - of_4_mib, time) * on_wire,
          fmt::format("{} and {}/4MiB", id, machine)};
}

/// The points of LogGP rows that cluster files must meet.
struct LogGpPoint {
  std::string_view machine;
  enum class What { latency, copied, streamed } what;
};
constexpr std::array loggp_points{
    LogGpPoint{"azure_hbv2", LogGpPoint::What::latency},
    LogGpPoint{"deep_est", LogGpPoint::What::latency},
    LogGpPoint{"piz_daint", LogGpPoint::What::latency},
    LogGpPoint{"azure_hbv2", LogGpPoint::What::copied},
    LogGpPoint{"azure_hc44rs", LogGpPoint::What::copied},
    LogGpPoint{"azure_hbv2", LogGpPoint::What::streamed},
    LogGpPoint{"azure_hc44rs", LogGpPoint::What::streamed},
    LogGpPoint{"deep_est", LogGpPoint::What::streamed},
    LogGpPoint{"alps2022", LogGpPoint::What::streamed},
    LogGpPoint{"piz_daint", LogGpPoint::What::streamed},
};

std::vector<std::size_t> sizes_of(const LogGpPoint& point) {
  switch (point.what) {
    case LogGpPoint::What::latency:
      return {1};
    case LogGpPoint::What::copied:
      return {64 << 10, 128 << 10};
    case LogGpPoint::What::streamed:
      return {longest};
  }
  return {};
}

std::string_view name_of(LogGpPoint::What what) {
  return what == LogGpPoint::What::latency  ? "L"
         : what == LogGpPoint::What::copied ? "64KiB"
                                            : "16MiB";
}

double measured(const HardwareStudy& study, const LogGpPoint& point) {
  std::vector<double> times;
  const std::vector<std::size_t> sizes = sizes_of(point);
  for (const std::size_t bytes : sizes)
    times.push_back(study.half_trip(study.ping(machine_named(point.machine), bytes)));
  if (point.what == LogGpPoint::What::latency) return times[0];
  return sizes.size() == 1 ? gigabytes_per_second(sizes[0], times[0])
                           : gigabytes_per_second(sizes[1] - sizes[0], times[1] - times[0]);
}

std::string unit_of(std::string_view key) {
  return key == "speed" ? "Gb/s" : key == "copy_out" ? "GB/s" : "ns";
}

/// Constants as they follow, beside those of the files.
struct FitTable {
  Sheet sheet{"fit",
              "the constants as they follow from published points, and as the cluster files have "
              "them",
              {"machine", "constant", "unit", "found", "file", "off %", "from"}};
  double furthest = 0;

  void add(const HardwareStudy& study, const DerivedConstant& found, Where where) {
    const double file = in_file(study.cluster(machine_named(found.machine)), where, found.key);
    const double off = file / found.value - 1;
    furthest = std::max(furthest, std::abs(off));
    sheet.rows.push_back({std::string(found.machine), std::string(found.key), unit_of(found.key),
                          found.value, file, 100 * off, found.from});
  }
};

/// HBv2 at 1 MiB with the rendezvous of HBv3 instead of that of HC44rs, whose library it has.
double with_other_rendezvous(const HardwareContext& context) {
  const Cluster& other = context.study.cluster(machine_named("azure_hbv3"));
  const std::string value = Spec::parse(other.library).values.at("rendezvous");
  return context.study.simulated_half_trip(context.study.ping(
      machine_named("azure_hbv2"), 1 << 20, {.library = fmt::format("rendezvous={}", value)}));
}

/// The largest deviation of the curves' calibration points.
double worst_point(const HardwareContext& context) {
  double worst = 0;
  for (const PublishedMachine& machine : machines)
    for (const PingPoint& point : points_of(context, machine))
      if (point.calibrated) worst = std::max(worst, std::abs(point.ours / point.published - 1));
  return worst;
}

}  // namespace

std::vector<ProgramSpec> fit_runs(const HardwareStudy& study) {
  std::vector<ProgramSpec> out;
  for (const PublishedMachine& machine : machines)
    for (const MessageSize& size : curve_sizes) out.push_back(study.ping(machine, size.bytes));
  for (const LogGpPoint& point : loggp_points)
    for (const std::size_t bytes : sizes_of(point))
      out.push_back(study.ping(machine_named(point.machine), bytes));
  return out;
}

Section fit(const HardwareContext& context) {
  const HardwareStudy& study = context.study;
  Answers answers(context.stated, "fit");
  FitTable table;
  for (const FittedConstant& constant : fitted_constants)
    table.add(
        study,
        {constant.machine, constant.key, fitted(context, constant), std::string(constant.stated)},
        constant.where);
  table.add(study, copy_of(context, "azure_hbv2", 230), Where::library);
  table.add(study, copy_of(context, "azure_hc44rs", 180), Where::library);
  table.add(study, speed_of(context, "azure_hc44rs", 4096), Where::link);
  table.add(study, speed_of(context, "alps2022", 2048), Where::link);
  double worst = worst_point(context);
  for (const LogGpPoint& point : loggp_points) {
    const std::string name = fmt::format("{}-{}", point.machine, name_of(point.what));
    const double ours = measured(study, point);
    worst = std::max(worst, std::abs(ours / value_of(context.stated, "fit/" + name) - 1));
    answers.number(name, ours);
  }
  answers.claim("points", worst < 0.01, fmt::format("all are within {:.2f} %", 100 * worst));
  answers.claim(
      "found", table.furthest < 0.01,
      fmt::format("those of the files are off by {:.1f} % at most", 100 * table.furthest));
  const double other = with_other_rendezvous(context);
  return {.id = "fit",
          .about = {},
          .notes = {fmt::format("azure_hbv2 at 1MiB with the rendezvous of azure_hbv3: {} us, {}",
                                human_readable(other),
                                percent(other / value_of(context.stated, "azure_hbv2/1MiB") - 1))},
          .sheets = {table.sheet},
          .answers = std::move(answers).done()};
}

}  // namespace weft::papers::hardware
