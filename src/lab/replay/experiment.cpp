// SPDX-License-Identifier: Apache-2.0
// Running replays: an experiment becomes a world whose ranks replay, and a log of what they do.
#include "lab/replay/experiment.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/error.hpp"
#include "fabric/walk.hpp"
#include "lab/cluster/host_names.hpp"
#include "lab/cluster/threads.hpp"
#include "lab/path/watched_world.hpp"
#include "lab/replay/placement.hpp"
#include "sim/nics/nic.hpp"
#include "trace/check.hpp"
#include "trace/formats/format.hpp"
#include "trace/replay/replay.hpp"
#include "trace/summary.hpp"

namespace weft {
namespace {

/// The jobs of a replay in one world, and what is to be known of their ranks.
class ReplayWorld {
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
    watched_.emplace(machine, machine.tables(), world_options(), watch_options());
    if (options.links) links_.emplace(world().hosts());
  }

  ReplayResult run() {
    const run::WorldResult outcome = world().run([this](comm::Endpoint& ep) { return life(ep); });
    ReplayResult out;
    out.spec = experiment_.spec;
    out.ended = outcome.ended;
    out.time = outcome.time;
    out.places = places_;
    if (outcome.ended != run::WorldEnd::finished) out.explanation = explain(outcome);
    for (const auto& job : jobs_) out.jobs.push_back(result_of(*job));
    if (watched_->path() != nullptr) find_path(out);
    if (links_) out.links = links_->result();
    out.messages = world().hosts().begun();
    out.packets = world().hosts().network().totals().sent;
    out.flit_hops = world().hosts().network().totals().flit_hops;
    out.records = watched_->take_records(outcome);
    out.records_left_out = watched_->left_out();
    out.collectives = std::move(collectives_);
    find_timed(out);
    return out;
  }

 private:
  struct SectionCounts {
    RankCounts begin{}, end{};
    bool has_begun = false, has_ended = false;
    Duration time() const { return end.at - begin.at; }
  };
  /// `skipped` ranks of jobs that are not in this world come before it.
  void add_job(std::size_t job, std::size_t skipped) {
    const trace::Trace& trace = experiment_.jobs[job];
    const auto first = static_cast<comm::Rank>(job_of_rank_.size());
    const auto section = [this, first](trace::Rank rank, bool begins) {
      begins ? section_begins(first + rank) : section_ends(first + rank);
    };
    trace::ReplayJob::Setup setup{static_cast<int>(jobs_.size()), first, experiment_.scales[job],
                                  section};
    if (options_.record)
      setup.collective = [this, first](trace::Rank rank, trace::CallKind kind, comm::Time begun) {
        note_collective(first + rank, kind, begun);
      };
    jobs_.push_back(
        std::make_unique<trace::ReplayJob>(trace, experiment_.algorithms, std::move(setup)));
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
    out.network.faults = experiment_.faults;
    out.network.seed = experiment_.seed;
    out.ranks_are_apart = !options_.path && !options_.record && !options_.links;
    out.network.threads =
        threads_for(machine_.fabric(), options_.threads, hosts_on(machine_, out.ranks_are_apart));
    out.network.thread_use = options_.thread_use;
    return out;
  }

  WatchOptions watch_options() {
    return {.path = options_.path,
            .steps = options_.steps,
            .record = options_.record,
            .window = options_.window,
            .asked =
                [this](comm::Rank rank) {
                  const trace::RankProgress& at = progress(rank);
                  return ComputeAsked{at.computed, at.computed_beside};
                },
            .begun = [this] { report_progress(); }};
  }
  run::World& world() { return watched_->world(); }

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

  SectionCounts& section_of(comm::Rank rank) { return sections_[static_cast<std::size_t>(rank)]; }
  void section_begins(comm::Rank rank) {
    SectionCounts& section = section_of(rank);
    if (section.has_begun) return;
    section.has_begun = true;
    section.has_ended = false;
    section.begin = watched_->counts(rank);
    if (CriticalPath* path = watched_->path()) path->section_begins(rank, section.begin);
  }
  void section_ends(comm::Rank rank) {
    SectionCounts& section = section_of(rank);
    section.has_ended = true;
    section.end = watched_->counts(rank);
    if (CriticalPath* path = watched_->path()) path->section_ends(rank, section.end);
  }

  void note_collective(comm::Rank rank, trace::CallKind kind, comm::Time begun) {
    const comm::Time now = world().at(rank).now();
    if (now >= options_.window.from && collectives_.size() < options_.window.most)
      collectives_.push_back({rank, kind, begun, now});
  }

  void report_progress() {
    constexpr std::uint64_t often = 4096;
    if (!options_.progress || ++operations_ % often != 0) return;
    const std::unique_lock lock(reporting_, std::try_to_lock);
    if (!lock.owns_lock()) return;
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
      if (!section.has_ended) section.end = watched_->counts(number);
      out.has_finished = out.has_finished && job.progress(rank).has_ended;
      out.by_rank.push_back(items_between(section.begin, section.end));
      out.time = std::max(out.time, out.by_rank.back().total);
    }
    return out;
  }

  /// Of a single job: others have their own.
  void find_timed(ReplayResult& out) {
    if (jobs_.size() > 1) return;
    for (const SectionCounts& section : sections_) {
      if (!section.has_begun) continue;
      if (!out.timed) out.timed = {section.begin.at, section.end.at};
      out.timed->begin = std::min(out.timed->begin, section.begin.at);
      out.timed->end = std::max(out.timed->end, section.end.at);
    }
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
    const PathTotals path = watched_->path()->path_of_section(*last, begin);
    if (options_.steps)
      out.path_steps =
          watched_->path()->steps_of_section(*last, std::max(begin, options_.window.from));
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
      out = world().hosts().network().explanation() + "\n";
    if (const std::uint64_t lost = world().hosts().network().totals().lost; lost > 0)
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
  std::uint64_t all_calls_ = 0;
  std::atomic<std::uint64_t> operations_ = 0;
  std::mutex reporting_;
  std::vector<SectionCounts> sections_;
  std::vector<CollectiveRecord> collectives_;
  std::optional<WatchedWorld> watched_;
  std::optional<LinkSampler> links_;
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
  const std::vector<std::size_t> jobs = all_jobs(experiment);
  ReplayResult out = ReplayWorld(experiment, experiment.machine, jobs, options).run();
  if (options.links && out.ended == run::WorldEnd::stuck) {
    // The last sample of the links came when nothing moved any more: without it, it ends earlier.
    ReplayOptions without_links = options;
    without_links.links = false;
    LinkTimes links = std::move(out.links);
    out = ReplayWorld(experiment, experiment.machine, jobs, without_links).run();
    out.links = std::move(links);
  }
  const auto job_time = [&](const Machine& machine, std::size_t job) {
    return ReplayWorld(experiment, machine, {job},
                       {.threads = options.threads, .thread_use = options.thread_use})
        .run()
        .jobs.front()
        .time;
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
