// SPDX-License-Identifier: Apache-2.0
// The cluster of the paper on QsNet, and the runs on it.
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "papers/qsnet/experiments.hpp"
#include "sim/elan/model.hpp"
#include "sim/nics/nic.hpp"

namespace weft::papers::qsnet {

std::span<const Curve> curves() {
  static constexpr std::array all{Curve{"Elan-Elan", "elan3", "elan", "elan"},
                                  Curve{"Elan-main", "elan3", "elan", "main"},
                                  Curve{"main-Elan", "elan3", "main", "elan"},
                                  Curve{"main-main", "elan3", "main", "main"},
                                  Curve{"Tports", "tports"},
                                  Curve{"MPI", "mpi"}};
  return all;
}

const Curve& curve(std::string_view name) {
  const auto all = curves();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Curve& each) { return each.name == name; });
  invariant(found != all.end(), "there is no such curve");
  return *found;
}

std::span<const Param> study_params() {
  static constexpr std::array rows{
      Param{"trials", Whole{1, 1'000'000}, "300", "of the fault campaign"},
  };
  return rows;
}

double use_of(const ProgramResult& result, std::string_view part) {
  for (const PartUse& use : result.parts)
    if (use.part == part) return use.most;
  invariant(false, "hosts have no such part");
  return 0;
}

QsnetStudy::QsnetStudy(const Lab& lab) : lab_(lab), cluster_(find_cluster(lab.cluster)) {
  if (cluster_.nic.empty() || cluster_.library.empty() || cluster_.model.empty())
    throw Error("{}: the study needs a switch model, a nic and a library", cluster_.name);
  if (sim::nic_from(cluster_.nic).capability<sim::elan::Model>() == nullptr)
    throw Error("{}: the study is one of Elans, not of {}", cluster_.name,
                Spec::parse(cluster_.nic).name);
  Spec library = Spec::parse(cluster_.library);
  if (library.name != "mpich_qsnet")
    throw Error("{}: the study is one of mpich_qsnet, not of {}", cluster_.name, library.name);
  library.name = "tports";
  for (const char* of_mpi : {"mhz", "send", "recv"}) library.values.erase(of_mpi);
  tports_ = library.text();
  hosts_ = find_fabric(cluster_.topologies.front(), cluster_.links).host_count();
  if (hosts_ < 16) throw Error("{}: the study needs 16 hosts or more", cluster_.name);
  const Params params({"qsnet", cluster_.paper}, study_params());
  const auto all = params.whole<int>("trials");
  trials_ = lab.quick ? std::min(all, 30) : all;
}

Machine QsnetStudy::machine() const { return make_machine({.cluster = lab_.cluster}); }

void QsnetStudy::prepare(const std::vector<ProgramSpec>& runs) {
  results_.add(lab_, runs,
               {.simulate =
                    [this](const ProgramSpec& run) {
                      ProgramResult result = run_program(run, networks_);
                      if (result.ended != run::WorldEnd::finished)
                        throw Error("{}: {}", run.program, result.explanation);
                      return result;
                    },
                .label = [](const ProgramSpec& run) { return run.program; }});
}

std::vector<Cell> QsnetStudy::program_row(const ProgramSpec& run) const {
  return {command_of(run), std::string(weft::to_text(at(run).ended)), mean_us(run),
          static_cast<std::int64_t>(at(run).messages)};
}

Declared QsnetStudy::declared() const {
  return {{"switches", cluster_.model},
          {"nic", cluster_.nic},
          {"library", cluster_.library},
          {"trials", std::to_string(trials_)}};
}

double QsnetStudy::figure(const ProgramSpec& run, std::string_view name) const {
  return figure_of(at(run), name);
}

double QsnetStudy::mean_us(const ProgramSpec& run) const {
  return static_cast<double>(at(run).slowest.mean.count()) / 1e6;
}

ProgramSpec QsnetStudy::ping(const Curve& curve, std::size_t bytes, bool both) const {
  const bool is_long = bytes > 4096;
  // Long messages all take the same time from the second on.
  const int turns = is_long ? 1 : iterations, before = is_long ? 1 : warmup;
  const char* const answer = both ? "yes" : "no";
  ProgramSpec run{.cluster = lab_.cluster, .hosts = "2"};
  if (std::string_view(curve.library) == "elan3") {
    run.program = fmt::format("elan_ping:bytes={},from={},to={},both={},iterations={},warmup={}",
                              bytes, curve.from, curve.to, answer, turns, before);
  } else {
    run.program = fmt::format("pingpong:bytes={},both={},iterations={},warmup={}", bytes, answer,
                              turns, before);
    if (std::string_view(curve.library) == "tports") run.library = tports_;
  }
  return run;
}

double QsnetStudy::latency(const Curve& curve, std::size_t bytes, bool both) const {
  const bool elan3 = std::string_view(curve.library) == "elan3";
  return figure(ping(curve, bytes, both), elan3 ? "latency" : "one_way");
}

double QsnetStudy::bandwidth(const Curve& curve, std::size_t bytes, bool both) const {
  return figure(ping(curve, bytes, both), "bandwidth");
}

std::vector<std::size_t> QsnetStudy::bandwidth_sizes() const {
  if (quick()) return {64, 1024, 16384, longest};
  std::vector<std::size_t> out;
  for (std::size_t bytes = 16; bytes <= longest; bytes *= 2) out.push_back(bytes);
  return out;
}

std::vector<std::size_t> QsnetStudy::latency_sizes() const {
  if (quick()) return {0, 1, 64, 287, 288, 320, 4096};
  return {0, 1, 4, 8, 16, 32, 64, 128, 192, 256, 287, 288, 320, 384, 512, 1024, 2048, 4096};
}

std::vector<std::size_t> QsnetStudy::source_counts() const {
  if (quick()) return {1, 3, hosts_ - 1};
  return {1, 2, 3, 4, 6, 8, 10, 12, hosts_ - 1};
}

ProgramSpec QsnetStudy::stream(const Curve& curve, bool both) const {
  return {.program = fmt::format(
              "elan_ping:bytes=256KiB,from={},to={},both={},window=2,iterations={},warmup=1",
              curve.from, curve.to, both ? "yes" : "no", quick() ? 6 : 20),
          .cluster = lab_.cluster,
          .hosts = "2"};
}

ProgramSpec QsnetStudy::hot_spot(const std::string& by, std::size_t sources) const {
  return {.program =
              fmt::format("hot_spot:by={},bytes=64KiB,iterations={},warmup=1", by, quick() ? 2 : 4),
          .cluster = lab_.cluster,
          .hosts = std::to_string(sources + 1)};
}

}  // namespace weft::papers::qsnet
