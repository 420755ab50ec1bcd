// SPDX-License-Identifier: Apache-2.0
// Hosts by name.
#include "lab/cluster/host_names.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "fabric/names.hpp"
#include "lab/fields.hpp"

namespace weft {
namespace {

/// Removes the part before the next comma outside of brackets and quotes from the front and returns
/// it.
std::string take_name(std::string_view& rest) {
  int depth = 0;
  bool quoted = false;
  std::size_t at = 0;
  for (; at < rest.size() && (depth > 0 || quoted || rest[at] != ','); ++at) {
    if (rest[at] == '"') quoted = !quoted;
    if (rest[at] == '(' || rest[at] == '[') ++depth;
    if ((rest[at] == ')' || rest[at] == ']') && depth > 0) --depth;
  }
  std::string name(unquoted(rest.substr(0, at)));
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return name;
}

/// "h0..h63": all hosts from one to the other, by id.
bool add_range(const Fabric& fabric, const std::string& name, std::vector<HostId>& out) {
  const std::size_t dots = name.find("..");
  if (dots == std::string::npos || find_host_called(fabric, name)) return false;
  const HostId first = host_called(fabric, name.substr(0, dots));
  const HostId last = host_called(fabric, name.substr(dots + 2));
  if (last < first)
    throw Error("\"{}\" is no range of hosts: \"{}\" comes before \"{}\"", name, fabric[last].name,
                fabric[first].name);
  for (std::size_t h = first.index(); h <= last.index(); ++h) out.push_back(HostId(h));
  return true;
}

}  // namespace

std::vector<HostId> hosts_named(const Fabric& fabric, const std::vector<std::string>& texts) {
  std::vector<HostId> out;
  for (const std::string& text : texts) {
    if (const auto whole = find_host_called(fabric, text)) {
      out.push_back(*whole);
      continue;
    }
    std::string_view rest = text;
    do {
      const std::string name = take_name(rest);
      if (!add_range(fabric, name, out)) out.push_back(host_called(fabric, name));
    } while (!rest.empty());
  }
  auto sorted = out;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw Error("host \"{}\" is named twice", fabric[*twice].name);
  return out;
}

std::vector<HostId> hosts_wanted(const Fabric& fabric, const std::string& text) {
  std::vector<HostId> all;
  for (const HostId host : fabric.hosts()) all.push_back(host);
  if (text.empty()) return all;
  const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || fabric.find_host(text)) return hosts_named(fabric, {text});
  all.resize(whole<std::size_t>("hosts", text, 1, all.size()));
  return all;
}

}  // namespace weft
