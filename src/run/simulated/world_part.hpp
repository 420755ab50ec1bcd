// SPDX-License-Identifier: Apache-2.0
// WorldPart: the ranks on some of the hosts of a world, or on all: what is ready to go on there,
// what they have sent, and what they do later. A part has its hosts' clock, and may have a thread.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/shared_slots.hpp"
#include "base/slots.hpp"
#include "comm/endpoint.hpp"
#include "comm/ready.hpp"
#include "comm/tagged.hpp"
#include "run/simulated/endpoint.hpp"
#include "sim/hosts/host_model.hpp"

namespace weft::run {

class World;

enum class ShipmentKind : std::uint8_t {
  tagged,
  fetch,  ///< a read of a tagged message
  put,
  get,
  event,
  multicast
};
/// What travels for an operation. Other parts find it by its number; it is its sender's again when
/// the transfer has finished.
struct Shipment {
  ShipmentKind kind{};
  bool notify = false;
  bool sets_event = false;
  bool broken = false;  ///< its target has found the connection broken
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

class WorldPart final : public sim::HostUser, private sim::Kernel::Handler {
 public:
  WorldPart(World& world, sim::HostModel& hosts, SharedSlots<Shipment>& shipments)
      : world_(world), hosts_(hosts), shipments_(shipments) {}
  WorldPart(const WorldPart&) = delete;

  comm::Time now() const { return hosts_.kernel().now(); }
  comm::Ready& ready() { return ready_; }
  comm::Pool& pool() { return pool_; }
  sim::HostModel& hosts() { return hosts_; }
  /// Memory that ranks of a host share under a name.
  std::vector<std::byte>& segment(HostId host, std::uint64_t name) {
    return segments_[{host, name}];
  }

  void ship(Shipment&& shipment, sim::Move move, std::uint64_t bytes);
  /// Ships a part of a tagged message; once the NIC is free, if that sends it by itself.
  void carry(Shipment&& shipment);
  void ship_to_group(Shipment&& shipment, std::uint32_t group);
  /// Keeps a shipment, and takes it again.
  std::uint32_t keep(Shipment&& shipment) { return shipments_.insert(std::move(shipment)); }
  Shipment take_kept(std::uint32_t shipment) { return shipments_.extract(shipment); }
  void later(comm::Time at, DeferredAction&& action);
  /// Ends an operation when the rank has noticed its result by polling.
  void notice(const SimulatedEndpoint& at, const comm::Op& op, const comm::Result& result);

 private:
  // HostUser.
  void posted(std::uint64_t cookie) override;
  void arrived(std::uint64_t cookie) override;
  void sent(std::uint64_t cookie) override;
  sim::TransferStatus admit(std::uint64_t cookie) override;
  void landed(std::uint64_t cookie, HostId at) override;
  void finished(std::uint64_t cookie, sim::TransferStatus outcome) override;
  void settle() override { ready_.run(); }
  // Handler.
  void fire(std::uint64_t what) override;

  SimulatedEndpoint& rank(comm::Rank rank);
  bool sent_by_nic(const Shipment& shipment);
  std::optional<comm::MessageStep> step_of(const Shipment& shipment);
  bool from_buffer(const Shipment& shipment) const;
  void serve_fetch(Shipment& shipment);
  void land_put(Shipment& shipment);
  /// Ends an operation, unless it is gone.
  void complete_op(comm::Rank rank, comm::OpHandle op, comm::Status status);
  void acknowledge(const Shipment& shipment);
  void failed(const Shipment& shipment, sim::TransferStatus outcome);
  void fail_tagged(const Shipment& shipment, comm::Status status);
  sim::TransferStatus judge(Shipment& shipment);
  comm::Buffer to_read(const Shipment& shipment, std::span<const std::byte> memory);
  /// The status of a shipment's operation.
  comm::Status status_of(const Shipment& shipment, sim::TransferStatus outcome);
  void store(comm::Op& op);

  World& world_;
  sim::HostModel& hosts_;
  comm::Ready ready_;
  comm::Pool pool_;
  PartOfSlots<Shipment> shipments_;
  Slots<DeferredAction> actions_;
  std::map<std::pair<HostId, std::uint64_t>, std::vector<std::byte>> segments_;
};

}  // namespace weft::run
