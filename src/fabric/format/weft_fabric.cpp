// SPDX-License-Identifier: Apache-2.0
// weft's own form of a fabric: TOML with one short row per switch, host and link.
//
//   weft = "fabric 1"
//   name = "two switches"
//   speed = "6Gb/s"                       # of every link and host that does not say otherwise
//   delay = "25ns"
//   latency = "130ns"                     # of every switch that does not say otherwise
//   switches = [
//     ["s0", 8, {at = [0, 0]}],           # name, ports; guid, lid, at, latency
//     "s1",                               # as many ports as are used
//   ]
//   hosts = [["h0", "s0", 5], ["h1", "s1"]]           # name, switch, port (0 or none: a free one);
//                                                     # guid, port_guid, lid, nic_port, speed and
//                                                     # delay
//   links = [["s0", 1, "s1", 2], ["s0", "s1"]]        # switch, port, switch, port; speed, delay
#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <unordered_map>

#include "fabric/format/formats.hpp"
#include "fabric/format/keys.hpp"
#include "fabric/format/parsing/draft.hpp"
#include "fabric/format/parsing/text.hpp"
#include "fabric/format/parsing/toml.hpp"

namespace weft::weft_fabric {
namespace {

std::string_view role_name(HostRole role) {
  switch (role) {
    case HostRole::aggregation:
      return "aggregation";
    case HostRole::router:
      return "router";
    default:
      return "computer";
  }
}

constexpr std::string_view first_line = "weft = \"fabric 1\"";

std::size_t line_of(const toml::node& node) { return node.source().begin.line; }

/// A list such as ["s0", 8, {at = [0, 0]}], taken item by item from the left.
class TomlList {
 public:
  TomlList(const Source& source, const toml::node& node, std::string_view form)
      : source_(source), node_(node), items_(node.as_array()), form_(form) {
    if (items_ == nullptr) reject();
    if (!items_->empty()) more_ = items_->back().as_table();
    size_ = items_->size() - (more_ == nullptr ? 0 : 1);
  }

  std::size_t line() const { return line_of(node_); }
  [[noreturn]] void reject() const {
    fail(source_, line(), "a row of the form {} is expected", form_);
  }

  const std::string& text() {
    const auto* value = next_ < size_ ? (*items_)[next_++].as_string() : nullptr;
    if (value == nullptr) reject();
    return value->get();
  }
  /// 0 when there is no number here.
  PortNumber port() {
    const auto* value = next_ < size_ ? (*items_)[next_].as_integer() : nullptr;
    if (value == nullptr) return 0;
    ++next_;
    return within(value->get(), 0, most_ports, "a port number");
  }
  void end() const {
    if (next_ != size_) reject();
  }

  void allow(std::span<const FileKey> keys) const {
    if (more_ == nullptr) return;
    for (const auto& [key, value] : *more_)
      if (!has_key(keys, key.str()))
        fail(source_, line(), "\"{}\" is not known here; there are: {}", shown(key.str()),
             fmt::join(names_of_keys(keys), ", "));
  }
  Guid guid(std::string_view key) const {
    const toml::node* value = find(key);
    if (value == nullptr) return 0;
    const auto* text = value->as_string();
    const auto guid = text == nullptr ? std::nullopt : guid_from(text->get());
    if (!guid) fail(source_, line(), "{}: write it as \"0x0002c90200000001\"", key);
    return *guid;
  }
  std::int64_t whole(std::string_view key, std::int64_t most, std::int64_t otherwise) const {
    const toml::node* value = find(key);
    if (value == nullptr) return otherwise;
    return within<std::int64_t>(value->value_exact<std::int64_t>().value_or(-1), 0, most, key);
  }
  HostRole role() const {
    const toml::node* value = find("role");
    if (value == nullptr) return HostRole::computer;
    const std::string_view text = value->value_or(std::string_view());
    for (const HostRole role : {HostRole::computer, HostRole::aggregation, HostRole::router})
      if (text == role_name(role)) return role;
    fail(source_, line(), "role: one of computer, aggregation and router is needed");
  }
  std::vector<int> coordinates() const {
    std::vector<int> out;
    const toml::node* value = find("at");
    if (value == nullptr) return out;
    const toml::array* list = value->as_array();
    if (list == nullptr) fail(source_, line(), "at: write coordinates as [0, 1]");
    for (const toml::node& item : *list)
      out.push_back(within<int>(item.value_exact<std::int64_t>().value_or(INT64_MAX),
                                -1'000'000'000, 1'000'000'000, "a coordinate"));
    return out;
  }
  Wire wire(Wire otherwise) const;
  Duration latency(Duration otherwise) const;

 private:
  const toml::node* find(std::string_view key) const {
    return more_ == nullptr ? nullptr : more_->get(key);
  }
  template <class Number>
  Number within(std::int64_t value, std::int64_t least, std::int64_t most,
                std::string_view what) const {
    if (value < least || value > most)
      fail(source_, line(), "{}: a whole number from {} to {} is needed", what, least, most);
    return static_cast<Number>(value);
  }
  PortNumber within(std::int64_t value, std::int64_t least, std::int64_t most,
                    std::string_view what) const {
    return within<PortNumber>(value, least, most, what);
  }

  const Source& source_;
  const toml::node& node_;
  const toml::array* items_;
  const toml::table* more_ = nullptr;
  std::string_view form_;
  std::size_t size_ = 0;
  std::size_t next_ = 0;
};

Wire wire_from(const Source& source, const toml::table& table, Wire wire, std::size_t line) {
  const auto text = [&](const char* key) -> std::optional<std::string> {
    const toml::node* value = table.get(key);
    if (value == nullptr) return std::nullopt;
    const auto* string = value->as_string();
    if (string == nullptr) fail(source, line, "{}: write it as \"6Gb/s\" or \"25ns\"", key);
    return string->get();
  };
  try {
    if (const auto speed = text("speed")) wire.speed = bandwidth_from(*speed);
    if (const auto delay = text("delay")) wire.delay = delay_from(*delay);
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(source.name + ":")) throw;
    fail(source, line, "{}", error.what());
  }
  if (wire.speed.bits_per_second == 0) fail(source, line, "a link needs a speed above zero");
  return wire;
}

Wire TomlList::wire(Wire otherwise) const {
  return more_ == nullptr ? otherwise : wire_from(source_, *more_, otherwise, line());
}

Duration latency_from(const Source& source, const toml::table& table, Duration otherwise) {
  const toml::node* value = table.get("latency");
  if (value == nullptr) return otherwise;
  const auto* text = value->as_string();
  if (text == nullptr) fail(source, line_of(*value), "latency: write it as \"130ns\"");
  try {
    return duration_from(text->get());
  } catch (const Error& error) {
    fail(source, line_of(*value), "latency: {}", error.what());
  }
}

Duration TomlList::latency(Duration otherwise) const {
  return more_ == nullptr ? otherwise : latency_from(source_, *more_, otherwise);
}

class WeftFabricReader {
 public:
  explicit WeftFabricReader(const Source& source)
      : source_(source), root_(parse_toml(source)), draft_(start()) {}

  Fabric read() && {
    wire_ = wire_from(source_, root_, Wire{}, 1);
    latency_ = latency_from(source_, root_, Duration{0});
    each("switches", [&](const toml::node& node) { add_switch(node); });
    each("hosts", [&](const toml::node& node) { add_host(node); });
    each("links", [&](const toml::node& node) { add_link(node); });
    return std::move(draft_).build();
  }

 private:
  Draft start() const {
    if (root_["weft"].value_or(std::string_view()) != "fabric 1")
      fail(source_, 1, "not a fabric of a known version; it begins with {}", first_line);
    for (const auto& [key, value] : root_)
      if (!has_key(fabric_root_keys, key.str()))
        fail(source_, line_of(value), "\"{}\" is not known here; there are: {}", shown(key.str()),
             fmt::join(names_of_keys(fabric_root_keys), ", "));
    const auto name = root_["name"];
    if (name && !name.is_string()) fail(source_, 1, "name: a text in quotes is needed");
    return {source_, name.value_or(stem(source_))};
  }

  template <class Action>
  void each(std::string_view key, Action&& action) {
    const toml::node* list = root_.get(key);
    if (list == nullptr) return;
    if (!list->is_array()) fail(source_, line_of(*list), "{}: a list of rows is needed", key);
    for (const toml::node& node : *list->as_array()) action(node);
  }

  void add_switch(const toml::node& node) {
    Switch s;
    s.latency = latency_;
    if (const auto* name = node.as_string()) {
      s.name = name->get();
    } else {
      TomlList row(source_, node, R"(["name", ports, {guid, lid, at, latency}])");
      row.allow(fabric_switch_keys);
      s.name = row.text();
      s.ports = row.port();
      row.end();
      s.guid = row.guid("guid");
      s.lid = static_cast<Lid>(row.whole("lid", 65535, 0));
      s.at = row.coordinates();
      s.latency = row.latency(latency_);
    }
    const std::string name = s.name;
    ids_.emplace(name, draft_.add(std::move(s), line_of(node)));
  }

  void add_host(const toml::node& node) {
    TomlList row(source_, node, R"(["name", "switch", port, {guid, …}])");
    row.allow(fabric_host_keys);
    Host h;
    h.name = row.text();
    h.on = switch_called(row.text(), row);
    h.port = row.port();
    row.end();
    h.wire = row.wire(wire_);
    h.guid = row.guid("guid");
    h.port_guid = row.guid("port_guid");
    h.lid = static_cast<Lid>(row.whole("lid", 65535, 0));
    h.nic_port = static_cast<PortNumber>(row.whole("nic_port", most_ports, 1));
    h.lmc = static_cast<std::uint8_t>(row.whole("lmc", 7, 0));
    h.role = row.role();
    draft_.add(std::move(h), row.line());
  }

  void add_link(const toml::node& node) {
    TomlList row(source_, node, R"(["switch", port, "switch", port, {speed, delay}])");
    row.allow(fabric_link_keys);
    Link link;
    for (LinkEnd* end : {&link.a, &link.b}) {
      end->on = switch_called(row.text(), row);
      end->port = row.port();
    }
    row.end();
    link.wire = row.wire(wire_);
    draft_.add(link, row.line());
  }

  SwitchId switch_called(const std::string& name, const TomlList& row) const {
    const auto found = ids_.find(name);
    if (found == ids_.end())
      fail(source_, row.line(), "no switch is called \"{}\"; it must be in the list of switches",
           shown(name));
    return found->second;
  }

  const Source& source_;
  toml::table root_;
  Draft draft_;
  Wire wire_{};
  Duration latency_{0};
  std::unordered_map<std::string, SwitchId> ids_;
};

// --- writing

template <class Key>
Key most_common(const std::map<Key, std::size_t>& counts, Key otherwise) {
  std::size_t most = 0;
  for (const auto& [key, count] : counts) {
    if (count <= most) continue;
    most = count;
    otherwise = key;
  }
  return otherwise;
}

Wire most_common_wire(const Fabric& fabric) {
  std::map<Bandwidth, std::size_t> speeds;
  std::map<Delay, std::size_t> delays;
  const auto count = [&](const Wire& wire) {
    ++speeds[wire.speed];
    ++delays[wire.delay];
  };
  for (LinkId link : fabric.links()) count(fabric[link].wire);
  for (HostId h : fabric.hosts()) count(fabric[h].wire);
  return {most_common(speeds, Wire{}.speed), most_common(delays, Wire{}.delay)};
}

Duration most_common_latency(const Fabric& fabric) {
  std::map<Duration, std::size_t> latencies;
  for (SwitchId s : fabric.switches()) ++latencies[fabric[s].latency];
  return most_common(latencies, Duration{0});
}

/// "{lid = 3, speed = "2Gb/s"}" after a row, where a value differs from the default.
class More {
 public:
  void add(std::string_view key, const std::string& value) {
    text_ += fmt::format("{}{} = {}", text_.empty() ? ", {" : ", ", key, value);
  }
  void add_guid(std::string_view key, Guid guid) {
    if (guid != 0) add(key, fmt::format("\"0x{:016x}\"", guid));
  }
  void add_wire(const Wire& wire, const Wire& usual) {
    if (wire.speed != usual.speed) add("speed", toml_text(to_text(wire.speed)));
    if (wire.delay != usual.delay) add("delay", toml_text(to_text(wire.delay)));
  }
  std::string text() const { return text_.empty() ? "" : text_ + "}"; }

 private:
  std::string text_;
};

std::string row(const Switch& s, Duration usual_latency) {
  More more;
  more.add_guid("guid", s.guid);
  if (s.lid != 0) more.add("lid", fmt::to_string(s.lid));
  if (!s.at.empty()) more.add("at", fmt::format("[{}]", fmt::join(s.at, ", ")));
  if (s.latency != usual_latency) more.add("latency", toml_text(to_text(s.latency)));
  return fmt::format("  [{}, {}{}],\n", toml_text(s.name), s.ports, more.text());
}

std::string row(const Fabric& fabric, const Host& h, const Wire& usual) {
  More more;
  more.add_guid("guid", h.guid);
  more.add_guid("port_guid", h.port_guid);
  if (h.lid != 0) more.add("lid", fmt::to_string(h.lid));
  if (h.nic_port != 1) more.add("nic_port", fmt::to_string(h.nic_port));
  if (h.lmc != 0) more.add("lmc", fmt::to_string(h.lmc));
  if (h.role != HostRole::computer) more.add("role", toml_text(role_name(h.role)));
  more.add_wire(h.wire, usual);
  return fmt::format("  [{}, {}, {}{}],\n", toml_text(h.name), toml_text(fabric[h.on].name), h.port,
                     more.text());
}

std::string row(const Fabric& fabric, const Link& link, const Wire& usual) {
  More more;
  more.add_wire(link.wire, usual);
  return fmt::format("  [{}, {}, {}, {}{}],\n", toml_text(fabric[link.a.on].name), link.a.port,
                     toml_text(fabric[link.b.on].name), link.b.port, more.text());
}

}  // namespace

Fabric read(const Source& source) { return WeftFabricReader(source).read(); }

void write(std::ostream& stream, const Fabric& fabric) {
  const Wire usual = most_common_wire(fabric);
  Printer out(stream);
  out.print("{}\nname = {}\nspeed = \"{}\"\ndelay = \"{}\"\n", first_line, toml_text(fabric.name()),
            to_text(usual.speed), to_text(usual.delay));
  const Duration latency = most_common_latency(fabric);
  if (latency > Duration{0}) out.print("latency = \"{}\"\n", to_text(latency));
  out.put("switches = [\n");
  for (SwitchId s : fabric.switches()) out.put(row(fabric[s], latency));
  out.put("]\nhosts = [\n");
  for (HostId h : fabric.hosts()) out.put(row(fabric, fabric[h], usual));
  out.put("]\nlinks = [\n");
  for (LinkId link : fabric.links()) out.put(row(fabric, fabric[link], usual));
  out.put("]\n");
}

bool recognises(std::string_view text) {
  for (Lines lines(text.substr(0, 1 << 16)); lines.next();) {
    const std::string_view line = trimmed(lines.text);
    if (!line.empty() && line.front() != '#')
      return line.starts_with("weft") && line.find("fabric") != std::string_view::npos;
  }
  return false;
}

}  // namespace weft::weft_fabric
