// SPDX-License-Identifier: Apache-2.0
// Reading faults.
#include "sim/faults.hpp"

#include <charconv>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "fabric/format/parts/text.hpp"

namespace weft::sim {
namespace {

[[noreturn]] void reject(std::string_view part, std::string_view why) {
  throw Error(
      "fault \"{}\": {}; faults are like link=s0:3@1000, link=h5@0, switch=s7@2000 (at that "
      "cycle) and errors=1e-9 (of all bits), with ; between them",
      part.substr(0, 60), why);
}

double rate_from(std::string_view part, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1))
    reject(part, "the rate is a number from 0 to 1");
  return value;
}

LinkFault link_fault(const Fabric& fabric, std::string_view part, std::string_view place,
                     Cycle at) {
  if (const auto host = fabric.find_host(place)) return {LinkId::none(), *host, at};
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) reject(part, "there is no host of that name");
  const auto on = fabric.find_switch(place.substr(0, colon));
  if (!on) reject(part, "there is no switch of that name");
  const auto port = number_from<PortNumber>(place.substr(colon + 1));
  if (!port) reject(part, "the port is not a number");
  const Neighbour beyond = fabric.at_port(*on, *port);
  if (beyond.host.valid()) return {LinkId::none(), beyond.host, at};
  if (!beyond.channel.valid()) reject(part, "nothing is connected to that port");
  return {Fabric::link_of(beyond.channel), HostId::none(), at};
}

void add(Faults& out, const Fabric& fabric, std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos) reject(part, "there is no =");
  const std::string_view kind = part.substr(0, equals);
  std::string_view value = part.substr(equals + 1);
  if (kind == "errors") {
    out.bit_error_rate = rate_from(part, value);
    return;
  }
  const std::size_t mark = value.rfind('@');
  const auto at =
      mark == std::string_view::npos ? std::nullopt : number_from<Cycle>(value.substr(mark + 1));
  if (!at) reject(part, "there is no cycle behind an @");
  value = value.substr(0, mark);
  if (kind == "link") {
    out.links.push_back(link_fault(fabric, part, value, *at));
  } else if (kind == "switch") {
    const auto on = fabric.find_switch(value);
    if (!on) reject(part, "there is no switch of that name");
    out.switches.push_back({*on, *at});
  } else {
    reject(part, "it is neither link, switch nor errors");
  }
}

}  // namespace

Faults faults_from(const Fabric& fabric, std::string_view text) {
  Faults out;
  bool has_rate = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view part = text.substr(0, end);
    if (part.starts_with("errors=") && std::exchange(has_rate, true))
      reject(part, "there is a rate of errors already");
    if (end > 0) add(out, fabric, part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace weft::sim
