// SPDX-License-Identifier: Apache-2.0
// Managers whose messages are late and overtake each other, and who lose their memory: what the
// NICs let go is never more than hosts and ports can carry.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "comm/qos/local.hpp"
#include "comm/qos/master.hpp"
#include "support/fabrics.hpp"
#include "support/flows.hpp"

namespace weft::comm::qos {
namespace {

using test::FlowNetwork;
using test::megabytes;

/// The NICs of all hosts: they keep what they were told.
class RememberingNics final : public RateControl {
 public:
  void set_interval(const Flow& flow, Duration interval) override { intervals[flow] = interval; }
  std::uint64_t dispatched(const Flow&) const override { return 0; }
  std::map<Flow, Duration> intervals;
};

class Cluster {
 public:
  Cluster(std::uint64_t seed, Policy policy)
      : network(seed),
        policy_(policy),
        rng_(seed),
        locals_(static_cast<std::size_t>(network.hosts)) {
    start_master();
    for (int host = 0; host < network.hosts; ++host) start_local(host);
  }

  FlowNetwork network;
  RememberingNics nics;
  Route route = [this](const Flow& flow) -> std::variant<Path, Refused> {
    return network.path(flow);
  };
  std::vector<Reply> replies;  ///< all so far

  // Events. Each is checked.
  void ask(Request request) {
    request.ticket = ++tickets_;
    outstanding_[request.ticket] = request;
    auto& local = locals_[index(network.host_of(request.asker))];
    if (local)
      local->ask(request);
    else
      lose(request.ticket);
    collect();
  }
  void deliver_one() {
    if (under_way_.empty()) return;
    std::swap(under_way_[rng_.below(under_way_.size())], under_way_.back());
    const Message message = under_way_.back();
    under_way_.pop_back();
    auto& local = locals_[index(message.local)];
    if (message.to_master() && master_)
      master_->receive(message);
    else if (!message.to_master() && local)
      local->receive(message);
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
  void start_local(int host) {
    locals_[index(host)].emplace(Local::Start{.at = host, .life = ++lives_, .nic = &nics});
    collect();
  }
  void crash_master() {
    master_.reset();
    check();
  }
  void start_master() {
    Master::Start start{
        .limits = network.limits, .hosts = network.hosts, .policy = policy_, .route = route};
    start.epoch = ++lives_;
    for (int host = 0; host < network.hosts; ++host) start.locals.push_back(host);
    master_.emplace(std::move(start));
    collect();
  }

  bool has_local(int host) const { return locals_[index(host)].has_value(); }
  bool has_master() const { return master_.has_value(); }
  /// All local managers know their flows: the master may forget them.
  bool all_know() const {
    return std::all_of(locals_.begin(), locals_.end(),
                       [](const auto& local) { return local && local->knows(); });
  }
  /// The master knows all flows: a local manager may forget them.
  bool master_knows() const { return master_ && !master_->rebuilding(); }
  std::size_t under_way() const { return under_way_.size(); }

  /// Everyone is back, and all messages arrive.
  void settle() {
    if (!master_) start_master();
    for (int host = 0; host < network.hosts; ++host)
      if (!has_local(host)) start_local(host);
    for (int turn = 0; !under_way_.empty(); ++turn) {
      ASSERT_LT(turn, 100'000) << "managers talk for ever";
      deliver_one();
    }
    EXPECT_TRUE(master_->idle());
    EXPECT_TRUE(outstanding_.empty()) << "a request has no answer";
  }

  /// When nothing is under way, the NICs do what the books say, which is what everyone was told and
  /// what the policy means.
  void check_quiet() {
    const Books& books = master_->books();
    test::Grants grants;
    books.for_each([&](const Flow& flow) { grants[flow] = books.grant(flow); });
    const test::Rates rates = fair_rates(network, grants, policy_);
    for (const auto& [flow, rate] : rates) {
      EXPECT_EQ(books.rate(flow).bits_per_second, rate) << to_text(flow);
      EXPECT_EQ(nics.intervals[flow], interval_of(network.limits, {rate})) << to_text(flow);
    }
    for (const auto& [flow, interval] : nics.intervals) {
      const bool free = interval == Duration{0} || (interval == stopped && unsure_.contains(flow));
      EXPECT_TRUE(grants.contains(flow) || free) << to_text(flow);
    }
    for (const auto& [flow, grant] : believed_)
      EXPECT_EQ(books.grant(flow), grant) << to_text(flow);
  }
  const Books& books() const { return master_->books(); }
  Rng& rng() { return rng_; }

 private:
  static std::size_t index(int host) { return static_cast<std::size_t>(host); }

  /// Nobody will ever answer: what the flow has is known again after the next answer.
  void lose(std::uint64_t ticket) {
    const Flow flow = outstanding_.at(ticket).flow;
    believed_.erase(flow);
    unsure_.insert(flow);
    outstanding_.erase(ticket);
  }
  void collect() {
    if (master_)
      for (const Message& message : master_->take_outbox()) under_way_.push_back(message);
    for (auto& local : locals_) {
      if (!local) continue;
      for (const Message& message : local->take_outbox()) under_way_.push_back(message);
      for (const Reply& reply : local->take_replies()) note(reply);
    }
    check();
  }
  void note(const Reply& reply) {
    const auto found = outstanding_.find(reply.ticket);
    ASSERT_NE(found, outstanding_.end()) << "an answer to nothing";
    const Request request = found->second;
    outstanding_.erase(found);
    replies.push_back(reply);
    EXPECT_EQ(reply.granted, reply.reason.words().empty());
    if (!reply.granted) return;
    unsure_.erase(request.flow);
    Grant& grant = believed_[request.flow] = {};
    if (request.wish == Wish::reserve) grant = {Grant::Kind::promise, request.bandwidth};
    if (request.wish == Wish::best_effort) grant.kind = Grant::Kind::best_effort;
    EXPECT_EQ(reply.holding.grant, grant);
  }
  /// What the NICs enforce now: T * B_max / interval.
  void check() const {
    test::Rates rates;
    for (const auto& [flow, interval] : nics.intervals) {
      if (interval == Duration{0}) continue;  // nobody's business
      __extension__ using Exact = __int128;
      const Exact bits =
          Exact{network.limits.per_packet.count()} * network.limits.peak.bits_per_second;
      rates[flow] =
          interval == stopped
              ? 0
              : static_cast<std::int64_t>((bits + interval.count() - 1) / interval.count());
    }
    ASSERT_EQ(overload(network, rates), "");
  }

  Policy policy_;
  Rng rng_;
  std::vector<std::optional<Local>> locals_;
  std::optional<Master> master_;
  std::vector<Message> under_way_;
  std::map<std::uint64_t, Request> outstanding_;
  std::map<Flow, Grant> believed_;
  std::set<Flow> unsure_;
  std::uint64_t tickets_ = 0, lives_ = 0;
};

Request random_request(Cluster& cluster) {
  Rng& rng = cluster.rng();
  Request request{.flow = cluster.network.random_flow(rng)};
  // Few flows, so that they meet often.
  if (rng.below(2) == 0) request.flow.priority = Priority::low;
  request.asker = request.flow.source;
  request.wish = static_cast<Wish>(rng.below(3));
  request.bandwidth = {static_cast<std::int64_t>(rng.below(700'000'000)) >> rng.below(5)};
  return request;
}

/// One of what can happen. A flow is known at two places: both must not forget it together.
void random_event(Cluster& cluster, bool crashes) {
  Rng& rng = cluster.rng();
  const auto host = static_cast<int>(rng.below(static_cast<std::uint64_t>(cluster.network.hosts)));
  const std::uint64_t what = rng.below(crashes ? 100 : 96);
  if (what < 16) return cluster.ask(random_request(cluster));
  if (what < 96) return cluster.deliver_one();
  if (!cluster.has_local(host)) return cluster.start_local(host);
  if (!cluster.has_master()) return cluster.start_master();
  if (what < 98 && cluster.master_knows()) return cluster.crash_local(host);
  if (what >= 98 && cluster.all_know()) cluster.crash_master();
}

void run_random(std::uint64_t seed, Policy policy, bool crashes) {
  Cluster cluster(seed, policy);
  for (int phase = 0; phase < 4; ++phase) {
    for (int i = 0; i < 150; ++i) random_event(cluster, crashes);
    cluster.settle();
    cluster.check_quiet();
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(QosManagers, NeverLetMoreGoThanThereIsWhileMessagesAreLate) {
  for (const Policy policy : {Policy::equal, Policy::max_min})
    for (int seed = 1; seed <= test::tries(250, 5000); ++seed)
      ASSERT_NO_FATAL_FAILURE(run_random(static_cast<std::uint64_t>(seed), policy, false));
}

TEST(QosManagers, NorWhileTheyLoseTheirMemory) {
  for (const Policy policy : {Policy::equal, Policy::max_min})
    for (int seed = 1; seed <= test::tries(500, 20'000); ++seed)
      ASSERT_NO_FATAL_FAILURE(run_random(static_cast<std::uint64_t>(seed), policy, true));
}

}  // namespace
}  // namespace weft::comm::qos
