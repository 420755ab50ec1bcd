// SPDX-License-Identifier: Apache-2.0
// The fields of a replay, and how each is read.
#include "lab/replay/request.hpp"

#include "base/decimal.hpp"
#include "lab/cluster/machine_fields.hpp"
#include "lab/replay/placement.hpp"

namespace weft {
namespace {

using S = ReplaySpec;
using R = ReplayRequest;

void read_until(std::string_view name, const std::string& text, R& out) {
  if (!text.empty()) out.until = parsed(name, text, duration_from);
}

std::optional<Duration> duration_in(const std::string& text) {
  try {
    return duration_from(text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void read_scale(std::string_view name, const std::string& text, R& out) {
  if (const std::optional<Duration> time = duration_in(text)) {
    out.compute_time = *time;
    return;
  }
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || rest != end || !(value >= 0 && value <= 1e9))
    reject(name, text,
           "a number from 0 to 1e9 is needed, by which compute times are multiplied, or a time, "
           "such as 1.5s, that a rank is to compute on average");
  out.scale = value;
}

}  // namespace

const std::vector<ReplayField>& replay_fields() {
  static const std::vector<ReplayField> fields = with_machine_fields<S, R>(
      {{"cluster", &S::cluster, "cluster file, or one of weft list clusters"}},
      {
          {"library", &S::library, "what carries messages; weft list libraries"},
          {"hosts", &S::hosts,
           "that may be used: so many of the fabric's, or names with commas\nbetween them; all "
           "without it"},
          {"ranks", &S::ranks, "on each host, at most", whole_number(&R::ranks_per_host, 1, 4096)},
          {"placement", &S::placement,
           "of ranks: by_switch, round_robin, random, or a file with a host\non each line"},
          {"scale", &S::scale,
           "factor of compute times; or a time, to which those of the timed\nsection are "
           "calibrated: what a rank computes on average",
           read_scale},
          {"groups", &S::groups, "process groups of Chakra traces: a JSON file"},
          {"faults", &S::faults,
           "what fails, in cycles of the network: link=s0:3@1000;\nswitch=s7@2000;errors=1e-9"},
          {"until", &S::until, "virtual time at which the run is cut short, such as 10ms",
           read_until},
          {"seed", &S::seed, "of random placement and of bit errors",
           whole_number(&R::seed, std::uint64_t{0}, ~std::uint64_t{0})},
      });
  return fields;
}

ReplayRequest request_of(const ReplaySpec& spec) {
  ReplayRequest out;
  out.spec = spec;
  if (spec.traces.empty()) throw Error("a trace is needed; weft help replay has an example");
  read_fields(spec, replay_fields(), out);
  out.algorithms = trace::CollectiveAlgorithms(spec.collectives);
  const FilledMachine machine =
      fill({spec.cluster, spec.topology, spec.engine, spec.switches, spec.nic, spec.library});
  out.machine = request_of(machine);
  assign_machine(out.spec, machine.spec);
  out.spec.library = machine.spec.library;
  return out;
}

std::string command_of(const ReplaySpec& spec) {
  std::string out = "weft replay" + options_of(spec, replay_fields(), {});
  for (const std::string& each : spec.collectives) out += " --collective " + shell_word(each);
  for (const std::string& each : spec.traces) out += ' ' + shell_word(each);
  return out;
}

}  // namespace weft
