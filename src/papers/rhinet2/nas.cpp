// SPDX-License-Identifier: Apache-2.0
// Traces of the NAS benchmarks, and the calibration of their compute times.
#include "papers/rhinet2/nas.hpp"

#include <algorithm>
#include <cctype>

#include "base/byte_stream.hpp"
#include "base/error.hpp"
#include "lab/embedded.hpp"
#include "trace/formats/format.hpp"
#include "trace/summary.hpp"

namespace weft::papers::rhinet2 {
namespace {

/// "CG" of "CG.S.16".
std::string program_of(const std::string& benchmark) {
  return benchmark.substr(0, benchmark.find('.'));
}

/// The lines of table VIII for a program, or those of the same class where there are several.
std::vector<std::string> calibrated_by(const std::string& benchmark) {
  std::vector<std::string> same_program, same;
  for (const ItemizedRun& run : itemized_runs()) {
    if (program_of(run.benchmark) == program_of(benchmark))
      same_program.emplace_back(run.benchmark);
    if (run.benchmark == benchmark) same.emplace_back(run.benchmark);
  }
  if (!same.empty()) return same;
  if (same_program.size() > 1) return {same_program.front()};  // MG.S is nearer to MG.W than to A
  return same_program;
}

}  // namespace

const std::vector<ItemizedRun>& itemized_runs() {
  static const std::vector<ItemizedRun> runs{
      {"torus", "dl", "IS.S.16"}, {"A", "updown", "SP.S.16"},     {"A", "dl", "BT.S.16"},
      {"mesh", "dl", "MG.W.16"},  {"torus", "updown", "MG.A.16"}, {"torus", "dl", "CG.A.16"}};
  return runs;
}

trace::Trace nas_trace(const std::string& benchmark) {
  std::string name = benchmark;
  for (char& letter : name)
    if (&letter < name.data() + name.find('.'))
      letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  const EmbeddedFile* found = nullptr;
  for (const EmbeddedFile& file : embedded_traces())
    for (const char* folder : {"npb/", "npb/floor/"})
      if (file.name == fmt::format("{}{}.trace.zst", folder, name) &&
          (found == nullptr || file.name.size() > found->name.size()))
        found = &file;
  invariant(found != nullptr, "there is no trace of a benchmark");
  return trace::read_trace(trace::TraceInput{benchmark, stream_of(std::string(found->text))});
}

double compute_factor(const std::string& benchmark, const ComputedSeconds& computed) {
  const auto factor = [&](const std::string& calibrated) {
    return computed(calibrated) / trace::timed_compute(nas_trace(calibrated));
  };
  if (const std::vector<std::string> own = calibrated_by(benchmark); !own.empty())
    return factor(own.front());
  std::map<std::string, std::pair<double, int>> by_program;
  for (const ItemizedRun& run : itemized_runs()) {
    auto& [sum, count] = by_program[program_of(run.benchmark)];
    sum += factor(run.benchmark);
    ++count;
  }
  double sum = 0;
  for (const auto& [program, factors] : by_program) sum += factors.first / factors.second;
  return sum / static_cast<double>(by_program.size());
}

std::vector<std::string> mpich1_collectives() {
  return {"barrier=pairwise", "bcast=binomial",  "reduce=binomial",
          "allreduce=tree",   "alltoall=linear", "alltoallv=linear"};
}

}  // namespace weft::papers::rhinet2
