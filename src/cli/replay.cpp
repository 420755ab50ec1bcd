// SPDX-License-Identifier: Apache-2.0
// weft replay: traces of programs on a simulated cluster; and weft compare: replays side by side.
#include <filesystem>
#include <memory>

#include "base/files.hpp"
#include "cli/arguments/field_arguments.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/arguments/threads.hpp"
#include "cli/page.hpp"
#include "cli/sweeps/machine_sweep.hpp"
#include "cli/sweeps/merge.hpp"
#include "cli/verbs.hpp"
#include "lab/cluster/waiting.hpp"
#include "lab/page/chart_section.hpp"
#include "lab/page/fabric_section.hpp"
#include "lab/page/result_sections.hpp"
#include "lab/page/timeline_section.hpp"
#include "lab/replay/sweep.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/replay_comparison.hpp"
#include "lab/report/replay_report.hpp"

namespace weft::cli {
namespace {

struct ReplayArguments {
  ReplaySpec spec;
  std::string json, csv, ranks, links, plot, timeline, html, from;
  bool quick = false;
  std::uint64_t jobs = 0, threads = 1;
  Distribution distribution;
};

std::vector<std::string> inputs_of(const ReplaySpec& spec) {
  std::vector<std::string> out = texts_of(spec, replay_fields());
  out.insert(out.end(), spec.traces.begin(), spec.traces.end());
  for (const std::string& cluster : expand(spec.cluster)) add_inputs_of_cluster(cluster, out);
  return out;
}

/// What is to be found out whether many are replayed or one.
ReplayOptions compared(const ReplayArguments& options) {
  return {.ideal = !options.quick, .threads = options.threads, .alone = !options.quick};
}

ReplayResult run_one(const ReplayExperiment& experiment, const ReplayArguments& options,
                     const RecordWindow& window) {
  ProgressLine line(stderr);
  ReplayOptions wanted = compared(options);
  wanted.path = !options.quick;
  wanted.steps = !options.html.empty();
  wanted.links = !options.links.empty() || !options.plot.empty() || !options.html.empty();
  wanted.record = !options.timeline.empty() || !options.html.empty();
  warn_of_hosts(experiment.machine, wanted.threads,
                !wanted.path && !wanted.links && !wanted.record);
  wanted.window = window;
  wanted.progress = [&](std::uint64_t begun, std::uint64_t all) { line(begun, all, "calls"); };
  return run_replay(experiment, wanted);
}

/// The load of links between switches, sample by sample.
LoadsOverTime loads_of(const Fabric& fabric, const LinkTimes& times) {
  LoadsOverTime out{.name = "load of links"};
  const std::size_t samples = times.loads.empty() ? 0 : times.loads.front().size();
  for (std::size_t sample = 0; sample < samples; ++sample) {
    out.times.push_back(microseconds_of(times.sample) * static_cast<double>(sample));
    IdVector<ChannelId, double>& loads = out.loads.emplace_back(fabric.channel_count());
    for (std::size_t link = 0; link < times.links.size(); ++link)
      if (times.links[link].channel.valid())
        loads[times.links[link].channel] = times.loads[link][sample];
  }
  return out;
}

/// The mean of all samples.
LoadsOverTime mean_of(const LoadsOverTime& samples) {
  LoadsOverTime out{.name = samples.name + ", mean over the run", .unit = samples.unit};
  if (samples.loads.empty()) return out;
  out.times = {0};
  IdVector<ChannelId, double>& mean = out.loads.emplace_back(samples.loads.front().size());
  for (const IdVector<ChannelId, double>& loads : samples.loads)
    for (const ChannelId channel : loads.ids())
      mean[channel] += loads[channel] / static_cast<double>(samples.loads.size());
  return out;
}

TimelinePath path_of(const ReplayResult& result) {
  if (!result.path) return {};
  TimelinePath out{.steps = result.path_steps, .length = result.path->length()};
  if (result.jobs.size() > 1) out.title += fmt::format(" of job {}", result.path_job + 1);
  return out;
}

PageTimeline timeline_of(const Fabric& fabric, const ReplayResult& result, comm::Time from) {
  PageTimeline out{.records = result.records,
                   .path = path_of(result),
                   .calls = result.collectives,
                   .timed = result.timed,
                   .from = from,
                   .left_out = result.records_left_out};
  for (const std::string& name : rank_names(result))
    out.ranks.push_back({name, fabric[result.places[out.ranks.size()]].name});
  return out;
}

HtmlPage page_of(const Machine& machine, const ReplayResult& result, comm::Time from) {
  const Fabric& fabric = machine.fabric();
  std::vector<std::string> traces;
  for (const std::string& path : result.spec.traces)
    traces.push_back(std::filesystem::path(path).filename().string());
  HtmlPage page{.title = fmt::format("{} on {}, {}", fmt::join(traces, ", "), result.spec.topology,
                                     result.spec.engine)};
  page.specs = {{"switch", result.spec.switches},
                {"NIC", result.spec.nic},
                {"library", result.spec.library},
                {"placement", result.spec.placement},
                {"seed", result.spec.seed}};
  if (!result.explanation.empty()) page.specs.push_back({"not finished", result.explanation});
  page.sections.push_back(charts_section("times", chart_of(fabric, result)));
  page.sections.push_back(timeline_section(timeline_of(fabric, result, from)));
  const Checked checked = run_checks(fabric, machine.tables());
  LoadsOverTime loads = loads_of(fabric, result.links);
  if (!machine.switches.contention) loads.name += " (without contention it may be above 1)";
  page.sections.push_back(fabric_section({.fabric = fabric,
                                          .routings = {{machine.tables(), &checked}},
                                          .loads = {mean_of(loads), loads}}));
  page.add(result_sections(document_of(fabric, result)));
  return page;
}

int replay_once(const ReplayArguments& options) {
  const RecordWindow window = window_of({options.from, options.html, options.timeline});
  std::ostream& human_output =
      prepare_outputs({options.json, options.csv, options.ranks, options.links, options.plot,
                       options.timeline, options.html},
                      inputs_of(options.spec));
  const ReplayExperiment experiment = [&] {
    ProgressLine line(stderr);
    line(std::nullopt, "reading");
    Networks networks([&](const std::string& what) { line(std::nullopt, what); });
    return resolve(request_of(options.spec), networks);
  }();
  warn(warnings_about(experiment.machine));
  warn(warnings_about(*experiment.machine.network, experiment.machine.switches));
  const ReplayResult result = run_one(experiment, options, window);
  const Fabric& fabric = experiment.machine.fabric();
  write_replay(human_output, fabric, result);
  const auto write = [](const std::string& path, auto writer) {
    if (!path.empty()) write_file(path, writer);
  };
  write(options.json, [&](std::ostream& out) { write_json(out, document_of(fabric, result)); });
  write(options.csv, [&](std::ostream& out) { write_csv(out, {result}); });
  write(options.ranks, [&](std::ostream& out) { write_ranks_csv(out, fabric, result); });
  write(options.links, [&](std::ostream& out) { write_link_times_csv(out, fabric, result); });
  write(options.plot, [&](std::ostream& out) { write_svg(out, chart_of(fabric, result)); });
  write(options.timeline, [&](std::ostream& out) { write_time_line(out, result); });
  if (!options.html.empty())
    write_page(options.html, page_of(experiment.machine, result, window.from));
  return exit_code(result.ended);
}

/// See sweeps/sweep_job.hpp.
class ReplaysSweep {
 public:
  using Result = ReplayResult;

  /// Throws Error, before anything is run. Journals that are merged are inputs.
  explicit ReplaysSweep(const ReplayArguments& options, const std::vector<std::string>& merged = {})
      : out(options.csv.empty() ? options.json : options.csv),
        distribution(options.distribution),
        jobs(options.jobs),
        options_(options),
        wanted_(compared(options)),
        human_output_(prepare(merged)),
        request_(sweep_request_of(options.spec)) {}

  SweepIdentity identity() const { return identity_of(request_, wanted_); }

  ReplaySweep set_up(const std::optional<Shard>& shard) const {
    ReplaySweep sweep = set_up_sweep(request_, shard);
    for (const auto& point : sweep.points)
      if (point.experiment) require_threads(point.experiment->machine.fabric(), options_.threads);
    return sweep;
  }

  std::vector<ReplayResult> run(const ReplaySweep& sweep, const ReplaySweepOptions& how) const {
    return run_sweep(sweep, wanted_, how);
  }

  void write(const std::vector<ReplayResult>& results) const {
    write_sweep({options_.json, options_.csv, options_.plot, options_.html}, results, "replays",
                options_.spec.seed);
  }

  int print(const std::vector<ReplayResult>& results) const {
    write_table(human_output_, results);
    return exit_code_of_all(results);
  }

  const std::string out;
  const Distribution distribution;
  const std::uint64_t jobs;

 private:
  std::ostream& prepare(const std::vector<std::string>& merged) const {
    if (!options_.ranks.empty() || !options_.links.empty() || !options_.timeline.empty() ||
        !options_.from.empty())
      throw Error(
          "--by-rank, --links, --trace and --from are of one replay, and brackets make many");
    reject_outputs_of_shard(distribution, {{"--plot", options_.plot}, {"--html", options_.html}});
    std::vector<std::string> inputs = inputs_of(options_.spec);
    inputs.insert(inputs.end(), merged.begin(), merged.end());
    return prepare_outputs({options_.json, options_.csv, options_.plot, options_.html,
                            merged.empty() ? journal_of(distribution, out) : ""},
                           inputs);
  }

  const ReplayArguments& options_;
  const ReplayOptions wanted_;
  std::ostream& human_output_;
  const ReplaySweepRequest request_;
};

int replay(const ReplayArguments& options) {
  require_svg(options.plot);
  require_html(options.html);
  if (is_sweep(options.spec)) return run_distributed(ReplaysSweep(options));
  require_all_here(options.distribution);
  return replay_once(options);
}

}  // namespace

int merge_replays(const MergeArguments& arguments, const ShardJournals& journals) {
  ReplayArguments options;
  options.spec = replay_spec_of(journals.identity());
  options.quick = !compared_with(journals.identity()).ideal;
  options.json = arguments.json();
  options.csv = arguments.csv();
  options.plot = arguments.plot;
  options.html = arguments.html;
  return merge(ReplaysSweep(options, arguments.journals), journals);
}

Action add_replay(Arguments& arguments) {
  auto options = std::make_shared<ReplayArguments>();
  arguments.words("traces", options->spec.traces,
                  "files of weft list trace-formats; several: jobs that run side by side");
  add_fields(arguments, options->spec, replay_fields(), {});
  arguments.repeated("--collective NAME=ALGORITHM", options->spec.collectives,
                     "such as allreduce=ring, of weft list collectives; otherwise one\nthat suits "
                     "size and ranks, as MPICH chooses");
  arguments.flag("--quick", options->quick,
                 "times only: no critical path, no comparison with an ideal network,\nor of jobs "
                 "with each alone");
  arguments.option("--json FILE", options->json, "write the result to this file as JSON");
  arguments.option(
      "--csv FILE", options->csv,
      "write a row for each job to this file as CSV; brackets in values\nmake a sweep, with rows "
      "for each point: killed, the same command\ngoes on where it was");
  arguments.option("--by-rank FILE", options->ranks,
                   "write what each rank spent its time on to this file as CSV");
  arguments.option("--links FILE", options->links,
                   "write the load of links over time to this file as CSV");
  arguments.option("--plot FILE", options->plot,
                   "draw what ranks spent their time on, and loads of links, SVG; in a\nsweep the "
                   "times of its points");
  arguments.option("--jobs NUMBER", options->jobs, "in a sweep: replays at a time; 0: one a core");
  add_threads(arguments, options->threads);
  add_distribution(arguments, options->distribution);
  arguments.option("--trace FILE", options->timeline,
                   "write when each operation began and ended to this file,\nfor Chrome or "
                   "ui.perfetto.dev");
  add_html(arguments, options->html);
  add_from(arguments, options->from);
  return [options] { return replay(*options); };
}

Action add_compare(Arguments& arguments) {
  struct CompareArguments {
    std::vector<std::string> results;
    std::string csv;
  };
  auto options = std::make_shared<CompareArguments>();
  arguments.words("result", options->results,
                  "results of weft replay --json, two or more, to be compared\nwith the first");
  arguments.option("--csv FILE", options->csv, "write a row for each value to this file as CSV");
  return [options] {
    if (options->results.size() < 2)
      throw Error("two results of weft replay --json are needed, or more");
    std::ostream& human_output = prepare_outputs({options->csv}, options->results);
    const ReplayComparison comparison(options->results);
    comparison.write(human_output);
    if (!options->csv.empty())
      write_file(options->csv, [&](std::ostream& out) { comparison.write_csv(out); });
    return exit_fine;
  };
}

}  // namespace weft::cli
