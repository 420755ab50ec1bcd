// SPDX-License-Identifier: Apache-2.0
// File formats of fabrics and tables: one row per format, one file per row.
#pragma once
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "fabric/fabric.hpp"
#include "fabric/noted_tables.hpp"

namespace weft {

/// A text and where it came from, for messages of the form "net.toml:12: …".
struct Source {
  std::string name;
  std::string text;
};

/// Reads a whole file, also one that gzip or zstd has compressed. Throws Error when it cannot be
/// read or is absurdly large.
Source read_source(const std::string& path);

struct FabricFormat {
  std::string_view name;
  std::string_view summary;
  Fabric (*read)(const Source&);                ///< null: written only
  void (*write)(std::ostream&, const Fabric&);  ///< null: read only
  bool (*recognises)(std::string_view text);    ///< does the text look like this format?
};

struct TablesFormat {
  std::string_view name;
  std::string_view summary;
  NotedTables (*read)(const Source&, const Fabric&);
  void (*write)(std::ostream&, const Fabric&, const Tables&);  ///< null: read only
  bool (*recognises)(std::string_view text);
};

std::span<const FabricFormat> fabric_formats();
std::span<const TablesFormat> tables_formats();

/// Reads in the named format, or, when `format` is empty, in the one that recognises the text.
Fabric read_fabric(const Source& source, std::string_view format = "");
Tables read_tables(const Source& source, const Fabric& fabric, std::string_view format = "");
NotedTables read_noted_tables(const Source& source, const Fabric& fabric,
                              std::string_view format = "");

}  // namespace weft
