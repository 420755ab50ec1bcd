// SPDX-License-Identifier: Apache-2.0
// Elan3 in a simulated world: the ranks as processes of their hosts' Elans.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/slots.hpp"
#include "comm/elan3.hpp"
#include "run/simulated/endpoint.hpp"
#include "sim/elan/elans.hpp"

namespace weft::run {

class World;
class ElanRanks;

/// The Elan3 of one rank, which is attached to its host's Elan as long as its program runs.
class ElanRank final : public comm::Elan3 {
 public:
  ElanRank(ElanRanks& all, SimulatedEndpoint& at);

  Block allocate(Store store, std::size_t bytes) override;
  Block map(std::span<std::byte> memory) override;
  void release(Address address) override;
  void close(std::uint64_t segment) override;
  comm::Op dma(const Dma& dma) override;
  comm::Op broadcast(const BroadcastRequest& broadcast) override;
  const std::vector<std::string>& traps() const override { return traps_; }
  void load_routes(std::uint32_t table,
                   const std::map<comm::Rank, std::vector<std::uint16_t>>& routes) override;
  Event make_event() override;
  comm::Op set(comm::Rank rank, Event event) override;
  std::uint64_t poll(Event event) override;
  comm::Op wait(Event event, std::uint64_t count, How how) override;
  void copy_when(Event event, std::uint64_t count, const Block& from, const Block& to) override;
  void dma_when(Event event, std::uint64_t count, const Dma& dma) override;

  // Endpoint.
  void post(comm::Op& op);
  void withdraw(comm::Op& op);

 private:
  friend class ElanRanks;

  std::uint64_t export_to(Address first, std::size_t bytes, comm::RegionRights rights,
                          std::span<const comm::Rank> partners) override;
  sim::elan::Memory& memory() const;
  void require_rank(comm::Rank rank) const;
  static void require_size(std::uint64_t bytes);
  void require_event(Event event) const;
  sim::elan::DmaDescriptor descriptor(const Dma& dma) const;
  void post_wait(comm::Op& op);
  std::size_t free_flag();
  void look(const comm::Op& op, comm::Time since);

  // Notifications of the Elan.
  void event_set(Event event, std::uint64_t count);
  void written(std::span<const std::byte> memory);
  void leave();

  struct Wait {
    Event event = 0;
    std::uint64_t count = 0;
    How how{};
  };
  struct Waiting {
    comm::Op* op;
    Wait wait;
    comm::Time since;  ///< it polls the Elan from then on
  };
  /// A block copy for an operation that waits busily.
  struct Flag {
    Block main;
    bool armed = false;
    comm::Op* op = nullptr;
  };

  ElanRanks& all_;
  SimulatedEndpoint& at_;
  sim::elan::ProcessLocation place_;
  bool attached_ = true;
  /// The request of the next Op.
  std::variant<sim::elan::DmaDescriptor, sim::elan::BroadcastDescriptor, Wait> asked_;
  std::vector<Waiting> waiting_;  ///< by polling or blocked
  // Allocated before the program allocates anything, so that its waits do not move its own blocks.
  Block seen_;   ///< what is copied to flags
  Block words_;  ///< of the flags made last
  std::vector<Flag> flags_;
  std::vector<std::string> traps_;
};

/// The Elan3 of all ranks, and their requests to the Elans.
class ElanRanks final : private sim::ElanUser, private sim::Kernel::Handler {
 public:
  ElanRanks(World& world, sim::Elans& elans);
  ElanRank& of(comm::Rank rank);
  /// A rank's program has ended, or it has died.
  void leave(comm::Rank rank);

 private:
  friend class ElanRank;

  struct Chained {
    sim::elan::Address event;
    std::uint64_t count;
    std::variant<sim::elan::DmaDescriptor, sim::elan::BlockCopyDescriptor> then;
  };
  using Asked = std::variant<sim::elan::DmaDescriptor, sim::elan::BroadcastDescriptor, Chained>;
  struct ElanRequest {
    comm::Rank rank = 0;
    comm::OpHandle op{};
    std::optional<Asked> asked{};
  };

  /// The rank's processor hands a request to its Elan.
  void issue(const ElanRank& by, comm::OpHandle op, Asked asked);
  void start(const sim::elan::ProcessLocation& by, const Chained& chained, std::uint64_t cookie);
  const sim::elan::Model& model() const;

  // ElanUser and Handler.
  void done(std::uint64_t cookie, sim::TransferStatus outcome,
            const std::optional<sim::elan::Trap>& trap) override;
  void event(const sim::elan::ProcessLocation& of, sim::elan::Address event,
             std::uint64_t count) override;
  void written(HostId host, std::span<const std::byte> memory) override;
  void fire(std::uint64_t cookie) override;

  World& world_;
  sim::Elans& elans_;
  std::vector<std::unique_ptr<ElanRank>> ranks_;
  std::vector<bool> left_;
  Slots<ElanRequest> requests_;
};

}  // namespace weft::run
