// SPDX-License-Identifier: Apache-2.0
// Dissemination exchanges: in step k every host sends 16 B to the one 2^k ahead. The barrier of
// that name sends messages without data, which take as long: both travel with their doorbells and
// fill one flit.
#include <cmath>

#include "papers/hardware/experiments.hpp"

namespace weft::papers::hardware {
namespace {

struct ExchangeRow {
  std::string_view machine;
  std::size_t most;  ///< hosts
};
/// Alps: hosts of two racks, as nothing says that those of a job were in one.
constexpr std::array exchange_rows{ExchangeRow{"deep_est", 32}, ExchangeRow{"azure_hc44rs", 16},
                                   ExchangeRow{"alps2022_far", 32}};

ProgramSpec ping_of(const HardwareStudy& study, const ExchangeRow& row, std::size_t bytes) {
  return study.ping(machine_named(row.machine), bytes);
}

}  // namespace

std::string exchange_name(const ExchangePoint& point) {
  return fmt::format("{}-{}", point.machine->name, point.hosts);
}

std::vector<ProgramSpec> dissemination_runs(const HardwareStudy& study) {
  std::vector<ProgramSpec> out;
  for (const ExchangeRow& row : exchange_rows) {
    for (std::size_t hosts = 4; hosts <= row.most; hosts *= 2)
      out.push_back(study.dissemination(machine_named(row.machine), hosts));
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{16}})
      out.push_back(ping_of(study, row, bytes));
  }
  out.push_back(study.dissemination(machine_named("alps2022"), 4));
  return out;
}

std::vector<ExchangePoint> exchange_points(const HardwareContext& context) {
  std::vector<ExchangePoint> out;
  for (const ExchangeRow& row : exchange_rows)
    for (std::size_t hosts = 4; hosts <= row.most; hosts *= 2) {
      ExchangePoint point{&machine_named(row.machine), hosts, 0, 0};
      point.published =
          value_of(context.stated, fmt::format("dissemination/{}", exchange_name(point)));
      point.ours = context.study.slowest(context.study.dissemination(*point.machine, hosts));
      out.push_back(point);
    }
  return out;
}

Section dissemination(const HardwareContext& context) {
  const HardwareStudy& study = context.study;
  Answers answers(context.stated, "dissemination");
  Sheet sheet{"dissemination",
              "us until the slowest host has ended; it counts as met within 20 %",
              {"machine", "hosts", "published", "ours", "off %", "within"}};
  for (const ExchangePoint& point : exchange_points(context)) {
    const double off = point.ours / point.published - 1;
    answers.number(exchange_name(point), point.ours);
    sheet.rows.push_back({std::string(point.machine->name), static_cast<std::int64_t>(point.hosts),
                          point.published, point.ours, 100 * off,
                          std::string(std::abs(off) <= exchange_limit ? "yes" : "no")});
  }
  Cases alike;
  double most = 0;
  for (const ExchangeRow& row : exchange_rows) {
    const double off = std::abs(study.half_trip(ping_of(study, row, 16)) -
                                study.half_trip(ping_of(study, row, 0)));
    most = std::max(most, off);
    alike.add(off < 0.01, std::string(row.machine));
  }
  answers.claim("size", alike, fmt::format("they differ by {:.0f} ns at most", 1e3 * most));
  return {.id = "dissemination",
          .about = {},
          .notes = {fmt::format(
              "alps2022_far: hosts of two racks; 4 hosts of one rack would take {} us",
              human_readable(study.slowest(study.dissemination(machine_named("alps2022"), 4))))},
          .sheets = {sheet},
          .answers = std::move(answers).done()};
}

}  // namespace weft::papers::hardware
