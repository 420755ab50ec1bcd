// SPDX-License-Identifier: Apache-2.0
// All catalogues side by side.
#include "cli/reference/catalogues.hpp"

#include <array>

#include "base/catalog.hpp"
#include "comm/coll/coll.hpp"
#include "comm/library.hpp"
#include "fabric/format/format.hpp"
#include "lab/cluster/cluster.hpp"
#include "lab/embedded.hpp"
#include "lab/flows/scenario.hpp"
#include "lab/programs/program.hpp"
#include "lab/simulate/request.hpp"
#include "papers/catalog.hpp"
#include "plan/check/check.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "sim/nics/nic.hpp"
#include "sim/policies/policies.hpp"
#include "sim/switch_model.hpp"
#include "trace/formats/format.hpp"

namespace weft::cli {
namespace {

template <class Rows>
std::vector<ListedItem> with_params(const Rows& rows) {
  std::vector<ListedItem> out;
  for (const auto& row : rows)
    out.push_back({std::string(row.name), std::string(row.summary), row.params});
  return out;
}

template <class Rows>
std::vector<ListedItem> without_params(const Rows& rows) {
  std::vector<ListedItem> out;
  for (const auto& row : rows) out.push_back({std::string(row.name), std::string(row.summary)});
  return out;
}

std::vector<ListedItem> cluster_entries() {
  std::vector<ListedItem> out;
  for (const EmbeddedFile& file : embedded_clusters()) {
    const std::string name(file.name);
    out.push_back({name, find_cluster(name).about, {}, "weft show cluster " + name});
  }
  return out;
}

std::vector<ListedItem> scenario_entries() {
  std::vector<ListedItem> out;
  for (const EmbeddedFile& file : embedded_scenarios()) {
    const std::string name(file.name);
    out.push_back({name, find_scenario(name).about, {}, "weft qos " + name});
  }
  return out;
}

std::vector<ListedItem> paper_entries() {
  std::vector<ListedItem> out = without_params(papers::papers());
  for (ListedItem& item : out) item.more = "weft reproduce";
  return out;
}

/// An algorithm of several collectives is listed for each of them.
std::vector<ListedItem> collective_entries() {
  std::vector<ListedItem> out;
  comm::for_each_collective([&]<class AnyCollective>() {
    for (ListedItem& entry : with_params(comm::algorithms<AnyCollective>())) {
      entry.summary = fmt::format("{}: {}", AnyCollective::kind, entry.summary);
      out.push_back(std::move(entry));
    }
  });
  return out;
}

constexpr std::array all_listings{
    Listing{"clusters", "machines that come with weft: --cluster, weft study", cluster_entries},
    Listing{"scenarios", "flows with promised bandwidth: weft qos", scenario_entries},
    Listing{"papers", "published experiments: weft reproduce", paper_entries},
    Listing{"topologies", "fabrics of the catalogue: wherever a fabric is expected",
            [] { return with_params(topologies()); }},
    Listing{"engines", "routing engines: weft route, --engine, --engines, tables of weft sim",
            [] { return with_params(engines()); }},
    Listing{"groups", "schemes of multicast groups: weft mcast",
            [] { return with_params(group_schemes()); }},
    Listing{"orders", "visiting orders of a multicast by unicast messages: weft order",
            [] { return with_params(orders()); }},
    Listing{"checks", "what weft route and weft check find out",
            [] { return with_params(checks()); }},
    Listing{"traffic", "who sends to whom: --traffic of weft sim and weft sweep",
            [] { return with_params(traffic_rows()); }},
    Listing{"sources", "when hosts create packets: --source of weft sim and weft sweep",
            [] { return with_params(source_rows()); }},
    Listing{"switches", "models of switches: --switch, [switches] model of a cluster file",
            [] { return with_params(sim::switch_kinds()); }},
    Listing{"policies", "which port a switch gives a packet that has a choice: policy= of --switch",
            [] { return with_params(sim::policies()); }},
    Listing{"nics", "models of NICs and their hosts: --nic, [hosts] nic of a cluster file",
            [] { return with_params(sim::nics()); }},
    Listing{"libraries", "message-passing layers: --library, [hosts] library of a cluster file",
            [] { return with_params(comm::libraries()); }},
    Listing{"programs", "host programs: weft run", [] { return with_params(programs()); }},
    Listing{"collectives", "algorithms of collectives: weft run", collective_entries},
    Listing{"fabric-formats", "forms of fabric files: weft make --format",
            [] { return without_params(fabric_formats()); }},
    Listing{"tables-formats",
            "forms of files of tables: weft route --format; ibdiagnet's adaptive tables (.far) are "
            "read, too, and written by weft export far",
            [] { return without_params(tables_formats()); }},
    Listing{"trace-formats", "forms of traces of MPI programs: weft trace",
            [] { return without_params(trace::trace_formats()); }},
};

}  // namespace

std::span<const Listing> listings() { return all_listings; }

std::string command_for_row(std::string_view name) {
  const std::string_view plain = name.substr(0, name.find(':'));
  for (const Listing& listing : listings())
    for (const ListedItem& item : listing.entries())
      if (item.name == plain) return fmt::format("weft list {} {}", listing.name, item.name);
  return {};
}

const Listing& find_listing(std::string_view name) {
  const std::vector<std::string_view> names = names_of(listings());
  const bool known = std::find(names.begin(), names.end(), name) != names.end();
  if (const std::string command = known ? "" : command_for_row(name); !command.empty())
    throw Error("no catalogue is called \"{}\", but an entry of one is: {}", name, command);
  return find_row(listings(), "catalogue", name);
}

std::vector<ListedItem> find_items(const Listing& listing, std::string_view name) {
  const std::vector<ListedItem> items = listing.entries();
  const std::string_view plain = name.substr(0, name.find(':'));
  std::vector<ListedItem> found;
  for (const ListedItem& item : items)
    if (item.name == plain) found.push_back(item);
  if (!found.empty()) return found;
  const std::vector<std::string_view> names = names_of(std::span(items));
  throw Error("{}: nothing is called \"{}\"; there are: {}{}", listing.name, name.substr(0, 60),
              fmt::join(names, " "), suggestion(name, names));
}

ReferenceTable table_of(const std::vector<Param>& params) {
  ReferenceTable table{{"parameter", "default", "values", "meaning"}, {}};
  for (const Param& param : params)
    table.lines.push_back({std::string(param.name), std::string(param.fallback),
                           allowed_values(param.type), std::string(param.help)});
  return table;
}

}  // namespace weft::cli
