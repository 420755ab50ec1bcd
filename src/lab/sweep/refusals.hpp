// SPDX-License-Identifier: Apache-2.0
// Sweeps of runs on machines (host programs, replays): a point that cannot be run is a result that
// says why.
#pragma once
#include <algorithm>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/sweep/brackets.hpp"
#include "lab/sweep/identity.hpp"
#include "lab/sweep/point_runner.hpp"
#include "lab/sweep/shard.hpp"

namespace weft {

/// A sweep: its requests, or its points.
template <class Point>
struct SweepOf {
  decltype(Point::spec) spec{};  ///< with its brackets
  std::vector<Point> points{};
  bool part = false;  ///< a shard: all of its points may be refused, or there may be none
};

/// Those of the shard.
template <class Point>
SweepOf<Point> part_of(const SweepOf<Point>& sweep, const Shard& shard) {
  return {sweep.spec, points_of(shard, sweep.points), true};
}

/// A point of a sweep: an experiment, or why there is none.
template <class Experiment>
struct SweepPoint {
  decltype(Experiment::spec) spec{};
  std::optional<Experiment> experiment{};
  std::exception_ptr refusal{};  ///< an Error
};

/// Whether a field of the spec has brackets.
template <class Text, class Request>
bool has_brackets(const Text& spec, const std::vector<Field<Text, Request>>& fields) {
  return std::any_of(fields.begin(), fields.end(), [&](const Field<Text, Request>& field) {
    return (spec.*field.text).find('[') != std::string::npos;
  });
}

/// Fields, files and revision.
template <class Request, class Text>
SweepIdentity identity_of_fields(const std::string& verb, const SweepOf<Request>& sweep,
                                 const std::vector<Field<Text, Request>>& fields) {
  SweepIdentity out = begin_identity(verb);
  add_fields(out, sweep.spec, fields);
  const std::set<std::string> values = values_of_points(sweep.points, fields);
  if (!sweep.spec.cluster.empty()) out["values"] = fmt::format("{}", fmt::join(values, " "));
  add_contents(out, values);
  return out;
}

/// A routing engine may refuse the fabric, and the rest of the request may not fit the machine; a
/// network that does not exist is an Error.
template <class Experiment, class Request, class Networks, class Make>
SweepPoint<Experiment> point_of(const Request& request, Networks& networks, const Make& make) {
  SweepPoint<Experiment> out{request.spec, {}, {}};
  decltype(resolve(request.machine, networks)) machine;
  try {
    machine = resolve(request.machine, networks);
  } catch (const RefusedError&) {
    out.refusal = std::current_exception();
    return out;
  }
  try {
    out.experiment = make(request, machine);
    out.spec = out.experiment->spec;
  } catch (const Error&) {
    out.refusal = std::current_exception();
  }
  return out;
}

/// The points without those that others repeat; `make` resolves a request on its machine. Throws
/// Error when there is no such network, and the first refusal when every point of a whole sweep is
/// refused.
template <class Experiment, class Request, class Networks, class Make>
SweepOf<SweepPoint<Experiment>> resolve_points(const SweepOf<Request>& sweep, Networks& networks,
                                               const Make& make) {
  SweepOf<SweepPoint<Experiment>> out{sweep.spec, {}, sweep.part};
  std::set<decltype(Experiment::spec)> seen;
  for (const Request& request : sweep.points) {
    SweepPoint<Experiment> point = point_of<Experiment>(request, networks, make);
    if (seen.insert(point.spec).second) out.points.push_back(std::move(point));
  }
  if (!out.part &&
      std::none_of(out.points.begin(), out.points.end(),
                   [](const SweepPoint<Experiment>& point) { return point.experiment; }))
    std::rethrow_exception(out.points.front().refusal);
  return out;
}

/// What `run` makes of the point, or a result with its refusal.
template <class Result, class Experiment, class Run>
Result run_or_refuse(const SweepPoint<Experiment>& point, const Run& run) {
  try {
    if (point.refusal) std::rethrow_exception(point.refusal);
    return run(*point.experiment);
  } catch (const Error& error) {
    Result out;
    out.spec = point.spec;
    out.refusal = error.what();
    return out;
  }
}

/// A result for each point, in their order; they do not depend on jobs and journal. Throws the
/// first refusal as an Error when all of a whole sweep are refused; then the journal is removed.
template <class Result, class Experiment, class Text, class Request, class Run>
std::vector<Result> run_all_points(const SweepOf<SweepPoint<Experiment>>& sweep,
                                   const std::vector<Field<Text, Request>>& fields, const Run& run,
                                   const PointOptions<Result>& options) {
  PointRunner<SweepPoint<Experiment>, Result> runner(
      [&](const SweepPoint<Experiment>& point) { return run_or_refuse<Result>(point, run); },
      [&](const Text& point) { return point_name(sweep.spec, point, fields); }, options,
      sweep.points.size());
  std::vector<Result> out(sweep.points.size());
  run_points(out.size(), options,
             [&](std::size_t i) { out[i] = runner(sweep.points[i].spec, sweep.points[i]); });
  if (!sweep.part &&
      std::all_of(out.begin(), out.end(), [](const Result& one) { return one.refused(); })) {
    if (options.journal != nullptr) options.journal->remove();
    throw Error("{}", out.front().refusal);
  }
  return out;
}

}  // namespace weft
