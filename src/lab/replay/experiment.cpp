// SPDX-License-Identifier: Apache-2.0
// Running replays: an experiment becomes a world whose ranks replay, and a log of what they do.
#include "lab/replay/experiment.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "fabric/walk.hpp"
#include "lab/cluster/host_names.hpp"
#include "lab/replay/placement.hpp"
#include "sim/nics/nic.hpp"
#include "trace/check.hpp"
#include "trace/formats/format.hpp"
#include "trace/replay/replay.hpp"

namespace weft {
namespace {

/// The jobs of a replay in one world, and what is to be known of their ranks.
class ReplayWorld final : private comm::OperationLog {
 public:
  ReplayWorld(const ReplayExperiment& experiment, const Machine& machine,
              const std::vector<std::size_t>& jobs, const ReplayOptions& options)
      : experiment_(experiment), machine_(machine), options_(options) {
    std::size_t skipped = 0;
    for (std::size_t job = 0; job < experiment.jobs.size(); ++job) {
      if (std::find(jobs.begin(), jobs.end(), job) != jobs.end())
        add_job(job, skipped);
      else
        skipped += static_cast<std::size_t>(experiment.jobs[job].ranks());
    }
    counts_.resize(job_of_rank_.size());
    waits_.emplace(static_cast<int>(job_of_rank_.size()));
    if (options.path) path_.emplace(static_cast<int>(job_of_rank_.size()));
    world_.emplace(machine.fabric(), machine.tables(), machine.switches, machine.nic,
                   world_options());
    if (options.links) links_.emplace(world_->hosts());
  }

  ReplayResult run() {
    const run::WorldResult outcome = world_->run([this](comm::Endpoint& ep) { return life(ep); });
    ReplayResult out;
    out.spec = experiment_.spec;
    out.ended = outcome.ended;
    out.time = outcome.time;
    out.places = places_;
    if (outcome.ended != run::WorldEnd::finished) out.explanation = explain(outcome);
    for (const auto& job : jobs_) out.jobs.push_back(result_of(*job));
    if (path_ && outcome.ended == run::WorldEnd::finished) find_path(out);
    if (links_) out.links = links_->result();
    out.messages = world_->hosts().begun();
    out.packets = world_->hosts().network().totals().sent;
    out.flit_hops = world_->hosts().network().totals().flit_hops;
    out.records = std::move(records_);
    return out;
  }

 private:
  struct SectionCounts {
    RankCounts begin{}, end{};
    bool has_begun = false, has_ended = false;
  };

  /// `skipped` ranks of jobs that are not in this world come before it.
  void add_job(std::size_t job, std::size_t skipped) {
    const trace::Trace& trace = experiment_.jobs[job];
    const auto first = static_cast<comm::Rank>(job_of_rank_.size());
    const auto section = [this, first](trace::Rank rank, bool begins) {
      begins ? section_begins(first + rank) : section_ends(first + rank);
    };
    jobs_.push_back(std::make_unique<trace::ReplayJob>(
        trace, experiment_.algorithms,
        trace::ReplayJob::Setup{static_cast<int>(jobs_.size()), first, experiment_.scale,
                                section}));
    for (trace::Rank rank = 0; rank < trace.ranks(); ++rank) {
      job_of_rank_.push_back(jobs_.back().get());
      places_.push_back(experiment_.places[places_.size() + skipped]);
      all_calls_ += trace.call_count(rank);
    }
  }

  run::WorldOptions world_options() {
    run::WorldOptions out;
    out.hosts = places_;
    out.until = experiment_.until;
    out.library = machine_.library;
    out.log = this;
    out.network.faults = experiment_.faults;
    out.network.seed = experiment_.seed;
    return out;
  }

  comm::Task life(comm::Endpoint& ep) {
    trace::ReplayJob& job = job_of(ep.rank());
    co_await job.run(ep);
    SectionCounts& section = section_of(ep.rank());
    if (!section.has_ended) section.end = counts(ep.rank());
  }

  trace::ReplayJob& job_of(comm::Rank rank) {
    return *job_of_rank_[static_cast<std::size_t>(rank)];
  }
  const trace::RankProgress& progress(comm::Rank rank) {
    trace::ReplayJob& job = job_of(rank);
    return job.progress(rank - job.setup().first_rank);
  }

  // --- what ranks do ---

  /// Work that the processor has done until now.
  Duration work_done(comm::Rank rank) {
    const sim::Resource& processor = world_->processor_of(rank);
    const comm::Time now = world_->at(rank).now();
    return processor.busy() - (processor.free_at(now) - now);
  }
  RankCounts counts(comm::Rank rank) {
    const auto& software = world_->at(rank).software_times();
    const trace::RankProgress& at = progress(rank);
    return {world_->at(rank).now(), at.computed,         at.computed_beside, software.library,
            work_done(rank),        waits_->sends(rank), software.ack,       software.nic};
  }
  SectionCounts& section_of(comm::Rank rank) { return counts_[static_cast<std::size_t>(rank)]; }
  void section_begins(comm::Rank rank) {
    SectionCounts& section = section_of(rank);
    if (section.has_begun) return;
    section.has_begun = true;
    section.begin = counts(rank);
    if (path_) path_->restart(rank, section.begin);
  }
  void section_ends(comm::Rank rank) {
    SectionCounts& section = section_of(rank);
    section.has_ended = true;
    section.end = counts(rank);
  }

  // --- OperationLog ---

  void begun(const comm::Op& op, comm::Rank rank, comm::Time) override {
    if (path_ && op.request().kind == comm::OpKind::send)
      path_->posted_send(op.carried.message, rank, op.request().data.size(), counts(rank),
                         op.done());
    report_progress();
  }
  void completed(const comm::Op& op, comm::Rank rank, comm::Time at) override {
    if (options_.record) records_.push_back(run::record_of(op, rank, at));
    if (!path_ || !op.result().ok()) return;
    if (op.request().kind == comm::OpKind::send) path_->ended_send(op.carried.message, rank);
    if (op.request().kind == comm::OpKind::recv)
      path_->ended_recv(op.result().message, rank, counts(rank));
  }
  void awaited(const comm::Op&, comm::Rank rank, comm::Time at) override {
    waits_->begins(rank, at, work_done(rank));
  }
  void resumed(const comm::Op& op, comm::Rank rank, comm::Time at) override {
    const bool by_send = op.request().kind == comm::OpKind::send;
    const Duration idle = waits_->ends(rank, at, work_done(rank), by_send);
    const bool by_message = by_send || op.request().kind == comm::OpKind::recv;
    if (path_ && by_message && idle.count() > 0) path_->waited(rank, counts(rank));
  }
  void report_progress() {
    constexpr std::uint64_t often = 4096;
    if (!options_.progress || ++operations_ % often != 0) return;
    std::uint64_t begun = 0;
    for (std::size_t rank = 0; rank < job_of_rank_.size(); ++rank)
      begun += progress(static_cast<comm::Rank>(rank)).calls;
    options_.progress(begun, all_calls_);
  }

  // --- results ---

  JobResult result_of(trace::ReplayJob& job) {
    JobResult out{.trace = job.trace().source(), .ranks = job.trace().ranks()};
    for (trace::Rank rank = 0; rank < out.ranks; ++rank) {
      const SectionCounts& section = section_of(job.setup().first_rank + rank);
      out.by_rank.push_back(items_between(section.begin, section.end));
      out.time = std::max(out.time, out.by_rank.back().total);
    }
    return out;
  }

  /// The path to the end of the rank that took longest.
  void find_path(ReplayResult& out) {
    std::size_t last = 0;
    const auto time = [&](std::size_t rank) {
      return counts_[rank].end.at - counts_[rank].begin.at;
    };
    for (std::size_t rank = 0; rank < counts_.size(); ++rank)
      if (time(rank) > time(last)) last = rank;
    out.path = path_->path_to(static_cast<comm::Rank>(last), counts_[last].end);
    std::map<ChannelId, PairOnPath> links;
    Walker walker(machine_.fabric(), machine_.tables());
    for (const auto& [pair, messages] : out.path->pairs) {
      const HostId from = places_[static_cast<std::size_t>(pair.first)];
      const HostId to = places_[static_cast<std::size_t>(pair.second)];
      if (from == to) continue;
      for (const Hop& hop : walker(from, to).hops) links[hop.channel].add(messages);
    }
    for (const auto& [channel, messages] : links) out.path_links.push_back({channel, messages});
    std::stable_sort(
        out.path_links.begin(), out.path_links.end(),
        [](const LinkOnPath& a, const LinkOnPath& b) { return a.messages.time > b.messages.time; });
  }

  /// Every rank that has not ended: its call, and the operations that it waits for.
  std::string explain(const run::WorldResult& outcome) {
    std::string out;
    if (outcome.ended == run::WorldEnd::deadlocked)
      out = world_->hosts().network().explanation() + "\n";
    for (std::size_t rank = 0; rank < job_of_rank_.size(); ++rank) {
      const auto number = static_cast<comm::Rank>(rank);
      const trace::RankProgress& at = progress(number);
      if (at.has_ended) continue;
      const trace::ReplayJob& job = job_of(number);
      const comm::Rank first = job.setup().first_rank;
      std::string calls;
      for (const trace::Call& call : at.open_calls())
        calls += fmt::format("{}{} has not ended", calls.empty() ? "" : "\n",
                             job.trace().place_of(number - first, call));
      out += calls;
      for (comm::PendingOperation pending : outcome.pending) {
        if (pending.rank != number) continue;
        pending.rank -= first;
        if (pending.peer != comm::any_source) pending.peer -= first;
        out += "\n  " + to_text(pending);
      }
      out += "\n";
    }
    return out;
  }

  const ReplayExperiment& experiment_;
  const Machine& machine_;
  const ReplayOptions& options_;
  std::vector<std::unique_ptr<trace::ReplayJob>> jobs_;
  std::vector<trace::ReplayJob*> job_of_rank_;
  std::vector<HostId> places_;
  std::uint64_t all_calls_ = 0, operations_ = 0;
  std::vector<SectionCounts> counts_;
  std::optional<RankWaits> waits_;
  std::optional<CriticalPath> path_;
  std::optional<run::World> world_;
  std::optional<LinkSampler> links_;
  std::vector<run::OperationRecord> records_;
};

std::vector<std::size_t> all_jobs(const ReplayExperiment& experiment) {
  std::vector<std::size_t> out;
  for (std::size_t job = 0; job < experiment.jobs.size(); ++job) out.push_back(job);
  return out;
}

/// The machine with a network and a library that take no time.
Machine ideal_machine(Machine machine) {
  machine.nic = sim::nic_from("ideal");
  machine.library = comm::library_from("none");
  return machine;
}

}  // namespace

RankItems JobResult::mean() const {
  RankItems sum;
  for (const RankItems& each : by_rank) {
    sum.total += each.total;
    sum.compute += each.compute;
    sum.library += each.library;
    sum.lower += each.lower;
    sum.send_ready += each.send_ready;
    sum.packet += each.packet;
    sum.nic_ready += each.nic_ready;
    sum.ack += each.ack;
  }
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(by_rank.size(), 1));
  return {sum.total / count,      sum.compute / count, sum.library / count,   sum.lower / count,
          sum.send_ready / count, sum.packet / count,  sum.nic_ready / count, sum.ack / count};
}

ReplayExperiment resolve(const ReplayRequest& request, Networks& networks) {
  ReplayExperiment out{.spec = request.spec,
                       .algorithms = request.algorithms,
                       .scale = request.scale,
                       .until = request.until,
                       .seed = request.seed};
  std::size_t ranks = 0;
  for (const std::string& path : request.spec.traces) {
    out.jobs.push_back(trace::read_trace(path, {.groups = request.spec.groups}));
    trace::check(out.jobs.back());
    ranks += static_cast<std::size_t>(out.jobs.back().ranks());
  }
  out.machine = resolve(request.machine, networks);
  const Fabric& fabric = out.machine.fabric();
  out.places = place_ranks(fabric,
                           {.rule = request.spec.placement,
                            .hosts = hosts_wanted(fabric, request.spec.hosts),
                            .ranks_per_host = request.ranks_per_host,
                            .seed = request.seed},
                           ranks);
  out.faults = sim::faults_from(fabric, request.spec.faults);
  return out;
}

ReplayResult run_replay(const ReplayExperiment& experiment, const ReplayOptions& options) {
  ReplayResult out =
      ReplayWorld(experiment, experiment.machine, all_jobs(experiment), options).run();
  const auto job_time = [&](const Machine& machine, std::size_t job) {
    return ReplayWorld(experiment, machine, {job}, {}).run().jobs.front().time;
  };
  if (out.ended != run::WorldEnd::finished) return out;
  const Machine ideal = ideal_machine(experiment.machine);
  for (std::size_t job = 0; job < out.jobs.size(); ++job) {
    if (options.ideal) out.jobs[job].ideal = job_time(ideal, job);
    if (options.alone && out.jobs.size() > 1)
      out.jobs[job].alone = job_time(experiment.machine, job);
  }
  return out;
}

}  // namespace weft
