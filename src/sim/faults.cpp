// SPDX-License-Identifier: Apache-2.0
// Reads faults from their text.
#include "sim/faults.hpp"

#include <charconv>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "fabric/format/parsing/text.hpp"
#include "fabric/names.hpp"

namespace weft::sim {
namespace {

[[noreturn]] void reject(std::string_view part, std::string_view why) {
  throw Error(
      "fault \"{}\": {}; faults are like link=s0:3@1000, link=h5@0-500 (until then), "
      "switch=s7@2000 (at that cycle), corrupt=s0:3@1000 (one packet) and errors=1e-9 (of all "
      "bits), with ; between them",
      part.substr(0, 60), why);
}

double rate_from(std::string_view part, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1))
    reject(part, "the rate is a number from 0 to 1");
  return value;
}

SwitchId switch_at(const Fabric& fabric, std::string_view part, std::string_view name) {
  try {
    return switch_called(fabric, name);
  } catch (const Error& error) {
    reject(part, error.what());
  }
}

/// A link, or the host whose link is meant.
std::pair<LinkId, HostId> link_at(const Fabric& fabric, std::string_view part,
                                  std::string_view place) {
  if (const auto host = find_host_called(fabric, place)) return {LinkId::none(), *host};
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) reject(part, "there is no host of that name");
  const SwitchId on = switch_at(fabric, part, place.substr(0, colon));
  const auto port = number_from<PortNumber>(place.substr(colon + 1));
  if (!port) reject(part, "the port is not a number");
  const Neighbour beyond = fabric.at_port(on, *port);
  if (beyond.host.valid()) return {LinkId::none(), beyond.host};
  if (!beyond.channel.valid()) reject(part, "nothing is connected to that port");
  return {link_of(beyond.channel), HostId::none()};
}

/// "1000", or "1000-2000".
std::pair<Cycle, Cycle> times_from(std::string_view part, std::string_view text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto at = number_from<Cycle>(text.substr(0, dash));
  if (!at) reject(part, "behind the @ a cycle of the network is needed, a whole number");
  if (dash == text.size()) return {*at, never};
  const auto until = number_from<Cycle>(text.substr(dash + 1));
  if (!until || *until <= *at) reject(part, "its end must come after its beginning");
  return {*at, *until};
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
  if (kind != "link" && kind != "corrupt" && kind != "switch")
    reject(part, "it is neither link, switch, corrupt nor errors");
  const std::size_t mark = value.rfind('@');
  if (mark == std::string_view::npos) reject(part, "there is no cycle behind an @");
  const auto [at, until] = times_from(part, value.substr(mark + 1));
  value = value.substr(0, mark);
  if (until != never && kind != "link") reject(part, "only links have an end");
  if (kind == "link") {
    const auto [link, host] = link_at(fabric, part, value);
    out.links.push_back({link, host, at, until});
  } else if (kind == "corrupt") {
    const auto [link, host] = link_at(fabric, part, value);
    out.glitches.push_back({link, host, at});
  } else {
    out.switches.push_back({switch_at(fabric, part, value), at});
  }
}

/// The place of the ; that ends the first part, or the end of the text. Names may have a ; of their
/// own, as in "MF0;leaf1:MQM8700/U1": behind one that ends a part the next part begins.
std::size_t end_of_part(std::string_view text) {
  for (std::size_t at = text.find(';'); at < text.size(); at = text.find(';', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    if (rest.empty() || rest.front() == ';') return at;
    for (const std::string_view kind : {"link=", "switch=", "corrupt=", "errors="})
      if (rest.starts_with(kind)) return at;
  }
  return text.size();
}

}  // namespace

Faults faults_from(const Fabric& fabric, std::string_view text) {
  Faults out;
  bool has_rate = false;
  while (!text.empty()) {
    const std::size_t end = end_of_part(text);
    const std::string_view part = text.substr(0, end);
    if (part.starts_with("errors=") && std::exchange(has_rate, true))
      reject(part, "there is a rate of errors already");
    if (end > 0) add(out, fabric, part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace weft::sim
