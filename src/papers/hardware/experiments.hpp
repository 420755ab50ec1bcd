// SPDX-License-Identifier: Apache-2.0
// Published measurements of today's machines: the machines, and the experiments on them.
#pragma once
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lab/cluster/cluster.hpp"
#include "lab/program/experiment.hpp"
#include "papers/runner/experiments.hpp"
#include "papers/runner/run_results.hpp"

namespace weft::papers::hardware {

/// A machine, or a pair of hosts of it, of which measurements were published; expected.csv has the
/// numbers.
struct PublishedMachine {
  std::string_view name;     ///< of the experiment
  std::string_view cluster;  ///< its file
  std::size_t topology;      ///< which of the file's
  std::string_view about;
  std::string_view why;  ///< it is missed, where it is
};
inline constexpr std::string_view first_cluster = "azure_hbv3";
/// Why the machines that Netgauge measured are missed.
inline constexpr std::string_view slower = "an effect that is not modelled: hardware/missing";
inline constexpr std::array machines{
    PublishedMachine{"azure_hbv3", first_cluster, 0,
                     "Azure HBv3, HDR: median of 28 pairs of a non-blocking fat tree, OSU", ""},
    PublishedMachine{"azure_hbv2", "azure_hbv2", 0, "Azure HBv2, HDR, Netgauge", slower},
    PublishedMachine{"azure_hc44rs", "azure_hc44rs", 0, "Azure HC44rs, EDR, Netgauge", slower},
    PublishedMachine{"deep_est", "deep_est", 0, "DEEP-EST, EDR, Netgauge", slower},
    PublishedMachine{"alps2022", "alps2022", 0, "Alps 2022, Slingshot, within a rack, Netgauge",
                     slower},
    PublishedMachine{"alps2022_far", "alps2022", 1,
                     "Alps 2022, Slingshot, between two racks, Netgauge", slower},
    PublishedMachine{"lassen", "lassen", 0, "Lassen, EDR, GPU build, OSU",
                     "no number of its own: azure_hc44rs, with other processors and library"},
    PublishedMachine{"olivia", "olivia", 0, "Olivia, Slingshot 11, GPU buffers, OSU",
                     "no number of its own: alps2022; GPU memory is not modelled"},
    PublishedMachine{"piz_daint", "piz_daint", 0, "Piz Daint, Aries, Netgauge",
                     "the rates of FMA and of the block transfer engine are unknown"},
    PublishedMachine{"dane", "dane", 0, "Dane, Omni-Path, two rails, OSU",
                     "PSM2's windows of 128 KiB and its use of two rails are not modelled"},
    PublishedMachine{"aws_hpc6a", "aws_hpc6a", 0, "AWS hpc6a, EFA, OSU",
                     "no number of its own: the LogGP row of an older adapter"},
};
const PublishedMachine& machine_named(std::string_view name);
/// Those whose collectives were published.
inline constexpr std::array collective_machines{
    PublishedMachine{"lumi_g", "lumi_g", 0, "LUMI-G, Slingshot 11, dragonfly: collectives, PICO",
                     ""},
    PublishedMachine{"leonardo", "leonardo", 0, "Leonardo, HDR, dragonfly+: collectives, PICO", ""},
    PublishedMachine{"marenostrum5", "marenostrum5", 0,
                     "MareNostrum 5 ACC, NDR200, fat tree: collectives, PICO", ""},
    PublishedMachine{"archer2", "archer2", 0,
                     "ARCHER2, Slingshot 10: collectives of 128 ranks a node", ""},
};

struct MessageSize {
  std::string_view name;  ///< in expected.csv, after the machine
  std::size_t bytes;
};
inline constexpr std::array curve_sizes{
    MessageSize{"8B", 8},           MessageSize{"1KiB", 1 << 10}, MessageSize{"8KiB", 8 << 10},
    MessageSize{"64KiB", 64 << 10}, MessageSize{"1MiB", 1 << 20}, MessageSize{"4MiB", 4 << 20},
};
inline constexpr std::size_t longest = 16 << 20;  ///< bytes, of LogGP's rate of long messages
inline constexpr std::size_t shortest_bandwidth = 64
                                                  << 10;  ///< shorter ones are judged as latencies
inline constexpr double latency_limit = 0.10, bandwidth_limit = 0.05, exchange_limit = 0.20;

/// The rate of messages of a size that take so long, in GB/s, and the reverse.
double gigabytes_per_second(std::size_t bytes, double microseconds);
double microseconds_at(std::size_t bytes, double gigabytes_per_second);

/// Other values for some parameters of a machine: "latency=100ns".
struct OtherValues {
  std::string nic{}, library{}, topology{};
};

class HardwareStudy {
 public:
  using Run = ProgramSpec;
  /// The lab's cluster is that of HBv3; the others' names have theirs where its name has
  /// azure_hbv3. Throws Error for clusters that lack what the study needs.
  explicit HardwareStudy(const Lab& lab);

  void prepare(const std::vector<ProgramSpec>& runs);
  const ProgramResult& at(const ProgramSpec& run) const { return results_.at(run); }
  std::vector<Cell> program_row(const ProgramSpec& run) const;
  Declared declared() const;
  static std::uint64_t seed() { return 1; }

  /// A message there and back between the machine's two most distant hosts.
  ProgramSpec ping(const PublishedMachine& machine, std::size_t bytes,
                   const OtherValues& other = {}) const;
  /// Messages of 4 MiB between them, several at a time, as osu_bw sends them.
  ProgramSpec stream(const PublishedMachine& machine) const;
  /// A dissemination barrier of so many hosts, evenly spread; all enter at the same time.
  ProgramSpec dissemination(const PublishedMachine& machine, std::size_t hosts) const;

  /// A program on so many hosts, evenly spread over the first ones, or over all.
  struct Placement {
    std::size_t hosts, among = 0;
  };
  ProgramSpec on_spread(const PublishedMachine& machine, std::string program,
                        const Placement& placement) const;

  /// Half of a round trip; a rate; a collective's slowest rank: of a run that was prepared.
  double half_trip(const ProgramSpec& run) const { return half_trip(at(run)); }
  double rate(const ProgramSpec& run) const;
  double slowest(const ProgramSpec& run) const;
  /// The same of a run that was not.
  double simulated_half_trip(const ProgramSpec& run) const;

  bool quick() const { return lab_.quick; }
  const Cluster& cluster(const PublishedMachine& machine) const {
    return clusters_.at(std::string(machine.cluster)).file;
  }

 private:
  struct NamedCluster {
    std::string name;
    Cluster file;
  };
  void add(const PublishedMachine& machine);
  ProgramSpec on(const PublishedMachine& machine, std::string program) const;
  static double half_trip(const ProgramResult& result);

  const Lab& lab_;
  std::map<std::string, NamedCluster> clusters_{};                ///< by the names of their files
  std::map<std::string_view, std::vector<std::string>> hosts_{};  ///< by machine
  RunResults<ProgramSpec, ProgramResult> results_;
  mutable Networks networks_{};  ///< of all runs
};

using HardwareContext = ExperimentContext<HardwareStudy>;

/// GB/s of the receiver's copies at which fragments of 8 KiB, each with an overhead of so many ns,
/// arrive at this rate.
double copy_out_for(double gigabytes_per_second, double overhead);

/// A point of a curve: published, and ours.
struct PingPoint {
  const MessageSize* size;
  bool calibrated;
  double published, ours;  ///< us

  bool is_bandwidth() const { return size->bytes >= shortest_bandwidth; }
  /// Of the time, or of the bandwidth.
  double deviation() const { return (is_bandwidth() ? published / ours : ours / published) - 1; }
  bool within() const;
};
std::vector<PingPoint> points_of(const HardwareContext& context, const PublishedMachine& machine);
std::vector<ProgramSpec> runs_of(const HardwareStudy& study, const PublishedMachine& machine);
Section curve_of(const HardwareContext& context, const PublishedMachine& machine);

/// A dissemination exchange: published, and ours.
struct ExchangePoint {
  const PublishedMachine* machine;
  std::size_t hosts;
  double published, ours;  ///< us
};
std::string exchange_name(const ExchangePoint& point);
std::vector<ExchangePoint> exchange_points(const HardwareContext& context);

/// The collectives of a machine; a quick page leaves out those that take long.
Section collectives_of(const HardwareContext& context, const PublishedMachine& machine);
std::vector<ProgramSpec> collective_runs(const HardwareStudy& study,
                                         const PublishedMachine& machine);

Section from_loggp(const HardwareContext&);
Section dissemination(const HardwareContext&);
Section fit(const HardwareContext&);
/// What two explanations of the times at 4 to 64 KiB would give; not predictions.
Section missing(const HardwareContext&);
Section overview(const HardwareContext&);

std::vector<ProgramSpec> dissemination_runs(const HardwareStudy&);
std::vector<ProgramSpec> fit_runs(const HardwareStudy&);
std::vector<ProgramSpec> missing_runs(const HardwareStudy&);
std::vector<ProgramSpec> overview_runs(const HardwareStudy&);

}  // namespace weft::papers::hardware
