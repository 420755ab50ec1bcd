// SPDX-License-Identifier: Apache-2.0
// Text form of certificates: a line per channel in use, "switch" port: a number per lane.
#include "plan/check/graph/certificate.hpp"

#include <ostream>

#include "plan/check/graph/rooted.hpp"

namespace weft {

void write_certificate(std::ostream& out, const Fabric& fabric, const Certificate& certificate) {
  out << "weft certificate 1\nlanes " << certificate.lanes << '\n';
  if (certificate.proof != Proof::every_choice)
    out << "choices some" << (certificate.proof == Proof::some_choice ? "\n" : " worms\n");
  const auto write = [&](ChannelId c) {
    const LinkPlace link = place_of(fabric, c);
    std::string line = fmt::format("\"{}\" {}:", fabric[link.on].name, link.port);
    bool used = false;
    for (int lane = 0; lane < certificate.lanes; ++lane) {
      const std::uint32_t number = certificate.at(c, static_cast<Lane>(lane));
      used = used || number != Certificate::unused;
      line += number == Certificate::unused ? " -" : fmt::format(" {}", number);
    }
    if (used) out << line << '\n';
  };
  for (SwitchId s : fabric.switches()) {
    for (ChannelId c : fabric.out(s)) write(c);
    for (HostId h : fabric.hosts_on(s)) write(link_to(fabric, h).channel);
  }
}

}  // namespace weft
