// SPDX-License-Identifier: Apache-2.0
// World: runs one host program, a coroutine per rank, on a simulated network with simulated hosts,
// in virtual time. The same arguments give the same run.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/endpoint.hpp"
#include "comm/task.hpp"
#include "run/simulated/endpoint.hpp"
#include "run/simulated/world_part.hpp"

namespace weft::run {

class ElanRanks;

using Program = std::function<comm::Task(comm::Endpoint&)>;

struct Departure {
  comm::Rank rank = 0;
  comm::Time at{};
};

struct WorldOptions {
  int ranks_per_host = 1;  ///< consecutive ranks share a host
  /// In the order of ranks; a host may be given several times. Empty: all of the fabric.
  std::vector<HostId> hosts{};
  comm::Time until = sim::Kernel::never;
  std::vector<Departure> departures{};  ///< ranks that die
  sim::NetworkOptions network{};        ///< its longest packet follows from the NIC
  comm::Library library{};              ///< what carries tagged messages over the NIC
  bool record = false;                  ///< keep an OperationRecord of every operation
  comm::OperationLog* log = nullptr;    ///< or hand every operation to this
  /// Ranks of different hosts share nothing but messages, so that they may be on several threads
  /// (network.threads): neither in their program nor in the log, which then hears of no steps.
  bool ranks_are_apart = false;
};

/// When an operation of a rank was posted and when it ended.
struct OperationRecord {
  comm::Rank rank = 0;
  comm::OpKind kind{};
  comm::Status status{};
  comm::Rank peer = comm::any_source;
  comm::Tag tag = comm::any_tag;
  std::uint64_t bytes = 0;
  std::uint64_t message = 0;  ///< of a send and of the receive that took it: the same
  comm::Time posted{}, completed{};
};

enum class WorldEnd {
  finished,     ///< every rank has finished its program
  stuck,        ///< nothing moves; some rank waits
  deadlocked,   ///< packets wait for each other in a dependency cycle
  out_of_time,  ///< WorldOptions::until
};

struct WorldResult {
  WorldEnd ended{};
  comm::Time time{};                   ///< when the last rank finished, or nothing moved
  std::vector<comm::Time> finished{};  ///< by rank; negative: it did not
  std::vector<comm::PendingOperation>
      pending{};              ///< operations that have not ended, unless finished
  std::string explanation{};  ///< human-readable, unless finished
};

class World final : private comm::OperationLog {
 public:
  /// The arguments must outlive the world. Throws Error when they do not fit each other.
  World(const Fabric& fabric, const Tables& tables, const sim::SwitchModel& switches,
        const sim::NicModel& model, const WorldOptions& options = {});
  ~World() override;

  /// Runs the program, once. Throws what a rank throws.
  WorldResult run(const Program& program);

  int size() const { return size_; }
  const std::vector<OperationRecord>& records() const { return records_; }
  sim::HostModel& hosts() { return *hosts_; }
  SimulatedEndpoint& at(comm::Rank rank) { return *ranks_[static_cast<std::size_t>(rank)]; }
  const sim::Resource& processor_of(comm::Rank rank) { return processor(at(rank)); }
  /// The NICs' key of a flow between two ranks.
  sim::FlowKey flow_key(const comm::Flow& flow);

 private:
  friend class SimulatedEndpoint;
  friend class ElanRank;
  friend class ElanRanks;
  friend class WorldPart;

  // OperationLog.
  void completed(const comm::Op& op, comm::Rank rank, comm::Time at) override;

  bool can_part() const;
  void make_parts();
  bool logs_steps() const { return options_.log != nullptr && !options_.ranks_are_apart; }
  SimulatedEndpoint& rank(comm::Rank rank) { return *ranks_[static_cast<std::size_t>(rank)]; }
  WorldPart& part_of(HostId host) { return *parts_[hosts_->part_of(host)]; }
  /// Where nothing more happens; of the only part, now.
  comm::Time now() const;
  sim::Resource& processor(const SimulatedEndpoint& at) {
    return hosts_->processor(at.place().host, at.place().processor);
  }
  /// The time of the processor to copy bytes from a buffer of the NIC, unless the library does so;
  /// what fits a cache line takes nothing.
  Duration copy_time(std::uint64_t bytes) const;
  void leave(comm::Rank rank);
  /// Reports changed memory to all ranks on a host.
  void touched(HostId host, std::span<const std::byte> memory);
  std::span<SimulatedEndpoint* const> ranks_on(HostId host) const;
  comm::Task life(const Program& program, SimulatedEndpoint& endpoint);
  WorldResult outcome(sim::NetworkEnd ended);

  const Tables& tables_;
  const sim::NicModel& model_;
  WorldOptions options_;
  bool buffers_;  ///< messages need no receive posted by the program
  int size_ = 0;
  std::unique_ptr<sim::HostModel> hosts_;
  std::vector<std::unique_ptr<WorldPart>> parts_;
  SharedSlots<Shipment> shipments_;  ///< with bytes of the parts' pools
  std::vector<std::unique_ptr<SimulatedEndpoint>> ranks_;
  std::vector<SimulatedEndpoint*> by_host_;  ///< in the order of hosts
  std::vector<std::size_t> host_begin_;
  std::unique_ptr<ElanRanks> elans_;              ///< where the NICs are Elans
  std::vector<std::optional<comm::Task>> lives_;  ///< by rank; nothing once it has left
  std::vector<comm::Time> finished_;
  std::vector<OperationRecord> records_;
};

/// The record of an operation that has ended.
OperationRecord record_of(const comm::Op& op, comm::Rank rank, comm::Time at);

/// The records as a Chrome or Perfetto trace: a process for each rank, with its name.
std::string to_trace(std::vector<OperationRecord> records,
                     const std::function<std::string(comm::Rank)>& name_of);
/// The same with ranks by their numbers.
std::string to_trace(std::vector<OperationRecord> records);

}  // namespace weft::run
