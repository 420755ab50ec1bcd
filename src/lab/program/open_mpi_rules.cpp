// SPDX-License-Identifier: Apache-2.0
// Rules of Open MPI's tuned collectives. Numbers and sizes are those of Open MPI 4.1: the
// enumeration COLLTYPE, the algorithms of coll_tuned_*_decision.c, and what
// coll_tuned_decision_dynamic.c compares with the sizes of rules.
#include "lab/program/open_mpi_rules.hpp"

#include <algorithm>
#include <span>

#include "base/error.hpp"
#include "comm/coll/coll.hpp"

namespace weft {
namespace {

struct OpenMpiAlgorithm {
  std::string_view name;         ///< ours
  int number = 0;                ///< Open MPI's
  std::string_view allgather{};  ///< of the blocks, where that makes a difference
};

/// What the size of a rule counts.
enum class RuleSize { of_program, of_all_ranks, none };

struct OpenMpiCollective {
  std::string_view program;
  int number = 0;
  RuleSize size{};
  std::vector<OpenMpiAlgorithm> algorithms;
};

/// A chain in segments is what Open MPI calls a pipeline; its chain is several side by side. Scans
/// are missing: rules for them see the size of an element instead of the data's.
std::span<const OpenMpiCollective> open_mpi_collectives() {
  using enum RuleSize;
  static const std::vector<OpenMpiCollective> rows{
      {"allgather",
       0,
       of_program,
       {{"linear", 1}, {"bruck", 2}, {"recursive_doubling", 3}, {"ring", 4}, {"neighbour", 5}}},
      {"allreduce",
       2,
       of_program,
       {{"linear", 1}, {"recursive_doubling", 3}, {"ring", 4}, {"rabenseifner", 6}}},
      {"alltoall", 3, of_all_ranks, {{"linear", 1}, {"pairwise", 2}, {"bruck", 3}}},
      {"barrier", 6, none, {{"pairwise", 3}, {"dissemination", 4}, {"tree", 6}}},
      {"broadcast",
       7,
       of_program,
       {{"linear", 1},
        {"chain", 3},
        {"binomial", 6},
        {"scatter_allgather", 8, "recursive_doubling"},
        {"scatter_allgather", 9, "ring"}}},
      {"gather", 9, of_all_ranks, {{"linear", 1}, {"binomial", 2}}},
      {"reduce",
       11,
       of_program,
       {{"linear", 1}, {"chain", 3}, {"binomial", 5}, {"rabenseifner", 7}}},
      {"reduce_scatter", 12, of_program, {{"halving", 2}, {"ring", 3}}},
      {"scatter", 15, of_all_ranks, {{"linear", 1}, {"binomial", 2}}},
  };
  return rows;
}

const OpenMpiCollective& collective_of(const AlgorithmComparison& compared) {
  for (const OpenMpiCollective& row : open_mpi_collectives())
    if (row.program == compared.program) return row;
  throw Error("{}: Open MPI has no rules for it by the size of its data", compared.program);
}

struct ChosenAlgorithm {
  int number = 0;
  std::int64_t segment = 0;
  friend bool operator==(const ChosenAlgorithm&, const ChosenAlgorithm&) = default;
};

/// A parameter of the algorithm: as given, or its default.
std::string algorithm_param(const Spec& given, std::string_view name) {
  const std::string key(name);
  if (const auto found = given.values.find(key); found != given.values.end()) return found->second;
  for (const auto& row : comm::algorithms<comm::Broadcast>())
    for (const Param& param : row.params)
      if (param.name == name) return std::string(param.fallback);
  return "";
}

std::optional<ChosenAlgorithm> chosen(const OpenMpiCollective& collective,
                                      const ComparedAlgorithm& algorithm) {
  const std::string name = program_from(algorithm.spec.text()).params.written("algorithm");
  for (const OpenMpiAlgorithm& row : collective.algorithms) {
    if (row.name != name) continue;
    if (!row.allgather.empty() && algorithm_param(algorithm.spec, "allgather") != row.allgather)
      continue;
    const bool segmented = name == "chain";
    return ChosenAlgorithm{
        row.number, segmented ? bytes_from(algorithm_param(algorithm.spec, "segment")).count : 0};
  }
  return std::nullopt;
}

struct OpenMpiRule {
  std::int64_t from = 0;  ///< as Open MPI counts sizes
  ChosenAlgorithm chosen{};
  std::string name{};  ///< ours
};

/// The rules of a placement. The first holds from 0 on, and one that repeats another is left out.
std::vector<OpenMpiRule> rules_at(const AlgorithmComparison& compared, std::size_t at) {
  const OpenMpiCollective& collective = collective_of(compared);
  std::vector<OpenMpiRule> out;
  for (std::size_t size = 0; size < compared.sizes.size(); ++size)
    for (const AlgorithmTime& one : compared.ranking(size, at)) {
      const ComparedAlgorithm& algorithm = compared.algorithms[one.algorithm];
      const auto choice = chosen(collective, algorithm);
      if (!choice) continue;
      const std::int64_t ranks =
          collective.size == RuleSize::of_all_ranks ? compared.placements[at].in_all : 1;
      if (out.empty() || !(out.back().chosen == *choice))
        out.push_back(
            {out.empty() ? 0 : compared.sizes[size].count * ranks, *choice, algorithm.name});
      break;
    }
  return out;
}

void reject_ambiguous(const std::vector<RankPlacement>& placements) {
  const auto twice = std::adjacent_find(
      placements.begin(), placements.end(),
      [](const RankPlacement& a, const RankPlacement& b) { return a.in_all == b.in_all; });
  if (twice != placements.end())
    throw Error("Open MPI's rules know the number of ranks alone, and {} ranks are placed twice",
                twice->in_all);
}

}  // namespace

std::vector<std::string> without_open_mpi_counterpart(const AlgorithmComparison& compared) {
  reject_ambiguous(compared.placements);
  const OpenMpiCollective& collective = collective_of(compared);
  std::vector<std::string> out;
  for (const ComparedAlgorithm& algorithm : compared.algorithms)
    if (!chosen(collective, algorithm)) out.push_back(algorithm.name);
  if (out.size() == compared.algorithms.size())
    throw Error("{}: Open MPI has none of the algorithms that are compared", compared.program);
  return out;
}

std::string open_mpi_rules(const AlgorithmComparison& compared) {
  without_open_mpi_counterpart(compared);
  const OpenMpiCollective& collective = collective_of(compared);
  const char* const counted_bytes =
      collective.size == RuleSize::of_all_ranks ? "bytes of all blocks" : "bytes";
  std::string by_ranks;
  std::size_t placements = 0;
  for (std::size_t at = 0; at < compared.placements.size(); ++at) {
    const std::vector<OpenMpiRule> rules = rules_at(compared, at);
    if (rules.empty()) continue;
    ++placements;
    by_ranks += fmt::format("{} # ranks\n{} # rules: from {} on, algorithm, fan-out, segment\n",
                            compared.placements[at].in_all, rules.size(), counted_bytes);
    for (const OpenMpiRule& rule : rules)
      by_ranks += fmt::format("{} {} 0 {} # {}\n", rule.from, rule.chosen.number,
                              rule.chosen.segment, rule.name);
  }
  return fmt::format("1 # collective\n{} # {}\n{} # numbers of ranks\n{}", collective.number,
                     compared.program, placements, by_ranks);
}

}  // namespace weft
