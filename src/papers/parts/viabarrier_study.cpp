// SPDX-License-Identifier: Apache-2.0
// The three clusters of the VIA barrier paper, and the runs on them.
#include <mutex>

#include "base/error.hpp"
#include "lab/parallel.hpp"
#include "papers/parts/viabarrier.hpp"

namespace weft::papers::via {
namespace {

/// "viabarrier1" becomes "viabarrier3".
std::string named(const std::string& first, std::size_t number) {
  const std::size_t at = first.rfind('1');
  if (at == std::string::npos)
    throw Error("{}: the study has three clusters: name the first, with a 1 where others have 2, 3",
                first);
  return std::string(first).replace(at, 1, std::to_string(number));
}

}  // namespace

std::span<const Param> study_params() {
  static constexpr std::array rows{
      Param{"iterations", "10000", "barriers in a row"},
      Param{"interrupt", "15us", "from a NIC's interrupt until the program runs"},
  };
  return rows;
}

double gain(double before, double after) { return 100 * (1 - after / before); }

Study::Study(const Lab& lab) : lab_(lab) {
  for (std::size_t i = 0; i < 3; ++i) {
    names_[i] = named(lab.cluster, i + 1);
    clusters_[i] = find_cluster(names_[i]);
    if (clusters_[i].nic.empty() || clusters_[i].library.empty() || clusters_[i].model.empty())
      throw Error("{}: the study needs a switch model, a nic and a library", clusters_[i].name);
    hosts_[i] =
        static_cast<int>(find_fabric(clusters_[i].topologies.front(), &clusters_[i]).host_count());
    if (hosts_[i] < (8 << i))
      throw Error("{}: cluster {} of the study has {} hosts or more", clusters_[i].name, i + 1,
                  8 << i);
  }
  const Params params({"viabarrier", clusters_[0].paper}, study_params());
  const auto all = static_cast<std::size_t>(params.integer("iterations", 1, 1'000'000'000));
  iterations_ = lab.quick ? std::min<std::size_t>(all, 40) : all;
  params.duration("interrupt");
  interrupt_ = params.text("interrupt");
}

Run Study::barrier_run(int cluster, const std::string& algorithm, int hosts, int tasks) const {
  return {
      cluster,
      fmt::format("barrier:algorithm={},iterations={},warmup={}", algorithm, iterations_, warmup),
      hosts, tasks};
}

void Study::prepare(const std::vector<Run>& runs) {
  std::vector<Run> todo;
  for (const Run& run : runs)
    if (results_.try_emplace(run).second) todo.push_back(run);
  std::mutex mutex;
  std::size_t done = 0;
  in_parallel(todo.size(), lab_.threads, [&](std::size_t i) {
    const Run& run = todo[i];
    ProgramResult result = run_program({.program = run.program,
                                        .cluster = name(run.cluster),
                                        .hosts = std::to_string(run.hosts),
                                        .ranks = std::to_string(run.tasks)});
    const std::lock_guard lock(mutex);
    results_[run] = std::move(result);
    ++done;
    lab_.progress(static_cast<double>(done) / static_cast<double>(todo.size()), run.program);
  });
}

const ProgramResult& Study::at(const Run& run) const {
  const auto found = results_.find(run);
  invariant(found != results_.end(), ("a run was not prepared: " + run.program).c_str());
  return found->second;
}

double Study::microseconds(const Run& run) const {
  return static_cast<double>(at(run).rank_means.mean.count()) / 1e6;
}

}  // namespace weft::papers::via
