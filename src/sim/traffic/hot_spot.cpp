// SPDX-License-Identifier: Apache-2.0
// Hot spot (Pfister and Norton, 1985): a share of all packets goes to one host, the others to any
// other host.
#include "sim/host_names.hpp"
#include "sim/traffic/destinations.hpp"
#include "sim/traffic/patterns.hpp"

namespace weft::sim {
namespace {

class HotSpot : public Pattern {
 public:
  HotSpot(std::size_t hosts, HostId hot, Chance share) : hosts_(hosts), hot_(hot), share_(share) {}
  HostId next(HostId from, Rng& rng) override {
    if (from != hot_ && share_(rng)) return hot_;
    return any_other(hosts_, from, rng);
  }

 private:
  std::size_t hosts_;
  HostId hot_;
  Chance share_;
};

}  // namespace

std::unique_ptr<Pattern> hot_spot(const Fabric& fabric, const Params& params) {
  require_two_hosts(fabric, params);
  try {
    const HostId hot = host_from(fabric, params.text("host"));
    return std::make_unique<HotSpot>(fabric.host_count(), hot, chance_from(params.text("share")));
  } catch (const Error& error) {
    throw Error("{}: {}", params.spec(), error.what());
  }
}

}  // namespace weft::sim
