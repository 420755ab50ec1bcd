// SPDX-License-Identifier: Apache-2.0
// Text form of certificates: a line per channel in use, "switch" port: a number per lane.
#include "plan/check/graph/certificate.hpp"

#include <algorithm>
#include <charconv>
#include <ostream>
#include <string_view>

#include "base/error.hpp"
#include "plan/check/graph/rooted.hpp"

namespace weft {
namespace {

constexpr std::string_view heading = "weft certificate 1";

class CertificateReader {
 public:
  CertificateReader(const Source& source, const Fabric& fabric)
      : source_(source), fabric_(fabric), rest_(source.text) {}

  Certificate read() {
    if (!next_line() || line_ != heading)
      fail(fmt::format("the first line is not \"{}\"", heading));
    if (!next_line() || !take("lanes ")) fail("\"lanes N\" is missing");
    const std::uint32_t lanes = number();
    if (lanes < 1 || lanes > most_lanes || !line_.empty())
      fail(fmt::format("from 1 to {} lanes are possible", most_lanes));
    const std::size_t links = fabric_.channel_count() + fabric_.host_count();
    Certificate out{static_cast<int>(lanes),
                    std::vector<std::uint32_t>(links * lanes, Certificate::unused)};
    while (next_line())
      if (!line_.empty()) channel(out);
    out.trim(fabric_.channel_count());
    return out;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw Error("{}:{}: {}", source_.name, line_number_, what);
  }
  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_number_;
    return true;
  }
  bool take(std::string_view word) {
    if (line_.substr(0, word.size()) != word) return false;
    line_.remove_prefix(word.size());
    return true;
  }
  std::uint32_t number() {
    std::uint32_t value = 0;
    const auto [end, problem] = std::from_chars(line_.data(), line_.data() + line_.size(), value);
    if (problem != std::errc() || value == Certificate::unused)
      fail("a whole number is missing or too large");
    line_.remove_prefix(static_cast<std::size_t>(end - line_.data()));
    return value;
  }
  void channel(Certificate& out) {
    const std::size_t close = line_.find('"', 1);
    if (line_.front() != '"' || close == std::string_view::npos)
      fail("a line is: \"switch\" port: a number or - per lane");
    const auto on = fabric_.find_switch(line_.substr(1, close - 1));
    if (!on)
      fail(fmt::format("the fabric has no switch {}", line_.substr(0, close + 1).substr(0, 60)));
    line_.remove_prefix(close + 1);
    if (!take(" ")) fail("a space is missing after the switch");
    const std::uint32_t port = number();
    const Neighbour beyond = port > fabric_[*on].ports
                                 ? Neighbour{}
                                 : fabric_.at_port(*on, static_cast<PortNumber>(port));
    if (!beyond.channel.valid() && !beyond.host.valid())
      fail(fmt::format("port {} of that switch leads nowhere", port));
    const ChannelId c =
        beyond.host.valid() ? link_to(fabric_, beyond.host).channel : beyond.channel;
    if (!take(":")) fail("a colon is missing after the port");
    const auto lanes = static_cast<std::size_t>(out.lanes);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (!take(" ")) fail(fmt::format("{} numbers are needed, one per lane", lanes));
      if (!take("-")) out.number[c.index() * lanes + lane] = number();
    }
    if (!line_.empty()) fail(fmt::format("more than {} numbers", lanes));
  }

  const Source& source_;
  const Fabric& fabric_;
  std::string_view rest_, line_;
  std::size_t line_number_ = 0;
};

}  // namespace

void Certificate::trim(std::size_t channels) {
  const std::size_t size = channels * static_cast<std::size_t>(lanes);
  const auto is_unused = [](std::uint32_t n) { return n == unused; };
  if (size < number.size() &&
      std::all_of(number.begin() + static_cast<std::ptrdiff_t>(size), number.end(), is_unused))
    number.resize(size);
}

void write_certificate(std::ostream& out, const Fabric& fabric, const Certificate& certificate) {
  out << heading << "\nlanes " << certificate.lanes << '\n';
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

Certificate read_certificate(const Source& source, const Fabric& fabric) {
  return CertificateReader(source, fabric).read();
}

}  // namespace weft
