// SPDX-License-Identifier: Apache-2.0
// The experiments of the study of rate control in Myrinet NICs, and what they share.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/params.hpp"
#include "lab/cluster/cluster.hpp"
#include "lab/flows/flows.hpp"
#include "lab/flows/limits.hpp"
#include "papers/runner/experiments.hpp"

namespace weft::papers::gmqos {

using Milliseconds = std::chrono::milliseconds;

/// What clusters may declare in their section [paper], with defaults.
std::span<const Param> study_params();

using sim::Schedule;  ///< stock GM goes by packet

/// The machines, and what is measured on them once.
class GmqosStudy {
 public:
  struct Run {};  ///< experiments measure what they need by themselves
  void prepare(const std::vector<Run>&) const {}
  Declared declared() const;
  std::uint64_t seed() const { return lab_.seed_from(1); }

  /// Throws Error for a cluster whose NIC is not GM with rate control.
  explicit GmqosStudy(const Lab& lab);

  /// The cluster's machine, or one with other links, as a topology names them.
  Machine machine(Schedule schedule, const std::string& topology = {}) const;
  /// Two switches with so many hosts each; the link between them differs from those of the hosts.
  Machine cascade(Schedule schedule, const std::vector<int>& hosts) const;
  const Machine& rated() const { return rated_; }
  const Machine& stock() const { return stock_; }
  Machine mpi() const;

  Duration tick() const { return rated_.nic.tick; }
  // Measured when first asked for.
  const Peak& peak() const;
  /// T, in ticks.
  double packet_ticks() const { return static_cast<double>(peak().per_packet / tick()); }
  /// What can go out of a host while packets come in at intervals of so many ticks.
  std::vector<comm::qos::CurvePoint> trade(const std::vector<std::int64_t>& ticks) const;
  const comm::qos::Limits& limits() const;

  /// MB/s of every flow once all run; they run until the end.
  std::vector<double> achieved(const Machine& machine, std::vector<FlowPlan> flows) const;

  const Params& params() const { return params_; }
  const Lab& lab() const { return lab_; }
  bool quick() const { return lab_.quick; }

 private:
  const Lab& lab_;
  Cluster cluster_;
  Params params_;
  mutable Networks networks_{};  ///< of all machines but the cascade
  Machine rated_, stock_;
  mutable std::optional<Peak> peak_;
  mutable std::map<std::int64_t, comm::qos::CurvePoint> trade_{};
  mutable std::optional<comm::qos::Limits> limits_;
};

using GmqosContext = ExperimentContext<GmqosStudy>;

// Flows.
FlowPlan free_flow(const std::string& name, std::size_t from, std::size_t to);
/// A flow with an interval between packets.
FlowPlan paced_flow(const std::string& name, std::size_t from, std::size_t to, Duration interval);
/// A flow to which the managers promise so many MB/s.
FlowPlan promised_flow(const std::string& name, std::size_t from, std::size_t to, double megabytes);
FlowPlan best_effort_flow(const std::string& name, std::size_t from, std::size_t to);

Bandwidth from_megabytes(double per_second);
/// The interval between full packets of so many MB/s.
Duration interval_for(const Machine& machine, double megabytes);

/// How far achieved bandwidths are from the inverse ratio of the intervals: the largest deviation
/// of the ratio of two of them.
double off_ratio(const std::vector<double>& achieved, const std::vector<double>& intervals);

// Experiments.
Section table_31(const GmqosContext&);
Section figure_13(const GmqosContext&);
Section figure_23(const GmqosContext&);
Section figure_24(const GmqosContext&);
Section section_321(const GmqosContext&);
Section figure_51(const GmqosContext&);
Section figure_52(const GmqosContext&);
Section figure_53(const GmqosContext&);
Section figure_54(const GmqosContext&);
Section figure_55(const GmqosContext&);
Section figure_56(const GmqosContext&);
Section figure_57(const GmqosContext&);
Section figure_58(const GmqosContext&);
Section figure_59(const GmqosContext&);
Section figure_510(const GmqosContext&);
Section figure_511(const GmqosContext&);
Section figure_512(const GmqosContext&);
/// One more than the paper has: 200 random flows on networks of many switches.
Section promises(const GmqosContext&);

}  // namespace weft::papers::gmqos
