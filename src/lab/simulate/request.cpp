// SPDX-License-Identifier: Apache-2.0
// The fields of a simulation: how each is read, and which go together.
#include "lab/simulate/request.hpp"

#include <array>

#include "base/catalog.hpp"
#include "lab/cluster/cluster.hpp"
#include "sim/traffic/traffic.hpp"

namespace weft {
namespace {

using S = SimulationSpec;
using R = SimulationRequest;

/// Cycles, or none for "auto".
auto cycles_or_auto(std::optional<sim::Cycle> R::*value, std::int64_t least) {
  return [=](std::string_view name, const std::string& text, R& out) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    if (text == "auto") return;
    const std::int64_t cycles = count_from(text).value_or(-1);
    if (cycles < least || cycles > most)
      reject(name, text,
             fmt::format("a whole number of cycles from {} to {}, or auto", least, most));
    out.*value = static_cast<sim::Cycle>(cycles);
  };
}

void read_packet(std::string_view name, const std::string& text, R& out) {
  out.lengths = parsed(
      name, text, [&](const std::string& given) { return sim::Lengths(given, out.switches.flit); });
}

void read_ack(std::string_view name, const std::string& text, R& out) {
  out.ack = parsed(name, text, [&](const std::string& given) {
    return given == "0" ? 0 : sim::flits_from(given, out.switches.flit);
  });
}

/// Whether a text is meant as several numbers: 0.1..0.5, 0.1:0.5:0.1, 0.1-0.5 or 0.1,0.5.
bool looks_like_several(std::string_view text) {
  return text.find("..") != std::string_view::npos ||
         (text.find_first_of(",:-", 1) != std::string_view::npos &&
          text.find_first_not_of("0123456789.,:-") == std::string_view::npos);
}

void read_load(std::string_view name, const std::string& text, R& out) {
  out.load = parsed(name, text, [](const std::string& given) {
    if (looks_like_several(given))
      throw Error(
          "one number from 0 to 1 is needed; weft sweep takes several, as in "
          "'[0.1..0.5:0.1]' or '[0.1,0.5]'");
    return chance_from(given);
  });
  if (out.load.parts() == 0) reject(name, text, "it has to be above 0, and 2^-63 or more");
}

void read_reply(std::string_view name, const std::string& text, R& out) {
  out.reply = parsed(name, text, [&](const std::string& given) {
    return given == "0" ? 0 : sim::flits_from(given, out.switches.flit);
  });
}

void read_source_process(std::string_view name, const std::string& text, R& out) {
  out.source = Spec::parse(text);
  const Params params(out.source, find_row(source_rows(), "source", out.source.name).params);
  out.bursts.reset();
  out.batch = out.source.name == "batch" ? params.whole<std::uint64_t>("packets") : 0;
  if (out.source.name != "onoff") return;
  out.bursts = sim::Bursts{params.whole<std::uint64_t>("on"),
                           parsed(name, params.text("peak"), chance_from)};
  if (out.bursts->peak.parts() == 0) params.reject("peak", "a burst offers more than nothing");
}

/// A model's or a traffic pattern's Error names it already.
void read_switches(std::string_view, const std::string& text, R& out) {
  out.switches = sim::model_from(text);
}
void read_traffic(std::string_view name, const std::string& text, R& out) {
  if (is_file(text))
    reject(name, text,
           fmt::format("a trace is file:path={0}, a traffic matrix matrix:path={0}", text));
  out.traffic = Spec::parse(text);
  const Params checked(out.traffic,
                       find_row(traffic_rows(), "traffic pattern", out.traffic.name).params);
}

/// "who sends to whom: uniform, …, file", in lines that fit beside the names of options.
std::string help_with_rows(std::string out, std::span<const TrafficRow> rows) {
  constexpr std::size_t width = 68;
  std::size_t column = out.size();
  for (const TrafficRow& row : rows) {
    const bool last = &row == &rows.back();
    const std::string word = fmt::format("{}{}", row.name, last ? "" : ",");
    const bool breaks = column + 1 + word.size() > width;
    out += (breaks ? '\n' : ' ') + word;
    column = word.size() + (breaks ? 0 : column + 1);
  }
  return out;
}

std::string traffic_help() {
  return help_with_rows("who sends to whom; weft list traffic says more:", traffic_rows());
}
std::string source_help() {
  return help_with_rows("when hosts send; weft list sources says more:", source_rows());
}

SimulationSpec filled(SimulationSpec spec) {
  static const SimulationSpec defaults;
  if (spec.switches.empty() && is_infiniband_file(spec.fabric)) spec.switches = "infiniband";
  for (const SimulationField& field : simulation_fields())
    if ((spec.*field.text).empty()) spec.*field.text = defaults.*field.text;
  if (spec.fabric.empty()) throw Error("a simulation needs a fabric");
  if (spec.tables.empty() && has_own_tables(spec.fabric)) spec.tables = spec.fabric;
  if (spec.tables.empty())
    throw Error("a simulation needs tables, by a routing engine or a file of tables");
  return spec;
}

/// Why nothing would use the load, where nothing does.
void reject_load(const SimulationRequest& request) {
  const SimulationSpec& spec = request.spec;
  if (request.window > 0)
    reject("load", spec.load,
           "with a window hosts send when acknowledgments come, at no load of their own");
  if (request.batch > 0)
    reject("load", spec.load, "a batch has none: hosts have all packets at once");
  reject("load", spec.load,
         "the matrix has rates, which say how much hosts send; scale=2 in its spec doubles them");
}

/// Throws Error for sources, loads and replies that do not go together.
void reject_unused_of_sources(const SimulationRequest& request) {
  static const SimulationSpec usual;
  const SimulationSpec& spec = request.spec;
  if (spec.load != usual.load && !request.uses_load()) reject_load(request);
  if (request.window > 0 && request.source.name == "onoff")
    reject("source", spec.source, "with a window hosts send when acknowledgments come");
  if (request.bursts && request.uses_load() && request.load.parts() > request.bursts->peak.parts())
    reject("load", spec.load,
           fmt::format("bursts offer {} at most: peak={}", request.bursts->peak.value(),
                       request.bursts->peak.value()));
  if (request.batch > 0 && (spec.warmup != usual.warmup || spec.cycles != usual.cycles))
    reject(spec.warmup != usual.warmup ? "warmup" : "cycles",
           spec.warmup != usual.warmup ? spec.warmup : spec.cycles,
           "a batch is run to its end, and all of it is measured");
  if (request.reply > 0 && spec.ack != usual.ack)
    reject("ack", spec.ack, "a reply acknowledges its request: it has the length of --reply");
}

/// Throws Error for a field that is not its default and that nothing would use.
void reject_unused(const SimulationRequest& request) {
  constexpr std::array not_of_traces{&S::load, &S::source, &S::reply,  &S::window,
                                     &S::ack,  &S::urgent, &S::warmup, &S::cycles};
  static const SimulationSpec usual;
  const SimulationSpec& spec = request.spec;
  if (!request.replays()) {
    reject_unused_of_sources(request);
    if (spec.urgent != usual.urgent && !request.switches.priorities)
      reject("urgent", spec.urgent, "switches treat all packets alike: --switch iq:priorities=yes");
    if (spec.window == usual.window && spec.ack != usual.ack)
      reject("ack", spec.ack, "hosts send acknowledgments in a closed loop only: --window");
    return;
  }
  for (const SimulationField& field : simulation_fields())
    if (std::find(not_of_traces.begin(), not_of_traces.end(), field.text) != not_of_traces.end() &&
        spec.*field.text != usual.*field.text)
      reject(field.name, spec.*field.text,
             "a trace has none: its messages say what is sent and when, and it is run to its end");
}

}  // namespace

const std::vector<SimulationField>& simulation_fields() {
  static const std::vector<SimulationField> fields{
      {"fabric", &S::fabric, "fabric file, or a topology such as torus:dims=4x4"},
      {"tables", &S::tables, "routing engine such as dor, or a file of tables"},
      {"switch", &S::switches, "how switches work; weft list switches", read_switches},
      {"traffic", &S::traffic, traffic_help(), read_traffic},
      {"packet", &S::packet, "its length in flits, in bytes (64B), or a mix 1*0.8+16*0.2",
       read_packet},
      {"load", &S::load, "flits that a host sends per cycle, up to 1", read_load},
      {"source", &S::source, source_help(), read_source_process},
      {"reply", &S::reply, "length of the reply to every packet; 0: none", read_reply},
      {"window", &S::window, "packets of a host without acknowledgment at most; 0: any number",
       whole_number(&R::window, 0U, 1U << 24)},
      {"ack", &S::ack, "length of an acknowledgment; 0: it takes no time", read_ack},
      {"urgent", &S::urgent, "share of packets with the higher priority",
       value_by(&R::urgent, chance_from)},
      {"faults", &S::faults,
       "such as link=s0:3@1000-2000;switch=s7@2000;corrupt=h5@700;errors=1e-9\n"
       "(cycles count from the start of the warm-up)"},
      {"without", &S::without, removal_help},
      {"warmup", &S::warmup, "cycles before measuring; auto: until nothing drifts",
       cycles_or_auto(&R::warmup, 0)},
      {"cycles", &S::cycles, "cycles measured; auto: until the latency is known to 1 %",
       cycles_or_auto(&R::cycles, 1)},
      {"seed", &S::seed, "of all that is random",
       whole_number(&R::seed, std::uint64_t{0}, ~std::uint64_t{0})},
  };
  return fields;
}

std::span<const TrafficRow> traffic_rows() {
  static const std::vector<TrafficRow> rows = [] {
    std::vector<TrafficRow> out;
    for (const auto& row : sim::patterns()) out.push_back({row.name, row.summary, row.params});
    out.push_back({"file",
                   "messages of a file: source,destination,size,time",
                   {{"path", FreeText{}, "", "its path"}}});
    out.push_back({"matrix",
                   "how much every host sends to every other, from a file",
                   {{"path", FreeText{}, "", "CSV: a row per host, or lines from,to,rate"},
                    {"unit", FreeText{"weights, flits (per cycle), Gb/s, MB/s, ..."}, "weights",
                     "of its numbers; weights: the busiest host offers --load"},
                    {"scale", FreeText{}, "1", "rates are multiplied by it"}}});
    return out;
  }();
  return rows;
}

std::span<const TrafficRow> source_rows() {
  static const std::vector<TrafficRow> rows{
      {"bernoulli", "every cycle is as likely to create a packet", {}},
      {"onoff",
       "in bursts, with pauses that keep the load",
       {{"on", Whole{1, std::int64_t{1} << 32, "cycles"}, "100", "mean length of a burst"},
        {"peak", FreeText{"0 to 1"}, "1", "load during a burst"}}},
      {"batch",
       "all at once; the time until the last packet has arrived is the result",
       {{"packets", Whole{1, std::int64_t{1} << 24}, "1000", "that every host sends"}}},
  };
  return rows;
}

bool SimulationRequest::uses_load() const {
  if (replays() || window > 0 || batch > 0) return false;
  if (!has_matrix()) return true;
  const auto unit = traffic.values.find("unit");
  return unit == traffic.values.end() || unit->second == "weights";
}

std::uint32_t SimulationRequest::longest_packet() const {
  return std::max({lengths.longest(), reply, window > 0 && reply == 0 ? ack : 0});
}

void fill_from_cluster(SimulationSpec& spec, const std::string& path_or_name) {
  const Cluster cluster = find_cluster(path_or_name);
  if (spec.tables.empty() && names_engine(spec.fabric)) std::swap(spec.fabric, spec.tables);
  if (spec.fabric.empty()) spec.fabric = cluster.topologies.front();
  spec.fabric = with_links(spec.fabric, cluster.links);
  if (spec.tables.empty()) spec.tables = cluster.engines.front();
  spec.tables = with_most_lanes(spec.tables, cluster.lanes);
  spec.switches =
      spec.switches.empty() ? cluster.model : with_lane_limit(spec.switches, cluster.lanes);
}

SimulationRequest request_of(const SimulationSpec& spec) {
  SimulationRequest out;
  out.spec = filled(spec);
  read_fields(out.spec, simulation_fields(), out);
  reject_unused(out);
  return out;
}

bool same_but_for_load(SimulationSpec a, const SimulationSpec& b) {
  a.load = b.load;
  return a == b;
}

bool same_but_for_load_and_length(SimulationSpec a, const SimulationSpec& b) {
  a.warmup = b.warmup;
  a.cycles = b.cycles;
  return same_but_for_load(std::move(a), b);
}

SimulationRequest at_load(SimulationRequest request, const std::string& load) {
  request.spec.load = load;
  read_load("load", load, request);
  return request;
}

SimulationRequest at_length(SimulationRequest request, sim::Cycle warmup, sim::Cycle cycles) {
  request.spec.warmup = std::to_string(warmup);
  request.spec.cycles = std::to_string(cycles);
  request.warmup = warmup;
  request.cycles = cycles;
  return request;
}

bool uses_load(const SimulationSpec& spec) {
  SimulationRequest request;
  request.traffic = Spec::parse(spec.traffic);
  read_source_process("source", spec.source, request);
  request.window = spec.window == SimulationSpec{}.window ? 0 : 1;
  return request.uses_load();
}

std::string command_of(const SimulationSpec& spec) {
  return fmt::format("weft sim {} {}{}", shell_word(spec.fabric), shell_word(spec.tables),
                     options_of(spec, simulation_fields(), {&S::fabric, &S::tables}));
}

}  // namespace weft
