// SPDX-License-Identifier: Apache-2.0
// Ours, not predictions: what two explanations of the times of Netgauge's ping-pongs at 4 to 64 KiB
// would give. Both have a source, neither explains all machines, and verbs on the same hosts do not
// show the first. And the published collectives that are not modelled.
#include <algorithm>
#include <cmath>

#include "papers/hardware/experiments.hpp"

namespace weft::papers::hardware {
namespace {

struct VariantRow {
  std::string_view machine;
  /// The copy of UCX's own estimate, of Intel's processors and of AMD's.
  const char* sender_copy;
  bool eager_at_64_kib, by_netgauge;
};
constexpr const char *intel_copy = "6.08GB/s", *amd_copy = "5.25GB/s";
constexpr std::array variant_rows{VariantRow{"azure_hbv3", amd_copy, true, false},
                                  VariantRow{"azure_hbv2", amd_copy, true, true},
                                  VariantRow{"azure_hc44rs", intel_copy, true, true},
                                  VariantRow{"deep_est", intel_copy, false, true},
                                  VariantRow{"alps2022", amd_copy, false, true},
                                  VariantRow{"alps2022_far", amd_copy, false, true}};

bool applies(const VariantRow& row, const MessageSize& size) {
  return size.bytes == 1 << 10 || size.bytes == 8 << 10 ||
         (size.bytes == 64 << 10 && row.eager_at_64_kib);
}

/// A DMA read of the first packet that takes 0.29 ns a byte (pcie-bench, an adapter on eight lanes
/// of PCIe 3.0) instead of the bus's rate. Once a message, so it is added to `touch`.
ProgramSpec slow_dma(const HardwareStudy& study, const VariantRow& row, std::size_t bytes) {
  const PublishedMachine& machine = machine_named(row.machine);
  const Spec nic = Spec::parse(study.cluster(machine).nic);
  const double first = static_cast<double>(std::min<std::int64_t>(
      static_cast<std::int64_t>(bytes), bytes_from(nic.values.at("mtu")).count));
  const double bus =
      static_cast<double>(bandwidth_from(nic.values.at("bus")).bits_per_second) / 8e9;
  const Spec library = Spec::parse(study.cluster(machine).library);
  const double touch = static_cast<double>(duration_from(library.values.at("touch")).count()) / 1e3;
  return study.ping(machine, bytes,
                    {.library = fmt::format("touch={:.0f}ns", touch + first * (0.29 - 1 / bus))});
}

ProgramSpec slow_copy(const HardwareStudy& study, const VariantRow& row, std::size_t bytes) {
  return study.ping(machine_named(row.machine), bytes,
                    {.library = fmt::format("copy_in={}", row.sender_copy)});
}

/// Alps within a rack, with long messages that begin as those of HBv3 do.
ProgramSpec quick_start(const HardwareStudy& study) {
  const Spec library = Spec::parse(study.cluster(machine_named("azure_hbv3")).library);
  return study.ping(machine_named("alps2022"), 64 << 10,
                    {.library = fmt::format("rendezvous={}", library.values.at("rendezvous"))});
}

/// A variant at 8 KiB: the machines within the limit, and the largest deviation.
struct VariantVerdict {
  Cases cases{};
  double share = 0;
  std::string_view machine{};
  void add(double off, std::string_view of) {
    cases.add(std::abs(off) <= latency_limit, std::string(of));
    if (std::abs(off) <= std::abs(share)) return;
    share = off;
    machine = of;
  }
  std::string text() const { return fmt::format("{} is off by {}", machine, percent(share)); }
};

/// A published collective of which there is no model.
struct UnmodelledRow {
  std::string_view machine, collective, nodes, published, why;
};
constexpr std::array unmodelled_rows{
    UnmodelledRow{"Fugaku", "allreduce 4 B, default", "8, 64, 512, 4096, 8192",
                  "2.8, 3.7, 5.4, 8.5, 11.2 us", "the barrier hardware of TofuD forms the sum"},
    UnmodelledRow{"Fugaku", "allreduce 4 B, recursive doubling", "8, 64, 512, 4096, 8192",
                  "7.7, 15.2, 28.4, 48.8, 49.7 us",
                  "nothing sets TofuD's routers or the overheads of its MPI; a put is 0.5 us"},
    UnmodelledRow{"Fugaku", "alltoall 1 MiB, default", "8, 64, 512", "149, 240, 387 us",
                  "its algorithm is not named; and as above"},
    UnmodelledRow{"Oracle RoCE", "dissemination of 16 B", "4, 8, 16", "7.7, 12.2, 16.4 us",
                  "nothing sets its switches and NICs"},
    UnmodelledRow{"ARCHER2", "alltoall 1 KiB, 128 ranks a node", "32", "36 ms",
                  "17 million messages take minutes to simulate"},
};

Sheet unmodelled() {
  Sheet sheet{"unmodelled",
              "published collectives that are not predicted, and why",
              {"machine", "collective", "nodes", "published", "why"}};
  for (const UnmodelledRow& row : unmodelled_rows)
    sheet.rows.push_back({std::string(row.machine), std::string(row.collective),
                          std::string(row.nodes), std::string(row.published),
                          std::string(row.why)});
  return sheet;
}

}  // namespace

std::vector<ProgramSpec> missing_runs(const HardwareStudy& study) {
  std::vector<ProgramSpec> out{quick_start(study), study.ping(machine_named("alps2022"), 64 << 10)};
  for (const VariantRow& row : variant_rows)
    for (const MessageSize& size : curve_sizes) {
      if (!applies(row, size)) continue;
      out.push_back(study.ping(machine_named(row.machine), size.bytes));
      out.push_back(slow_dma(study, row, size.bytes));
      out.push_back(slow_copy(study, row, size.bytes));
    }
  return out;
}

Section missing(const HardwareContext& context) {
  const HardwareStudy& study = context.study;
  Answers answers(context.stated, "missing");
  Sheet sheet{
      "missing",
      "us as predicted; with a DMA of the first packet at 0.29 ns/B; with UCX's estimate of a copy",
      {"machine", "size", "published", "ours", "off %", "DMA", "DMA off %", "copy", "copy off %"}};
  VariantVerdict dma, copy, osu;
  Cases netgauge;
  double least = 1;  // of Netgauge's machines
  for (const VariantRow& row : variant_rows)
    for (const MessageSize& size : curve_sizes) {
      if (!applies(row, size)) continue;
      const double published =
          value_of(context.stated, fmt::format("{}/{}", row.machine, size.name));
      std::vector<Cell> cells{std::string(row.machine), std::string(size.name), published};
      const auto add = [&](const ProgramSpec& run) {
        const double ours = study.half_trip(run), off = ours / published - 1;
        cells.emplace_back(ours);
        cells.emplace_back(100 * off);
        return off;
      };
      const double as_is = add(study.ping(machine_named(row.machine), size.bytes));
      const double with_dma = add(slow_dma(study, row, size.bytes));
      const double with_copy = add(slow_copy(study, row, size.bytes));
      sheet.rows.push_back(std::move(cells));
      if (size.bytes != 8 << 10) continue;
      dma.add(with_dma, row.machine);
      copy.add(with_copy, row.machine);
      if (row.by_netgauge) {
        least = std::min(least, -as_is);
        netgauge.add(-as_is >= latency_limit, std::string(row.machine));
      } else {
        osu.add(as_is, row.machine);
      }
    }
  answers.claim("netgauge", netgauge,
                fmt::format("ours are shorter by {:.1f} % or more", 100 * least));
  answers.claim("osu", osu.cases, osu.text());
  answers.claim("dma", dma.cases, dma.text());
  answers.claim("copy", copy.cases,
                copy.text() + "; and o_s of HBv2 and HC44rs at 8 KiB is 0.4 us, not 1.4");
  const double quick = study.half_trip(quick_start(study));
  return {
      .id = "missing",
      .about = {},
      .notes = {fmt::format("alps2022 at 64KiB: published {} us, ours {}; with the rendezvous of "
                            "azure_hbv3 {}. 4MiB and 16MiB say",
                            human_readable(value_of(context.stated, "alps2022/64KiB")),
                            human_readable(
                                study.half_trip(study.ping(machine_named("alps2022"), 64 << 10))),
                            human_readable(quick)),
                "12.2 GB/s, its LogGP row 11.3 at 64 to 128 KiB: one rate and one time to begin "
                "do not have both"},
      .sheets = {sheet, unmodelled()},
      .answers = std::move(answers).done()};
}

}  // namespace weft::papers::hardware
