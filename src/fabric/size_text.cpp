// SPDX-License-Identifier: Apache-2.0
// Counts what there is.
#include "fabric/size_text.hpp"

#include "base/words.hpp"

namespace weft {

std::string size_text(const Fabric& fabric) {
  return fmt::format("{}, {}, {}", counted(fabric.switch_count(), "switch", "switches"),
                     counted(fabric.host_count(), "host", "hosts"),
                     counted(fabric.link_count(), "link", "links"));
}

}  // namespace weft
