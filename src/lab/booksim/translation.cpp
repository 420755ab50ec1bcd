// SPDX-License-Identifier: Apache-2.0
// Switches and simulation of a configuration of BookSim 2, and the command that comes of it.
#include "lab/booksim/translation.hpp"

#include <algorithm>

#include "fabric/format/parsing/text.hpp"

namespace weft::booksim {
namespace {

bool same_value(const std::string& a, std::string_view b) {
  if (a == b) return true;
  const auto x = real_from(a), y = real_from(b);
  return x && y && *x == *y;
}

/// Parameters that have one value here.
void object_to_others(const Configuration& from, Objections& objections) {
  for (const Parameter& each : parameters())
    if (each.meaning == Meaning::only && !same_value(from.text(each.name), each.otherwise))
      objections.impossible(each.name,
                            fmt::format("only {} = {} is there", each.name,
                                        each.otherwise.empty() ? "(nothing)" : each.otherwise));
}

void object_to_similar(const Configuration& from, Objections& objections) {
  const auto compare = [&](std::string_view key, std::string_view value, const char* what) {
    if (!same_value(from.text(key), value)) objections.similar(key, what);
  };
  for (const char* allocator : {"vc_allocator", "sw_allocator"})
    compare(allocator, "islip", "weft's is iSLIP");
  compare("arb_type", "round_robin", "arbiters are round-robin");
  compare("alloc_iters", "1", "one iteration is made");
  compare("vc_busy_when_full", "0", "a lane without credits may be allocated");
  compare("vc_prioritize_empty", "0", "lanes are allocated in turn, empty or not");
  compare("vc_shuffle_requests", "0", "lanes ask in turn");
  compare("output_speedup", "1", "the crossbar has one output a port");
  compare("internal_speedup", "1", "switches and links have the same clock");
  if (!from.is("hold_switch_for_packet", "0") && !from.is("packet_size", "1"))
    objections.similar("hold_switch_for_packet", "flits of several packets take turns");
  const long inputs = from.whole("input_speedup"), lanes = from.whole("num_vcs");
  if (inputs != 1 && inputs < lanes)
    objections.similar("input_speedup", "every lane has an input of the crossbar");
  if (lanes < 1 || lanes > most_lanes)
    objections.impossible("num_vcs", fmt::format("1 to {} lanes are possible", most_lanes));
  if (const long buffer = from.whole("vc_buf_size"); buffer < 1 || buffer > 65'535)
    objections.impossible("vc_buf_size", "buffers have 1 to 65535 flits");
}

/// Words that differ from weft's defaults.
std::string switches_of(const Configuration& from) {
  std::string out = fmt::format("iq:lanes={},buffer={}", lanes_of(from), from.whole("vc_buf_size"));
  const auto stage = [&](std::string_view name, long cycles, long otherwise) {
    if (cycles != otherwise) out += fmt::format(",{}={}", name, cycles);
  };
  stage("route", from.whole("routing_delay"), 1);
  stage("allocate_lane", from.whole("vc_alloc_delay"), 1);
  stage("allocate", from.whole("sw_alloc_delay"), 1);
  stage("cross", from.whole("st_prepare_delay") + from.whole("st_final_delay"), 1);
  stage("credit", from.whole("credit_delay"), 0);
  if (!from.is("wait_for_tail_credit", "0"))
    out += ",reuse=empty";
  else if (from.is("routing_function", "min_adapt"))
    out += ",reuse=sent";  // weft would empty them
  if (from.whole("input_speedup") != 1) out += ",inputs=lane";
  return out;
}

void translate_simulation(const Configuration& from, Objections& objections,
                          TranslatedConfiguration& to) {
  if (!from.is("sim_type", "latency") && !from.is("sim_type", "throughput"))
    objections.impossible("sim_type",
                          "latency and throughput are there; for batches see weft "
                          "list sources");
  const long periods = from.whole("warmup_periods");
  if (periods > 0) to.spec.warmup = fmt::format("{}", periods * from.whole("sample_period"));
  to.seeds = static_cast<std::uint64_t>(std::max(1L, from.whole("sim_count")));
  if (from.is("seed", "time"))
    objections.similar("seed", "a seed of weft is a number: 1 is taken");
  else
    to.spec.seed = fmt::format("{}", from.whole("seed"));
}

/// For a shell.
std::string quoted(const std::string& word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](char letter) {
    return std::string_view("*;&|<>()$`\"' {}[]?#!\\~").find(letter) == std::string_view::npos;
  });
  return plain ? word : "'" + word + "'";
}

}  // namespace

void Objections::impossible(std::string_view key, const std::string& why) {
  // Those that the file gives come first.
  const bool given = configuration_.gives(key);
  const std::size_t line = given ? configuration_.line(key) : behind_all;
  if (line_ != 0 && line_ <= line) return;
  line_ = line;
  words_ = fmt::format("{} = {}{} cannot be expressed: {}", key, shown(configuration_.text(key)),
                       given ? "" : ", BookSim's default,", why);
}

void Objections::similar(std::string_view key, const std::string& what) {
  if (likeness_ == Likeness::nearest)
    notes.push_back(fmt::format("{} = {}: {}", key, shown(configuration_.text(key)), what));
  else
    impossible(key, what + " (--nearest takes that)");
}

void Objections::remark(std::string_view key, const std::string& what) {
  notes.push_back(fmt::format("{} = {}: {}", key, shown(configuration_.text(key)), what));
}

void Objections::settle() const {
  if (line_ != 0) fail(configuration_.source(), line_ == behind_all ? 1 : line_, "{}", words_);
}

TranslatedConfiguration translated(const Configuration& configuration, Likeness likeness) {
  TranslatedConfiguration out;
  Objections objections(configuration, likeness);
  const std::string of_network = translate_network(configuration, objections, out.spec);
  object_to_others(configuration, objections);
  object_to_similar(configuration, objections);
  out.spec.switches = switches_of(configuration) + of_network;
  translate_traffic(configuration, objections, out.spec);
  translate_simulation(configuration, objections, out);
  objections.settle();
  out.notes = std::move(objections.notes);
  return out;
}

std::string command_of(const TranslatedConfiguration& translation) {
  const SimulationSpec& spec = translation.spec;
  const SimulationSpec otherwise;
  std::string out = fmt::format("weft sim {} {}", quoted(spec.fabric), quoted(spec.tables));
  const auto add = [&](std::string_view option, const std::string& value,
                       const std::string& usual) {
    if (value != usual) out += fmt::format(" --{} {}", option, quoted(value));
  };
  add("switch", spec.switches, otherwise.switches);
  add("traffic", spec.traffic, otherwise.traffic);
  add("packet", spec.packet, otherwise.packet);
  add("load", spec.load, otherwise.load);
  add("source", spec.source, otherwise.source);
  add("warmup", spec.warmup, otherwise.warmup);
  add("seed", spec.seed, otherwise.seed);
  if (translation.seeds > 1) out += fmt::format(" --seeds {}", translation.seeds);
  return out;
}

}  // namespace weft::booksim
