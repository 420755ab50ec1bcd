// SPDX-License-Identifier: Apache-2.0
// Reading the lines "qos TRUE" and "qos_sl2vl 0,1,2,…" (sixteen lanes), which "qos_swe_sl2vl …" is
// more particular than: ports of switches to others.
#include "fabric/infiniband/lane_settings.hpp"

#include <algorithm>

#include "fabric/format/parsing/text.hpp"
#include "fabric/infiniband/dump_words.hpp"

namespace weft::infiniband {
namespace {

struct Setting {
  std::string_view value{};
  std::size_t line = 0;
};

/// What a key is set to last; "(null)" is nothing.
Setting setting_of(std::string_view text, std::string_view key) {
  Setting out;
  for (Lines lines(text); lines.next();) {
    std::string_view rest = lines.text.substr(0, lines.text.find('#'));
    if (take_word(rest) != key) continue;
    const std::string_view value = trimmed(rest);
    out = value == "(null)" ? Setting{} : Setting{value, lines.number};
  }
  return out;
}

Setting lanes_in(std::string_view text) {
  const Setting particular = setting_of(text, "qos_swe_sl2vl");
  return particular.value.empty() ? setting_of(text, "qos_sl2vl") : particular;
}

}  // namespace

bool recognises_lane_settings(std::string_view text) {
  return setting_of(text, "qos").value == "TRUE" && !lanes_in(text).value.empty();
}

LaneMaps read_lane_settings(const Source& source, const Fabric& fabric) {
  const auto [value, line] = lanes_in(source.text);
  std::vector<Lane> lanes;
  for (std::string_view rest = value; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    lanes.push_back(static_cast<Lane>(
        number_of(source, line, trimmed(rest.substr(0, end)), service_levels - 1, "a lane")));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (lanes.size() != service_levels)
    fail(source, line, "{} lanes; there is one for each of {} service levels", lanes.size(),
         service_levels);
  return {uniform_map(fabric, lanes)};
}

}  // namespace weft::infiniband
