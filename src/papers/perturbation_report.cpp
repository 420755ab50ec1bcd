// SPDX-License-Identifier: Apache-2.0
// A perturbation as human-readable text, JSON and CSV.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/words.hpp"
#include "lab/report/report.hpp"
#include "lab/revision.hpp"
#include "papers/perturbation.hpp"

namespace weft::papers {
namespace {

using Json = nlohmann::ordered_json;

/// Fewer runs say little about other machines.
constexpr std::size_t few = 10;

/// What the number of runs in which it held says.
std::string meaning(const PerturbedClaim& claim) {
  if (claim.ran == 0) return "could not be judged";
  if (!claim.flips()) return claim.ran < few ? "the same in all runs" : "structure";
  return claim.depends.empty() ? "calibration" : fmt::format("calibration: it {}", claim.depends);
}

/// A verdict that is the same in all runs flips on fewer of such machines than this share, with 95
/// % confidence.
double most_flips(std::size_t runs) { return 1 - std::pow(0.05, 1 / static_cast<double>(runs)); }

std::string heading(const Perturbation& found) {
  return fmt::format(
      "{} constants ({} assumed, {} calibrated) multiplied by 1/{:.0f} to {:.0f} at random, {} of "
      "--quick, seeds {} to {}. For each claim: the runs in which it held, its verdict with the "
      "constants as they are (in the same quick study: that of the whole one may be another), and "
      "what the verdict is about: the structure, where it is the same in all runs (it flips on "
      "fewer than {:.0f} % of such machines then, with 95 % confidence), or the calibration",
      found.assumed.size() + found.calibrated.size(), found.assumed.size(), found.calibrated.size(),
      largest_factor, largest_factor, counted(found.runs.size(), "run", "runs"),
      found.runs.front().seed, found.runs.back().seed, 100 * most_flips(found.runs.size()));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void write_claim(std::ostream& out, const PerturbedClaim& claim, std::size_t width) {
  const std::string first =
      fmt::format("  {:>7}  {:<5}  {:<{}} ", fmt::format("{}/{}", claim.held, claim.ran),
                  claim.usually ? "holds" : "FAILS", claim.id, width);
  out << wrapped(first, fmt::format("{}; {}", meaning(claim), claim.says)) << '\n';
}

}  // namespace

void write_perturbation(std::ostream& out, const Perturbation& found) {
  out << found.title << '\n';
  out << wrapped("perturbed:", heading(found)) << "\n\n";
  std::size_t width = 0, flips = 0, unjudged = 0;
  for (const PerturbedClaim& claim : found.claims) width = std::max(width, claim.id.size());
  for (const PerturbedClaim& claim : found.claims) {
    write_claim(out, claim, width);
    flips += claim.flips() ? 1 : 0;
    unjudged += claim.ran == 0 ? 1 : 0;
  }
  for (const PerturbedRun& run : found.runs) {
    const std::string first = fmt::format("  seed {}:", run.seed);
    if (run.draws > 1)
      out << wrapped(first, fmt::format("{}, for one: {}",
                                        counted(run.draws - 1, "machine that cannot work",
                                                "machines that cannot work") +
                                            " drawn before",
                                        first_line(run.rejected)))
          << '\n';
    if (!run.problem.empty())
      out << wrapped(first, "not all could run: " + first_line(run.problem)) << '\n';
  }
  out << fmt::format("\n{}: {} of {} claims keep one verdict in {}, {} flip{}\n", found.name,
                     found.claims.size() - flips - unjudged, found.claims.size(),
                     counted(found.runs.size(), "run", "runs"), flips,
                     unjudged == 0 ? "" : fmt::format(", {} could not be judged", unjudged));
}

ResultFile perturbation_csv_file() {
  return {"weft reproduce --perturb N --csv FILE, perturbed.csv of -o DIR",
          "a row for each claim and run",
          {{"id", "of the claim"},
           {"says", "the claim, in our words"},
           {"usually", "whether it holds with the constants as they are"},
           {"seed", "of the run's factors"},
           {"holds", "whether it held; empty where it could not be judged"},
           {"revision", "of weft"}}};
}

ResultFile perturbation_factors_file() {
  return {"factors.csv of weft reproduce --perturb N -o DIR",
          "a row for each run and constant",
          {{"seed", "of the run"},
           {"constant", "its place in the cluster file and its key"},
           {"origin", "assumed or calibrated"},
           {"factor", "that it was multiplied by"},
           {"revision", "of weft"}}};
}

ResultFile perturbation_json_file() {
  return {"weft reproduce --perturb N --json FILE, perturbed.json of -o DIR", "one document",
          json_keys("perturbation 1",
                    {{"paper", "its name in weft"},
                     {"title", "of the paper"},
                     {"assumed", "constants that are assumptions, all of which are scaled"},
                     {"calibrated", "constants that are calibrated, all of which are scaled"},
                     {"claims[].id", "of the claim"},
                     {"claims[].says", "the claim, in our words"},
                     {"claims[].usually", "whether it holds with the constants as they are"},
                     {"claims[].held", "runs in which it held"},
                     {"claims[].ran", "runs in which it could be judged"},
                     {"claims[].depends", "the constant that decides it, where one stands out"},
                     {"runs[].seed", "of its factors"},
                     {"runs[].factors.CONSTANT", "that the constant was multiplied by"},
                     {"runs[].verdicts.CLAIM", "whether the claim held"},
                     {"runs[].draws", "of factors, until a machine worked"},
                     {"runs[].rejected", "why the machine before did not"},
                     {"runs[].problem", "why some claims could not be judged"}})};
}

nlohmann::ordered_json document_of(const Perturbation& found) {
  Json claims = Json::array(), runs = Json::array();
  for (const PerturbedClaim& claim : found.claims)
    claims.push_back({{"id", claim.id},
                      {"says", claim.says},
                      {"usually", claim.usually},
                      {"held", claim.held},
                      {"ran", claim.ran},
                      {"depends", claim.depends}});
  for (const PerturbedRun& run : found.runs)
    runs.push_back({{"seed", run.seed},
                    {"factors", run.factors},
                    {"verdicts", run.verdicts},
                    {"draws", run.draws},
                    {"rejected", run.rejected},
                    {"problem", run.problem}});
  Json document{{"weft", "perturbation 1"},
                {"revision", std::string(revision())},
                {"paper", found.name},
                {"title", found.title},
                {"assumed", found.assumed.size()},
                {"calibrated", found.calibrated.size()},
                {"claims", claims},
                {"runs", runs}};
  return document;
}

void write_csv(std::ostream& out, const Perturbation& found) {
  out << csv_heading(perturbation_csv_file()) << '\n';
  for (const PerturbedClaim& claim : found.claims)
    for (const PerturbedRun& run : found.runs) {
      const auto verdict = run.verdicts.find(claim.id);
      out << fmt::format("{},{},{},{},{},{}\n", csv_field(claim.id), csv_field(claim.says),
                         claim.usually, run.seed,
                         verdict == run.verdicts.end() ? ""
                         : verdict->second             ? "true"
                                                       : "false",
                         revision());
    }
}

void write_factors_csv(std::ostream& out, const Perturbation& found) {
  out << csv_heading(perturbation_factors_file()) << '\n';
  for (const PerturbedRun& run : found.runs)
    for (const auto& [name, factor] : run.factors)
      out << fmt::format("{},{},{},{:.6f},{}\n", run.seed, name,
                         found.assumed.contains(name) ? "assumed" : "calibrated", factor,
                         revision());
}

}  // namespace weft::papers
