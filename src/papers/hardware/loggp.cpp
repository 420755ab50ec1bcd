// SPDX-License-Identifier: Apache-2.0
// Machines set up from their LogGP rows alone (Netgauge over MPI, De Sensi et al., cloud noise
// data): the NIC `loggp`, the data sheets' links and switches, and the library `ucx` as it is.
#include "papers/hardware/experiments.hpp"

namespace weft::papers::hardware {
namespace {

struct LogGpRow {
  std::string_view machine;
  double latency;     ///< us: L, half a round trip of 1 B, with overheads and network
  int send, receive;  ///< ns: o_s, o_r
  int gap;            ///< ns: g
  double copied;      ///< GB/s at 64 to 128 KiB
  double streamed;    ///< GB/s at 16 MiB: 1/G
  const char* link;   ///< of the technology
};
constexpr std::array loggp_rows{LogGpRow{"azure_hbv2", 1.75, 100, 230, 290, 10.5, 24.3, "200Gb/s"},
                                LogGpRow{"azure_hc44rs", 1.65, 60, 180, 170, 8.6, 11.6, "100Gb/s"}};

ProgramSpec loggp_ping(const HardwareStudy& study, const LogGpRow& row, std::size_t bytes,
                       double latency_ns) {
  ProgramSpec run = study.ping(machine_named(row.machine), bytes,
                               {.topology = fmt::format("speed={}", row.link)});
  run.nic = fmt::format("loggp:L={:.0f}ns,o_s={}ns,o_r={}ns,g={}ns,G={}GB/s", latency_ns, row.send,
                        row.receive, row.gap, row.streamed);
  run.library = fmt::format("ucx:send=0ns,recv=0ns,copy_out={:.1f}GB/s",
                            copy_out_for(row.copied, row.receive));
  return run;
}

}  // namespace

Section from_loggp(const HardwareContext& context) {
  const HardwareStudy& study = context.study;
  Answers answers(context.stated, "loggp");
  Sheet sheet{"loggp",
              "the NIC `loggp` of each row; L without overheads and network",
              {"machine", "L ns", "o_s ns", "o_r ns", "g ns", "G GB/s", "copy_out GB/s"}};
  for (const LogGpRow& row : loggp_rows) {
    const double rest = study.simulated_half_trip(loggp_ping(study, row, 1, 0));
    const double latency = 1e3 * (row.latency - rest);
    sheet.rows.push_back({std::string(row.machine), latency, static_cast<std::int64_t>(row.send),
                          static_cast<std::int64_t>(row.receive),
                          static_cast<std::int64_t>(row.gap), row.streamed,
                          copy_out_for(row.copied, row.receive)});
    for (const MessageSize& size : curve_sizes)
      answers.number(fmt::format("{}-{}", row.machine, size.name),
                     study.simulated_half_trip(loggp_ping(study, row, size.bytes, latency)));
  }
  return {
      .id = "loggp",
      .about = {},
      .notes =
          {"LogGP has no step from data in the doorbell to data that the NIC reads: 0.55 us from "
           "200 B on"},
      .sheets = {sheet},
      .answers = std::move(answers).done()};
}

}  // namespace weft::papers::hardware
