// SPDX-License-Identifier: Apache-2.0
// The three clusters of the VIA barrier paper, and the runs on them.
#include <filesystem>

#include "base/error.hpp"
#include "papers/viabarrier/experiments.hpp"

namespace weft::papers::viabarrier {
namespace {

/// "mine/viabarrier1.toml" becomes "mine/viabarrier3.toml".
std::string named(const std::string& first, std::size_t number) {
  const std::filesystem::path path(first);
  std::string stem = path.stem().string();
  if (!stem.ends_with('1'))
    throw Error("{}: the study has three clusters, whose names end in 1, 2 and 3: name the first",
                first);
  stem.back() = static_cast<char>('0' + number);
  return (path.parent_path() / (stem + path.extension().string())).string();
}

}  // namespace

std::span<const Param> study_params() {
  static constexpr std::array rows{
      Param{"iterations", Whole{1, 1'000'000'000}, "10000", "barriers in a row"},
      Param{"measured", Whole{1, 1'000'000'000}, "1000", "barriers whose mean is taken"},
      Param{"interrupt", DurationText{}, "15us", "from a NIC's interrupt until the program runs"},
  };
  return rows;
}

double gain(double before, double after) { return 100 * (1 - after / before); }

ViabarrierStudy::ViabarrierStudy(const Lab& lab) : lab_(lab) {
  for (std::size_t i = 0; i < 3; ++i) {
    names_[i] = named(lab.cluster, i + 1);
    clusters_[i] = find_cluster(names_[i]);
    if (clusters_[i].nic.empty() || clusters_[i].library.empty() || clusters_[i].model.empty())
      throw Error("{}: the study needs a switch model, a nic and a library", clusters_[i].name);
    hosts_[i] = static_cast<int>(
        find_fabric(clusters_[i].topologies.front(), clusters_[i].links).host_count());
    if (hosts_[i] < (8 << i))
      throw Error("{}: cluster {} of the study has {} hosts or more", clusters_[i].name, i + 1,
                  8 << i);
  }
  const Params params({"viabarrier", clusters_[0].paper}, study_params());
  const auto barriers = [&](const char* name) {
    const auto all = params.whole<std::size_t>(name);
    return lab.quick ? std::min<std::size_t>(all, 40) : all;
  };
  iterations_ = barriers("iterations");
  measured_ = barriers("measured");
  interrupt_ = params.written("interrupt");
}

ClusterRun ViabarrierStudy::barrier_run(int cluster, const std::string& algorithm, int hosts,
                                        int tasks, std::size_t iterations) {
  return {
      cluster,
      fmt::format("barrier:algorithm={},iterations={},warmup={}", algorithm, iterations, warmup),
      hosts, tasks};
}

void ViabarrierStudy::prepare(const std::vector<ClusterRun>& runs) {
  results_.add(lab_, runs,
               {.simulate =
                    [this](const ClusterRun& run) {
                      return run_program({.program = run.program,
                                          .cluster = name(run.cluster),
                                          .hosts = std::to_string(run.hosts),
                                          .ranks = std::to_string(run.tasks)},
                                         networks_);
                    },
                .label = [](const ClusterRun& run) { return run.program; }});
}

std::vector<Cell> ViabarrierStudy::program_row(const ClusterRun& run) const {
  const ProgramResult& result = at(run);
  return {command_of(result.spec), std::string(weft::to_text(result.ended)), microseconds(run),
          static_cast<std::int64_t>(result.messages)};
}

Declared ViabarrierStudy::declared() const {
  Declared out;
  for (const int number : {1, 2, 3})
    out.emplace_back(name(number), cluster(number).topologies.front());
  out.emplace_back("iterations", std::to_string(iterations_));
  out.emplace_back("measured", std::to_string(measured_));
  out.emplace_back("interrupt", interrupt_);
  return out;
}

double ViabarrierStudy::microseconds(const ClusterRun& run) const {
  return static_cast<double>(at(run).rank_means.mean.count()) / 1e6;
}

}  // namespace weft::papers::viabarrier
