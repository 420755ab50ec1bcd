// SPDX-License-Identifier: Apache-2.0
// weft list: the catalogues.
#include <iostream>
#include <memory>

#include "base/error.hpp"
#include "base/suggestion.hpp"
#include "cli/verbs.hpp"
#include "comm/coll/coll.hpp"
#include "comm/library.hpp"
#include "fabric/format/format.hpp"
#include "lab/cluster/cluster.hpp"
#include "lab/embedded.hpp"
#include "lab/flows/scenario.hpp"
#include "lab/programs/program.hpp"
#include "lab/report/report.hpp"
#include "lab/simulate/request.hpp"
#include "papers/catalog.hpp"
#include "plan/check/check.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "sim/nics/nic.hpp"
#include "sim/switch_model.hpp"

namespace weft::cli {
namespace {

struct ListedItem {
  std::string name, summary;
  std::vector<Param> params{};
};

struct Listing {
  std::string_view name;
  std::vector<ListedItem> (*entries)();
};

template <class Rows>
std::vector<ListedItem> with_params(const Rows& rows) {
  std::vector<ListedItem> out;
  for (const auto& row : rows)
    out.push_back({std::string(row.name), std::string(row.summary), row.params});
  return out;
}

template <class Rows>
std::vector<ListedItem> plain(const Rows& rows) {
  std::vector<ListedItem> out;
  for (const auto& row : rows) out.push_back({std::string(row.name), std::string(row.summary)});
  return out;
}

std::vector<ListedItem> cluster_entries() {
  std::vector<ListedItem> out;
  for (const EmbeddedFile& file : embedded_clusters())
    out.push_back({std::string(file.name), find_cluster(std::string(file.name)).about});
  return out;
}

std::vector<ListedItem> scenario_entries() {
  std::vector<ListedItem> out;
  for (const EmbeddedFile& file : embedded_scenarios())
    out.push_back({std::string(file.name), find_scenario(std::string(file.name)).about});
  return out;
}

/// A row that is both a barrier and a broadcast is listed as both.
std::vector<ListedItem> collective_entries() {
  std::vector<ListedItem> out;
  const auto add = [&](std::string_view kind, std::vector<ListedItem> entries) {
    for (ListedItem& entry : entries) {
      entry.summary = fmt::format("{}: {}", kind, entry.summary);
      out.push_back(std::move(entry));
    }
  };
  add("barrier", with_params(comm::barriers()));
  add("broadcast", with_params(comm::broadcasts()));
  return out;
}

const std::vector<Listing> kinds{
    {"clusters", cluster_entries},
    {"scenarios", scenario_entries},
    {"papers", [] { return plain(papers::papers()); }},
    {"topologies", [] { return with_params(topologies()); }},
    {"engines", [] { return with_params(engines()); }},
    {"groups", [] { return with_params(group_schemes()); }},
    {"orders", [] { return with_params(orders()); }},
    {"checks", [] { return with_params(checks()); }},
    {"traffic", [] { return with_params(traffic_rows()); }},
    {"switches", [] { return with_params(sim::switch_kinds()); }},
    {"nics", [] { return with_params(sim::nics()); }},
    {"libraries", [] { return with_params(comm::libraries()); }},
    {"programs", [] { return with_params(programs()); }},
    {"collectives", collective_entries},
    {"fabric-formats", [] { return plain(fabric_formats()); }},
    {"tables-formats", [] { return plain(tables_formats()); }},
};

/// "name=default   what it is [which values there are]".
std::string described(const Param& param) {
  std::string help(param.help);
  const std::string values = describe(param.type);
  if (!values.empty()) help += fmt::format(" [{}]", values);
  return wrapped(fmt::format("      {:<20}", fmt::format("{}={}", param.name, param.fallback)),
                 help);
}

void print(const Listing& kind, bool params, bool names) {
  const auto entries = kind.entries();
  if (!names) std::cout << kind.name << '\n';
  for (const ListedItem& entry : entries) {
    if (names) {
      std::cout << entry.name << '\n';
      continue;
    }
    std::cout << wrapped(fmt::format("  {:<17}", entry.name), entry.summary) << '\n';
    for (const Param& param : entry.params)
      if (params) std::cout << described(param) << '\n';
  }
}

/// "one, two, three" on lines of this width.
std::string listed(const std::vector<std::string_view>& names, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  for (std::string_view name : names) {
    if (!out.empty()) out += ", ";
    column += name.size() + 2;
    if (column > width) out.back() = '\n', column = name.size() + 2;
    out += name;
  }
  return out;
}

}  // namespace

std::vector<std::string_view> list_kinds() {
  std::vector<std::string_view> out;
  out.reserve(kinds.size());
  for (const Listing& kind : kinds) out.push_back(kind.name);
  return out;
}

Action add_list(Arguments& arguments) {
  struct ListArguments {
    std::string kind;
    bool names = false;
  };
  auto options = std::make_shared<ListArguments>();
  arguments.optional("kind", options->kind,
                     "only these, with their parameters:\n" + listed(list_kinds(), 48));
  arguments.flag("--names", options->names, "names only, one a line");
  return [options] {
    bool found = false;
    for (const Listing& kind : kinds) {
      if (!options->kind.empty() && options->kind != kind.name) continue;
      if (found && !options->names) std::cout << '\n';
      print(kind, !options->kind.empty(), options->names);
      found = true;
    }
    if (found) return exit_fine;
    throw Error("there is no list of \"{}\"; there are: {}{}", options->kind,
                fmt::join(list_kinds(), " "), suggestion(options->kind, list_kinds()));
  };
}

}  // namespace weft::cli
