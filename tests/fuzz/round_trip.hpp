// SPDX-License-Identifier: Apache-2.0
// What every fuzzer of a format does: parse; an Error is fine; what parses must survive writing and
// reading, and must not upset the other writers.
#pragma once
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "base/catalog.hpp"
#include "fabric/builder.hpp"
#include "fabric/format/format.hpp"

namespace weft::fuzz {

inline Source source_of(const std::uint8_t* data, std::size_t size) {
  return {"fuzz", std::string(reinterpret_cast<const char*>(data), size)};
}

inline std::string written(const Fabric& fabric, std::string_view format) {
  std::ostringstream out;
  find_row(fabric_formats(), "format", format).write(out, fabric);
  return out.str();
}

inline std::string written(const Fabric& fabric, const Tables& tables, std::string_view format) {
  std::ostringstream out;
  find_row(tables_formats(), "format", format).write(out, fabric, tables);
  return out.str();
}

/// `held` is what the format can hold of a fabric.
template <class Held>
void fabric_round_trip(const Source& source, std::string_view format, Held&& held) {
  const auto parsed = [&]() -> std::optional<Fabric> {
    try {
      return read_fabric(source, format);
    } catch (const Error& error) {
      invariant(std::string_view(error.what()).find('\n') == std::string_view::npos,
                "an error of more than one line");
      return std::nullopt;
    }
  }();
  if (!parsed) return;
  const Source again{"fuzz", written(*parsed, format)};
  invariant(read_fabric(again, format) == held(*parsed), "a fabric changed by writing and reading");
  for (const FabricFormat& row : fabric_formats()) {
    if (row.write == nullptr) continue;
    try {
      written(*parsed, row.name);
    } catch (const Error&) {  // anynet cannot hold parallel links
    }
  }
}

/// Three switches in a line with two links between the first two, and a host on each but the last.
inline Fabric small_fabric() {
  FabricBuilder builder("small");
  const SwitchId a = builder.add_switch({"s0", 4, 0x1000, 11});
  const SwitchId b = builder.add_switch({"s1", 4, 0x1001, 12});
  const SwitchId c = builder.add_switch({"rack 2: top", 3, 0x1002, 13});
  builder.add_host({"h0", a, 4, {}, 0x2000, 0x2001, 1, 1});
  builder.add_host({"h1", b, 4, {}, 0x2010, 0x2011, 2, 1});
  builder.add_host({"h 2", b, 3, {}, 0x2010, 0x2012, 3, 2});
  builder.add_link({{a, 1}, {b, 1}, {}});
  builder.add_link({{a, 2}, {b, 2}, {}});
  builder.add_link({{a, 3}, {c, 3}, {}});
  return std::move(builder).build();
}

}  // namespace weft::fuzz
