// SPDX-License-Identifier: Apache-2.0
// World: runs one host program, a coroutine per rank, on a simulated network with simulated hosts,
// in virtual time. The same arguments give the same run.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/slots.hpp"
#include "comm/capabilities.hpp"
#include "comm/endpoint.hpp"
#include "comm/ready.hpp"
#include "comm/tagged.hpp"
#include "comm/task.hpp"
#include "run/simulated/endpoint.hpp"
#include "sim/hosts/host_model.hpp"

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

class World final : private sim::HostUser,
                    private sim::Kernel::Handler,
                    private comm::OperationLog {
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

  enum class ShipmentKind : std::uint8_t {
    tagged,
    fetch,  ///< a read of a tagged message
    put,
    get,
    event,
    multicast
  };
  /// What travels for an operation.
  struct Shipment {
    ShipmentKind kind{};
    bool notify = false;
    bool sets_event = false;
    comm::Rank from = 0, to = 0;
    comm::OpHandle op{};  ///< of the rank `from`
    comm::Header header{};
    comm::RemoteSlice at{};
    std::uint64_t value = 0;  ///< immediate data
    comm::Events::Event event = 0;
    comm::Buffer payload{};
  };
  enum class DeferredKind : std::uint8_t {
    complete,
    unpack,
    hand_over,
    ship,
    store,
    expire,
    end_lease,
    leave
  };
  /// What a rank does later.
  struct DeferredAction {
    DeferredKind kind{};
    comm::Rank rank = 0;
    comm::OpHandle op{};
    comm::Result result{.status = comm::Status::ok};
    comm::Fragment fragment{};
    std::uint32_t shipment = 0;
  };

  // HostUser.
  void posted(std::uint64_t cookie) override;
  void arrived(std::uint64_t cookie) override;
  void sent(std::uint64_t cookie) override;
  sim::TransferStatus admit(std::uint64_t cookie) override;
  void landed(std::uint64_t cookie, HostId at) override;
  void finished(std::uint64_t cookie, sim::TransferStatus outcome) override;
  void settle() override { ready_.run(); }
  // Handler and OperationLog.
  void fire(std::uint64_t what) override;
  void completed(const comm::Op& op, comm::Rank rank, comm::Time at) override;

  SimulatedEndpoint& rank(comm::Rank rank) { return *ranks_[static_cast<std::size_t>(rank)]; }
  comm::Time now() const { return hosts_->kernel().now(); }
  sim::Resource& processor(const SimulatedEndpoint& at) {
    return hosts_->processor(at.place().host, at.place().processor);
  }
  /// The time of the processor to copy bytes from a buffer of the NIC, unless the library does so;
  /// what fits a cache line takes nothing.
  Duration copy_time(std::uint64_t bytes) const;

  void ship(Shipment&& shipment, sim::Move move, std::uint64_t bytes);
  /// Ships a part of a tagged message; once the NIC is free, if that sends it by itself.
  void carry(Shipment&& shipment);
  bool sent_by_nic(const Shipment& shipment);
  std::optional<comm::MessageStep> step_of(const Shipment& shipment);
  bool from_buffer(const Shipment& shipment) const;
  void ship_to_group(Shipment&& shipment, std::uint32_t group);
  void serve_fetch(Shipment& shipment);
  void land_put(Shipment& shipment);
  /// Ends an operation, unless it is gone.
  void complete_op(comm::Rank rank, comm::OpHandle op, comm::Status status);
  void acknowledge(const Shipment& shipment);
  void failed(const Shipment& shipment, sim::TransferStatus outcome);
  void fail_tagged(const Shipment& shipment, comm::Status status);
  sim::TransferStatus judge(Shipment& shipment);
  /// The status of a shipment's operation.
  comm::Status status_of(const Shipment& shipment, sim::TransferStatus outcome);
  void later(comm::Time at, DeferredAction&& action);
  /// Ends an operation when the rank has noticed its result by polling.
  void notice(const SimulatedEndpoint& at, const comm::Op& op, const comm::Result& result);
  void store(comm::Op& op);
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
  comm::Ready ready_;
  comm::Pool pool_;
  std::unique_ptr<sim::HostModel> hosts_;
  Slots<Shipment> shipments_;
  Slots<DeferredAction> actions_;
  std::vector<std::unique_ptr<SimulatedEndpoint>> ranks_;
  std::vector<SimulatedEndpoint*> by_host_;  ///< in the order of hosts
  std::vector<std::size_t> host_begin_;
  std::map<std::pair<HostId, std::uint64_t>, std::vector<std::byte>> segments_;
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
