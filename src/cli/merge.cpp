// SPDX-License-Identifier: Apache-2.0
// weft merge: the journals of all shards of a sweep become its results.
#include "cli/sweeps/merge.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/page.hpp"
#include "cli/sweeps/sweep_job.hpp"
#include "cli/verbs.hpp"
#include "cli/warnings.hpp"
#include "lab/sweep/identity.hpp"

namespace weft::cli {
namespace {

struct MergingVerb {
  std::string_view name;
  int (*merge)(const MergeArguments&, const ShardJournals&);
};
constexpr std::array merging_verbs{MergingVerb{"sweep", merge_simulations},
                                   MergingVerb{"run", merge_runs},
                                   MergingVerb{"replay", merge_replays}};

int merge(const MergeArguments& arguments) {
  if (arguments.journals.empty()) throw Error("which journals? those of all shards of one sweep");
  require_svg(arguments.plot);
  require_html(arguments.html);
  const ShardJournals journals(read_journals(arguments.journals));
  const std::string verb = value_in(journals.identity(), "verb");
  const auto found = std::find_if(merging_verbs.begin(), merging_verbs.end(),
                                  [&](const MergingVerb& row) { return row.name == verb; });
  if (found == merging_verbs.end())
    throw Error("{}: weft {} has no sweeps", arguments.journals[0], shown(verb));
  if (!arguments.open_mpi.empty() && verb != "run")
    throw Error("--open-mpi: rules come from a sweep of weft run");
  return found->merge(arguments, journals);
}

}  // namespace

void name_other_journals(const std::string& out, std::size_t ranks) {
  const std::filesystem::path path(out);
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const std::string own_end = fmt::format("-of-{}.journal", ranks);
  std::vector<std::string> others;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool shard = name.starts_with(path.filename().string() + ".") &&
                       name.find("-of-") != std::string::npos && name.ends_with(".journal");
    if (shard && !name.ends_with(own_end)) others.push_back(name);
  }
  std::sort(others.begin(), others.end());
  if (!others.empty())
    warn({fmt::format("not used, as this job has {} ranks: {}", ranks, fmt::join(others, " "))});
}

std::vector<JournalSource> read_journals(const std::vector<std::string>& paths) {
  std::vector<JournalSource> out;
  for (const std::string& path : paths) out.push_back({path, read_file(path)});
  return out;
}

Action add_merge(Arguments& arguments) {
  auto options = std::make_shared<MergeArguments>();
  arguments.words("journal", options->journals,
                  "of every shard of one sweep (weft sweep --shard), in any order");
  arguments.option("-o,--output FILE", options->out,
                   "write all rows to this file, as JSON if it ends in .json,\notherwise as CSV: "
                   "the bytes that one process writes");
  arguments.option("--plot FILE", options->plot, "draw what the sweep's own verb draws, SVG");
  arguments.option("--open-mpi FILE", options->open_mpi,
                   "of a sweep of weft run: rules of Open MPI, as there");
  add_html(arguments, options->html);
  return [options] { return merge(*options); };
}

}  // namespace weft::cli
