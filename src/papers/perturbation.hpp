// SPDX-License-Identifier: Apache-2.0
// What the verdicts on a paper's claims rest on: the study is run again, quickly, on machines whose
// assumed and calibrated constants are scaled at random. A claim that holds whatever they are says
// something about the structure, one that flips says something about the calibration.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lab/report/result_file.hpp"
#include "papers/runner/paper.hpp"

namespace weft::papers {

/// The most that a constant is multiplied or divided by.
inline constexpr double largest_factor = 3;

struct PerturbedRun {
  std::uint64_t seed = 0;
  std::map<std::string, double> factors{};  ///< of constants, by name
  std::map<std::string, bool> verdicts{};   ///< on claims, by id
  std::size_t draws = 0;                    ///< of factors, until a machine works
  std::string rejected{};                   ///< why the machine before did not work
  std::string problem{};                    ///< why some claims could not be judged
};

/// A claim in all runs.
struct PerturbedClaim {
  std::string id, says;
  bool usually = false;           ///< holds with the constants as they are
  std::size_t held = 0, ran = 0;  ///< in so many of the runs that it could be judged in
  std::string depends{};          ///< "nic.post: fails where it is large", where one stands out
  bool flips() const { return ran > 0 && held != (usually ? ran : 0); }
};

struct Perturbation {
  std::string name{};  ///< of the paper, or of one of its experiments
  std::string title{};
  std::set<std::string> assumed{}, calibrated{};  ///< names of the constants that are scaled
  std::vector<PerturbedRun> runs{};
  std::vector<PerturbedClaim> claims{};
};

struct PerturbationPlan {
  std::size_t runs = 20;
  std::uint64_t first_seed = 1;
  std::string folder{};  ///< for the cluster files of the runs: FOLDER/SEED/NAME.toml
};

/// Throws Error for a request without claims.
Perturbation perturb(std::string_view request, const Lab& lab, const PerturbationPlan& plan);

/// A line for each claim; the last line counts them.
void write_perturbation(std::ostream& out, const Perturbation& found);
/// Claims; and a row for each claim and run.
nlohmann::ordered_json document_of(const Perturbation& found);
void write_csv(std::ostream& out, const Perturbation& found);
/// A row for each run and constant.
void write_factors_csv(std::ostream& out, const Perturbation& found);
ResultFile perturbation_csv_file();
ResultFile perturbation_factors_file();
ResultFile perturbation_json_file();

}  // namespace weft::papers
