// SPDX-License-Identifier: Apache-2.0
// Writes a QoS policy; fabric/infiniband/qos_policy.cpp reads it.
#include "plan/export/opensm_policy.hpp"

#include <map>
#include <ostream>

#include "fabric/format/parsing/text.hpp"

namespace weft {
namespace {

using Hosts = std::vector<HostId>;
using Levels = std::vector<std::uint8_t>;

class PolicyWriter {
 public:
  PolicyWriter(std::ostream& stream, const Fabric& fabric, const PairLevels& levels)
      : out_(stream), fabric_(fabric), levels_(levels), to_(levels.rows.size()) {
    for (HostId h : fabric.hosts()) {
      to_[levels.row_to[h]].push_back(h);
      Levels& own = from_levels_[levels.source(fabric, h)];
      if (own.empty())
        for (const Levels& row : levels.rows) own.push_back(row[levels.source(fabric, h)]);
    }
    for (HostId h : fabric.hosts()) from_[from_levels_[levels.source(fabric, h)]].push_back(h);
  }

  void write() {
    out_.put("# Service levels of pairs of ports, written by weft for its tables.\n");
    if (levels_.count > 1) write_groups();
    out_.put("qos-levels\n");
    write_level("DEFAULT", 0);
    for (std::size_t level = 1; level < levels_.count; ++level)
      write_level(fmt::format("SL{}", level), level);
    out_.put("end-qos-levels\n");
    if (levels_.count == 1) return;
    out_.put("\nqos-match-rules\n");
    std::size_t count = 0;
    for (const auto& [row, hosts] : from_) write_rules(count++, row);
    out_.put("end-qos-match-rules\n");
  }

 private:
  void write_groups() {
    out_.put("port-groups\n");
    for (std::size_t i = 0; i < to_.size(); ++i) write_group(fmt::format("to{}", i), to_[i]);
    std::size_t count = 0;
    for (const auto& [row, hosts] : from_) write_group(fmt::format("from{}", count++), hosts);
    out_.put("end-port-groups\n\n");
  }
  void write_group(const std::string& name, const Hosts& hosts) {
    constexpr std::size_t per_line = 4;
    out_.print("  port-group\n    name: {}\n", name);
    for (std::size_t i = 0; i < hosts.size(); ++i)
      out_.print("{}0x{:016x}{}", i % per_line == 0 ? "    port-guid: " : ",",
                 fabric_[hosts[i]].port_guid,
                 i % per_line == per_line - 1 || i + 1 == hosts.size() ? "\n" : "");
    out_.put("  end-port-group\n");
  }
  void write_level(const std::string& name, std::size_t level) {
    out_.print("  qos-level\n    name: {}\n    sl: {}\n  end-qos-level\n", name, level);
  }
  void write_rules(std::size_t source, const Levels& levels) {
    for (std::size_t level = 1; level < levels_.count; ++level) {
      std::string groups;
      for (std::size_t i = 0; i < levels.size(); ++i)
        if (levels[i] == level) groups += fmt::format("{}to{}", groups.empty() ? "" : ",", i);
      if (groups.empty()) continue;
      out_.print(
          "  qos-match-rule\n    source: from{}\n    destination: {}\n    qos-level-name: SL{}\n"
          "  end-qos-match-rule\n",
          source, groups, level);
    }
  }

  Printer out_;
  const Fabric& fabric_;
  const PairLevels& levels_;
  std::vector<Hosts> to_;                        ///< by row
  std::map<std::size_t, Levels> from_levels_{};  ///< to all rows, by source
  std::map<Levels, Hosts> from_{};
};

}  // namespace

void write_policy(std::ostream& out, const Fabric& fabric, const PairLevels& levels) {
  PolicyWriter(out, fabric, levels).write();
}

}  // namespace weft
