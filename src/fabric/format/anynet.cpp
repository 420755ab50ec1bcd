// SPDX-License-Identifier: Apache-2.0
// BookSim 2's anynet: "router 0 node 0 node 1 router 1 15" says what is attached to router 0, with
// the latency in cycles behind it (1 when left out). The first cycle is the one that switches spend
// on a link themselves ("link=1"), so that a latency of n is a delay of n - 1 cycles. Routers and
// nodes are numbered from 0 without gaps and become s0, s1, … and h0, h1, …; the format holds no
// names, ports and speeds, and one link between two routers at most. A link may be listed at one
// end or at both: BookSim takes a latency for one direction (src/networks/anynet.cpp), links here
// are alike in both, so the writer repeats it at the other end.
#include <algorithm>
#include <limits>
#include <map>

#include "fabric/format/formats.hpp"
#include "fabric/format/parsing/draft.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft::anynet {
namespace {

struct Attachment {
  std::uint32_t router = 0;
  Delay delay{};
  std::size_t line = 0;
};

class AnynetReader {
 public:
  explicit AnynetReader(const Source& source) : source_(source) {}

  Fabric read() && {
    for (Lines lines(source_.text); lines.next();) {
      line_ = lines.number;
      rest_ = lines.text;
      word_ = take_word(rest_);
      if (!word_.empty()) read_line();
    }
    return assemble();
  }

 private:
  struct End {
    bool router = false;
    std::uint32_t number = 0;
  };

  void read_line() {
    const End head = end();
    if (head.router) routers_.emplace(head.number, line_);
    while (!word_.empty()) {
      const End tail = end();
      attach(head, tail, latency());
    }
  }

  End end() {
    const bool router = word_ == "router";
    if (!router && word_ != "node")
      fail(source_, line_, "\"{}\" is neither \"router\" nor \"node\"", shown(word_));
    const std::string_view digits = take_word(rest_);
    const auto number = number_from<std::uint32_t>(digits);
    if (!number) fail(source_, line_, "\"{}\" is not the number of a {}", shown(digits), word_);
    word_ = take_word(rest_);
    return {router, *number};
  }

  /// Beyond the first cycle.
  Delay latency() {
    if (word_.empty() || word_ == "router" || word_ == "node") return {};
    const auto cycles = number_from<std::uint32_t>(word_);
    if (!cycles || *cycles == 0)
      fail(source_, line_, "\"{}\" is not a latency; whole cycles, 1 or more, are needed",
           shown(word_));
    word_ = take_word(rest_);
    return Delay::cycles(std::int64_t{*cycles} - 1);
  }

  void attach(End a, End b, Delay delay) {
    if (!a.router && !b.router)
      fail(source_, line_, "node {} is attached to a node; it needs a router", a.number);
    if (a.router && b.router) {
      if (a.number == b.number) fail(source_, line_, "router {} is linked to itself", a.number);
      routers_.emplace(b.number, line_);
      add(links_[std::minmax(a.number, b.number)], {0, delay, line_}, "the link");
    } else {
      const std::uint32_t router = a.router ? a.number : b.number;
      routers_.emplace(router, line_);
      add(nodes_[a.router ? b.number : a.number], {router, delay, line_}, "the node");
    }
  }

  void add(Attachment& known, Attachment fresh, const char* what) {
    if (known.line != 0 && (known.router != fresh.router || known.delay != fresh.delay))
      fail(source_, line_, "{} is in line {} already, otherwise attached or with another latency",
           what, known.line);
    if (known.line == 0) known = fresh;
  }

  template <class Items>
  void need_all(const Items& items, const char* what) const {
    std::uint32_t next = 0;
    for (const auto& [number, ignored] : items)
      if (number != next++)
        fail(source_, 1, "{} {} is missing; they are numbered from 0 without gaps", what, next - 1);
  }

  Fabric assemble() {
    need_all(routers_, "router");
    need_all(nodes_, "node");
    Draft draft(source_, stem(source_));
    for (const auto& [number, line] : routers_) draft.add(Switch{fmt::format("s{}", number)}, line);
    for (const auto& [number, at] : nodes_) {
      Host h;
      h.name = fmt::format("h{}", number);
      h.on = SwitchId(at.router);
      h.wire.delay = at.delay;
      draft.add(std::move(h), at.line);
    }
    for (const auto& [ends, at] : links_) {
      Link link{{SwitchId(ends.first), 0}, {SwitchId(ends.second), 0}, {}};
      link.wire.delay = at.delay;
      draft.add(link, at.line);
    }
    return std::move(draft).build();
  }

  const Source& source_;
  std::size_t line_ = 0;
  std::string_view rest_{}, word_{};
  std::map<std::uint32_t, std::size_t> routers_{};  ///< with the line that first names each
  std::map<std::uint32_t, Attachment> nodes_{};
  std::map<std::pair<std::uint32_t, std::uint32_t>, Attachment> links_{};
};

/// Latencies as text. A delay that is a time becomes the cycles that it takes in a simulation with
/// flits of the usual 8 bytes.
class Latencies {
 public:
  explicit Latencies(const Fabric& fabric) {
    const Bandwidth fastest = fastest_link(fabric);
    if (fastest.bits_per_second > 0) cycle_ = std::max(Bytes{8} / fastest, cycle_);
  }
  /// " 15", or nothing for one cycle. Throws Error where the reader would.
  std::string text(const Wire& wire) const {
    constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
    const std::int64_t beyond = wire.delay.in_cycles(cycle_);
    if (beyond >= most)
      throw Error("anynet: a link with a delay of {} is too long; {} cycles are the most",
                  to_text(wire.delay), most - 1);
    return beyond == 0 ? "" : fmt::format(" {}", beyond + 1);
  }

 private:
  Duration cycle_{1};
};

}  // namespace

Fabric read(const Source& source) { return AnynetReader(source).read(); }

void write(std::ostream& stream, const Fabric& fabric) {
  const Latencies latencies(fabric);
  Printer out(stream);
  for (SwitchId s : fabric.switches()) {
    out.print("router {}", s.index());
    for (HostId h : fabric.hosts_on(s))
      out.print(" node {}{}", h.index(), latencies.text(fabric[h].wire));
    std::map<SwitchId, ChannelId> links;
    for (ChannelId c : fabric.out(s)) {
      if (!links.emplace(fabric.to(c), c).second)
        throw Error("anynet: two links join \"{}\" and \"{}\"; the format holds one",
                    fabric[s].name, fabric[fabric.to(c)].name);
    }
    for (const auto& [to, c] : links)
      if (const std::string latency = latencies.text(fabric.wire(c)); s < to || !latency.empty())
        out.print(" router {}{}", to.index(), latency);
    out.put("\n");
  }
}

bool recognises(std::string_view text) {
  for (Lines lines(text.substr(0, 1 << 16)); lines.next();) {
    std::string_view rest = lines.text;
    const std::string_view word = take_word(rest);
    if (!word.empty()) return word == "router" || word == "node";
  }
  return false;
}

}  // namespace weft::anynet
