// SPDX-License-Identifier: Apache-2.0
// Looks names up, then GUIDs, then LIDs, then the beginnings of names.
#include "fabric/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/suggestion.hpp"
#include "fabric/short_names.hpp"

namespace weft {
namespace {

std::optional<std::uint64_t> number_in(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  const bool all = problem == std::errc() && rest == text.data() + text.size();
  return all && !text.empty() ? std::optional(value) : std::nullopt;
}

/// "0x0002c90300a1b2c3".
std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  return number_in(text.substr(2), 16);
}

/// "lid 12", "lid:0xc", "LID12".
std::optional<std::uint64_t> lid_in(std::string_view text) {
  if (!text.starts_with("lid") && !text.starts_with("LID")) return std::nullopt;
  text.remove_prefix(3);
  if (!text.empty() && std::string_view(" :=").find(text.front()) != std::string_view::npos)
    text.remove_prefix(1);
  const auto value = text.starts_with("0x") ? hexadecimal(text) : number_in(text, 10);
  return value == 0 ? std::nullopt : value;  // 0 stands for none
}

/// The only one of `all` that is so, if there is exactly one.
template <class Ids, class Test>
auto only_one(const Ids& all, Test test) {
  std::optional<std::decay_t<decltype(*all.begin())>> found;
  for (const auto id : all) {
    if (!test(id)) continue;
    if (found) return decltype(found){};
    found = id;
  }
  return found;
}

/// "\"a\", \"b\" and 3 more".
std::string some_names(const std::vector<std::string_view>& names) {
  constexpr std::size_t shown = 4;
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), shown); ++i)
    out += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", names[i]);
  return names.size() > shown ? fmt::format("{} and {} more", out, names.size() - shown) : out;
}

/// The text without its digits.
std::string letters(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c < '0' || c > '9') out += c;
  return out;
}

template <class Ids>
[[noreturn]] void reject_name(const Fabric& fabric, const Ids& all, std::string_view one,
                              std::string_view many, std::string_view text) {
  std::vector<std::string_view> names, meant;
  for (const auto id : all) names.push_back(fabric[id].name);
  if (names.empty()) throw Error("the fabric has no {}", many);
  std::copy_if(names.begin(), names.end(), std::back_inserter(meant),
               [&](std::string_view name) { return begins_name(text, name); });
  if (meant.empty() && !text.empty())
    std::copy_if(names.begin(), names.end(), std::back_inserter(meant),
                 [&](std::string_view name) { return name.starts_with(text); });
  if (meant.size() > 1)
    throw Error("{} {} begin with \"{}\": {}", meant.size(), many, text.substr(0, 60),
                some_names(meant));
  const std::string range = fmt::format("\"{}\" to \"{}\"", names.front(), names.back());
  const std::size_t count = names.size();
  for (std::size_t i = 0; i < count; ++i) names.push_back(short_name(names[i]));
  // Another number is no slip of the pen.
  std::erase_if(names, [&](std::string_view name) { return letters(name) == letters(text); });
  throw Error("the fabric has no {} \"{}\"; its {} are {}{}", one, text.substr(0, 60), many, range,
              suggestion(text, names));
}

}  // namespace

std::optional<SwitchId> find_switch_called(const Fabric& fabric, std::string_view text) {
  if (const auto named = fabric.find_switch(text)) return named;
  if (const auto guid = hexadecimal(text))
    return only_one(fabric.switches(), [&](SwitchId s) { return fabric[s].guid == guid; });
  if (const auto lid = lid_in(text))
    return only_one(fabric.switches(), [&](SwitchId s) { return fabric[s].lid == lid; });
  return only_one(fabric.switches(), [&](SwitchId s) { return begins_name(text, fabric[s].name); });
}

std::optional<HostId> find_host_called(const Fabric& fabric, std::string_view text) {
  if (const auto named = fabric.find_host(text)) return named;
  if (const auto guid = hexadecimal(text)) {
    const auto port =
        only_one(fabric.hosts(), [&](HostId h) { return fabric[h].port_guid == guid; });
    if (port) return port;
    return only_one(fabric.hosts(), [&](HostId h) { return fabric[h].guid == guid; });
  }
  if (const auto lid = lid_in(text))
    return only_one(fabric.hosts(), [&](HostId h) {
      return fabric[h].lid != 0 && *lid >= fabric[h].lid &&
             *lid < fabric[h].lid + (1U << fabric[h].lmc);
    });
  return only_one(fabric.hosts(), [&](HostId h) { return begins_name(text, fabric[h].name); });
}

unsigned further_lid_called(const Fabric& fabric, HostId host, std::string_view text) {
  const auto lid = fabric.find_host(text) ? std::nullopt : lid_in(text);
  return lid ? static_cast<unsigned>(*lid - fabric[host].lid) : 0;
}

SwitchId switch_called(const Fabric& fabric, std::string_view text) {
  if (const auto found = find_switch_called(fabric, text)) return *found;
  reject_name(fabric, fabric.switches(), "switch", "switches", text);
}

HostId host_called(const Fabric& fabric, std::string_view text) {
  if (const auto found = find_host_called(fabric, text)) return *found;
  reject_name(fabric, fabric.hosts(), "host", "hosts", text);
}

std::size_t open_comma(std::string_view text, std::size_t begin) {
  bool quoted = false;
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (text[at] == ',' && !quoted) return at;
  }
  return text.size();
}

std::string_view unquoted(std::string_view text) {
  const bool has = text.size() > 1 && text.front() == '"' && text.find('"', 1) == text.size() - 1;
  return has ? text.substr(1, text.size() - 2) : text;
}

}  // namespace weft
