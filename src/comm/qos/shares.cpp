// SPDX-License-Identifier: Apache-2.0
// How best-effort flows share what promises leave. No share is more than a host or port has left:
// whatever is less than what a resource can carry, it can carry as well.
#include <algorithm>
#include <functional>
#include <queue>

#include "comm/qos/admission_control.hpp"

namespace weft::comm::qos {

bool AdmissionControl::fits(std::uint32_t resource, std::int64_t incoming,
                            std::int64_t outgoing) const {
  if (is_host(resource)) return admits(limits_, {{incoming}, {outgoing}});
  return outgoing <= resources_[resource].capacity;
}

/// The highest rate, up to the peak, that each of the open flows can have besides what is taken.
std::int64_t AdmissionControl::level(std::uint32_t resource,
                                     const std::array<std::int64_t, 2>& taken,
                                     const std::array<std::uint32_t, 2>& open) const {
  std::int64_t low = 0, high = limits_.peak.bits_per_second;
  if (!is_host(resource))
    return std::min(high, (resources_[resource].capacity - taken[out]) / open[out]);
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (fits(resource, taken[in] + open[in] * middle, taken[out] + open[out] * middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/// Whether a flow shares none of its resources with another.
bool AdmissionControl::alone(const FlowEntry& entry) const {
  return std::all_of(entry.uses.begin(), entry.uses.end(),
                     [&](const Use& use) { return resources_[use.resource].flows == 1; });
}

/// Section 5.6: an uncontended best-effort flow may send at the peak rate. A host admits less, as
/// its limits are those of several flows that take turns.
std::int64_t AdmissionControl::rate_alone(const FlowEntry& entry) const {
  std::int64_t rate = limits_.peak.bits_per_second;
  for (const Use& use : entry.uses)
    if (!is_host(use.resource)) rate = std::min(rate, resources_[use.resource].capacity);
  return rate;
}

std::int64_t AdmissionControl::rate_shared(const FlowEntry& entry) const {
  std::int64_t rate = limits_.peak.bits_per_second;
  for (const Use& use : entry.uses) rate = std::min(rate, resources_[use.resource].share);
  return rate;
}

void AdmissionControl::set_rate(std::uint32_t entry, std::int64_t rate) {
  if (entries_[entry].rate == rate) return;
  entries_[entry].rate = rate;
  mark_entry(entry);
}

/// Computes only the resources that have changed, and their flows.
void AdmissionControl::share_equally() {
  for (const std::uint32_t r : changed_resources_)
    if (SharedResource& resource = resources_[r]; !resource.members.empty())
      resource.share = level(r, resource.promised, resource.sharing);
  for (const std::uint32_t r : changed_resources_)
    for (const Member& member : resources_[r].members) {
      const FlowEntry& entry = entries_[member.entry];
      set_rate(member.entry, alone(entry) ? rate_alone(entry) : rate_shared(entry));
    }
}

/// All best-effort flows grow alike until a resource is full; those that pass it stop there, and
/// the others go on.
class AdmissionControl::Filling {
 public:
  explicit Filling(AdmissionControl& admission)
      : admission_(admission),
        open_(admission.entries_.size(), false),
        at_(admission.resources_.size()) {
    for (std::uint32_t r = 0; r < at_.size(); ++r)
      at_[r] = {admission_.resources_[r].promised, admission_.resources_[r].sharing, 0};
    for (std::uint32_t e = 0; e < open_.size(); ++e) {
      const FlowEntry& entry = admission_.entries_[e];
      if (entry.grant.kind != GrantKind::best_effort) continue;
      open_[e] = !admission_.alone(entry);
      if (open_[e]) continue;
      admission_.set_rate(e, admission_.rate_alone(entry));
      for (const Use& use : entry.uses) --at_[use.resource].open[use.direction];
    }
    for (std::uint32_t r = 0; r < at_.size(); ++r) push(r);
  }

  void run() {
    while (!queue_.empty()) {
      const Full full = queue_.top();
      queue_.pop();
      // Flows that have stopped elsewhere meanwhile leave more here, never less.
      if (full.version == at_[full.resource].version)
        stop(full.resource, full.level);
      else
        push(full.resource);
    }
  }

 private:
  struct FillState {
    std::array<std::int64_t, 2> taken{};
    std::array<std::uint32_t, 2> open{};  ///< flows that still grow
    std::uint32_t version = 0;
  };
  struct Full {
    std::int64_t level;
    std::uint32_t resource, version;
    friend auto operator<=>(const Full&, const Full&) = default;
  };

  void push(std::uint32_t r) {
    const FillState& state = at_[r];
    if (state.open[in] + state.open[out] == 0) return;
    queue_.push({admission_.level(r, state.taken, state.open), r, state.version});
  }

  /// Stops the flows of a full resource. Where a curve is level or steep, a host is full in one
  /// direction only.
  void stop(std::uint32_t r, std::int64_t level) {
    const FillState& state = at_[r];
    const auto grows = [&](Direction direction) {
      std::array<std::int64_t, 2> load = state.taken;
      for (const Direction d : {in, out}) load[d] += state.open[d] * (level + (d == direction));
      return state.open[direction] > 0 && admission_.fits(r, load[in], load[out]);
    };
    const bool at_peak = level == admission_.limits_.peak.bits_per_second;
    const bool in_grows = !at_peak && state.open[out] > 0 && grows(in);
    const bool out_grows = !at_peak && !in_grows && state.open[in] > 0 && grows(out);
    if (!in_grows) freeze(r, in, level);
    if (!out_grows) freeze(r, out, level);
    push(r);
  }

  void freeze(std::uint32_t r, Direction direction, std::int64_t level) {
    for (const Member& member : admission_.resources_[r].members) {
      const FlowEntry& entry = admission_.entries_[member.entry];
      if (entry.uses[member.use].direction != direction || !open_[member.entry]) continue;
      open_[member.entry] = false;
      admission_.set_rate(member.entry, level);
      for (const Use& use : entry.uses) {
        FillState& state = at_[use.resource];
        state.taken[use.direction] += level;
        --state.open[use.direction];
        ++state.version;
      }
    }
  }

  AdmissionControl& admission_;
  std::vector<bool> open_;     ///< by entry: it still grows
  std::vector<FillState> at_;  ///< by resource
  std::priority_queue<Full, std::vector<Full>, std::greater<>> queue_;
};

std::vector<AdmissionControl::Change> AdmissionControl::changes() {
  for (const std::uint32_t e : changed_entries_)
    if (entries_[e].grant.kind == GrantKind::promise)
      entries_[e].rate = entries_[e].grant.promise.bits_per_second;
  if (policy_ == Policy::equal)
    share_equally();
  else if (!changed_resources_.empty())
    Filling(*this).run();
  for (const std::uint32_t r : changed_resources_) resources_[r].changed = false;
  changed_resources_.clear();

  std::vector<Change> changes;
  for (const std::uint32_t e : changed_entries_) {
    FlowEntry& entry = entries_[e];
    entry.changed = false;
    if (entry.grant.kind == GrantKind::none || entry.rate == entry.reported) continue;
    changes.push_back({entry.flow, {entry.reported}, {entry.rate}});
    entry.reported = entry.rate;
  }
  changed_entries_.clear();
  return changes;
}

}  // namespace weft::comm::qos
