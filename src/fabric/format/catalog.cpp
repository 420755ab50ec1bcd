// SPDX-License-Identifier: Apache-2.0
// The catalogue of file formats, and recognition of a text's format.
#include "base/catalog.hpp"

#include <array>

#include "base/compressed.hpp"
#include "base/files.hpp"
#include "fabric/format/format.hpp"
#include "fabric/format/formats.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft {
namespace {

constexpr std::array fabric_rows{
    FabricFormat{"weft", "weft's own, TOML", weft_fabric::read, weft_fabric::write,
                 weft_fabric::recognises},
    FabricFormat{"ibnetdiscover", "InfiniBand, as ibnetdiscover prints and ibsim reads it",
                 ibnetdiscover::read, ibnetdiscover::write, ibnetdiscover::recognises},
    FabricFormat{"subnet_lst", "InfiniBand, links as OpenSM and ibdiagnet list them; read only",
                 subnet_lst::read, nullptr, subnet_lst::recognises},
    FabricFormat{"db_csv", "InfiniBand, ibdiagnet's database of nodes and links; read only",
                 db_csv::read, nullptr, db_csv::recognises},
    FabricFormat{"anynet", "BookSim 2's anynet; latencies are cycles", anynet::read, anynet::write,
                 anynet::recognises},
    FabricFormat{"graphml", "GraphML; nodes are switches unless their kind is host", graphml::read,
                 graphml::write, graphml::recognises},
    FabricFormat{"dot", "Graphviz, for drawing; written only", nullptr, dot::write, nullptr},
};

constexpr std::array tables_rows{
    TablesFormat{"weft", "weft's own, one line per column", weft_tables::read, weft_tables::write,
                 weft_tables::recognises},
    TablesFormat{"opensm", "OpenSM's LFT dump, as opensm -R file -U loads it", opensm::read,
                 opensm::write, opensm::recognises},
    TablesFormat{"fdbs", "unicast tables as OpenSM and ibdiagnet dump them for ibdmchk; read only",
                 fdbs::read, nullptr, fdbs::recognises},
};

/// The row named `format`, or the one that recognises the text.
template <class AnyFormat>
const AnyFormat& choose(std::span<const AnyFormat> rows, const Source& source,
                        std::string_view format, std::string_view kind) {
  if (!format.empty()) return find_row(rows, std::string(kind) + " format", format);
  std::string readable;
  for (const AnyFormat& row : rows) {
    if (row.recognises == nullptr) continue;
    if (row.recognises(source.text)) return row;
    readable += " " + std::string(row.name);
  }
  fail(source, 1, "this looks like no {} format; there are:{}", kind, readable);
}

}  // namespace

std::span<const FabricFormat> fabric_formats() { return fabric_rows; }
std::span<const TablesFormat> tables_formats() { return tables_rows; }

Source read_source(const std::string& path) { return {path, decompressed(read_file(path), path)}; }

Fabric read_fabric(const Source& source, std::string_view format) {
  require_text(source);
  const FabricFormat& row = choose(fabric_formats(), source, format, "fabric");
  if (row.read == nullptr) throw Error("{}: {} is only written, not read", source.name, row.name);
  return row.read(source);
}

NotedTables read_noted_tables(const Source& source, const Fabric& fabric, std::string_view format) {
  require_text(source);
  NotedTables read = choose(tables_formats(), source, format, "tables").read(source, fabric);
  try {
    require_fit(fabric, read.tables);
  } catch (const Error& error) {
    throw Error("{}: {}", source.name, error.what());
  }
  return read;
}

Tables read_tables(const Source& source, const Fabric& fabric, std::string_view format) {
  return read_noted_tables(source, fabric, format).tables;
}

}  // namespace weft
