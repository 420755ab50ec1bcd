// SPDX-License-Identifier: Apache-2.0
// Tables I and III: path hops and bisections.
#include "papers/rhinet2/experiments.hpp"
#include "plan/check/bisection.hpp"
#include "plan/check/survey.hpp"

namespace weft::papers::rhinet2 {
namespace {

/// Half up to two digits, as the paper rounds: 3.625 is printed 3.63.
std::string hundredths(std::uint64_t sum, std::uint64_t count) {
  const std::uint64_t value = (200 * sum + count) / (2 * count);
  return fmt::format("{}.{:02}", value / 100, value % 100);
}

std::string hops(const Machine& machine) {
  const Survey seen = survey(machine.fabric(), machine.tables());
  return fmt::format("{} {}", hundredths(seen.hop_sum, seen.reached), seen.most_hops);
}

}  // namespace

void operator+=(Rhinet2Runs& runs, const Rhinet2Runs& more) {
  runs.insert(runs.end(), more.begin(), more.end());
}

std::string usual_engine(const std::string& topology) {
  return topology.starts_with("Clos") || topology.starts_with("fat tree") ? "minimal" : "sbp";
}

Section table1(const Rhinet2Context& context) {
  Answers answers(context.stated, "table1");
  for (const char* topology : {"A", "B surrogate", "mesh", "torus"}) {
    answers.exact(fmt::format("{}/topology", topology),
                  hops(context.study.machine(topology, "minimal")));
    for (const char* engine : {"updown1", "dfs", "sbp", "dl"})
      answers.exact(fmt::format("{}/{}", topology, engine),
                    hops(context.study.machine(topology, engine)));
    const Machine& prefix = context.study.machine(topology, "prefix");
    const Survey seen = survey(prefix.fabric(), prefix.tables());
    answers.number(fmt::format("{}/prefix", topology), seen.mean_hops(), our_prefix);
    answers.number(fmt::format("{}/prefix-max", topology), static_cast<double>(seen.most_hops),
                   our_prefix);
  }
  return {.id = "table1", .about = {}, .answers = std::move(answers).done()};
}

Section table3(const Rhinet2Context& context) {
  Answers answers(context.stated, "table3");
  for (const char* topology : {"ring 8", "mesh 4x2", "torus 4x2", "Clos 32", "fat tree 14"}) {
    const Machine& machine = context.study.machine(topology, usual_engine(topology));
    answers.exact(topology,
                  fmt::format("{} {}", hops(machine), bisection_width(machine.fabric()).links));
  }
  return {.id = "table3", .about = {}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::rhinet2
