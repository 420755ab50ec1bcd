// SPDX-License-Identifier: Apache-2.0
// What the tests of file formats share: texts in and out, messages, and random fabrics with all
// that a format may have to hold.
#pragma once
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>

#include "base/catalog.hpp"
#include "base/message.hpp"
#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "fabric/format/format.hpp"
#include "support/paths.hpp"
#include "support/text.hpp"

namespace weft::test {

inline std::string recorded(const std::string& path) {
  return weft::testing::source_dir().string() + "/tests/recorded/opensm/" + path;
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

inline Fabric parsed(const std::string& text, std::string_view format) {
  return read_fabric({"file", text}, format);
}

inline std::string fabric_message(const std::string& text, std::string_view format) {
  return message_of([&] { parsed(text, format); });
}

inline std::string tables_message(const std::string& text, const Fabric& fabric,
                                  std::string_view format) {
  return message_of([&] { read_tables({"file", text}, fabric, format); });
}

/// A random fabric with odd names, parallel links, unlike wires, holes between ports, and, each
/// with even chance, coordinates, GUIDs and LIDs. Links are ordered by switch and port and lead
/// from the earlier switch to the later, as every format keeps them.
class RandomFabric {
 public:
  explicit RandomFabric(std::uint64_t seed) : rng_(seed) {}
  Fabric make() {
    addresses_ = flip();
    coordinates_ = flip();
    const std::size_t count = 1 + rng_.below(7);
    FabricBuilder builder("random " + std::to_string(rng_.below(100)));
    for (std::size_t i = 0; i < count; ++i) builder.add_switch(one_switch(i));
    const std::size_t hosts = rng_.below(9);
    for (std::size_t i = 0; i < hosts; ++i) builder.add_host(one_host(i, count));
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t n = a + 1 < count ? rng_.below(4) : 0; n > 0; --n)
        builder.add_link({{SwitchId(a), open(a)}, end_after(a, count), wire()});
    return std::move(builder).build();
  }

 private:
  bool flip() { return rng_.below(2) == 0; }
  std::string name(const char* kind, std::size_t i) {
    constexpr std::string_view odd[] = {"", " ", "ü", "#", "<&>", "'", ":", ", |", "x\xE2\x82\xAC"};
    return std::string(odd[rng_.below(9)]) + kind + std::to_string(i) +
           std::string(odd[rng_.below(9)]);
  }
  Wire wire() {
    const std::int64_t speeds[] = {
        8'000'000'000, 32'000'000'000, 54'545'454'544, 6'000'000'000, 1, 4'503'599'627'370'497};
    const auto delay = static_cast<std::int64_t>(rng_.below(3));
    return {{speeds[rng_.below(6)]}, flip() ? Delay::cycles(delay) : Duration(delay * 12'345)};
  }
  PortNumber open(std::size_t s) {
    used_.resize(std::max(used_.size(), s + 1));
    used_[s] += 1 + rng_.below(2);
    return static_cast<PortNumber>(used_[s]);
  }
  LinkEnd end_after(std::size_t a, std::size_t count) {
    const std::size_t b = a + 1 + rng_.below(count - a - 1);
    return {SwitchId(b), open(b)};
  }
  Switch one_switch(std::size_t i) {
    Switch s{name("s", i), 60};
    if (addresses_) s.guid = 0x2c90000 + i;
    if (addresses_) s.lid = static_cast<Lid>(100 + i);
    if (coordinates_) s.at = {static_cast<int>(i), -3};
    return s;
  }
  Host one_host(std::size_t i, std::size_t switches) {
    const std::size_t on = rng_.below(switches);
    Host h{name("h", i), SwitchId(on), open(on), wire()};
    if (!addresses_) return h;
    h.guid = 0x2c90200 + 16 * i;
    h.port_guid = h.guid + 3;
    h.lid = static_cast<Lid>(1 + i);
    h.nic_port = static_cast<PortNumber>(1 + rng_.below(2));
    return h;
  }

  Rng rng_;
  bool addresses_ = false, coordinates_ = false;
  std::vector<std::size_t> used_;
};

}  // namespace weft::test
