// SPDX-License-Identifier: Apache-2.0
// Looks names up, then GUIDs, then LIDs.
#include "fabric/names.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/suggestion.hpp"

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
  std::vector<std::string_view> names;
  for (const auto id : all) names.push_back(fabric[id].name);
  if (names.empty()) throw Error("the fabric has no {}", many);
  const std::string range = fmt::format("\"{}\" to \"{}\"", names.front(), names.back());
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
  return std::nullopt;
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
    return only_one(fabric.hosts(), [&](HostId h) { return fabric[h].lid == lid; });
  return std::nullopt;
}

SwitchId switch_called(const Fabric& fabric, std::string_view text) {
  if (const auto found = find_switch_called(fabric, text)) return *found;
  reject_name(fabric, fabric.switches(), "switch", "switches", text);
}

HostId host_called(const Fabric& fabric, std::string_view text) {
  if (const auto found = find_host_called(fabric, text)) return *found;
  reject_name(fabric, fabric.hosts(), "host", "hosts", text);
}

}  // namespace weft
