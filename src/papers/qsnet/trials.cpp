// SPDX-License-Identifier: Apache-2.0
// Trials of what QsNet promises: memory (figure 3, contexts), faults, and broadcasts to a range.
#include <algorithm>

#include "lab/parallel.hpp"
#include "papers/qsnet/elan_trials.hpp"
#include "papers/qsnet/experiments.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::qsnet {
namespace {

std::string hex(std::optional<std::uint64_t> address) {
  return address ? fmt::format("0x{:X}", *address) : "none";
}

double us(Duration time) { return static_cast<double>(time.count()) / 1e6; }

Sheet sheet_of(const MemoryTrial& trial) {
  Sheet sheet{
      "vm", "what a process tried of another's memory", {"tried", "may", "done", "reported"}};
  for (const Attempt& each : trial.attempts)
    sheet.rows.push_back({each.what, std::string(each.allowed ? "yes" : "no"),
                          std::string(each.ok ? "yes" : "no"),
                          each.trap.empty() ? "-" : each.trap});
  return sheet;
}

std::int64_t whole(std::uint64_t number) { return static_cast<std::int64_t>(number); }

Sheet sheet_of(const CampaignTrial& all, int trials) {
  Sheet sheet{"fault", "all runs of the campaign together", {"what", "number"}};
  const std::pair<const char*, std::uint64_t> rows[] = {
      {"runs", static_cast<std::uint64_t>(trials)},
      {"links that failed", all.links},
      {"Elites that failed", all.switches},
      {"packets sent again", all.retries},
      {"times a source changed its routes", all.reroutes},
      {"doubles that were noticed and dropped", all.doubles_dropped},
      {"DMAs", all.dmas},
      {"delivered", all.delivered},
      {"reported failed, no route left", all.unreachable},
      {"reported failed, a route left", all.failed},
      {"lost", all.lost},
      {"delivered twice", all.doubled},
      {"out of order", all.out_of_order}};
  for (const auto& [what, number] : rows) sheet.rows.push_back({std::string(what), whole(number)});
  return sheet;
}

constexpr const char* by_hardware = "hardware,scheme=rooted";

/// The grid on which broadcasts are compared.
struct BroadcastCase {
  std::size_t hosts, bytes;
};
std::vector<BroadcastCase> broadcast_cases(const QsnetStudy& study) {
  using Values = std::vector<std::size_t>;
  std::vector<BroadcastCase> out;
  for (const std::size_t hosts : study.quick() ? Values{2, 16} : Values{2, 4, 8, 16})
    for (const std::size_t bytes : study.quick() ? Values{0, 16384} : Values{0, 64, 1024, 16384})
      out.push_back({hosts, bytes});
  return out;
}

ProgramSpec broadcast(const QsnetStudy& study, const std::string& algorithm,
                      const BroadcastCase& of) {
  const std::string program =
      fmt::format("broadcast:algorithm={},bytes={},iterations=5,warmup=2", algorithm, of.bytes);
  return {.program = program, .cluster = study.lab().cluster, .hosts = std::to_string(of.hosts)};
}

/// The times of broadcasts by the switches and down a tree of messages.
Sheet answer_faster(Answers& answers, const QsnetStudy& study) {
  Sheet sheet{
      "bcast",
      "us until the last host has the data, by the switches and down a binomial tree of MPI "
      "messages",
      {"hosts", "bytes", "hardware", "binomial"}};
  Cases faster;
  std::string longest;
  for (const BroadcastCase& each : broadcast_cases(study)) {
    const double hardware = study.mean_us(broadcast(study, by_hardware, each)),
                 software = study.mean_us(broadcast(study, "binomial", each));
    faster.add(hardware < software, fmt::format("{} hosts and {} B", each.hosts, each.bytes));
    longest = fmt::format("on {} hosts {} KiB take {:.0f} us, {:.0f} us down the tree", each.hosts,
                          each.bytes >> 10U, hardware, software);
    sheet.rows.push_back({whole(each.hosts), whole(each.bytes), hardware, software});
  }
  answers.claim("faster", faster,
                longest +
                    ": every packet of a broadcast waits for the acknowledgment of all; two "
                    "hosts need a single message");
  return sheet;
}

}  // namespace

Section virtual_memory(const QsnetContext& context) {
  const Machine machine = context.study.machine();
  Answers answers(context.stated, "vm");
  answers.exact("begin", hex(elan_address(machine, 0x1FF0C808000)));
  answers.exact("end", hex(host_address(machine, 0xFFFFFFFF)));
  answers.exact("before", hex(elan_address(machine, 0x1FF0C807FFF)));
  answers.exact("behind", hex(elan_address(machine, 0x20000000000)));
  const MemoryTrial trial = try_memory(machine);
  bool refused = true, reported = true;
  for (const Attempt& each : trial.attempts) {
    refused = refused && each.ok == each.allowed;
    reported = reported && each.trap.empty() == each.allowed;
  }
  answers.claim("isolate", refused && trial.changed == 0,
                fmt::format("of {} attempts those that may not succeed do not, and change {} bytes",
                            trial.attempts.size(), trial.changed));
  answers.claim("offender", reported, "with the address and why");
  answers.claim("nobody else", trial.traps_of_others == 0 && trial.undisturbed == trial.meanwhile,
                fmt::format("others hear of {} traps, and {} of their {} DMAs meanwhile end well",
                            trial.traps_of_others, trial.undisturbed, trial.meanwhile));
  answers.claim("events", !trial.event_in_main.empty(), trial.event_in_main);
  return {
      .id = "vm", .about = {}, .sheets = {sheet_of(trial)}, .answers = std::move(answers).done()};
}

Section faults(const QsnetContext& context) {
  const QsnetStudy& study = context.study;
  const Machine machine = study.machine();
  std::vector<CampaignTrial> found(static_cast<std::size_t>(study.trials()));
  in_parallel(found.size(), study.lab().threads,
              [&](std::size_t i) { found[i] = try_faults(machine, 10, study.seed() + i); });
  CampaignTrial all;
  for (const CampaignTrial& each : found) all += each;
  Answers answers(context.stated, "fault");
  answers.claim("retry", all.retries > 0, fmt::format("{} packets are sent again", all.retries));
  answers.claim("reroute", all.reroutes > 0,
                fmt::format("sources change their routes {} times", all.reroutes));
  answers.claim("once", all.lost == 0 && all.doubled == 0,
                fmt::format("of {} DMAs under {} faults of links and Elites {} are delivered, {} "
                            "lost, {} doubled ({} packets came twice and were dropped)",
                            all.dmas, all.links + all.switches, all.delivered, all.lost,
                            all.doubled, all.doubles_dropped));
  answers.claim("order", all.out_of_order == 0,
                fmt::format("{} come before one that was asked for earlier", all.out_of_order));
  answers.claim("reported", all.failed == 0 && all.delivered + all.unreachable == all.dmas,
                fmt::format("{} are reported failed, for all of which there is no route any more",
                            all.unreachable));
  answers.claim("hang", !all.hangs, fmt::format("{} runs end", study.trials()));
  return {.id = "fault",
          .about = {},
          .sheets = {sheet_of(all, study.trials())},
          .answers = std::move(answers).done()};
}

std::vector<ProgramSpec> broadcast_runs(const QsnetStudy& study) {
  std::vector<ProgramSpec> out;
  for (const char* algorithm : {by_hardware, "binomial"})
    for (const BroadcastCase& each : broadcast_cases(study))
      out.push_back(broadcast(study, algorithm, each));
  return out;
}

Section broadcasts(const QsnetContext& context) {
  const QsnetStudy& study = context.study;
  const Machine machine = study.machine();
  Answers answers(context.stated, "bcast");
  const BroadcastTrial idle = try_broadcast(machine, {.first = 4, .last = 11});
  const BroadcastTrial busy = try_broadcast(machine, {.first = 4, .last = 11, .busy = true});
  const BroadcastTrial dead = try_broadcast(machine, {.first = 4, .last = 11, .dead = true});
  answers.claim("range", idle.ok && idle.right == 7 && idle.others + busy.others == 0,
                fmt::format("from host 4 to 5 to 11: {} have the data, {} of the other hosts got "
                            "something",
                            idle.right, idle.others));
  answers.claim("combined", busy.ok && busy.acknowledged > busy.first_has,
                fmt::format("{:.2f} us; when one of them is busy {:.2f} us, though the first has "
                            "the data after {:.2f} us",
                            us(idle.acknowledged), us(busy.acknowledged), us(busy.first_has)));
  answers.claim(
      "all", !dead.ok && dead.have == 6,
      fmt::format("when one cannot be reached the source learns it; {} have the data", dead.have));
  const Sheet sheet = answer_faster(answers, study);
  return {.id = "bcast", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::qsnet
