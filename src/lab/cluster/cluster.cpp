// SPDX-License-Identifier: Apache-2.0
// Reading cluster files.
#include "lab/cluster/cluster.hpp"

#include <algorithm>
#include <filesystem>

#include "base/catalog.hpp"
#include "comm/library.hpp"
#include "fabric/fat_tree.hpp"
#include "fabric/format/parsing/text.hpp"
#include "fabric/infiniband/adaptive_choices.hpp"
#include "fabric/infiniband/import.hpp"
#include "lab/cluster/cluster_keys.hpp"
#include "lab/cluster/memory.hpp"
#include "lab/cluster/toml_reader.hpp"
#include "plan/check/survey.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "sim/nics/nic.hpp"
#include "sim/switch_model.hpp"

namespace weft {
namespace fs = std::filesystem;
namespace {

class ClusterReader {
 public:
  explicit ClusterReader(const Source& source) : source_(source), toml_(source) {}

  Cluster read() const {
    const toml::table root = parse_toml(source_);
    if (const toml::node* format = root.get("weft"))
      toml_.fail(*format,
                 fmt::format("this is a fabric, not a cluster; to study it: --topologies {}",
                             source_.name));
    toml_.known(root, cluster_root_keys);
    Cluster out;
    out.name = toml_.text(root, "name", source_.name);
    out.about = toml_.text(root, "about", "");
    out.topologies = toml_.texts(root, "topologies");
    out.engines = toml_.texts(root, "engines");
    if (const toml::table* links = toml_.table(root, "links")) read_links(*links, out);
    if (const toml::table* switches = toml_.table(root, "switches")) read_switches(*switches, out);
    if (const toml::table* hosts = toml_.table(root, "hosts")) read_hosts(*hosts, out);
    if (const toml::table* paper = toml_.table(root, "paper"))
      for (const auto& [key, value] : *paper)
        out.paper.emplace(key.str(), toml_.plain(key.str(), value));
    return out;
  }

 private:
  void read_links(const toml::table& links, Cluster& out) const {
    toml_.known(links, cluster_link_keys);
    out.links.speed = toml_.text(links, "speed", "");
    checked(links, "speed", out.links.speed, [](const std::string& t) {
      if (bandwidth_from(t).bits_per_second == 0) throw Error("a link needs a speed above zero");
    });
    const auto read_delay = [&](const char* key, std::string& delay) {
      delay = toml_.text(links, key, "");
      checked(links, key, delay, [](const std::string& t) { duration_from(t); });
    };
    read_delay("delay", out.links.delay);
    read_delay("host_delay", out.links.host_delay);
    read_delay("global_delay", out.links.global_delay);
  }
  void read_switches(const toml::table& switches, Cluster& out) const {
    toml_.known(switches, cluster_switch_keys);
    out.lanes = static_cast<int>(toml_.whole(switches, "lanes", most_lanes, {1, most_lanes}));
    out.model = toml_.text(switches, "model", "infiniband");
    checked(switches, "model", out.model, [](const std::string& t) { sim::model_from(t); });
    for (const char* key : {"latency", "buffer"}) add_to_model(switches, key, out);
    if (switches.contains("lanes")) add_to_model(switches, "lanes", out, "most_lanes");
  }
  /// Makes a key of [switches] a parameter of the model.
  void add_to_model(const toml::table& switches, const char* key, Cluster& out,
                    const char* parameter = nullptr) const {
    const toml::node* node = switches.get(key);
    if (node == nullptr) return;
    if (parameter == nullptr) parameter = key;
    Spec spec = Spec::parse(out.model);
    if (!spec.values.emplace(parameter, toml_.plain(key, *node)).second)
      toml_.fail(*node, fmt::format("{} is given in model, too", key));
    out.model = toml_.parsed(switches, key, spec.text(),
                             [](const std::string& t) { return sim::model_from(t).spec; });
  }
  void read_hosts(const toml::table& hosts, Cluster& out) const {
    toml_.known(hosts, cluster_host_keys);
    out.nic = toml_.spec(hosts, "nic");
    if (hosts.contains("overhead")) add_overhead(hosts, out);
    out.library = toml_.spec(hosts, "library");
    checked(hosts, "nic", out.nic, [](const std::string& t) { sim::nic_from(t); });
    checked(hosts, "library", out.library, [](const std::string& t) { comm::library_from(t); });
  }
  /// The time of a processor for a message, on either side.
  void add_overhead(const toml::table& hosts, Cluster& out) const {
    const std::string overhead = toml_.text(hosts, "overhead", "");
    toml_.parsed(hosts, "overhead", overhead, duration_from);
    Spec spec = Spec::parse(out.nic.empty() ? "loggp" : out.nic);
    if (spec.name != "loggp")
      toml_.fail(
          *hosts.get("overhead"),
          fmt::format("overhead is for the NIC loggp; {} has its own parameters", spec.name));
    for (const char* side : {"o_s", "o_r"})
      if (!spec.values.emplace(side, overhead).second)
        toml_.fail(*hosts.get("overhead"), fmt::format("overhead and {} are both given", side));
    out.nic = spec.text();
  }
  template <class Parse>
  void checked(const toml::table& in, std::string_view key, const std::string& value,
               Parse parse) const {
    if (!value.empty()) toml_.parsed(in, key, value, parse);
  }

  const Source& source_;
  TomlReader toml_;
};

/// Whether the text names a row of the catalogue, with or without parameters. A file of that name
/// is never meant: only a slash or a suffix makes a text a path.
template <class AnyRow>
bool names_row(const std::string& text, std::span<const AnyRow> rows) {
  const std::string_view name = std::string_view(text).substr(0, text.find(':'));
  const std::string_view other = is_file(text) ? std::string_view() : our_name(name);
  return std::any_of(rows.begin(), rows.end(),
                     [&](const AnyRow& row) { return row.name == name || row.name == other; });
}

const Param* find_param(std::span<const Param> params, std::string_view name) {
  const auto found = std::find_if(params.begin(), params.end(),
                                  [&](const Param& param) { return param.name == name; });
  return found == params.end() ? nullptr : &*found;
}

/// What error messages call the thing looked for: "a topology", "topologies", "a fabric file".
struct SoughtKind {
  std::string_view one, many, file;
};

/// Throws Error for a text that is neither the name of a row nor a readable file.
template <class AnyRow>
[[noreturn]] void reject_name(const std::string& text, std::span<const AnyRow> rows,
                              const SoughtKind& kind) {
  std::error_code ignored;
  if (fs::is_directory(text, ignored)) throw Error("{}: a folder; {} is needed", text, kind.file);
  if (looks_like_a_path(text)) throw Error("{}: there is no such file", text);
  const std::string name = Spec::parse(text).name;
  const std::vector<std::string_view> names = names_of(rows);
  const auto clusters = embedded_clusters();
  if (std::any_of(clusters.begin(), clusters.end(),
                  [&](const EmbeddedFile& each) { return each.name == name; }))
    throw Error("\"{0}\" is a cluster; {1} is needed, and weft show cluster {0} names its own",
                name, kind.one);
  throw Error("\"{}\" is neither a file nor {}; {} are: {}{}", name.substr(0, 60), kind.one,
              kind.many, fmt::join(names, " "), suggestion(name, names));
}

/// Tables of another fabric, or half a file, may be well-formed and yet lose packets.
void require_arrival(const Fabric& fabric, const Tables& tables, const std::string& path) {
  if (const std::optional<Remainder> computers = only_computers(fabric)) {
    require_arrival(computers->fabric, tables_without(tables, fabric, *computers), path);
    return;
  }
  const Survey found = survey(fabric, tables);
  if (found.complete()) return;
  const Stray& first = found.strays.front();
  throw Error(
      "{}: {} of {} pairs of hosts have no route that arrives, {} to {} for one; are these "
      "the tables of another fabric? weft check reports more",
      path, found.pairs - found.reached - found.apart, found.pairs, fabric[first.from].name,
      fabric[first.to].name);
}

}  // namespace

Cluster read_cluster(const Source& source) { return ClusterReader(source).read(); }

Cluster find_cluster(const std::string& path_or_name) {
  const FoundFile found = find_file(path_or_name, {"cluster", embedded_clusters()});
  Cluster cluster = read_cluster(found.source);
  for (std::string& topology : cluster.topologies)
    if (found.folder && !names_row(topology, topologies()) &&
        is_file((*found.folder / topology).string()))
      topology = (*found.folder / topology).string();
  return cluster;
}

std::string with_links(const std::string& path_or_spec, const LinkDefaults& links) {
  if (!names_row(path_or_spec, topologies())) return path_or_spec;
  Spec spec = Spec::parse(path_or_spec);
  const auto& row = find_row(topologies(), "topology", spec.name);
  const auto give = [&](const char* key, const std::string& value) {
    if (!value.empty() && find_param(row.params, key) != nullptr) spec.values.emplace(key, value);
  };
  give("speed", links.speed);
  give("delay", links.delay);
  give("host_delay", links.host_delay);
  give("global_delay", links.global_delay);
  return spec.text();
}

std::string with_most_lanes(const std::string& path_or_engine, int lanes) {
  if (!names_row(path_or_engine, engines())) return path_or_engine;
  Spec spec = Spec::parse(path_or_engine);
  const Param* param = find_param(find_row(engines(), "engine", spec.name).params, "lanes");
  const bool chooses = param != nullptr && std::holds_alternative<Whole>(param->type);
  const auto usual = chooses ? number_from<int>(param->fallback) : std::nullopt;
  if (usual && *usual > lanes) spec.values.emplace("lanes", std::to_string(lanes));
  return spec.text();
}

void require_engine(const std::string& path_or_engine) {
  if (!names_row(path_or_engine, engines()) && !holds_tables(path_or_engine))
    reject_name(path_or_engine, engines(), {"a routing engine", "engines", "a file of tables"});
}

std::string with_lane_limit(const std::string& switches, int lanes) {
  Spec spec = Spec::parse(switches);
  if (lanes < most_lanes && !spec.values.contains("lanes"))
    spec.values.emplace("most_lanes", std::to_string(lanes));
  return spec.text();
}

bool names_fabric(const std::string& path_or_spec) {
  if (names_row(path_or_spec, topologies())) return true;
  if (path_or_spec == "-") return true;  // clusters are not read from there; it can be read once
  if (fs::is_directory(path_or_spec)) return true;
  if (!is_file(path_or_spec)) return false;
  const std::string text = read_input(path_or_spec).text;
  const auto formats = fabric_formats();
  return std::any_of(formats.begin(), formats.end(), [&](const FabricFormat& format) {
    return format.read != nullptr && format.recognises(text);
  });
}

bool names_engine(const std::string& text) { return names_row(text, engines()) && !is_file(text); }

bool has_own_tables(const std::string& fabric) {
  return !names_row(fabric, topologies()) && fs::is_directory(fabric) &&
         infiniband::folder_has_tables(fabric);
}

Cluster cluster_of_fabrics(const std::vector<std::string>& fabrics) {
  Cluster out;
  out.name = fmt::format("{}", fmt::join(fabrics, ", "));
  out.about = "routing engines compared";
  out.model = "iq";
  out.topologies = fabrics;
  for (const std::string& fabric : fabrics)
    if (has_own_tables(fabric)) out.engines.push_back(fabric);
  for (const char* engine : {"minhop", "updown", "dor", "dmodk", "lash", "dl", "dfsssp", "nue"})
    out.engines.emplace_back(engine);
  return out;
}

std::string default_tables(const std::string& fabric) {
  if (has_own_tables(fabric)) return fabric;
  if (fabric == "-") return "updown";  // it can be read once
  return std::holds_alternative<FatTree>(FatTree::find(find_fabric(fabric))) ? "dmodk" : "updown";
}

bool is_infiniband_file(const std::string& path) {
  if (names_row(path, topologies())) return false;
  if (fs::is_directory(path)) return true;
  if (!is_file(path)) return false;
  const std::string text = read_input(path).text;
  for (const FabricFormat& format : fabric_formats())
    if (format.recognises != nullptr && format.recognises(text))
      return format.name == "ibnetdiscover" || format.name == "subnet_lst" ||
             format.name == "db_csv";
  return false;
}

Fabric find_fabric(const std::string& path_or_spec, const LinkDefaults& links) {
  if (names_row(path_or_spec, topologies()))
    return make_fabric(Spec::parse(with_links(path_or_spec, links)));
  if (fs::is_directory(path_or_spec)) return infiniband::folder_fabric(path_or_spec);
  if (path_or_spec == "-" || is_file(path_or_spec)) return read_fabric(read_input(path_or_spec));
  reject_name(path_or_spec, topologies(), {"a topology", "topologies", "a fabric file"});
}

bool holds_tables(const std::string& text) {
  return !names_row(text, engines()) && (text == "-" || is_file(text) || fs::is_directory(text));
}

namespace {

/// The tables of ibdiagnet2.far: groups of ports where its switches adapt.
NotedTables adaptive_tables(const Source& source, const Fabric& fabric) {
  const auto switches = infiniband::read_adaptive(source);
  NotedTables read = infiniband::static_tables(source, fabric, switches);
  const bool adapts =
      std::any_of(switches.begin(), switches.end(), [](const auto& each) { return each.adapts(); });
  if (!adapts) return read;
  const std::vector<std::string> odd = infiniband::odd_entries(fabric, switches);
  NotedTables out =
      infiniband::with_adaptive_groups(source, fabric, read.tables, switches, std::nullopt);
  read.notes.insert(read.notes.end(), odd.begin(),
                    odd.begin() + std::min<std::ptrdiff_t>(5, std::ssize(odd)));
  out.notes.insert(out.notes.begin(), read.notes.begin(), read.notes.end());
  return out;
}

}  // namespace

NotedTables noted_tables_of(const Source& source, const Fabric& fabric) {
  return infiniband::recognises_adaptive(source.text) ? adaptive_tables(source, fabric)
                                                      : read_noted_tables(source, fabric);
}

NotedTables noted_tables_in(const std::string& path, const Fabric& fabric) {
  if (!fs::is_directory(path)) return noted_tables_of(read_input(path), fabric);
  const bool whole = infiniband::folder_has_topology(path) || !infiniband::folder_has_tables(path);
  infiniband::Subnet subnet =
      whole ? infiniband::import_folder(path) : infiniband::import_folder(path, fabric);
  if (!subnet.tables) throw Error("{}: there are no forwarding tables in this folder", path);
  if (!whole || subnet.fabric == fabric) return {std::move(*subnet.tables)};
  try {
    return rematch(*subnet.tables, subnet.fabric, fabric);
  } catch (const Error& error) {
    throw Error("{}: the tables of this folder do not fit {}: {}", path, fabric.name(),
                error.what());
  }
}

Tables tables_in(const std::string& path, const Fabric& fabric) {
  return noted_tables_in(path, fabric).tables;
}

Tables any_tables(const Fabric& whole, const Remainder& rest, const std::string& path_or_engine) {
  if (!holds_tables(path_or_engine)) return find_tables(rest.fabric, path_or_engine);
  return tables_without(tables_in(path_or_engine, whole), whole, rest);
}

Tables find_tables(const Fabric& whole, const Remainder& rest, const std::string& path_or_engine) {
  Tables tables = any_tables(whole, rest, path_or_engine);
  if (holds_tables(path_or_engine)) require_arrival(rest.fabric, tables, path_or_engine);
  return tables;
}

Tables find_tables(const Fabric& fabric, const std::string& path_or_engine) {
  if (holds_tables(path_or_engine)) {
    Tables tables = tables_in(path_or_engine, fabric);
    require_arrival(fabric, tables, path_or_engine);
    return tables;
  }
  if (!names_row(path_or_engine, engines()))
    reject_name(path_or_engine, engines(), {"a routing engine", "engines", "a file of tables"});
  require_memory(fabric);
  Routed routed = route(fabric, path_or_engine);
  if (const auto* refused = std::get_if<Refused>(&routed))
    throw RefusedError("{}: {}", path_or_engine, refused->why);
  return std::get<Tables>(std::move(routed));
}

}  // namespace weft
