// SPDX-License-Identifier: Apache-2.0
// Running host programs: what the user wrote becomes a world, and what its ranks measured a result.
#include "lab/program_run.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "lab/cluster.hpp"
#include "lab/field_text.hpp"
#include "lab/host_names.hpp"
#include "lab/shell.hpp"
#include "sim/nics/nic.hpp"

namespace weft {
namespace {

std::vector<HostId> every_host(const Fabric& fabric) {
  std::vector<HostId> out;
  for (const HostId host : fabric.hosts()) out.push_back(host);
  return out;
}

bool is_number(const std::string& text) {
  return text.find_first_not_of("0123456789") == std::string::npos;
}

/// "64": the first of the fabric; otherwise names.
std::vector<HostId> hosts_from(const Fabric& fabric, const std::string& text) {
  std::vector<HostId> all = every_host(fabric);
  if (text.empty()) return all;
  if (is_number(text) && !fabric.find_host(text)) {
    all.resize(whole<std::size_t>("hosts", text, 1, all.size()));
    return all;
  }
  return hosts_named(fabric, {text});
}

std::string first_of(const std::string& own, const std::string& cluster,
                     const std::string& fallback) {
  if (!own.empty()) return own;
  return cluster.empty() ? fallback : cluster;
}

PartUse use_of(std::string name, const std::vector<double>& of_each) {
  PartUse use{std::move(name), 0, 0};
  for (const double each : of_each) {
    use.mean += each / static_cast<double>(of_each.size());
    use.most = std::max(use.most, each);
  }
  return use;
}

std::vector<PartUse> parts_of(sim::HostModel& nodes, const Setting& setting, Duration time) {
  std::vector<double> each;
  for (const HostId host : setting.hosts)
    for (int i = 0; i < setting.ranks_per_host; ++i)
      each.push_back(nodes.processor(host, static_cast<std::uint32_t>(i)).utilisation(time));
  std::vector<PartUse> out{use_of("processor", each)};
  const auto names = nodes.part_names();
  for (std::size_t part = 0; part < names.size(); ++part) {
    each.clear();
    for (const HostId host : setting.hosts)
      each.push_back(nodes.part(host, part).utilisation(time));
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
  if (std::equal(hosts.begin(), hosts.end(), all.begin())) return std::to_string(hosts.size());
  std::string out;
  for (const HostId host : hosts) out += (out.empty() ? "" : ",") + fabric[host].name;
  return out;
}

}  // namespace

const std::vector<ProgramRunField>& program_run_fields() {
  using R = ProgramRun;
  static const std::vector<ProgramRunField> fields{
      {"program", &R::program, "such as barrier:algorithm=shio; see weft list programs"},
      {"cluster", &R::cluster, "cluster file, or one of weft list clusters"},
      {"topology", &R::topology, "fabric file or topology; otherwise the cluster's first"},
      {"engine", &R::engine, "routing engine or file of tables; otherwise the cluster's\nfirst"},
      {"switch", &R::switches, "how switches work; weft list switch-parameters"},
      {"nic", &R::nic, "how hosts and their NICs work; weft list nics"},
      {"library", &R::library, "what carries their messages; weft list libraries"},
      {"hosts", &R::hosts,
       "so many of the fabric's, or names with commas between them;\nall "
       "without it"},
      {"ranks", &R::ranks, "on each host"},
      {"faults", &R::faults,
       "what fails, in cycles of the network: link=s0:3@1000;\nswitch=s7@2000;errors=1e-9"},
      {"until", &R::until, "virtual time at which the run is cut short, such as 10ms"},
      {"seed", &R::seed, "of random visiting orders and of bit errors"},
  };
  return fields;
}

Machine make_machine(const std::string& topology, const std::string& engine,
                     const std::string& switches, const std::string& nic) {
  Fabric fabric = find_fabric(topology);
  Tables tables = find_tables(fabric, engine);
  require_fit(fabric, tables);
  return {std::move(fabric), std::move(tables), sim::model_from(switches), sim::nic_from(nic)};
}

Machine machine_of(ProgramRun& run) {
  Cluster cluster;
  if (!run.cluster.empty()) {
    cluster = find_cluster(run.cluster);
  } else if (run.topology.empty() || run.engine.empty()) {
    throw Error(
        "a program runs on a cluster (--cluster), or on a topology (--topology) with an engine "
        "(--engine); give the one or the two");
  }
  if (run.topology.empty()) run.topology = cluster.topologies.front();
  if (run.engine.empty()) run.engine = cluster.engines.front();
  run.switches = first_of(run.switches, cluster.model, "iq");
  run.nic = first_of(run.nic, cluster.nic, "hca");
  run.library = first_of(run.library, cluster.library, "none");
  sim::SwitchModel switches = sim::model_from(run.switches);
  sim::NicModel nic = sim::nic_from(run.nic);
  comm::Library library = comm::library_from(run.library);
  Fabric fabric = find_fabric(run.topology, run.cluster.empty() ? nullptr : &cluster);
  if (fabric.host_count() == 0) throw Error("{}: the fabric has no hosts", run.topology);
  Tables tables = find_tables(fabric, run.engine);
  require_fit(fabric, tables);
  if (tables.lane_count > cluster.lanes && !run.cluster.empty())
    throw Error("{} needs {} lanes, the switches of the cluster have {}", run.engine,
                tables.lane_count, cluster.lanes);
  return {std::move(fabric), std::move(tables), std::move(switches), std::move(nic),
          std::move(library)};
}

ProgramResult run_program(const Machine& machine, std::string_view program,
                          const ProgramOptions& options) {
  const Spec spec = Spec::parse(program);
  const ProgramRow& row = find_row(programs(), "program", spec.name);
  const Params params(spec, row.params);
  const Setting setting{machine, options.hosts.empty() ? every_host(machine.fabric) : options.hosts,
                        options.ranks_per_host, options.seed, options.schedule};
  Laps laps(setting.ranks());
  const Prepared prepared = row.make(params, setting, laps);
  run::WorldOptions world_options;
  world_options.ranks_per_host = options.ranks_per_host;
  world_options.hosts = setting.hosts;
  world_options.until = options.until;
  world_options.record = options.record;
  world_options.library = machine.library;
  world_options.network.faults = options.faults;
  world_options.network.seed = options.seed;
  run::World world(machine.fabric, prepared.tables ? *prepared.tables : machine.tables,
                   machine.switches, machine.nic, world_options);
  run::Outcome outcome = world.run(prepared.program);

  ProgramResult out;
  out.run = {.program = params.spec(),
             .engine = machine.tables.engine,
             .switches = machine.switches.spec,
             .nic = machine.nic.spec,
             .library = machine.library.spec,
             .hosts = names_of(machine.fabric, setting.hosts),
             .ranks = std::to_string(setting.ranks_per_host),
             .seed = std::to_string(setting.seed)};
  out.ended = outcome.ended;
  out.time = outcome.time;
  out.pending = std::move(outcome.pending);
  out.explanation = std::move(outcome.explanation);
  fill_times(laps, out);
  if (prepared.figures != nullptr && out.ended == run::Ended::finished)
    out.figures = prepared.figures(params, laps);
  out.parts = parts_of(world.hosts(), setting, out.time);
  for (const auto& [name, count] : world.hosts().counters()) out.counters.emplace_back(name, count);
  out.messages = world.hosts().begun();
  out.packets = world.hosts().network().totals().sent;
  out.flit_hops = world.hosts().network().totals().flit_hops;
  out.records = world.records();
  return out;
}

ProgramResult run_program(const ProgramRun& given, bool record) {
  ProgramRun run = given;
  ProgramOptions options;
  options.ranks_per_host = whole("ranks", run.ranks, 1, 4096);
  options.seed = whole("seed", run.seed, std::uint64_t{0}, ~std::uint64_t{0});
  if (!run.until.empty()) options.until = parsed("until", run.until, duration_from);
  options.record = record;
  // A wrong program is found before the machine is made, as far as its name and parameters go.
  const Spec spec = Spec::parse(run.program);
  const Params named(spec, find_row(programs(), "program", spec.name).params);
  const Machine machine = machine_of(run);
  options.hosts = hosts_from(machine.fabric, run.hosts);
  options.faults = sim::faults_from(machine.fabric, run.faults);
  ProgramResult result = run_program(machine, run.program, options);
  run.program = named.spec();
  run.hosts = result.run.hosts;
  result.run = std::move(run);
  return result;
}

std::string_view to_text(run::Ended ended) {
  switch (ended) {
    case run::Ended::finished:
      return "finished";
    case run::Ended::stuck:
      return "stuck";
    case run::Ended::deadlocked:
      return "deadlocked";
    case run::Ended::out_of_time:
      return "out of time";
  }
  return "";
}

std::string command_of(const ProgramRun& run) {
  const ProgramRun usual;
  std::string out = "weft run";
  for (const ProgramRunField& field : program_run_fields())
    if (field.value != &ProgramRun::program && run.*field.value != usual.*field.value)
      out += fmt::format(" --{} {}", field.name, shell_word(run.*field.value));
  return out + " " + shell_word(run.program);
}

}  // namespace weft
