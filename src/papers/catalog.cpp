// SPDX-License-Identifier: Apache-2.0
// The table of papers, one folder each.
#include "papers/catalog.hpp"

#include "base/catalog.hpp"
#include "papers/gmqos/paper.hpp"
#include "papers/hardware/paper.hpp"
#include "papers/ibamesh/paper.hpp"
#include "papers/qsnet/paper.hpp"
#include "papers/rhinet2/paper.hpp"
#include "papers/viabarrier/paper.hpp"

namespace weft::papers {

std::span<const Paper> papers() {
  static const std::vector<Paper> rows{ibamesh::paper(), viabarrier::paper(), rhinet2::paper(),
                                       gmqos::paper(),   qsnet::paper(),      hardware::paper()};
  return rows;
}

PaperRequest find_request(std::string_view text) {
  const std::size_t slash = text.find('/');
  PaperRequest out{&find_row(papers(), "paper", text.substr(0, slash))};
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
  const PaperRequest wanted = find_request(request);
  lab.experiments = wanted.experiments;
  if (lab.cluster.empty()) lab.cluster = wanted.paper->cluster;
  Page page = wanted.paper->reproduce(lab);
  page.name = request;
  page.title = wanted.paper->summary;
  page.quick = lab.quick;
  return page;
}

}  // namespace weft::papers
