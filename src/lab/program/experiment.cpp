// SPDX-License-Identifier: Apache-2.0
// Running host programs: an experiment becomes a world, and what its ranks measured a result.
#include "lab/program/experiment.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "lab/cluster/host_names.hpp"
#include "lab/cluster/threads.hpp"
#include "lab/path/watched_world.hpp"

namespace weft {
namespace {

std::vector<HostId> every_host(const Fabric& fabric) {
  std::vector<HostId> out;
  for (const HostId host : fabric.hosts()) out.push_back(host);
  return out;
}

PartUse use_of(std::string name, const std::vector<double>& of_each) {
  PartUse use{std::move(name), 0, 0};
  for (const double each : of_each) {
    use.mean += each / static_cast<double>(of_each.size());
    use.most = std::max(use.most, each);
  }
  return use;
}

std::vector<PartUse> parts_of(sim::HostModel& model, const ProgramSetting& setting, Duration time) {
  std::vector<double> each;
  for (const HostId host : setting.hosts)
    for (int i = 0; i < setting.ranks_per_host; ++i)
      each.push_back(model.processor(host, static_cast<std::uint32_t>(i)).utilisation(time));
  std::vector<PartUse> out{use_of("processor", each)};
  const auto names = model.part_names();
  for (std::size_t part = 0; part < names.size(); ++part) {
    each.clear();
    for (const HostId host : setting.hosts)
      each.push_back(model.part(host, part).utilisation(time));
    out.push_back(use_of(std::string(names[part]), each));
  }
  return out;
}

void fill_times(const Laps& laps, ProgramResult& out) {
  out.iterations = laps.iterations();
  out.iteration = laps.all();
  out.rank_means = laps.means();
  out.slowest = laps.slowest();
  for (comm::Rank rank = 0; rank < laps.ranks(); ++rank) out.by_rank.push_back(laps.of(rank));
}

std::string names_of(const Fabric& fabric, const std::vector<HostId>& hosts) {
  const std::vector<HostId> all = every_host(fabric);
  if (hosts.empty()) return std::to_string(all.size());
  if (std::equal(hosts.begin(), hosts.end(), all.begin())) return std::to_string(hosts.size());
  std::string out;
  for (const HostId host : hosts) out += (out.empty() ? "" : ",") + fabric[host].name;
  return out;
}

run::WorldOptions world_options(const ProgramExperiment& experiment, const ProgramSetting& setting,
                                const Laps& laps) {
  run::WorldOptions out;
  out.ranks_per_host = setting.ranks_per_host;
  out.hosts = setting.hosts;
  out.until = experiment.options.until;
  out.record = experiment.options.record;
  out.library = experiment.machine.library;
  out.network.faults = experiment.options.faults;
  out.network.seed = setting.seed;
  out.ranks_are_apart =
      laps.ranks_are_apart() && !experiment.options.path && !experiment.options.record;
  out.network.threads = threads_for(experiment.machine.fabric(), experiment.options.threads,
                                    hosts_on(experiment.machine, out.ranks_are_apart));
  out.network.thread_use = experiment.options.thread_use;
  return out;
}

/// A world that a program runs in, watched if its critical path is wanted.
class ProgramWorld {
 public:
  ProgramWorld(const ProgramExperiment& experiment, const Tables& tables,
               const run::WorldOptions& options)
      : window_(experiment.options.window) {
    const Machine& machine = experiment.machine;
    if (experiment.options.path)
      watched_.emplace(
          machine, tables, options,
          WatchOptions{.path = true, .steps = true, .record = options.record, .window = window_});
    else
      plain_.emplace(machine.fabric(), tables, machine.switches, machine.nic, options);
  }

  run::World& world() { return watched_ ? watched_->world() : *plain_; }

  /// Throws what a rank throws.
  run::WorldResult run(const run::Program& program) {
    if (!watched_) return plain_->run(program);
    return watched_->world().run([&](comm::Endpoint& ep) { return watched_life(program, ep); });
  }

  void fill_records(const run::WorldResult& outcome, ProgramResult& out) {
    if (!watched_) {
      out.records = plain_->records();
      return;
    }
    out.records = watched_->take_records(outcome);
    out.records_left_out = watched_->left_out();
    if (outcome.ended != run::WorldEnd::finished || !watched_->knows_causes()) return;
    const auto last = std::max_element(outcome.finished.begin(), outcome.finished.end());
    out.path_steps = watched_->path()->steps_of_section(
        static_cast<comm::Rank>(last - outcome.finished.begin()), window_.from);
  }

 private:
  comm::Task watched_life(const run::Program& program, comm::Endpoint& ep) {
    co_await program(ep);
    watched_->path()->section_ends(ep.rank(), watched_->counts(ep.rank()));
  }

  RecordWindow window_;
  std::optional<run::World> plain_;
  std::optional<WatchedWorld> watched_;
};

}  // namespace

int ProgramExperiment::ranks() const {
  const std::size_t hosts =
      options.hosts.empty() ? machine.fabric().hosts().size() : options.hosts.size();
  return static_cast<int>(hosts) * options.ranks_per_host;
}

ProgramExperiment resolve(const ProgramRequest& request, Networks& networks) {
  return resolve(request, resolve(request.machine, networks));
}

ProgramExperiment resolve(const ProgramRequest& request, const Machine& machine) {
  ProgramExperiment out{request.spec, machine, request.program, {}};
  const Fabric& fabric = out.machine.fabric();
  out.options.hosts = hosts_wanted(fabric, request.spec.hosts);
  out.options.ranks_per_host = request.ranks_per_host;
  out.options.seed = request.seed;
  out.options.faults = sim::faults_from(fabric, request.spec.faults);
  out.options.until = request.until;
  out.spec.hosts = names_of(fabric, out.options.hosts);
  return out;
}

ProgramResult run_program(const ProgramExperiment& experiment, const Laps::Watcher& watcher) {
  const auto& [spec, machine, program, options] = experiment;
  const ProgramSetting setting{machine,
                               options.hosts.empty() ? every_host(machine.fabric()) : options.hosts,
                               options.ranks_per_host, options.seed, options.schedule};
  Laps laps(setting.ranks(), watcher);
  const Prepared prepared = program.row->make(program.params, setting, laps);
  ProgramWorld running(experiment, prepared.tables ? *prepared.tables : machine.tables(),
                       world_options(experiment, setting, laps));
  run::World& world = running.world();
  run::WorldResult outcome = running.run(prepared.program);

  ProgramResult out;
  out.spec = spec;
  out.ended = outcome.ended;
  out.ranks = setting.ranks();
  out.time = outcome.time;
  running.fill_records(outcome, out);
  out.pending = std::move(outcome.pending);
  out.explanation = std::move(outcome.explanation);
  fill_times(laps, out);
  if (prepared.figures != nullptr && out.ended == run::WorldEnd::finished)
    out.figures = prepared.figures(program.params, laps);
  out.parts = parts_of(world.hosts(), setting, out.time);
  for (const auto& [name, count] : world.hosts().counters()) out.counters.emplace_back(name, count);
  out.messages = world.hosts().begun();
  out.packets = world.hosts().network().totals().sent;
  out.flit_hops = world.hosts().network().totals().flit_hops;
  return out;
}

ProgramResult run_program(const Machine& machine, std::string_view text,
                          const ProgramOptions& options) {
  ProgramChoice program = program_from(text);
  ProgramSpec spec{.program = program.params.spec(),
                   .engine = machine.tables().engine,
                   .switches = machine.switches.spec,
                   .nic = machine.nic.spec,
                   .library = machine.library.spec,
                   .hosts = names_of(machine.fabric(), options.hosts),
                   .ranks = std::to_string(options.ranks_per_host),
                   .seed = std::to_string(options.seed)};
  return run_program({std::move(spec), machine, std::move(program), options});
}

ProgramResult run_program(const ProgramSpec& spec, Networks& networks) {
  return run_program(resolve(request_of(spec), networks));
}

ProgramResult run_program(const ProgramSpec& spec) {
  Networks networks;
  return run_program(spec, networks);
}

double figure_of(const ProgramResult& result, std::string_view name) {
  for (const Figure& each : result.figures)
    if (each.name == name) return each.value;
  invariant(false, "the program has no such figure");
  return 0;
}

std::string_view to_text(run::WorldEnd ended) {
  switch (ended) {
    case run::WorldEnd::finished:
      return "finished";
    case run::WorldEnd::stuck:
      return "stuck";
    case run::WorldEnd::deadlocked:
      return "deadlocked";
    case run::WorldEnd::out_of_time:
      return "out of time";
  }
  return "";
}

}  // namespace weft
