// SPDX-License-Identifier: Apache-2.0
// Uniform: every destination is as likely as any other. BookSim 2's includes the sender itself.
#include "sim/traffic/destinations.hpp"
#include "sim/traffic/patterns.hpp"

namespace weft::sim {
namespace {

class Anyone : public Pattern {
 public:
  explicit Anyone(std::size_t hosts) : hosts_(hosts) {}
  HostId next(HostId, Rng& rng) override { return HostId(draw_below(rng, hosts_)); }

 private:
  std::size_t hosts_;
};

class AnyOther : public Pattern {
 public:
  explicit AnyOther(std::size_t hosts) : hosts_(hosts) {}
  HostId next(HostId from, Rng& rng) override { return any_other(hosts_, from, rng); }

 private:
  std::size_t hosts_;
};

}  // namespace

std::unique_ptr<Pattern> uniform(const Fabric& fabric, const Params& params) {
  if (params.flag("self")) return std::make_unique<Anyone>(fabric.host_count());
  require_two_hosts(fabric, params);
  return std::make_unique<AnyOther>(fabric.host_count());
}

}  // namespace weft::sim
