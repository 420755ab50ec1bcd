// SPDX-License-Identifier: Apache-2.0
// The table of papers, one folder each.
#include "papers/catalog.hpp"

#include <algorithm>

#include "base/catalog.hpp"
#include "papers/gmqos/paper.hpp"
#include "papers/hardware/paper.hpp"
#include "papers/ibamesh/paper.hpp"
#include "papers/qsnet/paper.hpp"
#include "papers/rhinet2/paper.hpp"
#include "papers/runner/seeds.hpp"
#include "papers/viabarrier/paper.hpp"

namespace weft::papers {

std::span<const Paper> papers() {
  static const std::vector<Paper> rows{ibamesh::paper(), viabarrier::paper(), rhinet2::paper(),
                                       gmqos::paper(),   qsnet::paper(),      hardware::paper()};
  return rows;
}

PaperRequest find_request(std::string_view text, bool quick) {
  const std::size_t slash = text.find('/');
  PaperRequest out{&find_row(papers(), "paper", text.substr(0, slash))};
  if (slash == std::string_view::npos) {
    for (const Experiment& experiment : out.paper->experiments)
      if (!quick || !experiment.costly) out.experiments.emplace_back(experiment.name);
    return out;
  }
  const std::span<const Experiment> experiments(out.paper->experiments);
  const std::string kind = fmt::format("experiment of {}", out.paper->name);
  out.experiments.emplace_back(find_row(experiments, kind, text.substr(slash + 1)).name);
  return out;
}

namespace {

void require_all_cases(const Page& page) {
  for (const Section& section : page.sections)
    for (const Comparison& answer : section.answers) {
      const Stated& stated = answer.stated;
      if (stated.kind != StatementKind::claim) continue;
      const bool all = page.quick ? answer.cases >= 1 && answer.cases <= stated.cases
                                  : answer.cases == stated.cases;
      invariant(all, fmt::format("{} names {} cases and is judged on {}", stated.id, stated.cases,
                                 answer.cases)
                         .c_str());
    }
}

}  // namespace

Page reproduce(std::string_view request, Lab lab) {
  const PaperRequest wanted = find_request(request, lab.quick);
  const bool own_machine = lab.cluster.empty();
  if (lab.experiments.empty()) lab.experiments = wanted.experiments;
  if (own_machine) lab.cluster = wanted.paper->cluster;
  Page page = wanted.paper->reproduce(lab);
  page.name = request;
  page.title = wanted.paper->summary;
  page.quick = lab.quick;
  if (!own_machine) page.cluster = lab.cluster;
  if (own_machine) require_all_cases(page);
  return page;
}

Page reproduce_with_seeds(std::string_view request, const Lab& lab, std::size_t seeds) {
  const PaperRequest wanted = find_request(request);
  std::vector<std::string> random;
  for (const Experiment& experiment : wanted.paper->experiments)
    if (experiment.random && std::find(wanted.experiments.begin(), wanted.experiments.end(),
                                       experiment.name) != wanted.experiments.end())
      random.emplace_back(experiment.name);
  std::vector<Page> pages;
  for (std::size_t i = 0; i < (random.empty() ? 1 : seeds); ++i) {
    Lab repeated = lab;
    repeated.repetition = i;
    if (i > 0) repeated.experiments = random;
    repeated.progress = [&, i](double share, const std::string& what) {
      lab.progress((static_cast<double>(i) + share) / static_cast<double>(seeds),
                   fmt::format("seed {} of {}: {}", i + 1, seeds, what));
    };
    pages.push_back(reproduce(request, repeated));
  }
  return over_seeds(pages);
}

}  // namespace weft::papers
