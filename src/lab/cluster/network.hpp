// SPDX-License-Identifier: Apache-2.0
// Networks as users name them: a fabric with its tables, found or routed once and then shared by
// every experiment on it.
#pragma once
#include <compare>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lab/cluster/cluster.hpp"
#include "lab/cluster/memory.hpp"
#include "lab/progress.hpp"
#include "plan/check/deadlock.hpp"

namespace weft {

/// Networks of more switches are not judged as a matter of course. With choices the proof takes, on
/// one core, 0.03 to 0.13 s for a dragonfly of 264 switches (1,056 hosts), 0.3 to 3.2 s for 1,000
/// switches (1,000 to 8,000 hosts), and 7 to 33 s for 2,050 (16,400 hosts): as long as a
/// simulation.
inline constexpr std::size_t most_judged_switches = 1280;

/// Whether packets that have choices are safe from deadlocks.
enum class ChoiceSafety {
  every_choice,  ///< whatever is chosen; or they have none
  empty_lanes,   ///< where lanes hold one packet at a time; as far as is known
  none,
};

/// A fabric and tables that fit it. Immutable, so threads may share it.
class ResolvedNetwork {
 public:
  /// Throws Error when the tables are not this fabric's.
  ResolvedNetwork(std::shared_ptr<const Fabric> fabric, Tables tables);
  ResolvedNetwork(Fabric fabric, Tables tables)
      : ResolvedNetwork(std::make_shared<const Fabric>(std::move(fabric)), std::move(tables)) {}

  const Fabric& fabric() const { return *fabric_; }
  const Tables& tables() const { return tables_; }
  /// Whether packets may take different routes.
  bool leaves_choices() const { return leaves_choices_; }
  /// Whether packets can deadlock in switches of a kind; judged once, also where a verdict for
  /// others decides.
  const DeadlockVerdict& deadlock_verdict(WaitKind waiting) const;
  /// Of packets that wait for any of their choices in wormhole switches; of very many switches by
  /// whether packets choose among lanes.
  ChoiceSafety choice_safety() const;
  /// Bytes that the tables take, about.
  std::uint64_t size() const { return table_bytes(*fabric_); }

 private:
  std::shared_ptr<const Fabric> fabric_;
  Tables tables_;
  bool leaves_choices_;
  mutable std::mutex judging_{};  ///< guards what is below
  mutable std::map<WaitKind, DeadlockVerdict> verdicts_{};
};
using SharedNetwork = std::shared_ptr<const ResolvedNetwork>;

/// A network as the user writes it.
struct NetworkSpec {
  std::string fabric{};  ///< path or spec of a topology
  std::string tables{};  ///< spec of a routing engine, or path
  LinkDefaults links{};  ///< where the topology's spec names none
  /// What is taken out of the fabric (fabric/without.hpp); tables of a file are of the whole one.
  std::string without{};
  friend auto operator<=>(const NetworkSpec&, const NetworkSpec&) = default;
};

/// The networks that experiments of one study, sweep or paper have in common: each fabric is made
/// and each pair of fabric and tables routed once. Safe to call from several threads.
class Networks {
 public:
  /// Keeps the first network, and others up to `keep` bytes of tables in all; further ones are made
  /// again at every call.
  explicit Networks(std::uint64_t keep = machine_memory() / 2) : keep_(keep) {}
  /// The same; `progress` hears of every fabric and routing before it is made, from any thread.
  explicit Networks(SetUpProgress progress) : Networks() { progress_ = std::move(progress); }

  /// Throws Error when there is no such fabric or routing engine, RefusedError when it refuses the
  /// fabric.
  SharedNetwork operator()(const NetworkSpec& spec);

 private:
  using FabricKey = std::pair<std::string, LinkDefaults>;
  std::shared_ptr<const Fabric> fabric(const NetworkSpec& spec);
  SharedNetwork make(const NetworkSpec& spec);
  void report(const std::string& what) const;

  std::mutex mutex_;  ///< guards what is below
  std::map<FabricKey, std::shared_future<std::shared_ptr<const Fabric>>> fabrics_;
  std::map<NetworkSpec, std::shared_future<SharedNetwork>> networks_;
  std::uint64_t keep_, kept_ = 0;  ///< bytes of tables: at most, and now
  SetUpProgress progress_{};
};

}  // namespace weft
