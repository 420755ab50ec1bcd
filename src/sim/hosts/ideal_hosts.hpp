// SPDX-License-Identifier: Apache-2.0
// IdealHosts: hosts between which every transfer takes no time at all: what a program takes there,
// it would take on the fastest network there can be.
#pragma once
#include "base/slots.hpp"
#include "sim/hosts/host_model.hpp"

namespace weft::sim {

class IdealHosts final : public HostModel {
 public:
  IdealHosts(const NicModel& model, const HostSetup& setup) : HostModel(model, setup) {}

  void begin(const Transfer& transfer) override;
  std::span<const std::string_view> part_names() const override { return {}; }
  const Resource& part(HostId host, std::size_t) const override { return memory(host); }

 private:
  void fire(std::uint64_t what) override;
  void delivered(Network&, const Packet&, HostId, unsigned) override {}
  void lost(Network&, const Packet&, HostId, Loss) override {}

  Slots<Transfer> transfers_;
};

/// Returns the factory of such hosts.
HostFactory ideal_hosts();

}  // namespace weft::sim
