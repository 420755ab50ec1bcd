// SPDX-License-Identifier: Apache-2.0
// Published collectives of named algorithms (PICO, De Sensi et al.; ARCHER2): a barrier before each
// of them, the time of the slowest rank, bytes of the whole vector.
#include <algorithm>
#include <cmath>

#include "papers/hardware/experiments.hpp"

namespace weft::papers::hardware {
namespace {

// What collectives may be missed for: nothing published tells which it is.
constexpr std::string_view
    on_gpus = "perhaps as its NICs are attached to GPUs, those of alps2022 to processors",
    sums = "sums at 10 GB/s are assumed, 2 to 4 GB/s would give it",
    unknown = "unknown: from 1,024 nodes on published steps of short messages are longer",
    farther = "a third level of switches and their 330 ns of other resellers would give it",
    no_curve = "no curve of NDR is published: the hosts of azure_hbv3",
    copied = "blocks of 256 KiB are just eager in ours, so they are copied twice",
    flat = "perhaps as all ranks of a node send in every step, and none sums for others",
    one_link = "16 nodes share a link in the shape assumed, and all their ranks send",
    more_nics = "published times are shorter than one NIC needs for the data of a node";

/// The hosts that a job was spread over, by those of PICO's files of jobs that could be read.
constexpr std::size_t everywhere = 0, lumi_group = 128, marenostrum_rack = 32;
struct PublishedCollective {
  std::string_view machine, name;  ///< of expected.csv
  std::string_view program;        ///< and its algorithm
  std::string_view bytes;
  std::size_t nodes;
  std::size_t among;  ///< so many hosts
  bool quick = true;  ///< takes little time
  std::string_view why{};
  int ranks = 1;  ///< on each node
};
constexpr bool full_only = false;
constexpr std::string_view doubling = "allreduce:algorithm=recursive_doubling",
                           ring_sum = "allreduce:algorithm=ring",
                           ring_gather = "allgather:algorithm=ring",
                           doubling_gather = "allgather:algorithm=recursive_doubling",
                           halving = "reduce_scatter:algorithm=halving",
                           pairwise = "alltoall:algorithm=pairwise";
constexpr std::array published_collectives{
    PublishedCollective{"lumi_g", "allreduce-32B-8", doubling, "32B", 8, lumi_group, true, on_gpus},
    PublishedCollective{"lumi_g", "allreduce-32B-16", doubling, "32B", 16, lumi_group, true,
                        on_gpus},
    PublishedCollective{"lumi_g", "allreduce-32B-32", doubling, "32B", 32, lumi_group, true,
                        on_gpus},
    PublishedCollective{"lumi_g", "allreduce-8KiB-32", doubling, "8KiB", 32, lumi_group, true,
                        slower},
    PublishedCollective{"lumi_g", "allreduce-512KiB-32", doubling, "512KiB", 32, lumi_group, true,
                        sums},
    PublishedCollective{"lumi_g", "ring-512KiB-32", ring_sum, "512KiB", 32, lumi_group, true, sums},
    PublishedCollective{"lumi_g", "ring-32MiB-32", ring_sum, "32MiB", 32, lumi_group, full_only,
                        sums},
    PublishedCollective{"lumi_g", "allgather-16KiB-100", ring_gather, "16KiB", 100, 13 * lumi_group,
                        true, on_gpus},
    PublishedCollective{"lumi_g", "allgather-16KiB-1000", ring_gather, "16KiB", 1000, everywhere,
                        full_only, on_gpus},
    PublishedCollective{"lumi_g", "reduce_scatter-16KiB-1000", halving, "16KiB", 1000, everywhere,
                        full_only, slower},
    PublishedCollective{"lumi_g", "reduce_scatter-8MiB-1000", halving, "8MiB", 1000, everywhere,
                        full_only, sums},
    PublishedCollective{"leonardo", "allreduce-32B-512", doubling, "32B", 512, everywhere, true,
                        unknown},
    PublishedCollective{"leonardo", "allreduce-32B-1024", doubling, "32B", 1024, everywhere,
                        full_only, unknown},
    PublishedCollective{"leonardo", "allreduce-32B-2048", doubling, "32B", 2048, everywhere,
                        full_only, unknown},
    PublishedCollective{"leonardo", "allreduce-16KiB-512", doubling, "16KiB", 512, everywhere, true,
                        slower},
    PublishedCollective{"leonardo", "allreduce-16KiB-1024", doubling, "16KiB", 1024, everywhere,
                        full_only, slower},
    PublishedCollective{"leonardo", "allreduce-16KiB-2048", doubling, "16KiB", 2048, everywhere,
                        full_only, slower},
    PublishedCollective{"leonardo", "allgather-16KiB-1024", ring_gather, "16KiB", 1024, everywhere,
                        full_only, unknown},
    PublishedCollective{"leonardo", "allgather-16KiB-2048", ring_gather, "16KiB", 2048, everywhere,
                        full_only, unknown},
    PublishedCollective{"leonardo", "doubling-16KiB-1024", doubling_gather, "16KiB", 1024,
                        everywhere, full_only, unknown},
    PublishedCollective{"leonardo", "doubling-1MiB-1024", doubling_gather, "1MiB", 1024, everywhere,
                        full_only, unknown},
    PublishedCollective{"leonardo", "doubling-8MiB-1024", doubling_gather, "8MiB", 1024, everywhere,
                        full_only, unknown},
    PublishedCollective{"marenostrum5", "allreduce-32B-32", doubling, "32B", 32,
                        8 * marenostrum_rack, true, farther},
    PublishedCollective{"marenostrum5", "allreduce-32B-60", doubling, "32B", 60, everywhere, true,
                        farther},
    PublishedCollective{"marenostrum5", "allgather-256B-32", ring_gather, "256B", 32,
                        3 * marenostrum_rack, true, no_curve},
    PublishedCollective{"marenostrum5", "allgather-8MiB-32", ring_gather, "8MiB", 32,
                        3 * marenostrum_rack, true, copied},
    PublishedCollective{"archer2", "allreduce-8B-2", doubling, "8B", 2, 2, true, flat, 128},
    PublishedCollective{"archer2", "allreduce-8B-8", doubling, "8B", 8, 8, true, flat, 128},
    PublishedCollective{"archer2", "allreduce-8B-32", doubling, "8B", 32, 32, full_only, one_link,
                        128},
    PublishedCollective{"archer2", "allreduce-8B-128", doubling, "8B", 128, 128, full_only,
                        one_link, 128},
    PublishedCollective{"archer2", "alltoall-1KiB-2", pairwise, "1KiB", 2, 2, true, more_nics, 128},
    PublishedCollective{"archer2", "alltoall-1KiB-8", pairwise, "1KiB", 8, 8, full_only, more_nics,
                        128},
};

/// The time of a step, which follows from that of a collective.
struct PublishedStep {
  std::string_view machine, name, collective;
  int steps;
};
constexpr std::array published_steps{
    PublishedStep{"lumi_g", "allreduce-step", "allreduce-32B-32", 5},
    PublishedStep{"lumi_g", "allgather-step-100", "allgather-16KiB-100", 99},
    PublishedStep{"lumi_g", "allgather-step-1000", "allgather-16KiB-1000", 999},
    PublishedStep{"leonardo", "allgather-step", "allgather-16KiB-1024", 1023},
};

std::vector<PublishedCollective> collectives_on(const HardwareStudy& study,
                                                const PublishedMachine& machine) {
  std::vector<PublishedCollective> out;
  std::copy_if(published_collectives.begin(), published_collectives.end(), std::back_inserter(out),
               [&](const auto& each) {
                 return each.machine == machine.name && (each.quick || !study.quick());
               });
  return out;
}

ProgramSpec run_of(const HardwareStudy& study, const PublishedMachine& machine,
                   const PublishedCollective& row) {
  // The start hardly matters to long rings, which take long to simulate.
  const bool long_ring = row.program == ring_gather && !row.quick;
  const std::string program =
      fmt::format("{},bytes={},iterations=1,warmup={}", row.program, row.bytes, long_ring ? 0 : 1);
  ProgramSpec run = study.on_spread(machine, program, {row.nodes, row.among});
  run.ranks = std::to_string(row.ranks);
  return run;
}

/// What is stated about the machine, less what a quick page leaves out.
std::vector<Stated> stated_about(const HardwareContext& context,
                                 const std::vector<PublishedCollective>& rows) {
  const auto is_run = [&](std::string_view id) {
    return std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
      if (id == fmt::format("{}/{}", row.machine, row.name)) return true;
      return std::any_of(published_steps.begin(), published_steps.end(), [&](const auto& each) {
        return id == fmt::format("{}/{}", each.machine, each.name) && each.machine == row.machine &&
               each.collective == row.name;
      });
    });
  };
  std::vector<Stated> out;
  std::copy_if(context.stated.begin(), context.stated.end(), std::back_inserter(out),
               [&](const Stated& each) { return is_run(each.id); });
  return out;
}

}  // namespace

std::vector<ProgramSpec> collective_runs(const HardwareStudy& study,
                                         const PublishedMachine& machine) {
  std::vector<ProgramSpec> out;
  for (const PublishedCollective& row : collectives_on(study, machine))
    out.push_back(run_of(study, machine, row));
  return out;
}

Section collectives_of(const HardwareContext& context, const PublishedMachine& machine) {
  const auto rows = collectives_on(context.study, machine);
  const std::vector<Stated> stated = stated_about(context, rows);
  Answers answers(stated, machine.name);
  Sheet sheet{std::string(machine.name),
              "us until the slowest rank has ended",
              {"collective", "bytes", "nodes", "ranks", "published", "ours", "off %"}};
  for (const PublishedCollective& row : rows) {
    const double published = value_of(stated, fmt::format("{}/{}", machine.name, row.name));
    const double ours = context.study.slowest(run_of(context.study, machine, row));
    const double off = ours / published - 1;
    answers.number(row.name, ours, std::abs(off) <= tolerance ? "" : std::string(row.why));
    for (const PublishedStep& each : published_steps)
      if (each.machine == machine.name && each.collective == row.name)
        answers.number(each.name, ours / each.steps);
    sheet.rows.push_back(
        {std::string(row.program), std::string(row.bytes), static_cast<std::int64_t>(row.nodes),
         static_cast<std::int64_t>(row.nodes) * row.ranks, published, ours, 100 * off});
  }
  return {.id = std::string(machine.name),
          .about = {},
          .sheets = {sheet},
          .answers = std::move(answers).done()};
}

}  // namespace weft::papers::hardware
