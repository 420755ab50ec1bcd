// SPDX-License-Identifier: Apache-2.0
// What a world reports, as counts of ranks and as steps of the critical path.
#include "lab/path/watched_world.hpp"

#include <utility>

namespace weft {
namespace {

/// Enough for the operations that a page shows.
constexpr std::size_t moments_for_steps = 1'000'000;

/// The log records operations, not the world.
run::WorldOptions with_log(run::WorldOptions options, comm::OperationLog& log) {
  options.log = &log;
  options.record = false;
  return options;
}

}  // namespace

WatchedWorld::WatchedWorld(const Machine& machine, const Tables& tables, run::WorldOptions world,
                           WatchOptions watch)
    : watch_(std::move(watch)),
      world_(machine.fabric(), tables, machine.switches, machine.nic,
             with_log(std::move(world), *this)),
      work_(static_cast<std::size_t>(world_.size())),
      waits_(world_.size()) {
  if (watch_.path) path_.emplace(world_.size(), watch_.steps ? moments_for_steps : 0);
}

/// Work that the processor has done until now.
Duration WatchedWorld::work_done(comm::Rank rank) {
  const sim::Resource& processor = world_.processor_of(rank);
  const comm::Time now = world_.at(rank).now();
  return processor.busy() - (processor.free_at(now) - now);
}

RankCounts WatchedWorld::counts(comm::Rank rank) {
  const comm::Time now = world_.at(rank).now();
  const auto software = world_.at(rank).software_times();
  ComputeWork& work = work_[static_cast<std::size_t>(rank)];
  return {now,
          work.compute.done(now),
          work.beside.done(now),
          software.library,
          work_done(rank),
          waits_.sends(rank),
          software.ack,
          software.nic};
}

/// Books what a rank has begun to compute, if that is what it has begun.
void WatchedWorld::book_compute(const comm::Op& op, comm::Rank rank) {
  const comm::OpKind kind = op.request().kind;
  if (kind != comm::OpKind::spend && kind != comm::OpKind::sleep) return;
  ComputeWork& work = work_[static_cast<std::size_t>(rank)];
  const comm::Time now = world_.at(rank).now();
  const auto book = [](sim::BookedWork& booked, Duration& asked, Duration all, comm::Time end) {
    booked.book(end - (all - asked), end);
    asked = all;
  };
  const auto asked = [&] {
    if (watch_.asked) return watch_.asked(rank);
    return ComputeAsked{work.asked.by_processor + op.request().time, {}};
  }();
  if (kind == comm::OpKind::spend)
    book(work.compute, work.asked.by_processor, asked.by_processor,
         world_.processor_of(rank).free_at(now));
  else
    book(work.beside, work.asked.beside, asked.beside, now + op.request().time);
}

/// Whether the processor was idle at any time since the rank began to wait.
bool WatchedWorld::is_idle(comm::Rank rank) {
  return waits_.idle(rank, world_.at(rank).now(), work_done(rank)).count() > 0;
}

/// Where the rank stands, for the steps of the path.
void WatchedWorld::note_step(comm::Rank rank) {
  if (path_ && watch_.steps && world_.at(rank).now() >= watch_.window.from)
    path_->passes(rank, counts(rank));
}

void WatchedWorld::begun(const comm::Op& op, comm::Rank rank, comm::Time) {
  const comm::OpKind kind = op.request().kind;
  waits_.goes_on(rank);
  book_compute(op, rank);
  if (path_ && kind == comm::OpKind::sleep) path_->begun_beside(op, rank, counts(rank));
  note_step(rank);
  if (path_)
    knows_causes_ = knows_causes_ && (kind == comm::OpKind::send || kind == comm::OpKind::recv ||
                                      kind == comm::OpKind::spend || kind == comm::OpKind::sleep);
  if (watch_.begun) watch_.begun();
}

void WatchedWorld::completed(const comm::Op& op, comm::Rank rank, comm::Time at) {
  if (watch_.record && at >= watch_.window.from) {
    if (records_.size() < watch_.window.most)
      records_.push_back(run::record_of(op, rank, at));
    else
      ++left_out_;
  }
  if (!path_ || !op.result().ok()) return;
  if (op.request().kind == comm::OpKind::send)
    path_->ended_send(op.carried.message, rank, counts(rank));
  if (op.request().kind == comm::OpKind::recv) path_->ended_recv(op.result().message, rank);
}

std::vector<run::OperationRecord> WatchedWorld::take_records(const run::WorldResult& ended) {
  for (const comm::PendingOperation& pending : ended.pending)
    if (watch_.record)
      records_.push_back({.rank = pending.rank,
                          .kind = pending.kind,
                          .status = comm::Status::pending,
                          .peer = pending.peer,
                          .tag = pending.tag,
                          .posted = pending.since,
                          .completed = ended.time});
  return std::move(records_);
}

void WatchedWorld::resumed(const comm::Op& op, comm::Rank rank, comm::Time at) {
  const bool by_send = op.request().kind == comm::OpKind::send;
  const bool by_message = by_send || op.request().kind == comm::OpKind::recv;
  if (path_ && op.request().kind == comm::OpKind::sleep) path_->ended_beside(op);
  if (path_ && by_message && is_idle(rank)) path_->waited(rank, waits_.since(rank));
  waits_.ends(rank, at, work_done(rank), by_send);
  note_step(rank);
}

void WatchedWorld::step_left(const comm::MessageStep& step, comm::Time) {
  if (path_) path_->left(step, counts(step.from()));
}

void WatchedWorld::step_arrived(const comm::MessageStep& step, comm::Time) {
  if (path_) path_->arrived(step, counts(step.to()), is_idle(step.to()));
}

}  // namespace weft
