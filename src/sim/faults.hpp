// SPDX-License-Identifier: Apache-2.0
// Faults of a simulated network: links and switches that fail at a given cycle, for good or for
// some time, bit errors, and single packets that a link damages.
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
  /// The link works again from this cycle on, but not before the flits on it have left.
  Cycle until = never;
};
/// A link damages the first packet of which a flit enters it, in either direction, from cycle `at`
/// on. (The last flit of a circuit carries no data and does not count.)
struct Glitch {
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
  std::vector<Glitch> glitches{};

  bool any() const { return !links.empty() || !switches.empty() || damage(); }
  /// Whether packets may be damaged, not only lost.
  bool damage() const { return bit_error_rate > 0 || !glitches.empty(); }
};

/// Reads "link=s0:3@1000;link=h5@0-500;switch=s7@2000;corrupt=h5@700;errors=1e-9". The switch and
/// port at one of its ends, or its host, name a link. Throws Error.
Faults faults_from(const Fabric& fabric, std::string_view text);

}  // namespace weft::sim
