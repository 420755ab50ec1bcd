// SPDX-License-Identifier: Apache-2.0
// Resolving networks.
#include "lab/cluster/network.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "fabric/without.hpp"

namespace weft {
namespace {

/// The entry of a key: made by the first caller, awaited by the others. An Error reaches all.
template <class Key, class Value, class Make>
Value once(std::mutex& mutex, std::map<Key, std::shared_future<Value>>& made, const Key& key,
           Make make) {
  std::promise<Value> promise;
  std::shared_future<Value> future;
  bool mine = false;
  {
    const std::lock_guard lock(mutex);
    const auto [entry, added] = made.try_emplace(key);
    if (added) entry->second = promise.get_future().share();
    future = entry->second;
    mine = added;
  }
  if (mine) try {
      promise.set_value(make());
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  return future.get();
}

}  // namespace

ResolvedNetwork::ResolvedNetwork(std::shared_ptr<const Fabric> fabric, Tables tables)
    : fabric_(std::move(fabric)),
      tables_(std::move(tables)),
      leaves_choices_(leave_choices(tables_)) {
  require_fit(*fabric_, tables_);
}

namespace {

/// Whether packets choose among lanes, some of which may be there to escape to.
bool choose_lanes(const Tables& tables) {
  const auto* choices = std::get_if<ChoiceTables>(&tables.paths);
  for (ChoiceTables::Entry set = 0; choices != nullptr && set < choices->set_count(); ++set) {
    const auto all = choices->candidates(set);
    if (std::any_of(all.begin(), all.end(),
                    [&](const Candidate& each) { return each.lane != all.front().lane; }))
      return true;
  }
  return false;
}

/// Whether a verdict for packets that wait for any choice in wormhole switches holds for others:
/// those of other wormhole switches wait for no less.
bool decides(const DeadlockVerdict& verdict, WaitKind waiting) {
  if (waiting == WaitKind::wormhole) return true;
  if (const auto* proved = std::get_if<Certificate>(&verdict))
    return proved->proof == Proof::every_choice;
  if (std::holds_alternative<NotJudged>(verdict)) return false;
  return waiting != WaitKind::cut_through || !std::holds_alternative<BlockedPackets>(verdict);
}

}  // namespace

const DeadlockVerdict& ResolvedNetwork::deadlock_verdict(WaitKind waiting) const {
  if (!leaves_choices_) waiting = WaitKind::wormhole;  // all are alike
  const std::lock_guard lock(judging_);
  const auto general = verdicts_.find(WaitKind::wormhole);
  if (general != verdicts_.end() && decides(general->second, waiting)) return general->second;
  const auto known = verdicts_.find(waiting);
  if (known != verdicts_.end()) return known->second;
  return verdicts_.emplace(waiting, deadlock(*fabric_, tables_, waiting)).first->second;
}

ChoiceSafety ResolvedNetwork::choice_safety() const {
  if (!leaves_choices_) return ChoiceSafety::every_choice;
  if (fabric_->switch_count() > most_judged_switches)
    return choose_lanes(tables_) ? ChoiceSafety::empty_lanes : ChoiceSafety::every_choice;
  const DeadlockVerdict& verdict = deadlock_verdict(WaitKind::wormhole);
  if (std::holds_alternative<NotJudged>(verdict)) return ChoiceSafety::empty_lanes;
  const auto* proved = std::get_if<Certificate>(&verdict);
  if (proved == nullptr) return ChoiceSafety::none;
  return proved->proof == Proof::every_choice ? ChoiceSafety::every_choice
                                              : ChoiceSafety::empty_lanes;
}

std::shared_ptr<const Fabric> Networks::fabric(const NetworkSpec& spec) {
  return once(mutex_, fabrics_, FabricKey{spec.fabric, spec.links}, [&] {
    report(fmt::format("fabric {}", spec.fabric));
    return std::make_shared<const Fabric>(find_fabric(spec.fabric, spec.links));
  });
}

void Networks::report(const std::string& what) const {
  if (progress_) progress_(what);
}

SharedNetwork Networks::make(const NetworkSpec& spec) {
  const std::shared_ptr<const Fabric> whole = fabric(spec);
  std::shared_ptr<const Fabric> made = whole;
  std::optional<Remainder> rest;
  if (!spec.without.empty()) {
    rest = without(*whole, spec.without);
    made = std::make_shared<const Fabric>(rest->fabric);
  }
  if (made->host_count() == 0) throw Error("{}: the fabric has no hosts", spec.fabric);
  report(fmt::format("tables {} for the {} switches and {} hosts of {}", spec.tables,
                     made->switch_count(), made->host_count(), spec.fabric));
  Tables tables = rest ? find_tables(*whole, *rest, spec.tables) : find_tables(*made, spec.tables);
  if (const std::optional<Remainder> computers = only_computers(*made)) {
    tables = tables_without(tables, *made, *computers);
    made = std::make_shared<const Fabric>(computers->fabric);
  }
  return std::make_shared<const ResolvedNetwork>(std::move(made), std::move(tables));
}

SharedNetwork Networks::operator()(const NetworkSpec& spec) {
  bool fresh = false;
  SharedNetwork network = once(mutex_, networks_, spec, [&] {
    fresh = true;
    return make(spec);
  });
  if (fresh) {
    const std::lock_guard lock(mutex_);
    if (kept_ > 0 && network->size() > keep_ - std::min(kept_, keep_))
      networks_.erase(spec);
    else
      kept_ += network->size();
  }
  return network;
}

}  // namespace weft
