// SPDX-License-Identifier: Apache-2.0
// HostModel: the hosts of a network in virtual time, as far as they do not depend on their NIC:
// processors, contended parts, and the interleaving of host events with the network's cycles.
// StagedHosts models NICs that are described by stages, sim/elan those of QsNet.
//
// Host events are timed in picoseconds, the network in cycles: a packet sent between two cycles
// enters the network at the second. While the network is empty, host events run ahead of it up to
// the first packet.
//
// Where the network goes in parts, hosts may go with their switches: each part has a HostModel of
// its own, with a kernel and the transfers that begin there. What is by host they share.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "sim/hosts/flows.hpp"
#include "sim/hosts/nic_model.hpp"
#include "sim/kernel.hpp"
#include "sim/network.hpp"
#include "sim/resource.hpp"

namespace weft::sim {

struct Transfer {
  Move move{};
  HostId from{}, to{};
  std::uint32_t from_processor = 0, to_processor = 0;
  bool urgent = false;             ///< of the higher priority
  bool by_nic = false;             ///< the NIC's own processor sends it
  bool from_buffer = false;        ///< the NIC fetches it, however short it is
  std::uint32_t group = no_group;  ///< a multicast, then `to` is not used; one packet at most
  std::uint64_t bytes = 0;
  std::uint64_t cookie = 0;  ///< the user's
};

enum class TransferStatus : std::uint8_t {
  ok,
  refused,    ///< by the target's user: no such memory, or no right to it
  not_ready,  ///< by the target's user: it has no descriptor
  lost,       ///< packets do not arrive, or acknowledgments do not return
};

/// The user of a HostModel, who begins transfers; called from within HostModel::run. For one
/// transfer the calls come in the order posted, sent, arrived, admit, landed, finished; the last is
/// always made. (arrived and admit may precede sent.)
class HostUser {
 public:
  virtual ~HostUser() = default;
  /// The source's processor has done its work.
  virtual void posted(std::uint64_t cookie) = 0;
  /// The last packet has left, which completes the transfer for its source if nothing is
  /// acknowledged.
  virtual void sent(std::uint64_t cookie) = 0;
  /// The data are at their target (of a read, the source), which is about to be notified; not
  /// called where that takes no time, nor for multicasts.
  virtual void arrived(std::uint64_t /*cookie*/) {}
  /// The transfer is at the target and about to access its memory. Returns whether it may.
  virtual TransferStatus admit(std::uint64_t cookie) = 0;
  /// The data are in the memory of `at` (for a read, the source), and that host has been notified.
  virtual void landed(std::uint64_t cookie, HostId at) = 0;
  virtual void finished(std::uint64_t cookie, TransferStatus outcome) = 0;
  /// Called after every event, to run what it made ready.
  virtual void settle() = 0;
};

struct HostOptions {
  std::uint32_t processors = 1;  ///< of every host
  NetworkOptions network{};      ///< its longest packet follows from the model
};

/// The network to make hosts for. Fabric, tables and the NIC's model must outlive the hosts.
struct HostSetup {
  const Fabric& fabric;
  const Tables& tables;
  const SwitchModel& switches;
  HostOptions options{};
};

class HostModel : protected Driver, protected Kernel::Handler {
 public:
  virtual void begin(const Transfer& transfer) = 0;
  // Rates, where the model has a schedule.
  virtual void set_interval(const FlowKey&, Duration) {
    invariant(false, "a NIC without rates is given one");
  }
  virtual Duration interval(const FlowKey&) { return Duration{0}; }
  virtual std::uint64_t dispatched(const FlowKey&) { return 0; }

  // What a NIC with a processor of its own does for programs.
  /// Occupies the NIC's processor for a time; returns when it is done.
  virtual Duration nic_work(HostId, Duration) {
    invariant(false, "a NIC without a processor is to work");
    return Duration{0};
  }
  /// The NIC writes `bytes` and a notice into main memory, from `from` on; returns when it is done.
  virtual Duration hand_over(HostId, Duration from, std::uint64_t /*bytes*/) { return from; }

  /// An interface that only some NICs offer to programs; null where this one does not.
  template <class Capability>
  Capability* capability() {
    return static_cast<Capability*>(find_capability(typeid(Capability)));
  }

  /// When the NIC of a host could begin with a packet that it is given now.
  virtual Duration nic_ready(HostId) const { return kernel_.now(); }

  /// The time of a flit on a link of this speed.
  Duration flit_time(Bandwidth speed) const { return flit_ / speed; }

  Kernel& kernel() { return kernel_; }
  Network& network() { return network_; }
  const NicModel& model() const { return model_; }
  std::uint64_t begun() const;  ///< transfers, in all parts
  Resource& processor(HostId host, std::uint32_t index) {
    return processors_[host.index() * processors_each_ + index];
  }
  /// The memory bus of a host, over which the caches of its processors exchange lines.
  Resource& memory(HostId host) { return memories_[host.index()]; }
  const Resource& memory(HostId host) const { return memories_[host.index()]; }
  /// The parts of every host's NIC that are contended for.
  virtual std::span<const std::string_view> part_names() const = 0;
  virtual const Resource& part(HostId host, std::size_t index) const = 0;

  /// Further counts of the NICs, with human-readable names.
  virtual std::vector<std::pair<std::string_view, std::uint64_t>> counters() const { return {}; }

  /// Runs until nothing moves, until a deadlock, or up to a time.
  NetworkEnd run(HostUser& user, Duration until = Kernel::never) {
    HostUser* const users[] = {&user};
    return run(users, until);
  }
  /// The same with a user for each part, which may be called from a thread of its own.
  NetworkEnd run(std::span<HostUser* const> users, Duration until);

  /// Makes parts, if network and model allow that; before anything else.
  void part_hosts();
  std::size_t parts() const { return 1 + others_.size(); }
  HostModel& in_part(std::size_t part) { return part == 0 ? *this : *others_[part - 1]; }
  std::size_t part_of(HostId host) const {
    return others_.empty() ? 0 : part_of_host_[host.index()];
  }

 protected:
  /// The longest packet of the setup's network is the model's.
  HostModel(const NicModel& model, const HostSetup& setup);
  /// Of another part.
  explicit HostModel(HostModel& first);

  /// A model for another part; null where a host's transfers are known at once to other hosts.
  virtual std::unique_ptr<HostModel> make_another() { return nullptr; }
  /// Transfers that have begun here and not ended.
  virtual std::uint64_t under_way() const { return 0; }

  /// Sends a packet now, on which the network will report `reports` times.
  void send(const Packet& packet, std::uint32_t reports = 1);
  // Every callback of the network begins with enter() and ends with leave().
  void enter(Network& of_part) {
    here_ = &of_part;
    kernel_.advance(time_of(of_part.now()));
  }
  void enter() { enter(network_); }
  void leave() {
    user_->settle();
    drain();
  }
  /// Counts a report of the network on a packet.
  void reported() { --in_network_; }

  Cycle cycle_of(Duration time) const;
  /// Whether cycle_of(time) is this cycle, without a division.
  bool is_in_cycle(Duration time, Cycle cycle) const {
    if (cycle == sim::never) return false;
    const Duration end = time_of(cycle);
    return time <= end && time > end - cycle_;
  }
  Duration time_of(Cycle cycle) const { return cycle_ * static_cast<std::int64_t>(cycle); }

  const Fabric& fabric_;
  const Tables& tables_;
  const NicModel& model_;
  Bytes flit_;
  Kernel kernel_;

 private:
  class Switchboard;
  /// What all parts share.
  struct ByHost {
    explicit ByHost(const HostSetup& setup);
    Network network;
    std::vector<Resource> processors, memories;
    std::vector<Duration> flit_time;
  };
  std::shared_ptr<ByHost> shared_;

 protected:
  Network& network_;  ///< all of it
  HostUser* user_ = nullptr;
  Duration cycle_;
  const std::vector<Duration>& flit_time_;  ///< by host, on its link
  std::uint32_t processors_each_;
  std::uint64_t begun_ = 0;
  bool is_part_ = false;  ///< of several

 private:
  virtual void* find_capability(const std::type_info&) { return nullptr; }
  AnswerScope answers() const final {
    return is_part_ ? AnswerScope::at_host : AnswerScope::anywhere;
  }
  void timer(Network& network, HostId host) final;
  void start(HostUser& user, Duration until);
  bool network_is_empty() const;
  HostModel& first_of_all();
  void run_ahead();
  void drain();
  void arm();

  Duration until_{};
  std::vector<Resource>&processors_, &memories_;
  std::vector<Packet> outbox_;    ///< packets to send when the timer fires
  std::uint64_t in_network_ = 0;  ///< reports that are still to come
  Cycle armed_ = sim::never;
  HostId timer_{0};            ///< the host whose timer is the kernel's
  Network* here_ = &network_;  ///< as the driver of this part sees it
  // Of the first part.
  std::vector<std::unique_ptr<HostModel>> others_;
  std::vector<std::uint32_t> part_of_host_;
};

}  // namespace weft::sim
