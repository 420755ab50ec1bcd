// SPDX-License-Identifier: Apache-2.0
// Fuzzes the readers of InfiniBand's dumps: each reads the text that it recognises. What is read
// must fit the fabric, and errors are one line.
#include <algorithm>

#include "fabric/infiniband/adaptive_choices.hpp"
#include "fabric/infiniband/lane_settings.hpp"
#include "fabric/infiniband/multicast_tables.hpp"
#include "fabric/infiniband/qos_policy.hpp"
#include "fabric/infiniband/service_levels.hpp"
#include "round_trip.hpp"

namespace weft {
namespace {

Tables all_from_first(const Fabric& fabric) {
  Tables out;
  out.to_host.assign(fabric.host_count(),
                     out.paths.emplace<DestinationTables>(0, fabric.switch_count(), no_port)
                         .push_back(std::vector<PortNumber>(fabric.switch_count(), no_port)));
  return out;
}

void expect_fit(const Fabric& fabric, const Tables& tables) {
  try {
    require_fit(fabric, tables);
  } catch (const Error& error) {
    invariant(false, error.what());
  }
}

void read_fabrics(const Source& source) {
  for (const char* format : {"subnet_lst", "db_csv"})
    if (find_row(fabric_formats(), "format", format).recognises(source.text))
      fuzz::written(read_fabric(source, format), "weft");
}

void read_all_tables(const Source& source, const Fabric& fabric) {
  if (find_row(tables_formats(), "format", "fdbs").recognises(source.text))
    expect_fit(fabric, read_tables(source, fabric, "fdbs"));
  if (infiniband::recognises_multicast(source.text)) {
    Tables tables = all_from_first(fabric);
    tables.groups = infiniband::read_multicast(source, fabric).groups;
    expect_fit(fabric, tables);
  }
  if (infiniband::recognises_path_levels(source.text))
    expect_fit(fabric, with_levels(fabric, all_from_first(fabric),
                                   infiniband::read_path_levels(source, fabric), std::nullopt));
  if (infiniband::recognises_policy(source.text))
    expect_fit(fabric, with_levels(fabric, all_from_first(fabric),
                                   infiniband::read_policy(source, fabric), std::nullopt));
  infiniband::PathLevels levels(fabric.host_count());
  levels.set(fabric[HostId(0)].lid, HostId(1), 15);
  if (infiniband::recognises_lane_maps(source.text))
    expect_fit(fabric, with_levels(fabric, all_from_first(fabric), levels,
                                   infiniband::read_lane_maps(source, fabric)));
  if (infiniband::recognises_lane_settings(source.text))
    expect_fit(fabric, with_levels(fabric, all_from_first(fabric), levels,
                                   infiniband::read_lane_settings(source, fabric)));
}

/// What is written once is written the same again.
void read_adaptive_tables(const Source& source, const Fabric& fabric) {
  if (!infiniband::recognises_adaptive(source.text)) return;
  const auto text = [](const std::vector<infiniband::AdaptiveSwitch>& switches) {
    std::ostringstream out;
    infiniband::write_adaptive(out, switches);
    return out.str();
  };
  const std::vector<infiniband::AdaptiveSwitch> switches = infiniband::read_adaptive(source);
  const std::string once = text(switches);
  invariant(text(infiniband::read_adaptive({"fuzz", once})) == once,
            "adaptive tables changed by writing and reading");
  infiniband::odd_entries(fabric, switches);
  const Tables tables = infiniband::static_tables(source, fabric, switches).tables;
  expect_fit(fabric, tables);
  expect_fit(fabric,
             infiniband::with_adaptive_groups(source, fabric, tables, switches, 0xFFFE).tables);
}

}  // namespace
}  // namespace weft

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  static const Fabric fabric = fuzz::small_fabric();
  const Source source = fuzz::source_of(data, size);
  const auto one_line_errors = [](const auto& read) {
    try {
      read();
    } catch (const Error& error) {
      invariant(std::string_view(error.what()).find('\n') == std::string_view::npos,
                "an error of more than one line");
    }
  };
  one_line_errors([&] { read_fabrics(source); });
  one_line_errors([&] { read_all_tables(source, fabric); });
  one_line_errors([&] { read_adaptive_tables(source, fabric); });
  return 0;
}
