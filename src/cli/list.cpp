// SPDX-License-Identifier: Apache-2.0
// weft list: the catalogues, one of them, or one of its rows with every parameter.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/reference/catalogues.hpp"
#include "cli/verbs.hpp"
#include "lab/report/report.hpp"
#include "lab/revision.hpp"

namespace weft::cli {
namespace {

struct ListArguments {
  std::string kind, row, json;
  bool names = false;
};

/// "name=default   what it is [which values there are]".
std::string described(const Param& param) {
  std::string help(param.help);
  const std::string values = describe(param.type);
  if (!values.empty()) help += fmt::format(" [{}]", values);
  return wrapped(fmt::format("      {:<20}", fmt::format("{}={}", param.name, param.fallback)),
                 help);
}

void print(const Listing& kind, bool params) {
  std::cout << kind.name << '\n';
  for (const ListedItem& entry : kind.entries()) {
    std::cout << wrapped(fmt::format("  {:<17}", entry.name), entry.summary) << '\n';
    for (const Param& param : entry.params)
      if (params) std::cout << described(param) << '\n';
  }
}

void print_names(const Listing& kind) {
  for (const ListedItem& entry : kind.entries()) std::cout << entry.name << '\n';
}

void print_row(const ListedItem& item) {
  std::cout << wrapped(item.name + ":", item.summary) << '\n';
  if (!item.more.empty()) {
    std::cout << item.more << " says more\n";
  } else if (item.params.empty()) {
    std::cout << "no parameters\n";
  } else {
    std::cout << '\n';
    write_text(std::cout, ReferenceSection{.title = "", .table = table_of(item.params)});
  }
}

nlohmann::ordered_json to_json(const ListedItem& item) {
  nlohmann::ordered_json params = nlohmann::ordered_json::array();
  for (const Param& param : item.params)
    params.push_back({{"name", std::string(param.name)},
                      {"default", std::string(param.fallback)},
                      {"values", allowed_values(param.type)},
                      {"meaning", std::string(param.help)}});
  return {{"name", item.name}, {"summary", item.summary}, {"parameters", params}};
}

void write_list_json(std::ostream& out, const ListArguments& options) {
  nlohmann::ordered_json catalogues = nlohmann::ordered_json::object();
  for (const Listing& kind : listings()) {
    if (!options.kind.empty() && options.kind != kind.name) continue;
    nlohmann::ordered_json& rows = catalogues[std::string(kind.name)];
    rows = nlohmann::ordered_json::array();
    const auto items = options.row.empty() ? kind.entries() : find_items(kind, options.row);
    for (const ListedItem& item : items) rows.push_back(to_json(item));
  }
  const nlohmann::ordered_json document{
      {"weft", "catalogues 1"}, {"revision", std::string(revision())}, {"catalogues", catalogues}};
  out << document.dump(2) << '\n';
}

/// "one, two, three" on lines of this width.
std::string listed(std::size_t width) {
  std::string out;
  std::size_t column = 0;
  for (const Listing& kind : listings()) {
    if (!out.empty()) out += ", ";
    column += kind.name.size() + 2;
    if (column > width) out.back() = '\n', column = kind.name.size() + 2;
    out += kind.name;
  }
  return out;
}

void print_rows(const ListArguments& options) {
  const char* between = "";
  for (const ListedItem& item : find_items(find_listing(options.kind), options.row)) {
    std::cout << between;
    print_row(item);
    between = "\n";
  }
}

void print_kinds(const ListArguments& options) {
  const char* between = "";
  for (const Listing& kind : listings()) {
    if (!options.kind.empty() && options.kind != kind.name) continue;
    if (options.names) {
      print_names(kind);
      continue;
    }
    std::cout << between;
    print(kind, !options.kind.empty());
    between = "\n";
  }
}

}  // namespace

Action add_list(Arguments& arguments) {
  auto options = std::make_shared<ListArguments>();
  arguments.optional("kind", options->kind, "only these, with their parameters:\n" + listed(48));
  arguments.optional("row", options->row,
                     "only this one, with unit, default and range of every\nparameter: weft list "
                     "nics hca");
  arguments.flag("--names", options->names, "names only, one a line");
  arguments.option("--json FILE", options->json, "write them to this file as JSON");
  return [options] {
    if (!options->kind.empty()) find_listing(options->kind);
    if (!options->json.empty()) {
      prepare_outputs({options->json}, {});
      write_file(options->json, [&](std::ostream& out) { write_list_json(out, *options); });
    } else if (!options->row.empty()) {
      print_rows(*options);
    } else {
      print_kinds(*options);
    }
    return exit_fine;
  };
}

}  // namespace weft::cli
