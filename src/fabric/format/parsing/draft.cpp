// SPDX-License-Identifier: Apache-2.0
// From the collected lines to a Fabric.
#include "fabric/format/parsing/draft.hpp"

#include "fabric/format/parsing/text.hpp"

namespace weft {
namespace {

constexpr std::size_t longest_fabric_name = 4000;

/// Every port costs memory, so a short file may not ask for millions of them.
std::size_t most_ports_in_all(const Source& source) { return (1U << 20) + 16 * source.text.size(); }

template <class Action>
auto at_line(const Source& source, std::size_t line, Action&& action) {
  try {
    return action();
  } catch (const Error& error) {
    fail(source, line, "{}", error.what());
  }
}

}  // namespace

SwitchId Draft::add(Switch s, std::size_t line) {
  return switches_.push_back({std::move(s), line});
}

Fabric Draft::build() && {
  require_name();
  survey();
  FabricBuilder builder(std::move(name_));
  for (auto& [value, line] : switches_)
    at_line(source_, line, [&, &s = value] { return builder.add_switch(std::move(s)); });
  for (auto& [value, line] : hosts_)
    at_line(source_, line, [&, &h = value] {
      h.port = open_port({h.on, h.port});
      return builder.add_host(std::move(h));
    });
  for (auto& [value, line] : links_)
    at_line(source_, line, [&, &link = value] {
      link.a.port = open_port(link.a);
      link.b.port = open_port(link.b);
      return builder.add_link(link);
    });
  return std::move(builder).build();
}

void Draft::require_name() const {
  if (name_.size() > longest_fabric_name)
    fail(source_, 1, "the fabric's name is {} bytes long; at most {} are possible", name_.size(),
         longest_fabric_name);
  if (one_line(name_) != name_)
    fail(source_, 1, "the fabric's name \"{}\" contains control characters; write plain text",
         shown(name_));
}

void Draft::survey() {
  named_ = IdVector<SwitchId, std::vector<bool>>(switches_.size());
  next_ = IdVector<SwitchId, std::size_t>(switches_.size(), 1);
  for (SwitchId s : switches_.ids()) grow(s, switches_[s].value.ports, switches_[s].line);
  for (const auto& [h, line] : hosts_) note({h.on, h.port}, line);
  for (const auto& [link, line] : links_) {
    note(link.a, line);
    note(link.b, line);
  }
}

void Draft::note(LinkEnd end, std::size_t line) {
  if (end.port == 0) return;
  grow(end.on, end.port, line);
  named_[end.on][end.port] = true;
}

void Draft::grow(SwitchId s, std::size_t ports, std::size_t line) {
  std::vector<bool>& named = named_[s];
  if (ports < named.size()) return;
  port_total_ += ports + 1 - named.size();
  if (port_total_ > most_ports_in_all(source_))
    fail(source_, line,
         "more than {} ports up to here; a file of {} bytes cannot mean that many (leave the port "
         "count out, or 0)",
         most_ports_in_all(source_), source_.text.size());
  named.resize(ports + 1, false);
}

PortNumber Draft::open_port(LinkEnd end) {
  if (end.port != 0) return end.port;
  const std::vector<bool>& named = named_[end.on];
  std::size_t& next = next_[end.on];
  while (next < named.size() && named[next]) ++next;
  return static_cast<PortNumber>(next++);
}

}  // namespace weft
