// SPDX-License-Identifier: Apache-2.0
// All states that three bandwidth managers and their master can come to: whatever order messages
// arrive in, whenever managers lose their memory, a host dies and time passes. In each, the NICs
// send no more than the link carries; and from each in which nothing is under way, all comes to
// rest with the NICs doing what admission control says.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <optional>
#include <unordered_set>
#include <vector>

#include "support/fabrics.hpp"
#include "support/flows.hpp"
#include "support/managers.hpp"

namespace weft::comm::qos {

/// Versions of messages count by their order only: they are collected once, and then ranked.
class VersionOrder {
 public:
  std::uint64_t rank(std::uint64_t version) {
    if (!sorted_) all_.push_back(version);
    return static_cast<std::uint64_t>(std::lower_bound(all_.begin(), all_.end(), version) -
                                      all_.begin());
  }
  void sort() {
    std::sort(all_.begin(), all_.end());
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
    sorted_ = true;
  }

 private:
  std::vector<std::uint64_t> all_;
  bool sorted_ = false;
};

/// A number for all that managers know. Two independent sums of 64 bits: among a hundred million
/// states, two that differ have the same numbers with a probability of 10^-23.
class StateNumber {
 public:
  explicit StateNumber(VersionOrder& versions) : versions_(versions) {}

  template <class... Values>
  void add(const Values&... values) {
    (one(values), ...);
  }
  void add_version(std::uint64_t version) { mix(versions_.rank(version)); }
  template <class Range, class Each>
  void list(const Range& range, Each each) {
    add(static_cast<std::uint64_t>(std::size(range)));
    for (const auto& item : range) each(item);
  }
  /// What comes in any order.
  template <class Range>
  void set(const Range& range) {
    std::array<std::uint64_t, 2> sums{};
    for (const auto& item : range) {
      StateNumber number(versions_);
      number.add(item);
      for (const std::size_t word : {0U, 1U}) sums[word] += number.words_[word];
    }
    add(sums[0], sums[1]);
  }
  std::array<std::uint64_t, 2> words() const { return words_; }

 private:
  template <class Value>
  requires(std::is_integral_v<Value> || std::is_enum_v<Value>) void one(Value value) {
    mix(static_cast<std::uint64_t>(value));
  }
  void one(Duration value) { mix(static_cast<std::uint64_t>(value.count())); }
  void one(Bandwidth value) { mix(static_cast<std::uint64_t>(value.bits_per_second)); }
  void one(const Flow& flow) { add(flow.source, flow.target, flow.priority); }
  void one(const Holding& h) { add(h.flow, h.grant.kind, h.grant.promise, h.rate, h.interval); }
  void one(const std::optional<std::uint64_t>& value) { add(value.has_value(), value.value_or(0)); }
  void one(const ManagerMessage& m) {
    add(m.kind, m.confirm, m.local, m.life, m.epoch, m.number, m.count, m.sent, m.request_kind,
        m.holding);
    add_version(m.version);
  }
  void mix(std::uint64_t value) {
    words_[0] = (words_[0] ^ value) * 0x9e3779b97f4a7c15U;
    words_[0] ^= words_[0] >> 29U;
    words_[1] = (words_[1] + value) * 0xbf58476d1ce4e5b9U;
    words_[1] ^= words_[1] >> 31U;
  }
  VersionOrder& versions_;
  std::array<std::uint64_t, 2> words_{1, 2};
};

struct ManagerStates {
  static void add(StateNumber& to, const Master& master) {
    to.add(master.rebuilding_, master.start_.epoch);
    to.list(master.locals_, [&](const auto& local) {
      const auto& [rank, at] = local;
      to.add(rank, at.life, at.alive, at.sent, at.ends, at.settled, at.count);
      to.add_version(at.welcomed);
      to.set(at.holdings);
      to.list(at.stops, [&](std::uint64_t version) { to.add_version(version); });
    });
    to.list(master.flows_, [&](const auto& entry) {
      const auto& [name, flow] = entry;
      to.add(name, flow.local, flow.announced, flow.granting, master.admission_.rate(name));
      to.list(flow.in_force, [&](const auto& announced) {
        to.add(announced.rate);
        to.add_version(announced.version);
      });
    });
    to.list(master.due_, [&](const Flow& flow) { to.add(flow); });
    to.list(master.queue_, [&](const ManagerMessage& message) { to.add(message); });
  }
  static void add(StateNumber& to, const Local& local) {
    to.add(local.start_.life, local.knows_, local.ends_, local.renewed_, local.epoch_,
           local.requests_);
    to.add_version(local.learned_);
    to.list(local.records_, [&](const auto& entry) {
      to.add(entry.first, entry.second.holding, entry.second.stopping);
      to.add_version(entry.second.version);
    });
    to.list(local.pending_, [&](const auto& pending) {
      to.add(pending.number, pending.request.kind, pending.request.flow);
    });
    to.add(local.welcome_.epoch, local.welcome_.count);
    to.add_version(local.welcome_.version);
    to.set(local.welcome_.holdings);
  }
  /// The latest that the master has heard of a host, by the host's clock.
  static Time heard(const Master& master, Rank local) {
    const auto at = master.locals_.find(local);
    return at == master.locals_.end() ? Time{} : at->second.sent;
  }
  /// Whether the master takes messages of a local manager as it is now, and that knows its flows.
  static bool knows(const Master& master, const Local& local) {
    const auto at = master.locals_.find(local.start_.at);
    return at != master.locals_.end() && at->second.alive && local.synchronised() &&
           at->second.life == local.start_.life && local.epoch_ == master.start_.epoch;
  }
  static ManagerMessage renewal(const Local& local, Time now) {
    return {.kind = MessageKind::renew,
            .local = local.start_.at,
            .life = local.start_.life,
            .epoch = local.epoch_,
            .sent = now};
  }
  /// Whether a message changes nothing, now and later.
  static bool ignores(const Master& master, const ManagerMessage& message) {
    const auto at = master.locals_.find(message.local);
    const std::uint64_t life = at == master.locals_.end() ? 0 : at->second.life;
    if (message.kind == MessageKind::hello)
      return message.life <= life && !(master.rebuilding_ && message.epoch != master.start_.epoch);
    return message.epoch < master.start_.epoch || message.life < life;
  }
  static bool ignores(const Local& local, const ManagerMessage& message) {
    if (message.kind == MessageKind::ask) return message.epoch <= local.epoch_;
    return message.life < local.start_.life || message.epoch < local.epoch_;
  }
};

namespace {

using test::FlowNetwork;
using test::megabytes;
using test::RememberingNic;

constexpr int host_count = 3;

/// What may happen, besides the delivery of messages.
struct Events {
  std::array<std::vector<BandwidthRequest>, host_count> requests{};  ///< by host, in order
  int losses = 0;                                                    ///< of the memory of a manager
  int deaths = 0;                                                    ///< of a host
  int ends = 0;     ///< of leases at hosts that do not hear from the master in time
  int forgets = 0;  ///< by the master that does not hear from a host
};

/// Every manager has a clock of its own. One passes a whole lease at a time, or stands still, as
/// those do who renew their leases in time.
struct State {
  Time at_master{};
  std::array<Time, host_count> at_host{};
  std::array<Time, host_count> at_start{};  ///< of the master, by the clocks of the hosts
  std::optional<Master> master{};
  std::array<std::optional<Local>, host_count> locals{};
  std::array<RememberingNic, host_count> nics{};
  std::vector<ManagerMessage> under_way{};
  std::array<std::size_t, host_count> asked{};
  int losses = 0, deaths = 0, ends = 0, forgets = 0;
  std::uint64_t epochs = 0;
  std::array<std::uint64_t, host_count> lives{};
};

class Explorer {
 public:
  explicit Explorer(const Events& events)
      : events_(events), network_(test::thesis_network(host_count)) {
    for (std::size_t host = 0; host < host_count; ++host) nics_[host].of = {this, host};
  }

  void run() {
    State state;
    current_ = &state;
    start_master(state, {});
    for (std::size_t host = 0; host < host_count; ++host) start_local(state, host);
    while (!state.under_way.empty()) deliver(state, 0);
    visit(state);
  }
  std::uint64_t states() const { return seen_.size(); }
  std::uint64_t steps() const { return steps_; }
  std::uint64_t rests() const { return rests_; }

 private:
  /// The NIC of a host in the state at hand.
  struct NicHere final : RateControl {
    std::pair<Explorer*, std::size_t> of{};
    RememberingNic& here() const { return of.first->current_->nics[of.second]; }
    void set_interval(const Flow& flow, Duration interval) override {
      here().set_interval(flow, interval);
    }
    void set_leased(const Flow& flow, Duration interval) override {
      here().set_leased(flow, interval);
    }
    void set_lease(Time end) override { here().set_lease(end); }
    void stop_others(std::span<const Flow> known) override { here().stop_others(known); }
    std::uint64_t dispatched(const Flow&) const override { return 0; }
  };
  struct NumberHash {
    std::size_t operator()(const std::array<std::uint64_t, 2>& words) const { return words[0]; }
  };

  // --- events ---

  void start_master(State& state, std::vector<Rank> locals) {
    state.master.emplace(
        MasterStart{.limits = network_.limits,
                    .hosts = host_count,
                    .route = [this](const Flow& flow) -> std::variant<Path, Refused> {
                      return network_.path(flow);
                    },
                    .epoch = ++state.epochs,
                    .locals = std::move(locals)},
        state.at_master);
    state.at_start = state.at_host;
    collect(state);
  }
  void start_local(State& state, std::size_t host) {
    state.locals[host].emplace(
        LocalStart{
            .at = static_cast<Rank>(host), .life = state.lives[host] += 100, .nic = &nics_[host]},
        state.at_host[host]);
    collect(state);
  }
  void deliver(State& state, std::size_t which) {
    const ManagerMessage message = state.under_way[which];
    state.under_way.erase(state.under_way.begin() + static_cast<std::ptrdiff_t>(which));
    auto& local = state.locals[static_cast<std::size_t>(message.local)];
    if (message.to_master())
      state.master->receive(message, state.at_master);
    else if (local)
      local->receive(message, state.at_host[static_cast<std::size_t>(message.local)]);
    collect(state);
  }
  /// A lease passes at a host.
  void end_lease(State& state, std::size_t host) {
    state.at_host[host] += usual_lease;
    state.nics[host].pass(state.at_host[host]);
    if (state.locals[host]) state.locals[host]->tick(state.at_host[host]);
    collect(state);
  }
  /// Whether the clock of a host is by a lease beyond the last that the master has heard of it.
  static bool may_be_forgotten(const State& state, std::size_t host) {
    const Time heard = ManagerStates::heard(*state.master, static_cast<Rank>(host));
    return state.at_host[host] >= std::max(heard, state.at_start[host]) + usual_lease;
  }
  /// Time passes at the master until it forgets a host. All others renew their leases, if they can.
  bool forget(State& state, std::size_t host) {
    for (std::size_t other = 0; other < host_count; ++other) {
      const auto& local = state.locals[other];
      if (other != host && local && ManagerStates::knows(*state.master, *local))
        state.master->receive(ManagerStates::renewal(*local, state.at_host[other]),
                              state.at_master + usual_lease);
      else if (!may_be_forgotten(state, other))
        return false;
    }
    state.at_master += usual_lease + usual_lease / 8;
    state.master->tick(state.at_master);
    collect(state);
    return true;
  }

  void collect(State& state) {
    const auto take = [&](auto& manager) {
      for (const ManagerMessage& message : manager.take_outbox())
        state.under_way.push_back(message);
    };
    if (state.master) take(*state.master);
    for (auto& local : state.locals) {
      if (!local) continue;
      take(*local);
      local->take_replies();
    }
    std::erase_if(state.under_way, [&](const ManagerMessage& message) {
      const auto& local = state.locals[static_cast<std::size_t>(message.local)];
      if (message.to_master()) return ManagerStates::ignores(*state.master, message);
      return !local || ManagerStates::ignores(*local, message);
    });
    ++steps_;
    check(state);
  }

  // --- checks ---

  void check(const State& state) {
    ASSERT_EQ(test::overload(network_, test::enforced_rates(network_.limits, state.nics)), "");
  }
  /// All comes to rest, with the NICs doing what was decided.
  void come_to_rest(State state) {
    current_ = &state;
    ++rests_;
    for (int part = 0; part < 12; ++part) {
      while (!state.under_way.empty()) deliver(state, 0);
      state.at_master += usual_lease / 6;
      state.master->tick(state.at_master);
      for (std::size_t host = 0; host < host_count; ++host) {
        state.at_host[host] += usual_lease / 6;
        state.nics[host].pass(state.at_host[host]);
        if (state.locals[host]) state.locals[host]->tick(state.at_host[host]);
      }
      collect(state);
    }
    while (!state.under_way.empty()) deliver(state, 0);
    ASSERT_TRUE(state.master->idle());
    std::size_t decided = 0;
    for (const RememberingNic& nic : state.nics)
      for (const auto& [flow, interval] : nic.intervals) {
        if (interval == Duration{0} || interval == stopped) continue;
        ++decided;
        ASSERT_EQ(interval, interval_of(network_.limits, state.master->admission().rate(flow)));
      }
    ASSERT_EQ(state.master->admission().size(), decided);
  }

  // --- the search ---

  static std::array<std::uint64_t, 2> number(const State& state) {
    VersionOrder versions;
    StateNumber unranked(versions);
    add(unranked, state);
    versions.sort();
    StateNumber number(versions);
    add(number, state);
    return number.words();
  }
  static void add(StateNumber& to, const State& state) {
    to.add(state.losses, state.deaths, state.ends, state.forgets, state.epochs, state.at_master);
    ManagerStates::add(to, *state.master);
    for (std::size_t host = 0; host < host_count; ++host) {
      to.add(state.at_host[host], state.at_start[host], state.asked[host], state.lives[host],
             state.locals[host].has_value(), state.nics[host].lease);
      if (state.locals[host]) ManagerStates::add(to, *state.locals[host]);
      to.list(state.nics[host].intervals, [&](const auto& entry) {
        to.add(entry.first, entry.second, state.nics[host].leased.contains(entry.first));
      });
    }
    to.set(state.under_way);
  }

  template <class Change>
  void step(const State& from, Change change) {
    if (::testing::Test::HasFatalFailure()) return;
    State next = from;
    current_ = &next;
    change(next);
    if (!::testing::Test::HasFatalFailure()) visit(next);
  }

  void visit(const State& state) {
    if (!seen_.insert(number(state)).second) return;
    for (std::size_t i = 0; i < state.under_way.size(); ++i)
      step(state, [&](State& next) { deliver(next, i); });
    for (std::size_t host = 0; host < host_count; ++host)
      if (state.locals[host]) step_host(state, host);
    if (state.losses < events_.losses)
      step(state, [&](State& next) {
        ++next.losses;
        start_master(next, {0, 1, 2});
      });
    for (std::size_t host = 0; host < host_count; ++host) step_clock(state, host);
    if (state.under_way.empty() && !::testing::Test::HasFatalFailure()) come_to_rest(state);
  }

  void step_clock(const State& state, std::size_t host) {
    if (state.ends < events_.ends)
      step(state, [&](State& next) {
        ++next.ends;
        end_lease(next, host);
      });
    if (state.forgets < events_.forgets && may_be_forgotten(state, host))
      step(state, [&](State& next) {
        ++next.forgets;
        if (!forget(next, host)) next = state;
      });
  }

  void step_host(const State& state, std::size_t host) {
    if (state.asked[host] < events_.requests[host].size())
      step(state, [&](State& next) {
        next.locals[host]->ask(events_.requests[host][next.asked[host]++], next.at_host[host]);
        collect(next);
      });
    if (state.losses < events_.losses)
      step(state, [&](State& next) {
        ++next.losses;
        start_local(next, host);
      });
    if (state.deaths < events_.deaths)
      step(state, [&](State& next) {
        ++next.deaths;
        next.locals[host].reset();
        collect(next);
      });
  }

  Events events_;
  FlowNetwork network_;
  std::array<NicHere, host_count> nics_;
  State* current_ = nullptr;
  std::unordered_set<std::array<std::uint64_t, 2>, NumberHash> seen_;
  std::uint64_t steps_ = 0, rests_ = 0;
};

BandwidthRequest request(RequestKind kind, const Flow& flow, Bandwidth bandwidth = {}) {
  return {.ticket = 1, .asker = flow.source, .kind = kind, .flow = flow, .bandwidth = bandwidth};
}

/// Visits all states with up to two losses of memory, a death, and a lease that ends at a host and
/// at the master; fewer where a run must be short.
void explore(const std::array<std::vector<BandwidthRequest>, host_count>& requests,
             int deaths_usually = 0) {
  Events events{
      .requests = requests, .losses = 1, .deaths = deaths_usually, .ends = 1, .forgets = 1};
  switch (test::tries(10, 100)) {
    case 10:
    case 20:  // a campaign under sanitizers
      break;
    case 100:
      events.losses = 2;
      events.deaths = 1;
      break;
    default:
      events.deaths = events.ends = events.forgets = 0;
  }
  Explorer explorer(events);
  ASSERT_NO_FATAL_FAILURE(explorer.run());
  std::cout << fmt::format(
      "campaign: states of managers: {} in {} steps; from {} all came to rest\n", explorer.states(),
      explorer.steps(), explorer.rests());
  EXPECT_GT(explorer.rests(), 10U);
}

TEST(QosStates, TwoPromisesOfWhichOneFits) {
  explore({{{},
            {request(RequestKind::reserve, {1, 0}, megabytes(70))},
            {request(RequestKind::reserve, {2, 0}, megabytes(70))}}},
          1);
}

TEST(QosStates, APromiseBesideBestEffort) {
  explore({{{},
            {request(RequestKind::best_effort, {1, 0})},
            {request(RequestKind::reserve, {2, 0}, megabytes(60))}}});
}

TEST(QosStates, APromiseInThePlaceOfOneThatIsReleased) {
  explore({{{},
            {request(RequestKind::reserve, {1, 0}, megabytes(70)),
             request(RequestKind::release, {1, 0})},
            {request(RequestKind::reserve, {2, 0}, megabytes(70))}}});
}

TEST(QosStates, APromiseThatIsChangedBesideAnotherOfTheSameHost) {
  explore({{{},
            {request(RequestKind::reserve, {1, 0}, megabytes(50)),
             request(RequestKind::best_effort, {1, 2}),
             request(RequestKind::reserve, {1, 0}, megabytes(10))},
            {}}});
}

}  // namespace
}  // namespace weft::comm::qos
