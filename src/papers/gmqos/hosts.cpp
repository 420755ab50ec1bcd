// SPDX-License-Identifier: Apache-2.0
// Section 3.2.1 of the study of rate control: programs that pace themselves, message by
// message, against NICs that do it packet by packet.
#include <algorithm>

#include "papers/gmqos/experiments.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::gmqos {
namespace {

struct Regulated {
  double mean = 0, least = 0, most = 0;  ///< MB/s: over all, and in bins of a millisecond
  double burst() const { return most / mean; }
};

enum class Regulator {
  hosts,
  first_program,  ///< the other does not comply
  nics,           ///< programs send as fast as they can
};

/// Two flows out of one host at 20 and 50 MB/s.
std::vector<Regulated> regulate(const GmqosStudy& study, Regulator who, Bytes message) {
  const Machine& machine = who == Regulator::nics ? study.rated() : study.stock();
  const Milliseconds start(50), end(study.quick() ? 130 : 550);
  FlowsPlan plan;
  plan.bin = Milliseconds(1);
  std::size_t to = 1;
  for (const double megabytes : {20.0, 50.0}) {
    FlowPlan flow = free_flow(fmt::format("flow {}", to), 0, to);
    ++to;
    flow.message = message;
    flow.stop = end;
    if (who == Regulator::nics) {
      flow.service = FlowService::paced;
      flow.interval = interval_for(machine, megabytes);
    } else if (who == Regulator::hosts || megabytes < 50) {
      flow.every = message / from_megabytes(megabytes);
    }
    plan.flows.push_back(flow);
  }
  const FlowsFound found = run_flows(machine, plan);
  std::vector<Regulated> out;
  for (std::size_t i = 0; i < plan.flows.size(); ++i) {
    Regulated one{sent_between(found, i, start, end), 1e300, 0};
    for (Duration at = start; at < end; at += plan.bin) {
      const double here = sent_between(found, i, at, at + plan.bin);
      one.least = std::min(one.least, here);
      one.most = std::max(one.most, here);
    }
    out.push_back(one);
  }
  return out;
}

}  // namespace

Section section_321(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  Sheet sheet{"sec3.2.1",
              "MB/s of two flows out of one host, held to 20 and 50: mean, least and most of a "
              "millisecond",
              {"held back by", "message", "1", "1 least", "1 most", "2", "2 least", "2 most"}};
  const auto add = [&](const char* name, Regulator who, Bytes message) {
    std::vector<Regulated> got = regulate(study, who, message);
    sheet.rows.push_back({std::string(name), message.count, got[0].mean, got[0].least, got[0].most,
                          got[1].mean, got[1].least, got[1].most});
    return got;
  };
  std::string bursts, taken;
  Cases coarser, enforced;
  for (const Bytes message : {Bytes{65536}, Bytes{1048576}}) {
    const std::string size = fmt::format("messages of {} KiB", message.count / 1024);
    const auto hosts = add("hosts", Regulator::hosts, message);
    const auto bypassed = add("hosts; 2 does not comply", Regulator::first_program, message);
    const auto nics = add("NICs; nobody complies", Regulator::nics, message);
    for (const std::size_t flow : {0U, 1U})
      coarser.add(hosts[flow].burst() > 1.5 * nics[flow].burst(),
                  fmt::format("flow {}, {}", flow + 1, size));
    bursts += fmt::format("{}{}: up to {} and {} times their means with hosts, {} and {} with NICs",
                          bursts.empty() ? "flows of 20 and 50 MB/s in a millisecond, " : "; ",
                          size, human_readable(hosts[0].burst()), human_readable(hosts[1].burst()),
                          human_readable(nics[0].burst()), human_readable(nics[1].burst()));
    enforced.add(bypassed[1].mean > 1.1 * 50 && nics[1].mean < 1.03 * 50, size);
    taken += fmt::format("{}{}: {} and {}", taken.empty() ? "" : ", ", size,
                         human_readable(bypassed[1].mean), human_readable(nics[1].mean));
  }
  Answers answers(context.stated, "sec3.2.1");
  answers.claim("coarser", coarser,
                bursts + ". A flow that has most of a host cannot exceed its mean by much");
  answers.claim(
      "enforced", enforced,
      "MB/s of a program that sends as fast as it can instead of 50, where hosts regulate "
      "and where NICs do, " +
          taken);
  return {.id = "sec3.2.1", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::gmqos
