// SPDX-License-Identifier: Apache-2.0
// Reading a QoS policy of OpenSM, as doc/QoS_management_in_OpenSM.txt describes it:
//
//   port-groups
//     port-group
//       name: from0
//       port-guid: 0x0000000000200001,0x0000000000200011-0x0000000000200013
//     end-port-group
//   end-port-groups
//   qos-levels
//     qos-level
//       name: DEFAULT
//       sl: 0
//     end-qos-level
//   end-qos-levels
//   qos-match-rules
//     qos-match-rule
//       source: from0
//       destination: to0,to1
//       qos-level-name: SL3
//     end-qos-match-rule
//   end-qos-match-rules
#include "fabric/infiniband/qos_policy.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "fabric/format/parsing/belonging.hpp"
#include "fabric/infiniband/dump_words.hpp"

namespace weft::infiniband {
namespace {

constexpr std::array sections{"port-groups", "qos-levels", "qos-match-rules"};
constexpr std::array parts{"port-group", "qos-level", "qos-match-rule"};

/// What spaces and commas separate.
std::vector<std::string_view> list_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find(',');
    if (const std::string_view word = trimmed(text.substr(0, end)); !word.empty())
      out.push_back(word);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

/// A line without its comment; "name: x" is the key "name" with the value "x".
struct PolicyLine {
  explicit PolicyLine(std::string_view text) {
    text = trimmed(text.substr(0, text.find('#')));
    const std::size_t colon = text.find(':');
    key = trimmed(text.substr(0, colon));
    if (colon != std::string_view::npos) value = trimmed(text.substr(colon + 1));
  }
  std::string_view key{}, value{};
};

class PolicyReader {
 public:
  PolicyReader(const Source& source, const Fabric& fabric) : source_(source), fabric_(fabric) {
    for (HostId h : fabric.hosts()) by_guid_.emplace(fabric[h].port_guid, h);
  }

  PathLevels read() && {
    for (Lines lines(source_.text); lines.next();) {
      line_ = lines.number;
      if (const PolicyLine line(lines.text); !line.key.empty()) take(line);
    }
    if (!part_.empty()) fail(source_, line_, "the file is cut off: a {} does not end", part_);
    ports_seen_.require_most(source_, "service levels", "ports");
    return levels();
  }

 private:
  using Names = std::vector<std::string_view>;
  struct Rule {
    std::size_t line = 0;
    Names from{}, to{};
    std::string_view level{};
  };

  void take(const PolicyLine& line) {
    std::string_view word = line.key;
    const bool end = take_prefix(word, "end-");
    if (std::find(sections.begin(), sections.end(), word) != sections.end()) return;
    if (std::find(parts.begin(), parts.end(), word) != parts.end()) {
      if (end == part_.empty())
        fail(source_, line_, "\"{}\" is out of place here", shown(line.key));
      part_ = end ? std::string_view{} : word;
      name_ = {};
      if (!end && word == "qos-match-rule") rules_.push_back({line_});
      return;
    }
    if (line.key == "use") return;
    if (part_ == "port-group" && (line.key == "name" || line.key == "port-guid"))
      of_group(line);
    else if (part_ == "qos-level" && (line.key == "name" || line.key == "sl"))
      of_level(line);
    else if (part_ == "qos-match-rule")
      of_rule(line);
    else
      reject(line);
  }
  [[noreturn]] void reject(const PolicyLine& line) const {
    fail(source_, line_, "\"{}\" is not read here: levels are, that depend on ports alone",
         shown(line.key));
  }
  void of_group(const PolicyLine& line) {
    if (line.key == "name") {
      name_ = line.value;
      groups_[name_];
      return;
    }
    if (name_.empty()) fail(source_, line_, "a port-group has its name before its ports");
    for (const std::string_view range : list_of(line.value)) add_ports(range);
  }
  void add_ports(std::string_view range) {
    const std::size_t dash = range.find('-');
    const Guid first = guid_of(source_, line_, trimmed(range.substr(0, dash)));
    const Guid last = dash == std::string_view::npos
                          ? first
                          : guid_of(source_, line_, trimmed(range.substr(dash + 1)));
    const auto begin = by_guid_.lower_bound(first);
    ports_seen_.count(begin != by_guid_.end() && begin->first <= last);
    for (auto at = begin; at != by_guid_.end() && at->first <= last; ++at)
      groups_[name_].push_back(at->second);
  }
  void of_level(const PolicyLine& line) {
    if (line.key == "name")
      name_ = line.value;
    else if (name_.empty())
      fail(source_, line_, "a qos-level has its name before its sl");
    else
      levels_[name_] = static_cast<std::uint8_t>(
          number_of(source_, line_, line.value, service_levels - 1, "a service level"));
  }
  void of_rule(const PolicyLine& line) {
    if (line.key == "source")
      rules_.back().from = list_of(line.value);
    else if (line.key == "destination")
      rules_.back().to = list_of(line.value);
    else if (line.key == "qos-level-name")
      rules_.back().level = line.value;
    else
      reject(line);
  }

  std::uint8_t level_of(const Rule& rule) const {
    const auto found = levels_.find(rule.level);
    if (found == levels_.end())
      fail(source_, rule.line, "the rule needs one of the qos-levels, not \"{}\"",
           shown(rule.level));
    return found->second;
  }
  /// A rule that names no groups is for all hosts.
  std::vector<HostId> hosts_in(const Rule& rule, const Names& names) const {
    std::vector<HostId> out;
    if (names.empty())
      for (HostId h : fabric_.hosts()) out.push_back(h);
    for (const std::string_view name : names) {
      const auto found = groups_.find(name);
      if (found == groups_.end())
        fail(source_, rule.line, "there is no port-group \"{}\"", shown(name));
      out.insert(out.end(), found->second.begin(), found->second.end());
    }
    return out;
  }

  PathLevels levels() const {
    std::vector<std::vector<HostId>> sources;
    IdVector<HostId, std::vector<std::size_t>> rules_to;
    rules_to.assign(fabric_.host_count(), {});
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      level_of(rules_[i]);
      sources.push_back(hosts_in(rules_[i], rules_[i].from));
      for (HostId to : hosts_in(rules_[i], rules_[i].to)) rules_to[to].push_back(i);
    }
    const auto usual = levels_.find("DEFAULT");
    PathLevels out(fabric_.host_count());
    for (HostId to : fabric_.hosts()) {
      std::vector<std::uint8_t> row(fabric_.host_count(),
                                    usual == levels_.end() ? std::uint8_t{0} : usual->second);
      // The first rule that matches counts, so it is the last to be set.
      for (auto i = rules_to[to].rbegin(); i != rules_to[to].rend(); ++i)
        for (HostId from : sources[*i]) row[from.index()] = level_of(rules_[*i]);
      for (unsigned lid = 0; lid < 1U << fabric_[to].lmc; ++lid)
        for (HostId from : fabric_.hosts())
          if (from != to) out.set(static_cast<Lid>(fabric_[to].lid + lid), from, row[from.index()]);
    }
    return out;
  }

  const Source& source_;
  const Fabric& fabric_;
  std::multimap<Guid, HostId> by_guid_;
  std::map<std::string_view, std::vector<HostId>> groups_;
  std::map<std::string_view, std::uint8_t> levels_;
  std::vector<Rule> rules_;
  Belonging ports_seen_;
  std::size_t line_ = 0;
  std::string_view part_{}, name_{};  ///< what is being read, and what it is called
};

}  // namespace

bool recognises_policy(std::string_view text) {
  bool begins = false;
  for (Lines lines(text); lines.next();) {
    const PolicyLine line(lines.text);
    if (line.key.empty()) continue;
    if (!begins && std::find(sections.begin(), sections.end(), line.key) == sections.end())
      return false;
    begins = true;
    for (const char* other : {"service-id", "qos-class", "pkey", "partition", "node-type",
                              "port-name", "qos-ulps", "qos-setup"})
      if (line.key == other) return false;
  }
  return begins;
}

PathLevels read_policy(const Source& source, const Fabric& fabric) {
  return PolicyReader(source, fabric).read();
}

}  // namespace weft::infiniband
