// SPDX-License-Identifier: Apache-2.0
// The table of papers.
#include "base/catalog.hpp"

#include "papers/rows.hpp"

namespace weft::papers {

std::span<const Paper> papers() {
  static const std::vector<Paper> rows{
      {"ibamesh", "Zhou, Liu, Chung: Hardware Supported Multicast in 2-D Mesh InfiniBand Networks",
       ibamesh_experiments(), "ibamesh", ibamesh},
      {"viabarrier",
       "Gupta, Tipparaju, Nieplocha, Panda: Efficient Barrier using Remote Memory Operations on "
       "VIA-Based Clusters",
       viabarrier_experiments(), "viabarrier1", viabarrier},
      {"rhinet2",
       "Koibuchi, Watanabe, Otsuka, Amano: Performance Evaluation of Deterministic Routings, "
       "Multicasts, and Topologies on RHiNET-2 Cluster",
       rhinet2_experiments(), "rhinet2", rhinet2},
      {"gmqos", "Gulati: A Proportional Bandwidth Allocation Scheme for Myrinet Clusters",
       gmqos_experiments(), "gmqos", gmqos},
      {"qsnet",
       "Petrini, Feng, Hoisie, Coll, Frachtenberg: The Quadrics Network: High-Performance "
       "Clustering Technology",
       qsnet_experiments(), "qsnet", qsnet},
  };
  return rows;
}

Request find_request(std::string_view text) {
  const std::size_t slash = text.find('/');
  Request out{&find_row(papers(), "paper", text.substr(0, slash))};
  if (slash == std::string_view::npos) {
    for (const Experiment& experiment : out.paper->experiments)
      out.experiments.emplace_back(experiment.name);
    return out;
  }
  const std::span<const Experiment> experiments(out.paper->experiments);
  const std::string kind = fmt::format("experiment of {}", out.paper->name);
  out.experiments.emplace_back(find_row(experiments, kind, text.substr(slash + 1)).name);
  return out;
}

Page reproduce(std::string_view request, Lab lab) {
  const Request wanted = find_request(request);
  lab.experiments = wanted.experiments;
  if (lab.cluster.empty()) lab.cluster = wanted.paper->cluster;
  Page page = wanted.paper->reproduce(lab);
  page.name = request;
  page.title = wanted.paper->summary;
  page.quick = lab.quick;
  return page;
}

}  // namespace weft::papers
