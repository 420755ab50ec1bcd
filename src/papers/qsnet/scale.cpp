// SPDX-License-Identifier: Apache-2.0
// What the paper could not measure: hot spot, broadcast and barrier on up to 4,096 hosts.
#include <algorithm>
#include <optional>

#include "papers/qsnet/experiments.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::qsnet {
namespace {

std::vector<int> dimensions(const QsnetStudy& study) {
  return study.quick() ? std::vector{2, 3} : std::vector{2, 3, 4, 5, 6};
}

ProgramSpec on_tree(const QsnetStudy& study, int n, std::string program) {
  return {.program = std::move(program),
          .cluster = study.lab().cluster,
          .topology = fmt::format("tree:k=4,n={}", n)};
}

/// Few bytes where many hosts send, but whole packets. Hosts that read have their pages mapped
/// before.
ProgramSpec spot(const QsnetStudy& study, const std::string& by, int n) {
  return on_tree(study, n,
                 fmt::format("hot_spot:by={},bytes={},iterations=1,warmup={},window=1", by,
                             n < 5 ? "8KiB" : "640B", by == "read" ? 1 : 0));
}
/// Reading takes too long on many hosts.
bool has_spot(const std::string& by, int n) { return by == "write" || n < 6; }

/// The barriers before a broadcast warm it up.
constexpr const char* programs_by_hosts[] = {
    "broadcast:algorithm=hardware,scheme=rooted,bytes=64,iterations=1,warmup=0",
    "broadcast:algorithm=binomial,bytes=64,iterations=1,warmup=0",
    "barrier:algorithm=hardware,scheme=rooted,by=puts,degree=4,iterations=1,warmup=1",
    "barrier:algorithm=dissemination,by=puts,iterations=1,warmup=1"};

}  // namespace

std::vector<ProgramSpec> scale_runs(const QsnetStudy& study) {
  std::vector<ProgramSpec> out;
  const std::vector<int> all = dimensions(study);
  for (auto n = all.rbegin(); n != all.rend(); ++n) {  // the longest runs first
    for (const char* by : {"write", "read"})
      if (has_spot(by, *n)) out.push_back(spot(study, by, *n));
    for (const char* program : programs_by_hosts) out.push_back(on_tree(study, *n, program));
  }
  return out;
}

Section scale(const QsnetContext& context) {
  const QsnetStudy& study = context.study;
  Answers answers(context.stated, "scale");
  Sheet sheet{"scale",
              "hot spot: MB/s of all others together; broadcast of 64 B and barrier: us, by the "
              "switches' broadcast and by messages or writes between hosts",
              {"hosts", "read", "write", "broadcast", "binomial", "barrier", "dissemination"}};
  double least = 1e300, most = 0;
  for (const int n : dimensions(study)) {
    sheet.rows.push_back({std::int64_t{1} << (2 * n)});
    for (const char* by : {"read", "write"}) {
      if (!has_spot(by, n)) {
        sheet.rows.back().emplace_back(std::string("-"));
        continue;
      }
      const double aggregate = study.figure(spot(study, by, n), "aggregate");
      sheet.rows.back().emplace_back(aggregate);
      if (n == 2) continue;
      least = std::min(least, aggregate);
      most = std::max(most, aggregate);
    }
    for (const char* program : programs_by_hosts)
      sheet.rows.back().emplace_back(study.mean_us(on_tree(study, n, program)));
  }
  const auto at = [&](std::size_t row, std::size_t column) {
    return std::get<double>(sheet.rows[row][column]);
  };
  const std::size_t last = sheet.rows.size() - 1;
  const std::int64_t hosts = std::get<std::int64_t>(sheet.rows[last][0]);
  answers.claim("hot spot", most / least < 1.2,
                fmt::format("{:.0f} to {:.0f} MB/s from 64 to {} hosts, the beginning included",
                            least, most, hosts));
  answers.claim("broadcast", at(last, 3) < 1.2 * at(0, 3),
                fmt::format("{:.2f} us for 16, {:.2f} us for {} hosts; down a binomial tree {:.0f} "
                            "and {:.0f} us",
                            at(0, 3), at(last, 3), hosts, at(0, 4), at(last, 4)));
  answers.claim("barrier", at(last, 5) < at(last, 6),
                fmt::format("{:.1f} us for {} hosts, by dissemination {:.1f} us: only its release "
                            "is a broadcast, hosts gather up a tree of remote writes",
                            at(last, 5), hosts, at(last, 6)));
  return {.id = "scale", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::qsnet
