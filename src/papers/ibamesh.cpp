// SPDX-License-Identifier: Apache-2.0
// ibamesh: Zhou, Liu and Chung, Hardware Supported Multicast in 2-D Mesh InfiniBand Networks. No
// absolute number is published: tables are compared exactly, statements are judged case by case,
// and what the paper leaves open is declared in clusters/ibamesh.toml.
#include "papers/parts/ibamesh.hpp"

#include "papers/parts/expected.hpp"
#include "papers/rows.hpp"

namespace weft::papers {
namespace {

struct Row {
  Experiment experiment;
  Section (*run)(const iba::Context&);
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {{"lids", "node addresses (3.1)"}, iba::lids},
      {{"lft", "forwarding tables and the five paths of figure 5 (3.2, 3.3.1, 3.3.2)"},
       iba::forwarding},
      {{"mft", "multicast forwarding table of figure 7, by union (3.3.2)"},
       iba::multicast_forwarding},
  };
  return all;
}

}  // namespace

std::vector<Experiment> ibamesh_experiments() {
  std::vector<Experiment> out;
  for (const Row& row : rows()) out.push_back(row.experiment);
  return out;
}

Page ibamesh(const Lab& lab) {
  const iba::Context context{lab, find_cluster(lab.cluster), stated_by("ibamesh")};
  Page page;
  for (const Row& row : rows()) {
    if (std::find(lab.experiments.begin(), lab.experiments.end(), row.experiment.name) ==
        lab.experiments.end())
      continue;
    page.sections.push_back(row.run(context));
    page.sections.back().about = row.experiment.about;
  }
  return page;
}

}  // namespace weft::papers
