// SPDX-License-Identifier: Apache-2.0
// Running the RHiNET-2 study.
#include "papers/rhinet2/study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/error.hpp"
#include "fabric/distances.hpp"
#include "lab/cluster/waiting.hpp"
#include "lab/replay/experiment.hpp"
#include "lab/simulate/experiment.hpp"
#include "papers/rhinet2/exchange.hpp"
#include "papers/rhinet2/nas.hpp"
#include "papers/runner/expected.hpp"
#include "sim/nics/nic.hpp"
#include "sim/timing.hpp"

namespace weft::papers::rhinet2 {
namespace {

struct Named {
  std::string_view name, spec;
};
/// "32" in a name means 32 hosts, two on a switch.
constexpr std::array<Named, 17> topology_specs{{
    {"A", "rhinet2_a"},
    {"B surrogate", "rhinet2_b_surrogate"},
    {"mesh", "mesh:dims=4x4,hosts=4"},
    {"torus", "torus:dims=4x4,hosts=4"},
    {"A 32", "rhinet2_a:hosts=2"},
    {"B surrogate 32", "rhinet2_b_surrogate:hosts=2"},
    {"mesh 32", "mesh:dims=4x4,hosts=2"},
    {"torus 32", "torus:dims=4x4,hosts=2"},
    {"ring 8", "ring:switches=8,hosts=4"},
    {"mesh 4x2", "mesh:dims=4x2,hosts=4"},
    {"torus 4x2", "torus:dims=4x2,hosts=4"},
    {"Clos 32", "myrinet_clos"},
    {"Clos 16", "myrinet_clos:hosted=leaves"},
    {"fat tree 6", "fat_tree_241"},
    {"fat tree 14", "fat_tree_242"},
    {"fat tree 14 32", "fat_tree_242:hosts=4"},
    {"ring 4", "ring:switches=4,hosts=4"},
}};
constexpr std::array<Named, 8> engine_specs{{
    {"prefix", "prefix"},
    {"updown1", "updown"},
    {"updown", "updown:lanes=2"},
    {"dfs", "updown:tree=dfs,root=best"},
    {"sbp", "sbp"},
    {"dl", "dl"},
    {"dor", "dor"},
    {"minimal", "minhop"},
}};
/// Engines whose root or tree must be another to give the surrogate the published path lengths.
constexpr std::array<Named, 2> on_surrogate{
    {{"prefix", "prefix:parent=high"}, {"dl", "dl:root=best"}}};

std::string_view spec_of(std::span<const Named> all, std::string_view name) {
  for (const Named& one : all)
    if (one.name == name) return one.spec;
  invariant(false, ("the study knows no " + std::string(name)).c_str());
  return {};
}

/// "dl low" takes the lowest port among equal ones; otherwise routes are well distributed.
std::string engine_spec(const std::string& topology, const std::string& engine) {
  constexpr std::string_view low = " low";
  const bool lowest = engine.ends_with(low);
  const std::string name = lowest ? engine.substr(0, engine.size() - low.size()) : engine;
  const bool elsewhere = topology.starts_with("B") && (name == "prefix" || name == "dl");
  Spec spec = Spec::parse(elsewhere ? spec_of(on_surrogate, name) : spec_of(engine_specs, name));
  if (lowest) spec.values["select"] = "low_port";
  return spec.text();
}

constexpr std::string_view pair = "pair ";
constexpr std::uint64_t orders_in_a_row = 10;

double microseconds(Duration time) { return static_cast<double>(time.count()) / 1e6; }

/// The most that an irregular network carries, whatever is offered (section IV.G).
HostMeasurement throughput(const Rhinet2Run& run, bool quick) {
  SimulationSpec spec;
  spec.fabric = fmt::format("random_irregular:switches=16,links=24,hosts=4,seed={}", run.seed);
  spec.tables = run.engine;
  spec.switches = "iq:lanes=3,switching=cut_through,buffer=128";
  spec.packet = "128";
  spec.warmup = quick ? "2000" : "10000";
  spec.cycles = quick ? "4000" : "20000";
  spec.seed = fmt::format("{}", run.seed);
  SimulationExperiment experiment = resolve(request_of(spec), std::make_shared<Networks>());
  HostMeasurement best;
  for (const char* load : {"0.1", "0.2", "0.4", "1"}) {
    if (quick && load != std::string_view("0.2")) continue;
    experiment.request = at_load(std::move(experiment.request), load);
    const SimulationResult result = simulate(experiment);
    if (result.accepted > best.mean) best = {result.accepted, result.least_host, result.most_host};
  }
  return best;
}

/// Two hosts that are this many switches apart.
std::pair<HostId, HostId> pair_apart(const Fabric& fabric, std::size_t switches) {
  const SwitchId first = fabric[HostId(0)].on;
  const auto distance = distances(fabric, first);
  for (const HostId to : fabric.hosts())
    if (to != HostId(0) && distance[fabric[to].on] + 1 == switches) return {HostId(0), to};
  throw Error("{}: no two hosts are {} switches apart", fabric.name(), switches);
}

/// Transposes switches on a k x k grid and keeps the order of the hosts of a switch: 32 hosts are
/// no square.
HostId transposed(const Fabric& fabric, HostId from) {
  std::size_t k = 1;
  while (k * k < fabric.switch_count()) ++k;
  const std::size_t at = fabric[from].on.index(), x = at % k, y = at / k;
  const bool on_diagonal = x + y == k - 1;
  const std::size_t to =
      on_diagonal ? (k - x - 1) + k * (k - y - 1) : (k - y - 1) + k * (k - x - 1);
  const auto here = fabric.hosts_on(fabric[from].on), there = fabric.hosts_on(SwitchId(to));
  const auto place = std::find(here.begin(), here.end(), from) - here.begin();
  return there[static_cast<std::size_t>(place)];
}

/// So many hosts, the same number on every switch that has any.
std::vector<HostId> spread_over_switches(const Fabric& fabric, std::size_t wanted) {
  std::size_t switches = 0;
  for (const SwitchId s : fabric.switches()) switches += fabric.hosts_on(s).empty() ? 0 : 1;
  std::vector<HostId> out;
  for (const SwitchId s : fabric.switches())
    for (const HostId host : fabric.hosts_on(s).first(
             std::min<std::size_t>(fabric.hosts_on(s).size(), wanted / switches)))
      out.push_back(host);
  invariant(out.size() == wanted, "a benchmark does not fit the hosts of a topology");
  return out;
}

HostId bit_reversed(const Fabric& fabric, HostId from) {
  std::size_t to = 0;
  for (std::size_t bit = 1, rest = from.index(); bit < fabric.host_count(); bit *= 2, rest /= 2)
    to = 2 * to + rest % 2;
  return HostId(to);
}

}  // namespace

std::vector<Param> study_params() {
  return {
      {"seed", Whole{0, 1'000'000'000}, "1", "of the first random order"},
      {"orders", Whole{10, 1'000'000}, "100", "drawn of every random visiting order"},
      {"mpi", FreeText{}, "mpich_score", "library of figure 8 and of the NAS benchmarks"},
      {"free_window", Whole{1, 1000}, "8",
       "packets under way that count as no waiting at all (figure 10)"},
  };
}

bool is_random(std::string_view order) {
  return order == "ro" || order == "sho" || order == "sco" || order == "1sho-3ro";
}

std::vector<std::pair<HostId, HostId>> traffic(const Fabric& fabric, const std::string& pattern) {
  if (pattern.starts_with(pair))
    return {pair_apart(fabric, static_cast<std::size_t>(std::stoul(pattern.substr(pair.size()))))};
  std::vector<std::pair<HostId, HostId>> out;
  for (const HostId from : fabric.hosts()) {
    HostId to(fabric.host_count() - 1 - from.index());  // complement
    if (pattern == "bit-reversal") to = bit_reversed(fabric, from);
    if (pattern == "transpose") to = transposed(fabric, from);
    if (to != from) out.emplace_back(from, to);
  }
  return out;
}

std::string Average::describe() const {
  return half_width == 0 ? std::string()
                         : fmt::format("±{}; the first ten orders {}", human_readable(half_width),
                                       human_readable(ten));
}

Rhinet2Study::Rhinet2Study(const Lab& lab, Cluster cluster)
    : lab_(lab),
      cluster_(std::move(cluster)),
      params_(Spec{"rhinet2", cluster_.paper}, study_params()),
      seed_(lab.seed_from(params_.whole<std::uint64_t>("seed"))),
      orders_(params_.whole<std::uint64_t>("orders")),
      free_window_(params_.whole<int>("free_window")),
      mpi_(comm::library_from(params_.text("mpi"))) {
  if (lab.quick) orders_ = 4;
  if (cluster_.model.empty() || cluster_.nic.empty())
    throw Error("{}: [switches] needs a model and [hosts] a nic for this study", cluster_.name);
}

// Machines.

const Machine& Rhinet2Study::machine(const std::string& topology, const std::string& engine) const {
  auto& kept = machines_[{topology, engine}];
  if (kept) return *kept;
  constexpr std::string_view fast = " 8Gb/s";
  const bool faster = topology.ends_with(fast);
  const std::string name = faster ? topology.substr(0, topology.size() - fast.size()) : topology;
  Spec spec = Spec::parse(spec_of(topology_specs, name));
  if (faster) spec.values["speed"] = "8Gb/s";
  const SharedNetwork network =
      networks_({spec.text(), engine_spec(topology, engine), cluster_.links});
  kept = std::make_unique<const Machine>(Machine{network,
                                                 settled(sim::model_from(cluster_.model), *network),
                                                 sim::nic_from(cluster_.nic),
                                                 {}});
  return *kept;
}

// Runs on them.

std::vector<Rhinet2Run> Rhinet2Study::drawn(const Rhinet2Run& run) const {
  std::vector<Rhinet2Run> out;
  const bool in_a_row =
      run.what == Quantity::barriers_in_a_row || run.what == Quantity::broadcasts_in_a_row;
  const std::uint64_t wanted = in_a_row ? std::min(orders_, orders_in_a_row) : orders_;
  const std::uint64_t count = is_random(run.pattern) ? wanted : 1;
  for (std::uint64_t i = 0; i < count; ++i) {
    out.push_back(run);
    out.back().seed = is_random(run.pattern) ? seed_ + i : 0;
  }
  return out;
}

/// The cluster's switches, changed as the setting wants. Their circuits do not get faster with the
/// links: the delay of a hop stays.
std::string Rhinet2Study::switches(const Rhinet2Run& run) const {
  Spec spec = Spec::parse(cluster_.model);
  if (run.setting == MachineVariant::store_and_forward)
    spec.values["switching"] = "store_and_forward";
  if (run.setting == MachineVariant::fast_links)
    for (const char* key : {"route", "credit"})
      if (spec.values.contains(key))
        spec.values[key] = fmt::format("{:.0f}", std::stod(spec.values[key]) * 8 / 6);
  if (run.setting == MachineVariant::wormhole) {
    // The flits of a hop's delay are in the switch even while a packet moves: stop must not count
    // them.
    const Machine& machine = *machines_.at({run.topology, run.engine});
    const sim::Timing timing(machine.fabric(), machine.switches);
    const sim::StageCycles stages = timing.stages(SwitchId(0));
    const std::uint32_t moving = stages.route + stages.lane + stages.allocate + stages.cross;
    const sim::LinkCycles host = timing.to_host(HostId(0));
    const std::uint32_t loop = host.flight + host.back + stages.ahead;
    spec.values["switching"] = "wormhole";
    spec.values["go"] = fmt::format("{}", moving + 1);
    spec.values["stop"] = fmt::format("{}", moving + 2);
    spec.values["buffer"] = fmt::format("{}", moving + 2 + loop);
  }
  return spec.text();
}

std::string Rhinet2Study::program(const Rhinet2Run& run, const std::string& order) const {
  const std::string barrier = fmt::format("barrier:algorithm={},by=puts", order);
  const std::string broadcast = fmt::format("broadcast:algorithm={},bytes={}B", order, run.size);
  const std::string many = lab_.quick ? "iterations=4,warmup=1" : "iterations=20,warmup=1";
  if (run.what == Quantity::spread) return barrier + ",iterations=1,every=10ms";
  if (run.what == Quantity::barriers_in_a_row) return fmt::format("{},{}", barrier, many);
  if (run.what == Quantity::broadcast) return broadcast + ",iterations=1";
  if (run.what == Quantity::broadcasts_in_a_row)
    return fmt::format("{},{},back_to_back=yes", broadcast, many);
  return barrier + ",iterations=3,warmup=1";
}

HostMeasurement Rhinet2Study::visited(const Rhinet2Run& run) const {
  Machine machine = *machines_.at({run.topology, run.engine});
  machine.switches = settled(sim::model_from(switches(run)), *machine.network);
  ProgramOptions options;
  options.seed = run.seed;
  std::string order = run.pattern;
  if (order.starts_with(pair)) {
    const auto [from, to] = traffic(machine.fabric(), order).front();
    options.hosts = {from, to};
    order = "hio";
  }
  const std::string text = program(run, order);
  const ProgramResult result = run_program(machine, text, options);
  if (!result.explanation.empty()) throw Error("{}: {}", text, result.explanation);
  const Times& times = result.rank_means;
  const Duration time = run.what == Quantity::barrier ? times.mean : times.most;
  return {microseconds(time), microseconds(times.least), microseconds(times.most)};
}

HostMeasurement Rhinet2Study::exchanged(const Rhinet2Run& run) const {
  using namespace std::chrono_literals;
  Spec nic = Spec::parse(cluster_.nic);
  nic.values["pio"] = "0B";
  const Machine& machine = *machines_.at({run.topology, run.engine});
  const Duration steady = run.size <= 512 ? 600us : 3ms;  // small packets are steady sooner
  ExchangeSetup exchange{.fabric = machine.fabric(),
                         .tables = machine.tables(),
                         .switches = switches(run),
                         .nic = nic.text(),
                         .flows = {},
                         .size = Bytes{run.size},
                         .window = run.window,
                         .warm_up = 300us,
                         .measured = lab_.quick ? 200us : steady};
  if (run.window > 1 && !lab_.quick) {  // queues need longer to fill
    exchange.warm_up = 2ms;
    exchange.measured = 4ms;
  }
  if (!run.pattern.starts_with(pair)) exchange.seed = seed_;
  const bool mpi = run.pattern.starts_with("MPI ");
  if (mpi) exchange.library = mpi_;
  for (const auto& [from, to] :
       traffic(machine.fabric(), mpi ? run.pattern.substr(4) : run.pattern))
    exchange.flows.push_back({from, to});
  const ExchangeResult result = run_exchange(exchange);
  return {result.mean(), result.least(), result.most()};
}

void Rhinet2Study::prepare_trace(const std::string& benchmark) {
  if (benchmarks_.contains(benchmark)) return;
  const std::vector<Stated> stated = stated_by("rhinet2");
  const auto computed = [&](const std::string& of) {
    return value_of(stated, fmt::format("table8/{}/compute", of));
  };
  benchmarks_.emplace(benchmark,
                      NasBenchmark{nas_trace(benchmark), compute_factor(benchmark, computed)});
}

HostMeasurement Rhinet2Study::replayed(const Rhinet2Run& run) const {
  const NasBenchmark& benchmark = benchmarks_.at(run.pattern);
  ReplayExperiment experiment;
  experiment.machine = *machines_.at({run.topology, run.engine});
  experiment.machine.library = mpi_;
  experiment.algorithms = trace::CollectiveAlgorithms(mpich1_collectives());
  experiment.jobs = {benchmark.trace};
  experiment.scales.assign(1, benchmark.factor);
  experiment.places = spread_over_switches(experiment.machine.fabric(),
                                           static_cast<std::size_t>(benchmark.trace.ranks()));
  const ReplayResult result = run_replay(experiment);
  if (!result.explanation.empty()) throw Error("{}: {}", run.pattern, result.explanation);
  const auto seconds = [](Duration time) { return static_cast<double>(time.count()) / 1e12; };
  HostMeasurement out{.least = 1e300, .items = result.jobs.front().mean()};
  for (const RankItems& rank : result.jobs.front().by_rank) {
    out.mean += seconds(rank.total) / benchmark.trace.ranks();
    out.least = std::min(out.least, seconds(rank.total));
    out.most = std::max(out.most, seconds(rank.total));
  }
  return out;
}

HostMeasurement Rhinet2Study::simulated(const Rhinet2Run& run) const {
  switch (run.what) {
    case Quantity::barrier:
    case Quantity::spread:
    case Quantity::broadcast:
    case Quantity::barriers_in_a_row:
    case Quantity::broadcasts_in_a_row:
      return visited(run);
    case Quantity::bandwidth:
      return exchanged(run);
    case Quantity::throughput:
      return throughput(run, lab_.quick);
    case Quantity::nas:
      return replayed(run);
  }
  return {};
}

void Rhinet2Study::prepare(const std::vector<Rhinet2Run>& runs) {
  for (const Rhinet2Run& run : runs) {  // kept before threads begin
    if (run.what != Quantity::throughput) machine(run.topology, run.engine);
    if (run.what == Quantity::nas) prepare_trace(run.pattern);
  }
  results_.add(lab_, runs,
               {.simulate = [this](const Rhinet2Run& run) { return simulated(run); },
                .label = [](const Rhinet2Run&) { return std::string("runs"); },
                .work =
                    [](const Rhinet2Run& run) {
                      const std::uint64_t long_replay =
                          run.pattern.starts_with("LU") || run.pattern.ends_with(".A.16") ? 100 : 0;
                      // In this order they take longer.
                      return 1 + static_cast<std::uint64_t>(run.what) + long_replay;
                    }});
}

Declared Rhinet2Study::declared() const {
  return with_params({{"switches", cluster_.model}, {"nic", cluster_.nic}}, params_,
                     study_params());
}

Average Rhinet2Study::average(const Rhinet2Run& run) const {
  const std::vector<Rhinet2Run> runs = drawn(run);
  const auto count = static_cast<double>(runs.size());
  Average out;
  double squares = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const HostMeasurement& one = at(runs[i]);
    out.mean += one.mean / count;
    out.spread += (one.most - one.least) / count;
    squares += one.mean * one.mean / count;
    if (i < 10) out.ten += one.mean / std::min(10.0, count);
  }
  if (runs.size() > 1) {
    const double variance = std::max(0.0, squares - out.mean * out.mean) * count / (count - 1);
    out.half_width = 1.96 * std::sqrt(variance / count);
  }
  return out;
}

}  // namespace weft::papers::rhinet2
