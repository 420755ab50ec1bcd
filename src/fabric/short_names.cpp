// SPDX-License-Identifier: Apache-2.0
// Cuts names, and replaces them in texts.
#include "fabric/short_names.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "fabric/builder.hpp"

namespace weft {
namespace {

/// Before the name of a switch that its own software has given.
constexpr std::string_view module_mark = "MF0;";
constexpr std::array hardware_marks{" MF0;", " HCA-", " mlx4_", " mlx5_", " hfi1_", " qib"};

std::string_view without_module(std::string_view name) {
  if (name.starts_with(module_mark)) name.remove_prefix(module_mark.size());
  return name;
}

bool is_of_name(char letter) {
  return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
         (letter >= 'A' && letter <= 'Z') || letter == '_' || letter == '-';
}

void replace_name(std::string& text, std::string_view name) {
  const std::string_view by = short_name(name);
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    const std::size_t end = at + name.size();
    const bool whole =
        (at == 0 || !is_of_name(text[at - 1])) && (end == text.size() || !is_of_name(text[end]));
    if (whole) text.replace(at, name.size(), by);
    at += whole ? by.size() : 1;
  }
}

/// How many switches and hosts have a short name.
using NameUses = std::unordered_map<std::string_view, std::size_t>;

NameUses name_uses(const Fabric& fabric) {
  NameUses out;
  for (SwitchId s : fabric.switches()) ++out[short_name(fabric[s].name)];
  for (HostId h : fabric.hosts()) ++out[short_name(fabric[h].name)];
  return out;
}

/// The name itself where others have the same short one.
std::string_view unique_short_name(const std::string& name, const NameUses& uses) {
  const std::string_view cut = short_name(name);
  return uses.at(cut) == 1 ? cut : std::string_view(name);
}

}  // namespace

std::string_view short_name(std::string_view name) {
  if (name.starts_with(module_mark)) {
    const std::string_view rest = without_module(name);
    const std::size_t end = rest.find(':');
    return end == 0 || end == std::string_view::npos ? name : rest.substr(0, end);
  }
  std::size_t end = name.size();
  for (const std::string_view mark : hardware_marks) end = std::min(end, name.find(mark));
  return end == 0 ? name : name.substr(0, end);
}

bool begins_name(std::string_view text, std::string_view name) {
  constexpr std::string_view ends = " ;:,";
  for (const std::string_view whole : {name, without_module(name)})
    if (!text.empty() && whole.size() > text.size() && whole.starts_with(text) &&
        ends.find(whole[text.size()]) != std::string_view::npos)
      return true;
  return false;
}

ShortNames::ShortNames(const Fabric& fabric) {
  const NameUses uses = name_uses(fabric);
  const auto add = [&](const std::string& name) {
    if (unique_short_name(name, uses).size() < name.size()) long_names_.push_back(name);
  };
  for (SwitchId s : fabric.switches()) add(fabric[s].name);
  for (HostId h : fabric.hosts()) add(fabric[h].name);
  std::sort(long_names_.begin(), long_names_.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
}

std::string ShortNames::in(std::string text) const {
  for (const std::string& name : long_names_) replace_name(text, name);
  return text;
}

Fabric with_short_names(const Fabric& fabric) {
  const NameUses uses = name_uses(fabric);
  FabricBuilder out(fabric.name());
  for (SwitchId s : fabric.switches()) {
    Switch copy = fabric[s];
    copy.name = unique_short_name(fabric[s].name, uses);
    out.add_switch(std::move(copy));
  }
  for (HostId h : fabric.hosts()) {
    Host copy = fabric[h];
    copy.name = unique_short_name(fabric[h].name, uses);
    out.add_host(std::move(copy));
  }
  for (LinkId link : fabric.links()) out.add_link(fabric[link]);
  return std::move(out).build();
}

}  // namespace weft
