// SPDX-License-Identifier: Apache-2.0
// FlitSimulator: the units of a network and the clock that drives them.
// docs/design/flit-simulator.md has pictures of a switch, a cycle, and how data lie in memory.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/flit/bitsliced/bitsliced.hpp"
#include "sim/flit/parts/parts.hpp"
#include "sim/flit/parts/thread_chooser.hpp"
#include "sim/flit/path_chooser.hpp"
#include "sim/flit/pipeline.hpp"
#include "sim/network_core.hpp"
#include "sim/timers.hpp"

namespace weft::sim {

class FlitSimulator final : public NetworkCore {
 public:
  FlitSimulator(const Fabric& fabric, const Tables& tables, const SwitchModel& model,
                const NetworkOptions& options);

  NetworkEnd run(Network& network, Driver& driver, Cycle until) override;
  const Cycle& clock() const override { return units.now; }
  void send(const Packet& packet) override;
  void send(HostId from, HostId to, std::uint32_t flits, bool urgent, Cycle created) override;
  RouteId add_route(HostId from, HostId to, std::span<const PortNumber> tags) override;
  PortNumber add_links(const std::vector<PortNumber>& ports) override;
  void close(std::uint32_t id) override { injection.close_circuit(id); }
  void release_buffer(HostId at) override { units.release_buffer(index_of(at)); }
  void wake(HostId host, Cycle at) override { timers.set(index_of(host), at); }
  void prefetch(HostId host) const override { injection.prefetch(index_of(host)); }
  void wake_when_idle(HostId host, Cycle at) override {
    injection.wake_when_idle(index_of(host), at);
  }
  std::vector<std::uint32_t> parts_of_hosts() override;
  bool deadlocked() override { return stalled(); }
  const Totals& totals() const override { return units.totals; }
  std::vector<LaneUse> lane_use() override;
  std::vector<PathUse> paths_used() const override;
  const std::string& explanation() const override { return explanation_; }
  Duration cycle() const override { return layout.timing.cycle(); }
  const Fabric& fabric() const override { return layout.fabric; }
  const Tables& tables() const override { return layout.tables; }

  Layout layout;
  Units units;
  Routing routing;
  Reports reports;
  Branches branches;
  Choices choices;
  Phases phases;
  Timers timers;
  Injector injection;
  Failures failures;

 private:
  static Index index_of(HostId host) { return static_cast<Index>(host.index()); }
  /// Looks for packets that wait for each other; explanation() then says which.
  bool stalled();
  WEFT_HOT void inject(Packet& packet);
  NetworkEnd run_cycles(Network& network, Driver& driver, Cycle until);
  Cycle quiet_at() const;
  bool rest(Cycle until);
  bool finds_deadlock();
  void choose_path();
  bool takes_less_in_words();
  void leave_bit_slices();
  void unfold();
  void fold();
  bool can_fold() const;
  void set_next_turn();
  bool outlives_unfolding();
  Cycle next_unfolding() const {
    return units.whole_packets ? std::min(next_turn_, failures_from_) : never;
  }
  bool bit_sliced() const { return bits_ != nullptr && bits_->on(); }
  void choose_pipeline();
  void account();
  void account(PathUse& use, std::string_view name);
  Index part_count() const { return std::min(layout.options.threads, layout.blocks); }
  bool can_part_hosts() const;
  void part(Driver& driver);
  NetworkParts& parts(bool of_words);
  Index most_parts_in_words() const;
  bool has_parts() const { return part_switches_ || !part_drivers_.empty(); }
  bool uses_threads() const;
  void choose_threads();
  Index threads_by_events() const;
  Index threads_in_words();
  bool routes_end();
  void advance(Network& network, const Driver& driver, Cycle until);
  Cycle window(Cycle until) const;
  void step(Cycle end);
  void step_hosts();
  void run_switches(Cycle end);
  void give_switches();
  bool holds_packets() const;
  bool has_requests() const;
  Totals flits_of_begun_packets() const;
  void count_begun_packets();
  void uncount_begun_packets();
  Cycle next_event();

  const bool can_part_;  ///< switches; what follows from options does not change
  std::unique_ptr<AnyPipeline> pipeline_;
  std::unique_ptr<BitSliced> bits_;      ///< null where words cannot do it
  std::unique_ptr<NetworkParts> parts_;  ///< where there are several threads
  std::unique_ptr<NetworkParts> parts_in_words_;
  std::vector<Index> fixed_parts_;     ///< of blocks: parts_of_hosts() has told of them
  ThreadChooser several_threads_;      ///< whether they are faster
  bool were_several_ = true;           ///< the last time it was asked
  std::vector<Driver*> part_drivers_;  ///< empty: one thread has all hosts,
  bool part_switches_ = false;         ///< and several have the switches
  std::optional<bool> routes_end_{};   ///< of all packets
  std::vector<HostId> fired_;
  std::string explanation_;
  bool choices_are_new_ = false;  ///< the pipeline does not know them yet
  bool busy_ = true;              ///< the next cycle has work that no event announces
  Cycle lookahead_ = 1;           ///< cycles that hosts may be ahead of switches
  bool whole_packets_;            ///< packets are handled as a whole, but for failures and turns
  Cycle next_turn_;               ///< when that changes
  Cycle failures_from_ = never;   ///< the first one of those to come
  Cycle next_look_ = 0;           ///< for deadlocks
  PathChooser chooser_;
  PathUse as_a_whole_{}, by_events_{}, in_words_{}, in_parts_{},
      in_parts_of_words_{};  ///< what each has done
  PathUse then_{};           ///< clock, flit-hops and processor time at the last account
};

}  // namespace weft::sim
