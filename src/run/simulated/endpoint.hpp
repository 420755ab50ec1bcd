// SPDX-License-Identifier: Apache-2.0
// SimulatedEndpoint: a rank of a simulated world.
#pragma once
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "base/fifo.hpp"
#include "comm/capabilities.hpp"
#include "comm/endpoint.hpp"
#include "comm/tagged.hpp"
#include "fabric/fabric.hpp"
#include "sim/booked_work.hpp"

namespace weft::run {

class World;
class WorldPart;

class SimulatedEndpoint final : public comm::Endpoint, private comm::Carrier {
 public:
  struct RankLocation {
    comm::Rank rank;
    HostId host;
    std::uint32_t processor;  ///< of the host, for this rank alone
  };
  SimulatedEndpoint(World& world, const RankLocation& place, const comm::Tagged::Costs& costs);

  comm::Time now() const override;
  const RankLocation& place() const { return place_; }

  /// What the processor did until now, and waited for, beside the program's own work.
  struct SoftwareTimes {
    Duration library{0};  ///< work of the library that the program calls
    Duration ack{0};      ///< waiting until the library's window has room
    Duration nic{0};      ///< waiting for the NIC to be ready for a fragment in the window
  };
  SoftwareTimes software_times() { return {library_work_.done(now()), ack_, nic_}; }

 private:
  friend class World;
  friend class WorldPart;
  friend class ElanRanks;

  // Endpoint.
  void post(comm::Op& op) override;
  void withdraw(comm::Op& op) override;
  void exposing(std::span<std::byte> memory) override;
  void alarm(comm::Time at) override;
  void poll(comm::Op& op) override;
  Duration combining(std::size_t bytes) const override;
  Duration copying(std::size_t bytes) const override;
  void* find_capability(const std::type_info& type) override;
  void post_shipment(comm::Op& op);
  void post_notice(comm::Op& op);
  void post_store(comm::Op& op);
  void post_event_wait(comm::Op& op);

  // Carrier.
  void carry(comm::Rank to, const comm::Header& header, comm::Buffer payload, comm::OpHandle done,
             comm::LayerWork before) override;
  void fetch(comm::Rank from, const comm::Header& header, std::size_t bytes) override;
  void unpack(comm::Op& op, comm::Fragment fragment, const comm::Result& result) override;
  void completed(comm::Op& op, const comm::Result& result) override;
  comm::Op* find_op(comm::OpHandle handle) override { return find(handle); }
  void work(comm::LayerWork time) override;
  bool match(comm::Rank from, Duration time) override;
  void hand_over(comm::Op& op, comm::Buffer payload, const comm::Result& result) override;

  // The window of a library: how many of its fragments are under way unacknowledged.
  bool in_window(comm::Rank to, comm::ProtocolStep step) const;
  void send_next_in_window();
  void fragment_posted();
  void acknowledged();

  // Notifications of the world.
  bool has_descriptor() const { return notices_.posted() > 0; }
  void notice_arrived(comm::Rank from, std::uint64_t bytes, std::uint64_t immediate);
  /// Memory has changed: operations that poll it see it a little later.
  void touched(std::span<const std::byte> memory);
  void set_event(comm::Events::Event event);
  /// A peer has left, or the connection to it is broken.
  void lose(comm::Rank peer, comm::Status why);

  class EventsHere final : public comm::Events {
   public:
    explicit EventsHere(SimulatedEndpoint& at) : at_(at) {}
    comm::Op set(comm::Rank at, Event event) override;
    comm::Op put_and_set(comm::Rank to, comm::RemoteSlice slice, std::span<const std::byte> data,
                         Event event) override;
    comm::Op wait(Event event, std::uint64_t count) override;
    std::uint64_t poll(Event event) const override;
    void copy_when(Event event, std::uint64_t count, std::span<const std::byte> from,
                   std::span<std::byte> to) override;

   private:
    SimulatedEndpoint& at_;
  };
  class MulticastHere final : public comm::Multicast {
   public:
    explicit MulticastHere(SimulatedEndpoint& at) : at_(at) {}
    std::size_t most() const override;
    int groups() const override;
    comm::Op send(int group, comm::Tag tag, std::span<const std::byte> data) override;

   private:
    SimulatedEndpoint& at_;
  };
  class RatesHere final : public comm::RateControl {
   public:
    explicit RatesHere(SimulatedEndpoint& at) : at_(at) {}
    void set_interval(const comm::Flow& flow, Duration interval) override;
    void set_leased(const comm::Flow& flow, Duration interval) override;
    void set_lease(comm::Time end) override;
    void stop_others(std::span<const comm::Flow> known) override;
    std::uint64_t dispatched(const comm::Flow& flow) const override;
    /// Called when the lease may be over.
    void end_lease();

   private:
    void pace(const comm::Flow& flow, Duration interval);

    SimulatedEndpoint& at_;
    std::set<comm::Flow> leased_;
    comm::Time lease_{};  ///< when the last one is over
    bool waits_ = false;  ///< a call of end_lease() is to come
  };
  class SharedHere final : public comm::SharedMemory {
   public:
    explicit SharedHere(SimulatedEndpoint& at) : at_(at) {}
    int ranks_here() const override;
    int index_here() const override;
    comm::Rank rank_here(int index) const override;
    std::span<std::byte> segment(std::uint64_t name, std::size_t bytes) override;
    comm::Op store(std::uint64_t& word, std::uint64_t value) override;
    comm::Op increment(std::uint64_t& word) override;

   private:
    SimulatedEndpoint& at_;
  };

  struct PutNotice {
    comm::Rank from = 0;
    std::uint64_t bytes = 0, immediate = 0;
  };
  struct CopyOnEvent {
    comm::Events::Event event;
    std::uint64_t count;
    std::span<const std::byte> from;
    std::span<std::byte> to;
  };

  World& world_;
  WorldPart& part_;
  RankLocation place_;
  bool left_ = false;
  comm::Time nic_free_{};  ///< when the NIC has done its own work for this rank
  comm::Time alarm_ = comm::Time::max();
  comm::Tagged tagged_;
  Matcher<comm::Op*, PutNotice> notices_;
  std::vector<comm::Op*> watching_;  ///< pending `until`
  std::vector<std::uint64_t> events_;
  std::vector<comm::Op*> event_waiting_;
  std::vector<CopyOnEvent> copies_;
  EventsHere events_here_{*this};
  MulticastHere multicast_here_{*this};
  RatesHere rates_here_{*this};
  SharedHere shared_here_{*this};
  sim::BookedWork library_work_;
  Duration ack_{0}, nic_{0};  ///< of SoftwareTimes
  /// A fragment that waits for room in the window, and what the processor does before it goes.
  struct WaitingFragment {
    std::uint32_t shipment = 0;
    comm::LayerWork before{};
  };
  Fifo<WaitingFragment> waiting_fragments_;
  comm::Time waits_since_{};  ///< the first of them
  Duration work_before_{};    ///< of the processor until then
  std::uint32_t unacknowledged_ = 0;
};

}  // namespace weft::run
