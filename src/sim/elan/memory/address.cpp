// SPDX-License-Identifier: Apache-2.0
// Faults and traps of the Elan, in words.
#include "sim/elan/memory/address.hpp"

#include <fmt/format.h>

namespace weft::sim::elan {

std::string_view to_text(Fault fault) {
  switch (fault) {
    case Fault::no_context:
      return "there is no such context";
    case Fault::unmapped:
      return "nothing is mapped there";
    case Fault::not_exported:
      return "it is not exported to the process";
    case Fault::no_right:
      return "it is exported to the process without this right";
    case Fault::withdrawn:
      return "its export was withdrawn";
    case Fault::event_in_main:
      return "it is to be an event, and events live in Elan memory only";
  }
  return "";
}

std::string to_text(const Trap& trap) {
  return fmt::format("process {} may not {} {:#x} of context {}: {}", trap.by,
                     trap.access == Access::read ? "read" : "write", trap.address, trap.context,
                     to_text(trap.why));
}

}  // namespace weft::sim::elan
