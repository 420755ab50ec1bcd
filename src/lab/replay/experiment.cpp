// SPDX-License-Identifier: Apache-2.0
// Running replays: an experiment becomes a world whose ranks replay, and a log of what they do.
#include "lab/replay/experiment.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "fabric/walk.hpp"
#include "lab/cluster/host_names.hpp"
#include "lab/replay/placement.hpp"
#include "sim/booked_work.hpp"
#include "sim/nics/nic.hpp"
#include "trace/check.hpp"
#include "trace/formats/format.hpp"
#include "trace/replay/replay.hpp"
#include "trace/summary.hpp"

namespace weft {
namespace {

/// Enough for the operations that a page shows.
constexpr std::size_t moments_for_steps = 1'000'000;

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
    sections_.resize(job_of_rank_.size());
    work_.resize(job_of_rank_.size());
    waits_.emplace(static_cast<int>(job_of_rank_.size()));
    if (options.path)
      path_.emplace(static_cast<int>(job_of_rank_.size()), options.steps ? moments_for_steps : 0);
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
    if (path_) find_path(out);
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
    Duration time() const { return end.at - begin.at; }
  };
  /// The program's own work: as the trace asks for it, and as it is done.
  struct ComputeWork {
    Duration asked{}, asked_beside{};
    sim::BookedWork compute{}, beside{};
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
        trace::ReplayJob::Setup{static_cast<int>(jobs_.size()), first, experiment_.scales[job],
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
    if (!section_of(ep.rank()).has_ended) section_ends(ep.rank());
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
    const comm::Time now = world_->at(rank).now();
    const auto software = world_->at(rank).software_times();
    ComputeWork& work = work_[static_cast<std::size_t>(rank)];
    return {now,
            work.compute.done(now),
            work.beside.done(now),
            software.library,
            work_done(rank),
            waits_->sends(rank),
            software.ack,
            software.nic};
  }
  /// Books what a rank has begun to compute, if that is what it has begun.
  void book_compute(const comm::Op& op, comm::Rank rank) {
    ComputeWork& work = work_[static_cast<std::size_t>(rank)];
    const trace::RankProgress& at = progress(rank);
    const auto book = [](sim::BookedWork& booked, Duration& asked, Duration all, comm::Time end) {
      booked.book(end - (all - asked), end);
      asked = all;
    };
    const comm::Time now = world_->at(rank).now();
    if (op.request().kind == comm::OpKind::spend)
      book(work.compute, work.asked, at.computed, world_->processor_of(rank).free_at(now));
    if (op.request().kind == comm::OpKind::sleep)
      book(work.beside, work.asked_beside, at.computed_beside, now + op.request().time);
  }
  SectionCounts& section_of(comm::Rank rank) { return sections_[static_cast<std::size_t>(rank)]; }
  void section_begins(comm::Rank rank) {
    SectionCounts& section = section_of(rank);
    if (section.has_begun) return;
    section.has_begun = true;
    section.has_ended = false;
    section.begin = counts(rank);
    if (path_) path_->section_begins(rank, section.begin);
  }
  void section_ends(comm::Rank rank) {
    SectionCounts& section = section_of(rank);
    section.has_ended = true;
    section.end = counts(rank);
    if (path_) path_->section_ends(rank, section.end);
  }

  // --- OperationLog ---

  void begun(const comm::Op& op, comm::Rank rank, comm::Time) override {
    waits_->goes_on(rank);
    book_compute(op, rank);
    if (path_ && op.request().kind == comm::OpKind::sleep)
      path_->begun_beside(op, rank, counts(rank));
    if (path_ && options_.steps) path_->passes(rank, counts(rank));
    report_progress();
  }
  void completed(const comm::Op& op, comm::Rank rank, comm::Time at) override {
    if (options_.record) records_.push_back(run::record_of(op, rank, at));
    if (!path_ || !op.result().ok()) return;
    if (op.request().kind == comm::OpKind::send)
      path_->ended_send(op.carried.message, rank, counts(rank));
    if (op.request().kind == comm::OpKind::recv) path_->ended_recv(op.result().message, rank);
  }
  void resumed(const comm::Op& op, comm::Rank rank, comm::Time at) override {
    const bool by_send = op.request().kind == comm::OpKind::send;
    const bool by_message = by_send || op.request().kind == comm::OpKind::recv;
    if (path_ && op.request().kind == comm::OpKind::sleep) path_->ended_beside(op);
    if (path_ && by_message && is_idle(rank)) path_->waited(rank, waits_->since(rank));
    waits_->ends(rank, at, work_done(rank), by_send);
    if (path_ && options_.steps) path_->passes(rank, counts(rank));
  }
  void step_left(const comm::MessageStep& step, comm::Time) override {
    if (path_) path_->left(step, counts(step.from()));
  }
  void step_arrived(const comm::MessageStep& step, comm::Time) override {
    if (path_) path_->arrived(step, counts(step.to()), is_idle(step.to()));
  }
  /// Whether the processor was idle at any time since the rank began to wait.
  bool is_idle(comm::Rank rank) {
    return waits_->idle(rank, world_->at(rank).now(), work_done(rank)).count() > 0;
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

  /// A section that has not ended is measured until the end of the run.
  JobResult result_of(trace::ReplayJob& job) {
    JobResult out{
        .trace = job.trace().source(), .ranks = job.trace().ranks(), .has_finished = true};
    for (trace::Rank rank = 0; rank < out.ranks; ++rank) {
      const comm::Rank number = job.setup().first_rank + rank;
      SectionCounts& section = section_of(number);
      if (!section.has_ended) section.end = counts(number);
      out.has_finished = out.has_finished && job.progress(rank).has_ended;
      out.by_rank.push_back(items_between(section.begin, section.end));
      out.time = std::max(out.time, out.by_rank.back().total);
    }
    return out;
  }

  /// The path of the rank that took longest, of the jobs that have finished.
  void find_path(ReplayResult& out) {
    std::optional<comm::Rank> last;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      if (!out.jobs[job].has_finished) continue;
      const comm::Rank first = jobs_[job]->setup().first_rank;
      for (comm::Rank rank = first; rank < first + out.jobs[job].ranks; ++rank) {
        if (last && section_of(rank).time() <= section_of(*last).time()) continue;
        last = rank;
        out.path_job = job;
      }
    }
    if (!last) return;
    const comm::Time begin = section_of(*last).begin.at;
    const PathTotals path = path_->path_of_section(*last, begin);
    if (options_.steps) out.path_steps = path_->steps_of_section(*last, begin);
    out.path = path.numbered_from(jobs_[out.path_job]->setup().first_rank);
    find_links(path, out);
  }
  void find_links(const PathTotals& path, ReplayResult& out) {
    std::map<ChannelId, PairOnPath> links;
    Walker walker(machine_.fabric(), machine_.tables());
    for (const auto& [pair, messages] : path.pairs) {
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

  /// Ranks that have not ended, but for many: their calls, and operations that they wait for.
  std::string explain(const run::WorldResult& outcome) {
    std::string out;
    if (outcome.ended == run::WorldEnd::deadlocked)
      out = world_->hosts().network().explanation() + "\n";
    if (const std::uint64_t lost = world_->hosts().network().totals().lost; lost > 0)
      out +=
          fmt::format("{} packets have been lost, as links or switches failed (--faults)\n", lost);
    std::size_t waiting = 0;
    for (std::size_t rank = 0; rank < job_of_rank_.size(); ++rank) {
      const auto number = static_cast<comm::Rank>(rank);
      const trace::RankProgress& at = progress(number);
      if (at.has_ended || ++waiting > comm::most_ranks_shown) continue;
      const trace::ReplayJob& job = job_of(number);
      const comm::Rank first = job.setup().first_rank;
      std::size_t calls = 0;
      for (const trace::Call& call : at.open_calls())
        if (++calls <= comm::most_of_a_rank_shown)
          out += fmt::format("{} has not ended\n", job.trace().place_of(number - first, call));
      std::vector<comm::PendingOperation> operations;
      for (comm::PendingOperation pending : outcome.pending) {
        if (pending.rank != number) continue;
        pending.rank -= first;
        if (pending.peer != comm::any_source) pending.peer -= first;
        operations.push_back(pending);
      }
      out += comm::to_text(operations, "  ");
    }
    if (waiting > comm::most_ranks_shown)
      out += fmt::format("… and {} more ranks\n", waiting - comm::most_ranks_shown);
    return out;
  }

  const ReplayExperiment& experiment_;
  const Machine& machine_;
  const ReplayOptions& options_;
  std::vector<std::unique_ptr<trace::ReplayJob>> jobs_;
  std::vector<trace::ReplayJob*> job_of_rank_;
  std::vector<HostId> places_;
  std::uint64_t all_calls_ = 0, operations_ = 0;
  std::vector<SectionCounts> sections_;
  std::vector<ComputeWork> work_;
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

/// The factor of compute times with which a rank computes for this time on average.
double calibrated_scale(const trace::Trace& trace, Duration time) {
  const double computes = trace::timed_compute(trace);
  if (computes == 0)
    throw Error("{}: nobody computes in the section that it times; --scale as a factor is needed",
                trace.source());
  return static_cast<double>(time.count()) / 1e12 / computes;
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

Duration ReplayResult::longest() const {
  Duration out{};
  for (const JobResult& job : jobs) out = std::max(out, job.time);
  return out;
}

std::vector<trace::Trace> read_jobs(const ReplaySpec& spec) {
  std::vector<trace::Trace> out;
  for (const std::string& path : spec.traces) {
    out.push_back(trace::read_trace(path, {.groups = spec.groups}));
    trace::check(out.back());
  }
  return out;
}

ReplayExperiment resolve(const ReplayRequest& request, Networks& networks) {
  std::vector<trace::Trace> jobs = read_jobs(request.spec);
  return resolve(request, resolve(request.machine, networks), std::move(jobs));
}

ReplayExperiment resolve(const ReplayRequest& request, const Machine& machine,
                         std::vector<trace::Trace> jobs) {
  ReplayExperiment out{.spec = request.spec,
                       .machine = machine,
                       .algorithms = request.algorithms,
                       .jobs = std::move(jobs),
                       .until = request.until,
                       .seed = request.seed};
  std::size_t ranks = 0;
  for (const trace::Trace& job : out.jobs) {
    ranks += static_cast<std::size_t>(job.ranks());
    out.scales.push_back(request.compute_time.count() > 0
                             ? calibrated_scale(job, request.compute_time)
                             : request.scale);
  }
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
  const Machine ideal = ideal_machine(experiment.machine);
  for (std::size_t job = 0; job < out.jobs.size(); ++job) {
    if (!out.jobs[job].has_finished) continue;
    if (options.ideal) out.jobs[job].ideal = job_time(ideal, job);
    if (options.alone && out.jobs.size() > 1)
      out.jobs[job].alone = job_time(experiment.machine, job);
  }
  return out;
}

}  // namespace weft
