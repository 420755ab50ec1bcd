// SPDX-License-Identifier: Apache-2.0
// gmqos: Gulati, A Proportional Bandwidth Allocation Scheme for Myrinet Clusters. Five published
// numbers calibrate clusters/gmqos.toml; T and the trade-off of incoming and outgoing bandwidth are
// measured on the model as in section 5.3, everything else is predicted.
#include "papers/parts/gmqos.hpp"

#include <algorithm>

#include "papers/parts/expected.hpp"
#include "papers/rows.hpp"

namespace weft::papers {
namespace {

struct GmqosRow {
  Experiment experiment;
  Section (*run)(const gm::Context&);
};

const std::vector<GmqosRow>& gmqos_rows() {
  static const std::vector<GmqosRow> all{
      {{"table3.1", "the rate control algorithm by example"}, gm::table_31},
      {{"fig1.3", "contention at an end node and in the network"}, gm::figure_13},
      {{"fig2.3", "round robin by message and by packet"}, gm::figure_23},
      {{"fig2.4", "a flow that crosses two switches, eased by rate control (and figure 3.2)"},
       gm::figure_24},
      {{"sec3.2.1", "rate control by hosts and by NICs"}, gm::section_321},
      {{"fig5.1", "what rate control costs in bandwidth"}, gm::figure_51},
      {{"fig5.2", "what rate control costs in latency"}, gm::figure_52},
      {{"fig5.3", "bandwidth by IDT, and T"}, gm::figure_53},
      {{"fig5.4", "what goes out while packets come in"}, gm::figure_54},
      {{"fig5.5", "two flows out of one host"}, gm::figure_55},
      {{"fig5.6", "three flows out of one host"}, gm::figure_56},
      {{"fig5.7", "two flows into one host"}, gm::figure_57},
      {{"fig5.8", "two flows out of a host, one into it"}, gm::figure_58},
      {{"fig5.9", "bandwidth by IDT under MPI"}, gm::figure_59},
      {{"fig5.10", "two flows out of one host under MPI"}, gm::figure_510},
      {{"fig5.11", "best effort beside two premium flows"}, gm::figure_511},
      {{"fig5.12", "two best-effort flows beside a premium flow"}, gm::figure_512},
      {{"promises", "200 random flows on networks of many switches; not in the paper"},
       gm::promises},
  };
  return all;
}

std::vector<std::pair<std::string, std::string>> declared_by(const gm::Study& study) {
  std::vector<std::pair<std::string, std::string>> out{{"switches", study.rated().switches.spec},
                                                       {"nic", study.rated().nic.spec}};
  for (const Param& param : gm::study_params())
    out.emplace_back(param.name, study.params().text(param.name));
  return out;
}

}  // namespace

std::vector<Experiment> gmqos_experiments() {
  std::vector<Experiment> out;
  for (const GmqosRow& row : gmqos_rows()) out.push_back(row.experiment);
  return out;
}

Page gmqos(const Lab& lab) {
  gm::Study study(lab);
  const gm::Context context{study, stated_by("gmqos")};
  Page page{.declared = declared_by(study)};
  for (const GmqosRow& row : gmqos_rows()) {
    if (std::find(lab.experiments.begin(), lab.experiments.end(), row.experiment.name) ==
        lab.experiments.end())
      continue;
    const auto all = static_cast<double>(lab.experiments.size());
    lab.progress(static_cast<double>(page.sections.size()) / all, std::string(row.experiment.name));
    page.sections.push_back(row.run(context));
    page.sections.back().about = row.experiment.about;
  }
  return page;
}

}  // namespace weft::papers
