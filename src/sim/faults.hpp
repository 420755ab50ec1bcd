// SPDX-License-Identifier: Apache-2.0
// Faults of a simulated network: links and switches that fail at a given cycle, and bit errors.
#pragma once
#include <string_view>
#include <vector>

#include "fabric/fabric.hpp"
#include "sim/time.hpp"

namespace weft::sim {

struct LinkFault {
  LinkId link{};  ///< none: the link of `host`
  HostId host{};
  Cycle at = 0;
};
struct SwitchFault {
  SwitchId on{};
  Cycle at = 0;
};

struct Faults {
  std::vector<LinkFault> links{};
  std::vector<SwitchFault> switches{};
  double bit_error_rate = 0;  ///< per bit and link

  bool any() const { return !links.empty() || !switches.empty() || bit_error_rate > 0; }
};

/// "link=s0:3@1000;link=h5@0;switch=s7@2000;errors=1e-9": a link by the switch and port at one of
/// its ends or by its host. Throws Error.
Faults faults_from(const Fabric& fabric, std::string_view text);

}  // namespace weft::sim
