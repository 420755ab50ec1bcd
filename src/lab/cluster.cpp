// SPDX-License-Identifier: Apache-2.0
// Reading cluster files.
#include "lab/cluster.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "comm/library.hpp"
#include "fabric/format/parts/toml.hpp"
#include "lab/embedded.hpp"
#include "lab/memory.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "sim/nics/nic.hpp"
#include "sim/switch_model.hpp"

namespace weft {
namespace fs = std::filesystem;
namespace {

class ClusterReader {
 public:
  explicit ClusterReader(const Source& source) : source_(source) {}

  Cluster read() {
    const toml::table root = parse_toml(source_);
    if (const toml::node* format = root.get("weft"))
      fail(*format, fmt::format("this is a fabric, not a cluster; to study it: --topologies {}",
                                source_.name));
    known(root, {"name", "about", "topologies", "engines", "links", "switches", "hosts", "paper"});
    Cluster out;
    out.name = text(root, "name", source_.name);
    out.about = text(root, "about", "");
    out.topologies = texts(root, "topologies");
    out.engines = texts(root, "engines");
    if (const toml::table* links = table(root, "links")) {
      known(*links, {"speed", "delay"});
      out.speed = text(*links, "speed", "");
      out.delay = text(*links, "delay", "");
      checked(*links, "speed", out.speed, [](const std::string& t) {
        if (bandwidth_from(t).bits_per_second == 0) throw Error("a link needs a speed above zero");
      });
      checked(*links, "delay", out.delay, [](const std::string& t) { duration_from(t); });
    }
    if (const toml::table* switches = table(root, "switches")) read_switches(*switches, out);
    if (const toml::table* hosts = table(root, "hosts")) {
      known(*hosts, {"nic", "library"});
      out.nic = spec(*hosts, "nic");
      out.library = spec(*hosts, "library");
      checked(*hosts, "nic", out.nic, [](const std::string& t) { sim::nic_from(t); });
      checked(*hosts, "library", out.library, [](const std::string& t) { comm::library_from(t); });
    }
    if (const toml::table* paper = table(root, "paper"))
      for (const auto& [key, value] : *paper) out.paper.emplace(key.str(), plain(key.str(), value));
    return out;
  }

 private:
  void read_switches(const toml::table& switches, Cluster& out) const {
    known(switches, {"lanes", "model"});
    out.model = text(switches, "model", "");
    checked(switches, "model", out.model, [](const std::string& t) { sim::model_from(t); });
    const toml::node* lanes = switches.get("lanes");
    if (lanes == nullptr) return;
    const auto value = lanes->value_exact<std::int64_t>();
    if (!value || *value < 1 || *value > most_lanes)
      fail(*lanes, fmt::format("lanes is a whole number from 1 to {}", most_lanes));
    out.lanes = static_cast<int>(*value);
  }
  /// A text, a whole number, or true or false, as text.
  std::string plain(std::string_view key, const toml::node& node) const {
    if (const auto value = node.value_exact<std::string>()) return *value;
    if (const auto value = node.value_exact<std::int64_t>()) return fmt::format("{}", *value);
    if (const auto value = node.value_exact<bool>()) return *value ? "yes" : "no";
    fail(node, fmt::format("{} is a text in quotes, a whole number, true or false", key));
  }
  /// A text, "via:mhz=700", or a table with the same, a line for each: name = "via", mhz = 700.
  std::string spec(const toml::table& in, std::string_view key) const {
    const toml::table* lines = in.get_as<toml::table>(key);
    if (lines == nullptr) return text(in, key, "");
    Spec out;
    for (const auto& [name, value] : *lines)
      out.values.emplace(name.str(), plain(name.str(), value));
    const auto name = out.values.extract("name");
    if (name.empty()) fail(*lines, fmt::format("{} needs a name: name = \"…\"", key));
    out.name = name.mapped();
    return out.text();
  }
  [[noreturn]] void fail(const toml::node& at, const std::string& what) const {
    throw Error("{}:{}: {}", source_.name, at.source().begin.line, what);
  }
  void known(const toml::table& table, std::initializer_list<std::string_view> keys) const {
    for (const auto& [key, value] : table) {
      if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
      std::string list;
      for (std::string_view k : keys) list += " " + std::string(k);
      fail(value, fmt::format("unknown key {}; there are:{}", std::string_view(key.str()), list));
    }
  }
  const toml::table* table(const toml::table& in, std::string_view key) const {
    const toml::node* node = in.get(key);
    if (node == nullptr) return nullptr;
    if (!node->is_table()) fail(*node, fmt::format("{} is a table: [{}]", key, key));
    return node->as_table();
  }
  std::string text(const toml::table& in, std::string_view key, const std::string& fallback) const {
    const toml::node* node = in.get(key);
    if (node == nullptr) return fallback;
    const auto value = node->value_exact<std::string>();
    if (!value) fail(*node, fmt::format("{} is a text in quotes", key));
    return *value;
  }
  std::vector<std::string> texts(const toml::table& in, std::string_view key) const {
    const toml::node* node = in.get(key);
    if (node == nullptr)
      throw Error("{}: {} is missing: a list of texts, [\"…\", \"…\"]", source_.name, key);
    const toml::array* array = node->as_array();
    std::vector<std::string> out;
    for (std::size_t i = 0; array != nullptr && i < array->size(); ++i)
      if (const auto value = (*array)[i].value_exact<std::string>()) out.push_back(*value);
    if (out.empty() || out.size() != array->size())
      fail(*node, fmt::format("{} is a list of texts, [\"…\", \"…\"]", key));
    return out;
  }
  template <class Parse>
  void checked(const toml::table& in, std::string_view key, const std::string& value,
               Parse parse) const {
    if (value.empty()) return;
    try {
      parse(value);
    } catch (const Error& error) {
      fail(*in.get(key), fmt::format("{}: {}", key, error.what()));
    }
  }

  const Source& source_;
};

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

bool looks_like_a_path(const std::string& text) {
  return text.find_first_of("/.") != std::string::npos && text.find(':') == std::string::npos;
}

/// Whether it is a row of the catalogue, with or without parameters. Then no file of that name is
/// meant: a name with a slash or a suffix is one.
template <class AnyRow>
bool names_row(const std::string& text, std::span<const AnyRow> rows) {
  const std::string_view name = std::string_view(text).substr(0, text.find(':'));
  return std::any_of(rows.begin(), rows.end(), [&](const AnyRow& row) { return row.name == name; });
}

struct Kind {
  std::string_view one, many, file;
};

/// What is neither the name of a row nor a file that can be tried.
template <class AnyRow>
[[noreturn]] void reject(const std::string& text, std::span<const AnyRow> rows, const Kind& kind) {
  std::error_code ignored;
  if (fs::is_directory(text, ignored)) throw Error("{}: a folder; {} is needed", text, kind.file);
  if (looks_like_a_path(text)) throw Error("{}: there is no such file", text);
  const std::string name = Spec::parse(text).name;
  std::string known;
  for (const AnyRow& row : rows) known += " " + std::string(row.name);
  throw Error("\"{}\" is neither a file nor {}; {} are:{}", name.substr(0, 60), kind.one, kind.many,
              known);
}

}  // namespace

Cluster read_cluster(const Source& source) { return ClusterReader(source).read(); }

Cluster find_cluster(const std::string& path_or_name) {
  if (is_file(path_or_name)) {
    Cluster cluster = read_cluster(read_source(path_or_name));
    const fs::path folder = fs::path(path_or_name).parent_path();
    for (std::string& topology : cluster.topologies)
      if (!names_row(topology, topologies()) && is_file((folder / topology).string()))
        topology = (folder / topology).string();
    return cluster;
  }
  std::string known;
  for (const EmbeddedFile& file : embedded_clusters()) {
    if (file.name == path_or_name)
      return read_cluster({fmt::format("clusters/{}.toml", file.name), std::string(file.text)});
    known += " " + std::string(file.name);
  }
  if (looks_like_a_path(path_or_name)) throw Error("{}: there is no such file", path_or_name);
  throw Error("\"{}\" is neither a cluster file nor one that weft brings along; those are:{}",
              path_or_name, known);
}

Fabric find_fabric(const std::string& path_or_spec, const Cluster* cluster) {
  if (!names_row(path_or_spec, topologies())) {
    if (path_or_spec == "-" || is_file(path_or_spec)) return read_fabric(read_input(path_or_spec));
    reject(path_or_spec, topologies(), {"a topology", "topologies", "a fabric file"});
  }
  Spec spec = Spec::parse(path_or_spec);
  const auto& row = find_row(topologies(), "topology", spec.name);
  const auto give = [&](const char* key, const std::string& value) {
    const bool takes = std::any_of(row.params.begin(), row.params.end(),
                                   [&](const Param& param) { return param.name == key; });
    if (takes && !value.empty()) spec.values.emplace(key, value);
  };
  if (cluster != nullptr) {
    give("speed", cluster->speed);
    give("delay", cluster->delay);
  }
  return make_fabric(spec.text());
}

Tables find_tables(const Fabric& fabric, const std::string& path_or_engine) {
  if (!names_row(path_or_engine, engines())) {
    if (path_or_engine == "-" || is_file(path_or_engine))
      return read_tables(read_input(path_or_engine), fabric);
    reject(path_or_engine, engines(), {"a routing engine", "engines", "a file of tables"});
  }
  require_memory(fabric);
  Routed routed = route(fabric, path_or_engine);
  if (const auto* refused = std::get_if<Refused>(&routed))
    throw Error("{}: {}", path_or_engine, refused->why);
  return std::get<Tables>(std::move(routed));
}

Source read_input(const std::string& path) {
  return read_source(path == "-" ? "/dev/stdin" : path);
}

}  // namespace weft
