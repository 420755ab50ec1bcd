// SPDX-License-Identifier: Apache-2.0
// A cluster of bandwidth managers with pretend NICs, in which a test decides the order of events:
// which message arrives, how time passes, which manager crashes. The rates of the NICs are checked
// after each event.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "comm/qos/local.hpp"
#include "comm/qos/master.hpp"
#include "support/flows.hpp"

namespace weft::test {

/// The NIC of a host: it keeps the intervals that were set, and stops leased ones in time.
class RememberingNic final : public comm::RateControl {
 public:
  void set_interval(const comm::Flow& flow, Duration interval) override {
    intervals[flow] = interval;
    leased.erase(flow);
  }
  void set_leased(const comm::Flow& flow, Duration interval) override {
    set_interval(flow, interval);
    if (interval.count() > 0) leased.insert(flow);
  }
  void set_lease(comm::Time end) override { lease = end; }
  void stop_others(std::span<const comm::Flow> known) override {
    for (const comm::Flow& flow : leased)
      if (std::find(known.begin(), known.end(), flow) == known.end()) intervals[flow] = stopped;
  }
  std::uint64_t dispatched(const comm::Flow&) const override { return 0; }
  /// To be called whenever time has passed.
  void pass(comm::Time now) {
    if (now >= lease) stop_others({});
  }

  std::map<comm::Flow, Duration> intervals;
  std::set<comm::Flow> leased;
  comm::Time lease = comm::Time::max();
};

/// What the NICs let go now: T * B_max / interval. Of flows that are free, nothing is said.
inline Rates enforced_rates(const comm::qos::Limits& limits, std::span<const RememberingNic> nics) {
  const std::int64_t bits = limits.peak.bits_per_second * limits.per_packet.count();
  Rates rates;
  for (const RememberingNic& nic : nics)
    for (const auto& [flow, interval] : nic.intervals) {
      if (interval == Duration{0} || interval == comm::qos::stopped) continue;
      rates[flow] = (bits + interval.count() - 1) / interval.count();
    }
  return rates;
}

class ManagedCluster {
 public:
  ManagedCluster(FlowNetwork of, comm::qos::Policy policy, std::uint64_t seed)
      : network(std::move(of)),
        nics(static_cast<std::size_t>(network.hosts)),
        policy_(policy),
        rng_(seed),
        locals_(static_cast<std::size_t>(network.hosts)),
        dead_(static_cast<std::size_t>(network.hosts)) {
    start_master();
    for (int host = 0; host < network.hosts; ++host) start_local(host);
  }

  static constexpr Duration lease = comm::qos::usual_lease;

  FlowNetwork network;
  std::vector<RememberingNic> nics;  ///< by host
  comm::qos::PathFinder route =
      [this](const comm::Flow& flow) -> std::variant<comm::qos::Path, Refused> {
    return network.path(flow);
  };
  std::vector<comm::qos::Reply> replies;  ///< all so far
  comm::Time now{};

  /// What the NIC of a flow's host does; nothing if it never heard of the flow.
  std::optional<Duration> interval(const comm::Flow& flow) const {
    const auto& intervals = nics[index(network.host_of(flow.source))].intervals;
    const auto found = intervals.find(flow);
    return found == intervals.end() ? std::nullopt : std::optional(found->second);
  }

  // Events. Each is checked.
  void ask(comm::qos::BandwidthRequest request) {
    request.ticket = ++tickets_;
    outstanding_[request.ticket] = request;
    auto& local = locals_[index(network.host_of(request.asker))];
    if (local)
      local->ask(request, now);
    else
      lose(request.ticket);
    collect();
  }
  /// Delivers mostly one of the latest messages, so that a few become very late.
  void deliver_one() {
    if (under_way_.empty()) return;
    const std::size_t count = under_way_.size();
    const std::size_t latest = rng_.below(8) == 0 ? count : std::min<std::size_t>(count, 3);
    deliver(count - 1 - rng_.below(latest));
  }
  /// Delivers all messages but those for which `held`.
  template <class Held>
  void deliver_unless(Held held) {
    for (std::size_t i = 0; i < under_way_.size();)
      if (held(under_way_[i]))
        ++i;
      else
        deliver(std::exchange(i, 0));
  }
  /// Lets time pass; no message arrives meanwhile.
  void pass(Duration time) {
    now += time;
    for (RememberingNic& nic : nics) nic.pass(now);
    for (auto& local : locals_)
      if (local) local->tick(now);
    if (master_) master_->tick(now);
    collect();
  }
  void crash_local(int host) {
    locals_[index(host)].reset();
    std::vector<std::uint64_t> lost;
    for (const auto& [ticket, request] : outstanding_)
      if (network.host_of(request.asker) == host) lost.push_back(ticket);
    for (const std::uint64_t ticket : lost) lose(ticket);
    check();
  }
  /// For good.
  void kill(int host) {
    crash_local(host);
    dead_[index(host)] = true;
  }
  void start_local(int host) {
    if (dead_[index(host)]) return;
    locals_[index(host)].emplace(
        comm::qos::LocalStart{.at = host, .life = life(), .nic = &nics[index(host)]}, now);
    collect();
  }
  void crash_master() {
    master_.reset();
    check();
  }
  void start_master() {
    comm::qos::MasterStart start{
        .limits = network.limits, .hosts = network.hosts, .policy = policy_, .route = route};
    start.epoch = life();
    for (int host = 0; host < network.hosts; ++host) start.locals.push_back(host);
    master_.emplace(std::move(start), now);
    collect();
  }

  bool has_local(int host) const { return locals_[index(host)].has_value(); }
  bool has_master() const { return master_.has_value(); }
  /// Whether all local managers know their flows: then the master may crash.
  bool all_know() const {
    return std::all_of(locals_.begin(), locals_.end(),
                       [](const auto& local) { return local && local->synchronised(); });
  }
  /// Whether the master knows all flows: then a local manager may crash.
  bool master_knows() const { return master_ && !master_->rebuilding(); }
  std::size_t under_way() const { return under_way_.size(); }

  /// Restarts every manager and delivers all messages.
  void settle() {
    if (!master_) start_master();
    for (int host = 0; host < network.hosts; ++host)
      if (!has_local(host)) start_local(host);
    deliver_all();
    EXPECT_TRUE(master_->idle());
    EXPECT_TRUE(outstanding_.empty()) << "a request has no answer";
  }
  /// The same, and whatever leases have to end, ends.
  void settle_in_time() {
    if (!master_) start_master();
    for (int host = 0; host < network.hosts; ++host)
      if (!has_local(host)) start_local(host);
    for (int part = 0; part < 18; ++part) {
      deliver_all();
      pass(lease / 6);
    }
    settle();
  }

  /// When no message is under way, the NICs enforce what admission control says, which is what was
  /// answered and what the policy means. What all have forgotten may be stopped.
  void check_quiet() {
    const comm::qos::AdmissionControl& admission = master_->admission();
    Grants grants;
    admission.for_each([&](const comm::Flow& flow) { grants[flow] = admission.grant(flow); });
    const Rates rates = fair_rates(network, grants, policy_);
    for (const auto& [flow, rate] : rates) {
      EXPECT_EQ(admission.rate(flow).bits_per_second, rate) << to_text(flow);
      EXPECT_EQ(interval(flow), comm::qos::interval_of(network.limits, {rate})) << to_text(flow);
    }
    for (const RememberingNic& nic : nics)
      for (const auto& [flow, interval] : nic.intervals) {
        const bool free = interval == Duration{0} ||
                          (interval == comm::qos::stopped && (forgetful || unsure_.contains(flow)));
        EXPECT_TRUE(grants.contains(flow) || free) << to_text(flow);
      }
    if (forgetful) return;
    for (const auto& [flow, grant] : believed_)
      EXPECT_EQ(admission.grant(flow), grant) << to_text(flow);
  }
  const comm::qos::AdmissionControl& admission() const { return master_->admission(); }
  Rng& rng() { return rng_; }

  bool forgetful = false;  ///< flows may be lost that were granted

 private:
  static std::size_t index(int host) { return static_cast<std::size_t>(host); }
  /// As if by a clock that no manager can run ahead of.
  std::uint64_t life() { return lives_ += 1000; }

  void deliver_all() {
    for (int turn = 0; !under_way_.empty(); ++turn) {
      ASSERT_LT(turn, 100'000) << "managers talk for ever";
      deliver_one();
    }
  }
  void deliver(std::size_t which) {
    std::swap(under_way_[which], under_way_.back());
    const comm::qos::ManagerMessage message = under_way_.back();
    under_way_.pop_back();
    auto& local = locals_[index(message.local)];
    if (message.to_master() && master_)
      master_->receive(message, now);
    else if (!message.to_master() && local)
      local->receive(message, now);
    collect();
  }

  /// The request gets no answer: what the flow has is unknown until the next answer.
  void lose(std::uint64_t ticket) {
    const comm::Flow flow = outstanding_.at(ticket).flow;
    believed_.erase(flow);
    unsure_.insert(flow);
    outstanding_.erase(ticket);
  }
  void collect() {
    if (master_)
      for (const comm::qos::ManagerMessage& message : master_->take_outbox())
        under_way_.push_back(message);
    for (auto& local : locals_) {
      if (!local) continue;
      for (const comm::qos::ManagerMessage& message : local->take_outbox())
        under_way_.push_back(message);
      for (const comm::qos::Reply& reply : local->take_replies()) note(reply);
    }
    check();
  }
  void note(const comm::qos::Reply& reply) {
    const auto found = outstanding_.find(reply.ticket);
    ASSERT_NE(found, outstanding_.end()) << "an answer to nothing";
    const comm::qos::BandwidthRequest request = found->second;
    outstanding_.erase(found);
    replies.push_back(reply);
    EXPECT_EQ(reply.granted, reply.reason.words().empty());
    if (!reply.granted) return;
    unsure_.erase(request.flow);
    comm::qos::Grant& grant = believed_[request.flow] = {};
    if (request.kind == comm::qos::RequestKind::reserve)
      grant = {comm::qos::GrantKind::promise, request.bandwidth};
    if (request.kind == comm::qos::RequestKind::best_effort)
      grant.kind = comm::qos::GrantKind::best_effort;
    EXPECT_EQ(reply.holding.grant, grant);
  }
  void check() const { ASSERT_EQ(overload(network, enforced_rates(network.limits, nics)), ""); }

  comm::qos::Policy policy_;
  Rng rng_;
  std::vector<std::optional<comm::qos::Local>> locals_;
  std::vector<bool> dead_;
  std::optional<comm::qos::Master> master_;
  std::vector<comm::qos::ManagerMessage> under_way_;
  std::map<std::uint64_t, comm::qos::BandwidthRequest> outstanding_;
  std::map<comm::Flow, comm::qos::Grant> believed_;
  std::set<comm::Flow> unsure_;
  std::uint64_t tickets_ = 0, lives_ = 0;
};

}  // namespace weft::test
