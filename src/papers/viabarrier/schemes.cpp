// SPDX-License-Identifier: Apache-2.0
// Sections 3 to 6 of the VIA barrier paper: how a write is noticed and memory registered, barriers
// within a host, and barriers that overlap.
#include "papers/runner/expected.hpp"
#include "papers/viabarrier/experiments.hpp"

namespace weft::papers::viabarrier {
namespace {

bool finished(const ProgramResult& result) { return result.ended == run::WorldEnd::finished; }

ClusterRun notified(const ViabarrierStudy& study, int cluster, const std::string& how) {
  return {
      cluster,
      fmt::format("notify:{},interrupt={},iterations={}", how, study.interrupt(), study.measured()),
      2};
}

struct Notification {
  const char *how, *about;
};
constexpr std::array notifications{
    Notification{"by=value", "special value, registered once"},
    Notification{"by=immediate", "immediate data, registered once"},
    Notification{"by=interrupt", "interrupt, registered once"},
    Notification{"by=value,registration=always", "special value, registered for every write"},
};

constexpr std::array within_hosts{"counter", "flags", overall};
constexpr std::array sizes{2, 4, 8};

}  // namespace

std::vector<ClusterRun> notify_runs(const ViabarrierStudy& study) {
  std::vector<ClusterRun> out;
  for (const int cluster : {1, 2, 3})
    for (const Notification& notification : notifications)
      out.push_back(notified(study, cluster, notification.how));
  return out;
}

Section notify(const ViabarrierContext& context) {
  const ViabarrierStudy& study = context.study;
  Answers answers(context.stated, "notify");
  Sheet sheet{"notify",
              "us from a write until its target knows of it, there and back halved, by cluster",
              {"how", "1", "2", "3"}};
  for (const Notification& notification : notifications) {
    std::vector<Cell> row{std::string(notification.about)};
    for (const int cluster : {1, 2, 3})
      row.emplace_back(study.microseconds(notified(study, cluster, notification.how)) / 2);
    sheet.rows.push_back(std::move(row));
  }
  const auto costs = [&](const char* id, const char* how, double least, const char* why) {
    double smallest = 1e300, largest = 0;
    Cases more_by;
    for (const int cluster : {1, 2, 3}) {
      const double more = (study.microseconds(notified(study, cluster, how)) -
                           study.microseconds(notified(study, cluster, "by=value"))) /
                          2;
      smallest = std::min(smallest, more);
      largest = std::max(largest, more);
      more_by.add(more > least, fmt::format("cluster {}", cluster));
    }
    answers.claim(id, more_by,
                  fmt::format("{} to {} us more a message: {}", human_readable(smallest),
                              human_readable(largest), why));
  };
  costs("interrupt", "by=interrupt", 10, "the interrupt, and the descriptor as well");
  costs("immediate", "by=immediate", 0,
        "the target posts a descriptor for each, and its NIC fetches it; without one the "
        "connection breaks");
  costs("dynamic", "by=value,registration=always", 10,
        "memory is registered and its address sent before each");
  return {.id = "notify", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

std::vector<ClusterRun> shared_memory_runs(const ViabarrierStudy& study) {
  std::vector<ClusterRun> out;
  for (const int tasks : sizes) {
    for (const char* algorithm : within_hosts)
      out.push_back(study.barrier_run(3, algorithm, 1, tasks));
    out.push_back(study.barrier_run(3, send_recv, 1, tasks));
  }
  return out;
}

Section shared_memory(const ViabarrierContext& context) {
  const ViabarrierStudy& study = context.study;
  Answers answers(context.stated, "shm");
  Sheet sheet{"shm",
              "us a barrier of the tasks of one host of cluster 3",
              {"tasks", "counter", "flags", "master", "send/recv"}};
  std::map<std::string, Cases> works;
  Cases faster;
  for (const int tasks : sizes) {
    std::vector<Cell> row{std::int64_t{tasks}};
    const double by_messages = study.barrier(3, send_recv, 1, tasks);
    for (const char* algorithm : within_hosts) {
      const ClusterRun run = study.barrier_run(3, algorithm, 1, tasks);
      works[algorithm].add(
          finished(study.at(run)) && study.at(run).iterations == study.iterations(),
          fmt::format("{} tasks", tasks));
      row.emplace_back(study.microseconds(run));
      faster.add(study.microseconds(run) < by_messages,
                 fmt::format("{} of {} tasks", algorithm, tasks));
    }
    row.emplace_back(by_messages);
    sheet.rows.push_back(std::move(row));
  }
  const std::string ran = fmt::format("{} barriers of 2, 4 and 8 tasks", study.iterations());
  answers.claim("counter", works["counter"], ran);
  answers.claim("flags", works["flags"], ran);
  answers.claim("master", works[overall], ran);
  answers.claim("faster", faster,
                fmt::format("2 tasks: {} us by a master, {} us by messages",
                            human_readable(study.barrier(3, overall, 1, 2)),
                            human_readable(study.barrier(3, send_recv, 1, 2))));
  return {.id = "shm", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

namespace {

ClusterRun overlapping(const ViabarrierStudy& study, const char* test, int hosts) {
  return {2, fmt::format("overlap:test={},iterations={}", test, study.iterations()), hosts};
}

}  // namespace

std::vector<ClusterRun> overlap_runs(const ViabarrierStudy& study) {
  std::vector<ClusterRun> out;
  for (const int hosts : {2, 4, 16})
    for (const char* test : {"at_least", "equal"}) out.push_back(overlapping(study, test, hosts));
  return out;
}

Section overlap(const ViabarrierContext& context) {
  const ViabarrierStudy& study = context.study;
  Answers answers(context.stated, "overlap");
  Cases released, lost;
  for (const int hosts : {2, 4, 16}) {
    const std::string where = fmt::format("{} hosts", hosts);
    released.add(finished(study.at(overlapping(study, "at_least", hosts))), where);
    lost.add(study.at(overlapping(study, "equal", hosts)).ended == run::WorldEnd::stuck, where);
  }
  answers.claim(
      "at-least", released,
      fmt::format("{} barriers in a row of 2, 4 and 16 hosts, host 0 slow in every other: "
                  "all end; flags of a byte, compared modulo 256",
                  study.iterations()));
  const std::string& explanation = study.at(overlapping(study, "equal", 2)).explanation;
  answers.claim("equal", lost,
                fmt::format("an equality test gets stuck: {}",
                            explanation.substr(0, explanation.find('\n'))));
  return {.id = "overlap", .about = {}, .sheets = {}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::viabarrier
