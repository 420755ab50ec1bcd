// SPDX-License-Identifier: Apache-2.0
// A cluster as the text of a cluster file.
#include <fmt/format.h>

#include "base/params.hpp"
#include "fabric/format/parsing/toml.hpp"
#include "lab/cluster/cluster.hpp"

namespace weft {
namespace {

std::string list_of(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + toml_text(text);
  return '[' + out + ']';
}

/// A line for each value that is given, below the heading of their table.
std::string table_of(const char* name,
                     const std::vector<std::pair<std::string, std::string>>& values) {
  std::string out;
  for (const auto& [key, value] : values)
    if (!value.empty()) out += fmt::format("{} = {}\n", key, toml_text(value));
  return out.empty() ? out : fmt::format("\n[{}]\n{}", name, out);
}

}  // namespace

std::string to_toml(const Cluster& cluster) {
  Spec model = Spec::parse(cluster.model);
  model.values.erase("most_lanes");  // the reader adds it
  std::string out =
      fmt::format("name = {}\nabout = {}\ntopologies = {}\nengines = {}\n", toml_text(cluster.name),
                  toml_text(cluster.about), list_of(cluster.topologies), list_of(cluster.engines));
  out += table_of("links", {{"speed", cluster.links.speed},
                            {"delay", cluster.links.delay},
                            {"host_delay", cluster.links.host_delay},
                            {"global_delay", cluster.links.global_delay}});
  out += table_of("switches", {{"model", model.text()}});
  if (cluster.lanes < most_lanes) out += fmt::format("lanes = {}\n", cluster.lanes);
  out += table_of("hosts", {{"nic", cluster.nic}, {"library", cluster.library}});
  out += table_of("paper", {cluster.paper.begin(), cluster.paper.end()});
  return out;
}

}  // namespace weft
