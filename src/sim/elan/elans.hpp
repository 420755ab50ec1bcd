// SPDX-License-Identifier: Apache-2.0
// Elans: hosts whose NICs are Elans (QsNet). Processes hand commands over the PCI bus to the
// command processor; the DMA engine reads memory in blocks and sends packets, each of which holds a
// circuit through the network; the inputter of the target writes them to memory and acknowledges;
// then the circuit is closed. The four threads of the microcode processor, the thread processor,
// the buses and memory serve one at a time.
//
// What travels is a Job: a DMA in virtual addresses, whose bytes are moved here, or a transfer of
// the layers above, which move their bytes themselves. A packet of it under way is a Flight; what
// comes of it to one host is an Arrival.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/slots.hpp"
#include "sim/elan/descriptors.hpp"
#include "sim/elan/memory/memory.hpp"
#include "sim/elan/model.hpp"
#include "sim/elan/routes.hpp"
#include "sim/hosts/host_model.hpp"

namespace weft::sim {

/// Whoever uses virtual addresses; called from within HostModel::run.
class ElanUser {
 public:
  virtual ~ElanUser() = default;
  /// The source's Elan knows what became of a DMA or a broadcast.
  virtual void done(std::uint64_t cookie, Outcome outcome,
                    const std::optional<elan::Trap>& trap) = 0;
  /// An event was set; it has been, so often.
  virtual void event(const elan::ProcessLocation& of, elan::Address event, std::uint64_t count) = 0;
  /// Main memory of this host was written.
  virtual void written(HostId host, std::span<const std::byte> memory) = 0;
};

class Elans final : public HostModel {
 public:
  /// Throws Error like Network.
  Elans(const NicModel& nic, const elan::Model& model, const HostSetup& setup);

  // HostModel.
  void begin(const Transfer& transfer) override;
  Duration nic_work(HostId host, Duration time) override;
  Duration hand_over(HostId host, Duration from, std::uint64_t bytes) override;
  std::span<const std::string_view> part_names() const override;
  const Resource& part(HostId host, std::size_t index) const override;

  // In virtual addresses. The processor's work has been done; what is asked goes over PCI.
  void listen(ElanUser& user) { listener_ = &user; }
  elan::Memory& memory_of(HostId host);
  void start(const elan::DmaDescriptor& dma);
  void start(const elan::BroadcastDescriptor& broadcast);
  /// Sets an event of a process somewhere, as if by a DMA of no bytes.
  void set_event(elan::Process by, const elan::ProcessLocation& at, const elan::ProcessLocation& of,
                 elan::Address event, std::uint64_t cookie);
  /// How often it has been set. Throws Error unless the event is in SDRAM that the process has.
  std::uint64_t event_count(const elan::ProcessLocation& of, elan::Address event);
  /// A processor reads a word of its Elan over PCI: when it has come, and how long it takes at
  /// least.
  Duration look(HostId host, Duration from);
  Duration look_time() const { return pci_time(event_bytes) + elan_.pci_latency; }
  /// What the Elan does when the event has been set so often, or does now if it has.
  void on_event(const elan::ProcessLocation& of, elan::Address event, std::uint64_t count,
                const elan::BlockCopyDescriptor& copy);
  void on_event(const elan::ProcessLocation& of, elan::Address event, std::uint64_t count,
                const elan::DmaDescriptor& dma);
  /// A process gives a block back, and with it whatever its events were to begin. Throws Error like
  /// Memory::release.
  void release_block(const elan::ProcessLocation& of, elan::Address address);
  /// Routes of a host: loads table `number` (0 is the one in use without saying) with lists of tags
  /// by destination; those it does not name follow the fabric's tables. Throws Error.
  void load_routes(HostId host, std::uint32_t number, const std::map<HostId, elan::Tags>& routes) {
    routes_.load(host, number, routes);
  }
  const elan::Routes& routes() const { return routes_; }
  const elan::Model& elan_model() const { return elan_; }
  /// Keeps the steps of figure 5 of every DMA.
  void record_steps() { steps_.emplace(); }
  const std::vector<elan::DmaStep>& steps() const { return *steps_; }

  struct Counts {
    std::uint64_t retries = 0;      ///< packets sent again
    std::uint64_t reroutes = 0;     ///< times a source changed its routes
    std::uint64_t duplicates = 0;   ///< that came although they had come before
    std::uint64_t unreachable = 0;  ///< packets given up
    std::uint64_t traps = 0;
  };
  const Counts& counts() const { return counts_; }
  std::vector<std::pair<std::string_view, std::uint64_t>> counters() const override;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  using JobId = std::uint32_t;
  using FlightId = std::uint32_t;
  using ArrivalId = std::uint32_t;

  static constexpr std::uint64_t event_bytes = 8;
  static constexpr std::uint64_t system_bytes = 64 << 10;  ///< of a ring at the end of SDRAM
  static constexpr std::uint32_t event_mask = 0xff'ffffU;  ///< of a number in a kernel event

  enum class What : std::uint8_t { transfer, dma, broadcast };
  struct Job {
    What what{};
    bool asks = false;    ///< its packet asks another Elan to begin it there
    bool by_nic = false;  ///< the thread processor sends it
    bool urgent = false;
    bool all_sent = false;    ///< the user knows that
    bool told = false;        ///< nobody is to be told of its end
    bool incomplete = false;  ///< a broadcast that some host cannot be reached by
    HostId from{}, to{};
    elan::MemoryKind source = elan::MemoryKind::main,
                     target = elan::MemoryKind::main;  ///< of a transfer
    std::uint64_t bytes = 0;                           ///< of data on the link
    std::uint32_t packets = 1, next = 0;               ///< to be sent
    std::uint32_t flights = 0;             ///< packets that are neither acknowledged nor given up
    std::uint32_t slice = 0;               ///< packets since it had its turn
    std::vector<bool> landed{};            ///< by end (member of the group) and packet
    std::vector<std::uint32_t> arrived{};  ///< by end: packets
    Transfer transfer{};
    elan::DmaDescriptor dma{};
    elan::BroadcastDescriptor broadcast{};
    std::uint64_t line = 0;  ///< of those that go one after another; 0: it is in none
    Outcome outcome = Outcome::ok;
    std::optional<elan::Trap> trap{};

    std::uint64_t cookie() const {
      return what == What::transfer    ? transfer.cookie
             : what == What::broadcast ? broadcast.cookie
                                       : dma.cookie;
    }
    std::uint32_t group() const {
      return what == What::transfer    ? transfer.group
             : what == What::broadcast ? broadcast.group
                                       : no_group;
    }
    elan::Process by() const { return what == What::broadcast ? broadcast.by : dma.by; }
    elan::Address address(bool of_source) const {
      if (what == What::broadcast) return of_source ? broadcast.source : broadcast.target;
      return of_source ? dma.source : dma.target;
    }
    elan::Address source_event() const {
      return what == What::broadcast ? broadcast.source_event : dma.source_event;
    }
    elan::Address target_event() const {
      return what == What::broadcast ? broadcast.target_event : dma.target_event;
    }
  };
  struct Flight {
    JobId job = none;
    std::uint32_t packet = 0;
    HostId from{}, to{};                             ///< no `to`: to the job's group
    std::uint32_t blocks = 0, ready = 0, reads = 0;  ///< of data; at hand; to be read
    Duration began{};
    bool sent = false, acknowledged = false;
    bool told = false;    ///< its source knows what became of it,
    bool failed = false;  ///< which is nothing
    std::uint32_t network_id = 0;
    std::uint32_t reports = 0;  ///< of the network, that are to come
    std::uint32_t answers = 0;  ///< acknowledgments that are to come
    Duration last_answer{};
    std::uint32_t attempt = 0;  ///< events of earlier ones are void
    int tries = 0;              ///< by the present route
    std::uint32_t reroutes = 0;
    std::optional<elan::Suspect> suspect{};  ///< it broke here
    std::vector<std::byte> data{};
  };
  struct Arrival {
    FlightId flight = none;
    std::uint32_t attempt = 0;
    HostId at{};
    unsigned hops = 0;
    std::uint32_t blocks = 0, written = 0;
    bool whole = false;
    bool taken = false;  ///< the inputter is at work on it
  };
  /// A request to memory: a block of a flight that is read, or of an arrival that is written.
  struct Request {
    bool reads = false;
    std::uint32_t id = 0;
    std::uint32_t block = 0;
  };
  struct Unit {
    Resource pci{}, bus{}, microcode{}, thread{};
    std::array<std::deque<JobId>, 2> queue{};  ///< of the DMA engine, by priority
    std::deque<FlightId> again{};              ///< packets that failed and are sent again
    std::uint32_t sending = 0;                 ///< flights that are read or under way
    std::uint32_t requests = 0;                ///< to memory, under way
    std::deque<Request> waiting{};             ///< for one of them to end
    std::uint32_t envelopes = 0;               ///< that the thread processor looked at
    std::uint32_t descriptors = 0;             ///< written so far
    std::unique_ptr<elan::Memory> memory{};
    struct Armed {
      std::uint64_t count = 0;
      std::optional<elan::BlockCopyDescriptor> copy{};
      std::optional<elan::DmaDescriptor> dma{};
    };
    std::map<std::pair<elan::Context, elan::Address>, std::vector<Armed>> armed{};
  };
  enum class Due : std::uint8_t {
    posted,     ///< a job: its processor is done
    commanded,  ///< its descriptor is in SDRAM
    checked,    ///< by the command processor
    started,    ///< the DMA engine begins to read a packet's data
    read_at,    ///< the address of a block to be read is found,
    write_at,   ///< or of one to be written
    fetched,    ///< a block came over PCI
    read,       ///< a block is through the bus
    came,       ///< a block came from the link
    through,    ///< a block is through the bus, on its way to main memory
    written,    ///< a block is in memory
    take,       ///< the inputter is done with a packet
    answered,   ///< the acknowledgment is there
    broke,      ///< the error is known at the source
    again,      ///< a packet may be sent again
    feed,       ///< a DMA engine has something to do
    ended,      ///< the source of a job knows
    set,        ///< an event is set
    copied,     ///< a block copy is in main memory
    local,      ///< a transfer within a host
  };

  // Host model, driver and kernel.
  void* find_capability(const std::type_info& type) override {
    return type == typeid(Elans) ? this : nullptr;
  }
  void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) override;
  void lost(Network& network, const Packet& packet, HostId at, Loss why) override;
  void reached(Network& network, const Packet& packet, HostId at) override;
  void filled(Network& network, const Packet& packet, HostId at, bool whole,
              unsigned hops) override;
  void broken(Network& network, const Packet& packet, const Breakage& breakage) override;
  void fire(std::uint64_t what) override;
  void at(Duration time, Due due, std::uint32_t id, std::uint32_t more = 0) {
    kernel_.at(time, *this,
               std::uint64_t{id} << 32U | std::uint64_t{more & event_mask} << 8U |
                   static_cast<std::uint8_t>(due));
  }
  Unit& unit(HostId host) { return units_[host.index()]; }

  // Commands (commands.cpp).
  JobId add(Job job);
  std::uint64_t line(const std::array<std::uint64_t, 2>& name);
  Job job_of(const elan::DmaDescriptor& dma);
  void command(JobId id);
  void commanded(JobId id);
  void check(JobId id);
  bool check_source(Job& job);
  void refuse(Job& job);
  void leave_line(Job& job);
  void begin_local(const Transfer& transfer);
  void end_local(JobId id);
  void end(JobId id);
  void report(JobId id);

  // The DMA engine (dma_engine.cpp).
  void enqueue(JobId id);
  void feed(HostId host);
  FlightId add_flight(JobId job, std::uint32_t packet, HostId to);
  void fetch(FlightId id);
  void request(HostId host, const Request& request);
  void release(HostId host);
  void issue(HostId host, const Request& request);
  void access(const Request& request);
  elan::Address address(const Job& job, const Flight& flight, const Request& request) const;
  void read_block(FlightId id);
  void inject(FlightId id);
  bool load(Flight& flight);
  void answered(FlightId id);
  void failed(FlightId id);
  void close(Flight& flight);
  void settle_flight(FlightId id);
  bool change_route(Flight& flight);
  void try_again(FlightId id);
  void one_by_one(FlightId id);
  void after_packet(JobId id);

  // The inputter (inputter.cpp).
  ArrivalId add_arrival(FlightId flight, HostId host);
  void arrive_here(FlightId id);
  void all_came(ArrivalId id);
  bool is_void(ArrivalId id) const;
  void forget_arrival(ArrivalId id);
  void drop_arrivals(FlightId id);
  void end_report(const Packet& packet);
  void block_came(ArrivalId id, std::uint32_t block);
  void block_through(ArrivalId id, std::uint32_t block);
  void block_written(ArrivalId id);
  void check_arrival(ArrivalId id);
  void take(ArrivalId id);
  void land(FlightId id, HostId host);
  bool store(Job& job, const Flight& flight, HostId host);
  void tell_written(const elan::ProcessLocation& of, elan::Address address, std::uint64_t bytes);
  void all_landed(JobId id, HostId host);
  void respond(JobId id);
  void answer(FlightId id, unsigned hops);
  bool has_landed(const Job& job, std::uint32_t packet, HostId host) const;

  // Events (events.cpp).
  struct Notice;
  std::optional<elan::Trap> check_event(const elan::ProcessLocation& of, elan::Address event,
                                        elan::Process by);
  Duration event_time(const elan::ProcessLocation& of, elan::Address event);
  std::span<std::byte> event_word(const elan::ProcessLocation& of, elan::Address event);
  void arm(const elan::ProcessLocation& of, elan::Address event, const Unit::Armed& armed);
  void set(const elan::ProcessLocation& of, elan::Address event, std::uint64_t cookie,
           bool at_source);
  void set_now(std::uint32_t id);
  void act(const elan::ProcessLocation& of, const Unit::Armed& armed, const Notice& because);
  void copied(std::uint32_t id);

  // Sizes and times.
  std::uint64_t packet_bytes(const Job& job, std::uint32_t packet) const;
  std::uint32_t blocks_of(std::uint64_t bytes) const;
  std::uint32_t flits_of(std::uint64_t data) const;
  std::uint32_t header_flits() const;
  std::uint32_t block_flits() const;
  std::uint64_t offset(std::uint32_t packet, std::uint32_t block) const;
  std::uint64_t block_size() const { return static_cast<std::uint64_t>(elan_.block.count); }
  Duration through_bus(HostId host);
  Duration touch(HostId host, std::uint64_t sdram, bool write);
  Duration pci_time(std::uint64_t bytes) const;
  Duration token_time(unsigned hops) const;
  Duration translation_time(HostId host, const elan::ProcessLocation& of, elan::Address address,
                            elan::Access access, elan::Process by);
  elan::ProcessLocation place_of(const Job& job, HostId host, bool source) const;
  std::size_t member(const Job& job, HostId host) const;
  std::size_t members(const Job& job) const;
  bool is_multicast(const Job& job) const { return job.group() != no_group; }
  void step(const Job& job, int number, HostId host, Duration time) {
    if (steps_ && job.what == What::dma) steps_->push_back({job.cookie(), number, host, time});
  }

  const elan::Model elan_;
  std::uint32_t window_;  ///< packets of a host that are read or under way
  Duration hop_time_;     ///< of a token through a switch
  std::vector<Unit> units_;
  elan::Routes routes_;
  ElanUser* listener_ = nullptr;
  Slots<Job> jobs_;
  Slots<Flight> flights_;
  Slots<Arrival> arrivals_;
  std::unordered_map<std::uint64_t, ArrivalId> arriving_;  ///< by flight and host
  std::map<std::array<std::uint64_t, 2>, std::uint64_t> line_names_;
  std::vector<std::deque<JobId>> lines_;  ///< by number - 1
  /// An event to be set, or a block copy under way.
  struct Notice {
    elan::ProcessLocation of{};
    elan::Address event = 0;
    std::uint64_t cookie = 0;
    bool at_source = false;
    elan::BlockCopyDescriptor copy{};
  };
  Slots<Notice> notices_;
  std::optional<std::vector<elan::DmaStep>> steps_;
  std::vector<std::vector<std::uint32_t>> member_of_;  ///< by group and host: its place, or none
  Counts counts_;
};

}  // namespace weft::sim
