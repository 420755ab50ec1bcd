// SPDX-License-Identifier: Apache-2.0
// Running a sweep of replays.
#include "lab/replay/sweep.hpp"

#include <map>

#include "base/text.hpp"

namespace weft {
namespace {

const std::string compared_with_name = "compared with";

/// Every spec of `all` with every value of one of its choices of algorithms.
std::vector<ReplaySpec> vary_collective(const std::vector<ReplaySpec>& all, std::size_t which) {
  std::vector<ReplaySpec> out;
  for (const ReplaySpec& one : all) {
    const std::vector<std::string> values = parsed(
        "collective", one.collectives[which], [](const std::string& text) { return expand(text); });
    require_few(out.size() + values.size());
    for (const std::string& value : values) {
      out.push_back(one);
      out.back().collectives[which] = value;
    }
  }
  return out;
}

}  // namespace

bool is_sweep(const ReplaySpec& spec) {
  return has_brackets(spec, replay_fields()) ||
         std::any_of(spec.collectives.begin(), spec.collectives.end(),
                     [](const std::string& one) { return one.find('[') != std::string::npos; });
}

std::vector<ReplaySpec> expand(const ReplaySpec& spec) {
  std::vector<ReplaySpec> out = expand_fields(spec, replay_fields(), &ReplaySpec::seed);
  for (std::size_t which = 0; which < spec.collectives.size(); ++which)
    out = vary_collective(out, which);
  return out;
}

ReplaySweepRequest sweep_request_of(const ReplaySpec& spec) {
  ReplaySweepRequest out{.spec = spec};
  for (const ReplaySpec& point : expand(spec)) out.points.push_back(request_of(point));
  return out;
}

SweepIdentity identity_of(const ReplaySweepRequest& request, const ReplayOptions& wanted) {
  SweepIdentity out = identity_of_fields("replay", request, replay_fields());
  const ReplaySpec& spec = request.spec;
  out["traces"] = fmt::format("{}", fmt::join(spec.traces, "\n"));
  out["collectives"] = fmt::format("{}", fmt::join(spec.collectives, "\n"));
  out[compared_with_name] =
      fmt::format("{}{}", wanted.ideal ? "ideal " : "", wanted.alone ? "alone" : "");
  add_contents(out, {spec.traces.begin(), spec.traces.end()});
  return out;
}

ReplaySpec replay_spec_of(const SweepIdentity& identity) {
  const auto lines_of = [&](const std::string& name) {
    std::vector<std::string> out;
    for (Lines lines(value_in(identity, name)); lines.next();) out.emplace_back(lines.text);
    return out;
  };
  ReplaySpec out{.traces = lines_of("traces"), .collectives = lines_of("collectives")};
  fill_fields(identity, out, replay_fields());
  return out;
}

ReplayOptions compared_with(const SweepIdentity& identity) {
  const std::string& what = value_in(identity, compared_with_name);
  return {.ideal = what.find("ideal") != std::string::npos,
          .alone = what.find("alone") != std::string::npos};
}

ReplaySweep resolve(const ReplaySweepRequest& request, Networks& networks) {
  std::map<std::string, std::vector<trace::Trace>> jobs;  // by their process groups
  for (const ReplayRequest& one : request.points)
    if (!jobs.contains(one.spec.groups)) jobs.emplace(one.spec.groups, read_jobs(one.spec));
  return resolve_points<ReplayExperiment>(request, networks,
                                          [&](const ReplayRequest& one, const Machine& machine) {
                                            return resolve(one, machine, jobs.at(one.spec.groups));
                                          });
}

std::vector<ReplayResult> run_sweep(const ReplaySweep& sweep, const ReplayOptions& wanted,
                                    const ReplaySweepOptions& options) {
  const auto run = [&](const ReplayExperiment& point) { return run_replay(point, wanted); };
  return run_all_points(sweep, replay_fields(), run, options);
}

}  // namespace weft
