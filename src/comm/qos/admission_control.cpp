// SPDX-License-Identifier: Apache-2.0
// Admission: which requests are refused and why, and how granted ones are recorded.
#include "comm/qos/admission_control.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::comm::qos {
namespace {

/// Resources are an array: a number beyond this is a mistake.
constexpr std::uint32_t most_ports = 1U << 24;

template <class... Arguments>
std::optional<Refused> refuse(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
  return Refused{fmt::format(form, std::forward<Arguments>(arguments)...)};
}

}  // namespace

std::size_t FlowHash::operator()(const Flow& flow) const {
  std::uint64_t mixed = static_cast<std::uint32_t>(flow.source) * 0x9e3779b97f4a7c15U;
  mixed ^= mixed >> 29U;
  mixed = (mixed + static_cast<std::uint32_t>(flow.target)) * 0xbf58476d1ce4e5b9U;
  return static_cast<std::size_t>(mixed ^ mixed >> 32U) ^ static_cast<std::size_t>(flow.priority);
}

AdmissionControl::AdmissionControl(const Limits& limits, int hosts, Policy policy,
                                   ResourceNames names)
    : limits_(limits),
      hosts_(static_cast<std::uint32_t>(hosts)),
      policy_(policy),
      names_(std::move(names)) {
  check(limits);
  if (hosts < 1) throw Error("qos: {} hosts: there is nothing to manage", hosts);
  resources_.resize(hosts_);
}

// --- refusals ------------------------------------------------------------------------------------

std::optional<Refused> AdmissionControl::check_path(const Flow& flow, const Path& path) const {
  if (flow.source == flow.target) return refuse("flow {} goes to itself", to_text(flow));
  for (const HostNumber host : {path.source, path.target})
    if (host < 0 || static_cast<std::uint32_t>(host) >= hosts_)
      return refuse("flow {}: there is no host {}, only 0 to {}", to_text(flow), host, hosts_ - 1);
  if (path.source == path.target)
    return refuse("flow {} stays in {}: no NIC holds it back", to_text(flow),
                  names_.host(path.source));
  for (auto port = path.ports.begin(); port != path.ports.end(); ++port) {
    const auto same = [&](const Port& other) { return other.number == port->number; };
    if (port->number >= most_ports || port->capacity.bits_per_second <= 0)
      return refuse("flow {}: port {} with a capacity of {} cannot be", to_text(flow), port->number,
                    in_bytes(port->capacity));
    if (std::any_of(path.ports.begin(), port, same))
      return refuse("flow {} passes port {} twice", to_text(flow), port->number);
    const std::uint32_t resource = resource_of(*port);
    const std::int64_t known =
        resource < resources_.size() ? resources_[resource].capacity : std::int64_t{0};
    if (known != 0 && known != port->capacity.bits_per_second)
      return refuse("flow {}: port {} has {} on this path, and {} on others", to_text(flow),
                    port->number, in_bytes(port->capacity), in_bytes({known}));
  }
  return std::nullopt;
}

std::optional<Refused> AdmissionControl::check_bandwidth(Bandwidth bandwidth) const {
  if (bandwidth.bits_per_second <= 0)
    return refuse("{} cannot be promised: it must be more than nothing", in_bytes(bandwidth));
  if (bandwidth > limits_.peak)
    return refuse("{} cannot be promised: a flow achieves {} at most", in_bytes(bandwidth),
                  in_bytes(limits_.peak));
  if (bandwidth < least(limits_))
    return refuse("{} cannot be promised: a packet a second needs {}", in_bytes(bandwidth),
                  in_bytes(least(limits_)));
  return std::nullopt;
}

std::optional<Refused> AdmissionControl::check_host(HostNumber host, Direction direction,
                                                    std::int64_t more) const {
  const SharedResource& resource = resources_[static_cast<std::size_t>(host)];
  std::array<std::int64_t, 2> load = resource.promised;
  load[direction] += more;
  if (admits(limits_, {{load[in]}, {load[out]}})) return std::nullopt;
  const Bandwidth has{resource.promised[direction]}, other{resource.promised[1 - direction]};
  const Bandwidth most =
      direction == out ? most_outgoing(limits_, other) : most_incoming(limits_, other);
  return refuse("{} {} {} and {} {}; {} more exceed its {} by {}", names_.host(host),
                direction == out ? "sends" : "receives", in_bytes(has),
                direction == out ? "receives" : "sends", in_bytes(other), in_bytes({more}),
                in_bytes(most), in_bytes({load[direction] - most.bits_per_second}));
}

std::optional<Refused> AdmissionControl::check_port(const Port& port, std::int64_t more) const {
  const std::uint32_t resource = resource_of(port);
  const std::int64_t has = resource < resources_.size() ? resources_[resource].promised[out] : 0;
  const std::int64_t over = has + more - port.capacity.bits_per_second;
  if (over <= 0) return std::nullopt;
  return refuse("{} carries {}; {} more exceed its {} by {}", names_.port(port.number),
                in_bytes({has}), in_bytes({more}), in_bytes(port.capacity), in_bytes({over}));
}

std::optional<Refused> AdmissionControl::check_room(const Path& path,
                                                    std::int64_t bandwidth) const {
  if (auto refused = check_host(path.source, out, bandwidth)) return refused;
  for (const Port& port : path.ports)
    if (auto refused = check_port(port, bandwidth)) return refused;
  return check_host(path.target, in, bandwidth);
}

// --- requests ------------------------------------------------------------------------------------

std::optional<Refused> AdmissionControl::reserve(const Flow& flow, const Path& path,
                                                 Bandwidth bandwidth) {
  if (auto refused = check_path(flow, path)) return refused;
  if (auto refused = check_bandwidth(bandwidth)) return refused;
  const std::uint32_t existing = find(flow);
  if (existing != none) count(entries_[existing], -1);
  auto refused = check_room(path, bandwidth.bits_per_second);
  if (existing != none) count(entries_[existing], 1);
  if (!refused) enter(entry_of(flow), path, {GrantKind::promise, bandwidth});
  return refused;
}

std::optional<Refused> AdmissionControl::best_effort(const Flow& flow, const Path& path) {
  if (auto refused = check_path(flow, path)) return refused;
  enter(entry_of(flow), path, {GrantKind::best_effort, {}});
  return std::nullopt;
}

std::optional<Refused> AdmissionControl::release(const Flow& flow) {
  const std::uint32_t existing = find(flow);
  if (existing == none)
    return refuse("flow {} has nothing to release: neither a promise nor best effort",
                  to_text(flow));
  leave(existing);
  entries_[existing].grant = {};
  places_.erase(flow);
  entries_.release(existing);
  return std::nullopt;
}

// --- records -------------------------------------------------------------------------------------

std::uint32_t AdmissionControl::find(const Flow& flow) const {
  const auto found = places_.find(flow);
  return found == places_.end() ? none : found->second;
}

/// The entry of a flow: its own, cleared, or a new one.
std::uint32_t AdmissionControl::entry_of(const Flow& flow) {
  if (const std::uint32_t existing = find(flow); existing != none) {
    leave(existing);
    return existing;
  }
  const std::uint32_t entry = entries_.acquire();
  entries_[entry].flow = flow;
  entries_[entry].rate = entries_[entry].reported = entries_[entry].allowed = 0;
  places_.emplace(flow, entry);
  return entry;
}

void AdmissionControl::enter(std::uint32_t entry, const Path& path, const Grant& grant) {
  entries_[entry].grant = grant;
  entries_[entry].uses.reserve(path.ports.size() + 2);
  use(entry, static_cast<std::uint32_t>(path.source), out);
  for (const Port& port : path.ports) {
    const std::uint32_t resource = resource_of(port);
    if (resource >= resources_.size()) resources_.resize(resource + 1);
    resources_[resource].capacity = port.capacity.bits_per_second;
    use(entry, resource, out);
  }
  use(entry, static_cast<std::uint32_t>(path.target), in);
  count(entries_[entry], 1);
  mark_entry(entry);
}

void AdmissionControl::use(std::uint32_t entry, std::uint32_t resource, Direction direction) {
  SharedResource& at = resources_[resource];
  auto& uses = entries_[entry].uses;
  ++at.flows;
  if (entries_[entry].grant.kind == GrantKind::best_effort) {
    ++at.sharing[direction];
    at.members.push_back({entry, static_cast<std::uint32_t>(uses.size())});
  }
  uses.push_back({resource, direction, static_cast<std::uint32_t>(at.members.size() - 1)});
  mark(resource);
}

void AdmissionControl::leave(std::uint32_t entry) {
  FlowEntry& leaving = entries_[entry];
  count(leaving, -1);
  for (const Use& use : leaving.uses) {
    SharedResource& at = resources_[use.resource];
    --at.flows;
    mark(use.resource);
    if (leaving.grant.kind != GrantKind::best_effort) continue;
    --at.sharing[use.direction];
    const Member last = at.members.back();
    at.members[use.place] = last;
    entries_[last.entry].uses[last.use].place = use.place;
    at.members.pop_back();
  }
  leaving.uses.clear();
}

/// Adds what a flow is promised and allowed to the sums of its resources (1), or takes it away
/// (-1).
void AdmissionControl::count(const FlowEntry& entry, int by) {
  const std::int64_t promise =
      entry.grant.kind == GrantKind::promise ? entry.grant.promise.bits_per_second : 0;
  for (const Use& use : entry.uses) {
    SharedResource& at = resources_[use.resource];
    at.promised[use.direction] += by * promise;
    at.allowed[use.direction] += by * entry.allowed;
    if (entry.allowed > 0) at.sending += static_cast<std::uint32_t>(by);
  }
}

void AdmissionControl::mark(std::uint32_t resource) {
  if (resources_[resource].changed) return;
  resources_[resource].changed = true;
  changed_resources_.push_back(resource);
}

void AdmissionControl::mark_entry(std::uint32_t entry) {
  if (entries_[entry].changed) return;
  entries_[entry].changed = true;
  changed_entries_.push_back(entry);
}

// --- what NICs are allowed -----------------------------------------------------------------------

void AdmissionControl::set_allowed(const Flow& flow, Bandwidth most) {
  FlowEntry& entry = entries_[places_.at(flow)];
  count(entry, -1);
  entry.allowed = most.bits_per_second;
  count(entry, 1);
}

/// A host carries any flow that is the only one; that its capacity is less is due to flows taking
/// turns.
bool AdmissionControl::room_for(const Flow& flow, Bandwidth rate) const {
  const FlowEntry& entry = entries_[places_.at(flow)];
  return std::all_of(entry.uses.begin(), entry.uses.end(), [&](const Use& use) {
    const SharedResource& at = resources_[use.resource];
    const bool only = at.sending == (entry.allowed > 0 ? 1U : 0U);
    if (is_host(use.resource) && only) return true;
    std::array<std::int64_t, 2> load = at.allowed;
    load[use.direction] += rate.bits_per_second - entry.allowed;
    return fits(use.resource, load[in], load[out]);
  });
}

// --- queries -------------------------------------------------------------------------------------

Grant AdmissionControl::grant(const Flow& flow) const {
  const std::uint32_t entry = find(flow);
  return entry == none ? Grant{} : entries_[entry].grant;
}

Bandwidth AdmissionControl::rate(const Flow& flow) const {
  const std::uint32_t entry = find(flow);
  return {entry == none ? 0 : entries_[entry].reported};
}

HostLoad AdmissionControl::load_of(std::uint32_t resource) const {
  if (resource >= resources_.size()) return {};
  std::array<std::int64_t, 2> sum = resources_[resource].promised;
  for (const Member& member : resources_[resource].members)
    sum[entries_[member.entry].uses[member.use].direction] += entries_[member.entry].reported;
  return {{sum[in]}, {sum[out]}};
}
HostLoad AdmissionControl::load_of_host(HostNumber host) const {
  return load_of(static_cast<std::uint32_t>(host));
}
Bandwidth AdmissionControl::load_of_port(std::uint32_t number) const {
  return load_of(hosts_ + number).outgoing;
}

}  // namespace weft::comm::qos
