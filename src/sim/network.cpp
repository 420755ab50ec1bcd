// SPDX-License-Identifier: Apache-2.0
// Network: forwards to the core that its model of switches asks for.
#include "sim/network.hpp"

#include "base/error.hpp"
#include "sim/contention_free/contention_free.hpp"
#include "sim/flit/simulator.hpp"
#include "sim/network_core.hpp"

namespace weft::sim {

std::string_view to_text(Loss loss) {
  switch (loss) {
    case Loss::no_route:
      return "no route";
    case Loss::loop:
      return "loop";
    case Loss::link_down:
      return "link down";
    case Loss::switch_down:
      return "switch down";
    case Loss::corrupted:
      return "corrupted";
  }
  return "";
}

Totals& Totals::operator+=(const Totals& other) {
  sent += other.sent;
  delivered += other.delivered;
  lost += other.lost;
  flits_injected += other.flits_injected;
  flit_hops += other.flit_hops;
  waiting += other.waiting;
  return *this;
}

namespace {

const Fabric& fitting(const Fabric& fabric, const Tables& tables) {
  require_fit(fabric, tables);
  if (fabric.host_count() == 0) throw Error("{}: there are no hosts", fabric.name());
  return fabric;
}

std::unique_ptr<NetworkCore> make_core(const Fabric& fabric, const Tables& tables,
                                       const SwitchModel& model, const NetworkOptions& options) {
  if (model.contention)
    return std::make_unique<FlitSimulator>(fitting(fabric, tables), tables, model, options);
  return std::make_unique<ContentionFree>(fitting(fabric, tables), tables, model, options);
}

}  // namespace

Network::Network(const Fabric& fabric, const Tables& tables, const SwitchModel& model,
                 const NetworkOptions& options)
    : core_(make_core(fabric, tables, model, options)), now_(&core_->clock()) {}
Network::Network(std::unique_ptr<NetworkCore> core)
    : core_(std::move(core)), now_(&core_->clock()) {}
Network::~Network() = default;
Network::Network(Network&&) noexcept = default;

NetworkEnd Network::run(Driver& driver, Cycle until) { return core_->run(*this, driver, until); }
bool Network::deadlocked() { return core_->deadlocked(); }
RouteId Network::add_route(HostId from, HostId to, std::span<const PortNumber> tags) {
  return core_->add_route(from, to, tags);
}
PortNumber Network::add_links(const std::vector<PortNumber>& ports) {
  return core_->add_links(ports);
}
void Network::send(const Packet& packet) { core_->send(packet); }
void Network::send(HostId from, HostId to, std::uint32_t flits, bool urgent, Cycle created) {
  core_->send(from, to, flits, urgent, created);
}
void Network::close(std::uint32_t id) { core_->close(id); }
void Network::release_buffer(HostId at) { core_->release_buffer(at); }
void Network::wake(HostId host, Cycle at) { core_->wake(host, at); }
void Network::prefetch(HostId host) const { core_->prefetch(host); }
void Network::wake_when_idle(HostId host, Cycle at) { core_->wake_when_idle(host, at); }
std::vector<std::uint32_t> Network::parts_of_hosts() { return core_->parts_of_hosts(); }

const Totals& Network::totals() const { return core_->totals(); }
std::vector<LaneUse> Network::lane_use() const { return core_->lane_use(); }
std::vector<PathUse> Network::paths_used() const { return core_->paths_used(); }
const std::string& Network::explanation() const { return core_->explanation(); }
Duration Network::cycle() const { return core_->cycle(); }
const Fabric& Network::fabric() const { return core_->fabric(); }
const Tables& Network::tables() const { return core_->tables(); }

}  // namespace weft::sim
