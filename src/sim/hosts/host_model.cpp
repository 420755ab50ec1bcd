// SPDX-License-Identifier: Apache-2.0
// HostModel: interleaves host events with the network's cycles, and makes parts.
#include "sim/hosts/host_model.hpp"

#include <algorithm>

namespace weft::sim {

/// The driver of hosts in parts: each has its own, or one thread has all and hands out what comes.
class HostModel::Switchboard final : public Driver {
 public:
  explicit Switchboard(HostModel& first) : first_(first) {}

  AnswerScope answers() const override { return AnswerScope::at_host; }
  std::vector<Driver*> in_parts(std::size_t parts) override {
    std::vector<Driver*> out(parts, this);  // for those without hosts
    for (std::size_t part = 0; part < first_.parts(); ++part) out[part] = &first_.in_part(part);
    return out;
  }
  /// Links take a packet a cycle at most; what has come is acknowledged once.
  std::uint64_t most_packets(std::uint64_t hosts, Cycle begin, Cycle end) const override {
    std::uint64_t transfers = 0;
    for (std::size_t part = 0; part < first_.parts(); ++part)
      transfers += first_.in_part(part).under_way();
    return hosts * (end - begin + 1) + transfers;
  }
  void timer(Network& network, HostId host) override { of(host).timer(network, host); }
  void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) override {
    of(at).delivered(network, packet, at, hops);
  }
  void lost(Network& network, const Packet& packet, HostId at, Loss why) override {
    of(packet.from).lost(network, packet, at, why);
  }

 private:
  HostModel& of(HostId host) { return first_.in_part(first_.part_of(host)); }

  HostModel& first_;
};

HostModel::ByHost::ByHost(const HostSetup& setup)
    : network(setup.fabric, setup.tables, setup.switches, setup.options.network),
      processors(setup.fabric.host_count() * setup.options.processors),
      memories(setup.fabric.host_count()) {
  for (HostId host : setup.fabric.hosts())
    flit_time.push_back(setup.switches.flit / setup.fabric[host].wire.speed);
}

HostModel::HostModel(const NicModel& model, const HostSetup& setup)
    : fabric_(setup.fabric),
      tables_(setup.tables),
      model_(model),
      flit_(setup.switches.flit),
      shared_(std::make_shared<ByHost>(setup)),
      network_(shared_->network),
      cycle_(network_.cycle()),
      flit_time_(shared_->flit_time),
      processors_each_(setup.options.processors),
      processors_(shared_->processors),
      memories_(shared_->memories) {}

HostModel::HostModel(HostModel& first)
    : fabric_(first.fabric_),
      tables_(first.tables_),
      model_(first.model_),
      flit_(first.flit_),
      shared_(first.shared_),
      network_(first.network_),
      cycle_(first.cycle_),
      flit_time_(first.flit_time_),
      processors_each_(first.processors_each_),
      processors_(first.processors_),
      memories_(first.memories_) {}

void HostModel::part_hosts() {
  std::vector<std::uint32_t> part_of_host = network_.parts_of_hosts();
  if (part_of_host.empty()) return;
  const std::size_t count = 1 + *std::max_element(part_of_host.begin(), part_of_host.end());
  for (std::size_t part = 1; part < count; ++part) {
    std::unique_ptr<HostModel> another = make_another();
    if (!another) return;
    others_.push_back(std::move(another));
  }
  part_of_host_ = std::move(part_of_host);
  for (std::size_t part = 0; part < count; ++part) {
    const auto first = std::find(part_of_host_.begin(), part_of_host_.end(), part);
    in_part(part).timer_ = HostId(static_cast<std::size_t>(first - part_of_host_.begin()));
    in_part(part).is_part_ = true;
  }
}

std::uint64_t HostModel::begun() const {
  std::uint64_t out = begun_;
  for (const auto& other : others_) out += other->begun_;
  return out;
}

Cycle HostModel::cycle_of(Duration time) const {
  return static_cast<Cycle>((time.count() + cycle_.count() - 1) / cycle_.count());
}

NetworkEnd HostModel::run(std::span<HostUser* const> users, Duration until) {
  invariant(users.size() == parts(), "hosts in parts have a user for each");
  for (std::size_t part = 0; part < users.size(); ++part) in_part(part).start(*users[part], until);
  const Cycle end = until == Kernel::never ? sim::never : cycle_of(until);
  Switchboard all(*this);
  const NetworkEnd ended = network_.run(others_.empty() ? static_cast<Driver&>(*this) : all, end);
  if (ended != NetworkEnd::in_time) return ended;
  if (!others_.empty()) run_ahead();
  // (The network may have noticed that later.)
  return network_is_empty() && first_of_all().kernel_.next() == Kernel::never ? NetworkEnd::quiet
                                                                              : ended;
}

bool HostModel::network_is_empty() const {
  std::uint64_t reports = in_network_;  // (modulo its range: others count what is sent to them)
  for (const auto& other : others_) reports += other->in_network_;
  return reports == 0;
}

/// The part with the earliest event.
HostModel& HostModel::first_of_all() {
  HostModel* first = this;
  for (const auto& other : others_)
    if (other->kernel_.next() < first->kernel_.next()) first = other.get();
  return *first;
}

/// Of all parts, if the network is empty: host events up to the end of the run or the first packet,
/// which hosts in one part have behind them.
void HostModel::run_ahead() {
  Duration limit = until_;
  if (!network_is_empty()) return;
  for (;;) {
    HostModel* const next = &first_of_all();
    const bool was_empty = network_is_empty();
    if (!next->kernel_.step(limit)) return;
    next->user_->settle();
    if (was_empty && !network_is_empty())
      limit = time_of(std::max(cycle_of(next->kernel_.now()), network_.now()));
  }
}

void HostModel::start(HostUser& user, Duration until) {
  user_ = &user;
  until_ = until;
  here_ = &network_;
  user_->settle();
  drain();
}

void HostModel::timer(Network& network, HostId) {
  here_ = &network;
  armed_ = sim::never;
  for (const Packet& packet : outbox_) here_->send(packet);
  outbox_.clear();
  drain();
}

/// Runs host events up to this cycle or, while the network is empty, up to the first packet. (A
/// part does not know whether it is empty.)
void HostModel::drain() {
  const auto runs_ahead = [this] { return in_network_ == 0 && !is_part_; };
  Duration limit = runs_ahead() ? until_ : time_of(here_->now());
  for (bool ran_ahead = runs_ahead(); kernel_.step(limit); ran_ahead = runs_ahead()) {
    user_->settle();
    if (ran_ahead && in_network_ > 0)
      limit = time_of(std::max(cycle_of(kernel_.now()), here_->now()));
  }
  arm();
}

void HostModel::arm() {
  Cycle next = sim::never;
  if (!outbox_.empty())
    next = outbox_.front().created;
  else if (const Duration first = kernel_.next(); first != Kernel::never)
    next = is_in_cycle(first, armed_) ? armed_ : cycle_of(first);
  if (next == armed_ || next == sim::never) return;
  armed_ = next;
  here_->wake(timer_, next);
}

void HostModel::send(const Packet& packet, std::uint32_t reports) {
  in_network_ += reports;
  if (kernel_.now() <= time_of(here_->now())) {
    here_->send(packet);
    return;
  }
  outbox_.push_back(packet);
  outbox_.back().created = cycle_of(kernel_.now());
}

}  // namespace weft::sim
