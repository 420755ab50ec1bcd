// SPDX-License-Identifier: Apache-2.0
// What a paper states (its expected.csv) and the answers of an experiment to it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/format/format.hpp"
#include "papers/runner/cases.hpp"
#include "papers/runner/page.hpp"

namespace weft::papers {

/// Reads expected.csv. Throws Error "file:line: …" for a line that is of no kind, a claim without
/// its number of cases, or "again" of something that is not stated before.
std::vector<Stated> read_stated(const Source& source);

/// What the paper of this name states; its file is embedded in the program.
std::vector<Stated> stated_by(std::string_view paper);

/// The number that the paper states under this id; 0 for none.
double value_of(const std::vector<Stated>& stated, std::string_view id);

/// The answers to all that a paper states on one experiment. An answer to nothing stated, or a
/// statement without an answer, is a bug: nothing is hidden.
class Answers {
 public:
  Answers(const std::vector<Stated>& stated, std::string_view experiment);

  /// `id` is without the experiment's name: "flow A".
  void number(std::string_view id, double ours, std::string because = "");
  void exact(std::string_view id, std::string ours, std::string because = "");
  /// A claim, a check, or something of ours that holds or not, in every case it names.
  void claim(std::string_view id, const Cases& cases, std::string because = "");
  /// One that names a single case.
  void claim(std::string_view id, bool holds, std::string because);
  std::vector<Comparison> done() &&;

 private:
  Comparison& find(std::string_view id, AnswerForm form);
  Comparison& judge(std::string_view id, std::size_t cases, std::size_t held);

  std::string experiment_;
  std::vector<Comparison> answers_;
  std::vector<bool> answered_;
};

}  // namespace weft::papers
