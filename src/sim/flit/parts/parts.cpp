// SPDX-License-Identifier: Apache-2.0
// Threads, windows, and what changes hands between the whole network and its parts.
#include "sim/flit/parts/parts.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "sim/flit/parts/partition.hpp"

namespace weft::sim {

NetworkParts::NetworkParts(const WholeNetwork& whole, Index threads, BitSliced* words,
                           std::vector<Index> part_of_block)
    : whole_(whole),
      layout_(whole.units.layout),
      words_(words),
      part_of_block_(part_of_block.empty()
                         ? partition(whole.units, threads, together(layout_, words))
                         : std::move(part_of_block)),
      all_blocks_(whole.units.own_blocks.size(), ~std::uint64_t{0}),
      failed_(threads),
      barrier_(threads) {
  std::vector<std::vector<Index>> blocks(threads), hosts(threads);
  for (Index block = 0; block < layout_.blocks; ++block)
    blocks[part_of_block_[block]].push_back(block);
  for (Index host = 0; host < layout_.fabric.host_count(); ++host)
    hosts[part_of_port(layout_.switch_ports + host)].push_back(host);
  for (Index i = 0; i < threads; ++i)
    parts_.push_back(
        std::make_unique<NetworkPart>(whole_, std::move(blocks[i]), std::move(hosts[i]), words));
  if (words != nullptr) {
    for (const auto& part : parts_) words_of_parts_.push_back(part->words.get());
    BitSliced::join_parts(words_of_parts_);
  }
  try {
    for (Index i = 1; i < threads; ++i) threads_.emplace_back([this, i] { work(i); });
  } catch (const std::system_error&) {
    quit();
    throw Error("--threads {}: this process can have {} here", threads, threads_.size() + 1);
  }
}

NetworkParts::~NetworkParts() {
  if (have_switches_) {  // a driver has failed
    resting_ = true;
    barrier_.meet([] { return false; });
  }
  quit();
}

/// Threads end when they rest.
void NetworkParts::quit() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_all();
}

double NetworkParts::run(Network& network, const Driver& driver,
                         const std::vector<Driver*>& of_parts, Cycle until, double seconds) {
  enter(network, of_parts);
  driver_ = &driver;
  until_ = until;
  const Clock::time_point started = Clock::now();
  stop_at_.reset();
  if (begin_window()) {
    constexpr double long_enough = 1e6;
    if (seconds < long_enough)
      stop_at_ = started + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(seconds));
    start();
    run_windows(0);
  }
  const std::chrono::duration<double> took = Clock::now() - started;
  leave();
  rethrow();
  return took.count();
}

/// All threads, which rest.
void NetworkParts::start() {
  {
    const std::lock_guard lock(mutex_);
    ++runs_;
  }
  wake_.notify_all();
}

void NetworkParts::rethrow() {
  const std::exception_ptr first = first_failure();
  std::fill(failed_.begin(), failed_.end(), nullptr);
  if (first) std::rethrow_exception(first);
}

/// A thread: waits for a run, and takes part in it.
void NetworkParts::work(Index part) {
  for (std::uint64_t done = 0;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return quit_ || runs_ > done; });
      if (quit_) return;
      done = runs_;
    }
    if (have_switches_)
      follow(part);
    else
      run_windows(part);
  }
}

/// A window of the switches whenever hosts have had theirs.
void NetworkParts::follow(Index part) {
  while (barrier_.meet([this] { return !resting_; })) {
    step(part);
    barrier_.meet([] { return true; });
  }
}

void NetworkParts::run_windows(Index part) {
  BitSliced* const words = parts_[part]->words.get();
  if (words != nullptr) words->begin_run(*words_);
  do {
    step(part);
  } while (barrier_.meet([this] { return begin_window(); }));
  if (words == nullptr) return;
  words->end_run(*words_);
  barrier_.meet([] { return true; });
}

void NetworkParts::step(Index part) {
  try {
    if (have_switches_)
      parts_[part]->run_switches(window_begin_, window_end_);
    else
      parts_[part]->step(window_end_);
  } catch (...) {
    failed_[part] = std::current_exception();
  }
}

void NetworkParts::take_switches() {
  have_switches_ = true;
  resting_ = false;
  for (const auto& part : parts_) part->enter_switches();
  join(true);
  records_ = 0;
  share_records();
  scatter();
  start();
}

void NetworkParts::bring_ejections() {
  Units& to = whole_.units;
  for (const auto& part : parts_)
    part->units.ejections.take(to.now, 0,
                               [&](const Ejection& flit) { to.ejections.push(to.now, 0, flit); });
}

void NetworkParts::run_switches(Cycle begin, Cycle end) {
  share_records();
  window_begin_ = begin;
  window_end_ = end;
  barrier_.meet([] { return true; });
  step(0);
  barrier_.meet([] { return true; });
  whole_.units.forget(begin, end, all_blocks_);
  for (const auto& part : parts_) {
    whole_.units.totals += std::exchange(part->units.totals, {});
    whole_.reports.take_ends(part->reports);
  }
  rethrow();
}

bool NetworkParts::are_busy() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const auto& part) { return part->is_busy(); });
}

Cycle NetworkParts::next_event() {
  const Cycle now = whole_.units.now;
  if (std::any_of(parts_.begin(), parts_.end(),
                  [now](const auto& part) { return part->units.has_event(now); }))
    return now;  // mostly
  Cycle next = never;
  for (const auto& part : parts_) {
    part->units.now = now;
    next = std::min(next, part->next_event());
  }
  return next;
}

void NetworkParts::give_switches() {
  if (!have_switches_) return;
  resting_ = true;
  barrier_.meet([] { return false; });
  share_records();
  for (const auto& part : parts_) {
    part->units.now = whole_.units.now;
    part->leave_switches();
  }
  gather();
  join(false);
  have_switches_ = false;
}

/// What parts, or they and the hosts of the whole, send to each other is handed out.
void NetworkParts::join(bool with_whole) {
  std::vector<const Units*> all;
  for (const auto& part : parts_) all.push_back(&part->units);
  whole_.units.join(with_whole ? all : std::vector<const Units*>{}, layout_.blocks + 1);
  if (with_whole) all.push_back(&whole_.units);
  for (const auto& part : parts_) {
    std::vector<const Units*> others = all;
    std::erase(others, &part->units);
    part->units.join(others, layout_.blocks);
  }
}

/// Where the next window begins, and ends; false: there is none. Called while all parts wait.
bool NetworkParts::begin_window() {
  Cycle now = parts_.front()->units.now;
  if (first_failure() || now >= until_ || (stop_at_ && Clock::now() >= *stop_at_)) return false;
  if (!are_busy()) {
    if (words_ != nullptr) return false;  // for events
    Cycle next = never;
    for (const auto& part : parts_) next = std::min(next, part->next_event());
    if (next == never) return false;
    now = std::min(next, until_);
    for (const auto& part : parts_) part->units.now = now;
    if (now == until_) return false;
  }
  window_begin_ = now;
  window_end_ = std::min(window_end(now, whole_.units.window), until_);
  make_room();
  return true;
}

/// There are the records that all hosts may need in a window.
void NetworkParts::make_room() {
  const std::uint64_t packets =
      driver_->most_packets(layout_.fabric.host_count(), window_begin_, window_end_);
  whole_.units.packets.make_room(packets + parts_.size() * PacketPool::at_once);
  share_records();
}

/// All parts know the records of packets that there are.
void NetworkParts::share_records() {
  const std::size_t records = whole_.units.packets.size();
  whole_.routing.make_room(records);
  whole_.phases.make_room(records);
  if (records == std::exchange(records_, records)) return;
  for (const auto& part : parts_) {
    part->units.packets.share();
    if (have_switches_) part->units.packets.share_statuses();
  }
}

void NetworkParts::enter(Network& network, const std::vector<Driver*>& drivers) {
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i]->enter(network, *drivers[i]);
  join(false);
  whole_.units.active = WorkSet(layout_.fabric.host_count());
  const Totals& totals = whole_.units.totals;
  whole_.units.packets.lend(totals.sent - totals.delivered - totals.lost);
  records_ = 0;
  scatter();
  if (words_ != nullptr) words_->give_packets(words_of_parts_);
}

void NetworkParts::leave() {
  whole_.units.now = parts_.front()->units.now;
  if (words_ != nullptr) words_->take_back(words_of_parts_);
  for (const auto& part : parts_) part->leave();
  gather();
}

/// Every delay line with the port that an item is for.
template <class Visit>
void NetworkParts::each_line(Visit visit) const {
  const auto of_lane = [this](Index lane) { return layout_.port_of(lane); };
  const auto of_flit = [this](const auto& flit) {
    return layout_.port_of(flit.lane & Arrival::lane_mask);
  };
  const auto of_port = [](Index port) { return port; };
  visit(&Units::heads, of_flit);
  visit(&Units::bodies, of_flit);
  visit(&Units::ejections, of_flit);
  visit(&Units::credits,
        [this](Index signal) { return layout_.port_of(signal & Units::signal_mask); });
  visit(&Units::routed, of_lane);
  visit(&Units::packet_credits,
        [this](const PacketCredits& come) { return layout_.port_of(come.out_lane); });
  visit(&Units::releases, of_port);
  visit(&Units::retries, of_port);
  visit(&Units::drained, of_lane);
}

/// The packets behind the front one of a lane, and what is known of the front one.
void NetworkParts::move_packets(Index lane, Units& from, Units& to) {
  from.move_queue(lane, to);
  if (from.in[lane].stage != Stage::draining) return;
  const Index packet = from.in[lane].head.packet;
  to.packets.status(packet) = std::exchange(from.packets.status(packet), {});
}

void NetworkParts::scatter() {
  Units& from = whole_.units;
  each_line([&](auto line, auto port_of) {
    std::vector<std::pair<Cycle, typename std::decay_t<decltype(from.*line)>::Due>> staying;
    (from.*line).take_all(from.now, [&](Cycle at, const auto& item) {
      const Index port = port_of(item);
      if (stays(port))
        staying.emplace_back(at, item);
      else
        (parts_[part_of_port(port)]->units.*line).push(at, block_of(port, line), item);
    });
    for (const auto& [at, item] : staying)
      (from.*line).push(at, block_of(port_of(item), line), item);
  });
  for (Index id = 0; id < from.in.size(); ++id)
    move_packets(id, from, parts_[part_of_port(layout_.port_of(id))]->units);
  for (Index block = 0; block < layout_.blocks; ++block)
    whole_.branches.move(block, parts_[part_of_block_[block]]->branches);
}

void NetworkParts::gather() {
  Units& to = whole_.units;
  for (const auto& part : parts_)
    each_line([&](auto line, auto port_of) {
      (part->units.*line).take_all(to.now, [&](Cycle at, const auto& item) {
        (to.*line).push(at, block_of(port_of(item), line), item);
      });
    });
  for (Index id = 0; id < to.in.size(); ++id)
    move_packets(id, parts_[part_of_port(layout_.port_of(id))]->units, to);
  for (Index block = 0; block < layout_.blocks; ++block)
    parts_[part_of_block_[block]]->branches.move(block, whole_.branches);
}

}  // namespace weft::sim
