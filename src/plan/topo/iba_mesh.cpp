// SPDX-License-Identifier: Apache-2.0
// IbaMesh(m, n): the two-dimensional InfiniBand mesh of Zhou, Liu and Chung (hardware supported
// multicast in 2-D mesh InfiniBand networks). Switches N(x,y), x < m, y < n, x fastest; port 1 =
// east, 2 = north, 3 = west, 4 = south, and host H(x,y) on port 5. Coordinates: x, y.
//
// LIDs: the host's is x*n + y + 1. The paper prints x*m + y + 1, which gives one LID to two hosts
// when n > m; on square meshes both agree. The switches' LIDs follow in the same order.
#include "base/error.hpp"
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {
namespace {

constexpr PortNumber east = 1, north = 2, west = 3, south = 4, host_port = 5;
/// Locally administered EUI-64s; the last four bytes hold kind and LID.
constexpr Guid guid_prefix = 0x0257'4546'0000'0000U;
enum class GuidKind : Guid { on_switch = 1, nic = 2, nic_port = 3 };

Guid guid(GuidKind kind, std::size_t lid) {
  return guid_prefix | static_cast<Guid>(kind) << 16 | lid;
}

struct MeshPosition {
  std::size_t x, y, lid;
  std::string text() const { return fmt::format("({},{})", x, y); }
};

void add_switch(FabricBuilder& out, const MeshPosition& at, std::size_t lid) {
  out.add_switch({.name = "N" + at.text(),
                  .ports = host_port,
                  .guid = guid(GuidKind::on_switch, lid),
                  .lid = static_cast<Lid>(lid),
                  .at = {static_cast<int>(at.x), static_cast<int>(at.y)}});
}

void add_host(FabricBuilder& out, const MeshPosition& at, SwitchId on, Wire wire) {
  out.add_host({.name = "H" + at.text(),
                .on = on,
                .port = host_port,
                .wire = wire,
                .guid = guid(GuidKind::nic, at.lid),
                .port_guid = guid(GuidKind::nic_port, at.lid),
                .lid = static_cast<Lid>(at.lid)});
}

}  // namespace

Fabric iba_mesh(const Params& params) {
  const std::size_t m = params.whole<std::size_t>("m");
  const std::size_t n = params.whole<std::size_t>("n");
  if (2 * m * n > most_lids)
    throw Error(
        "{}: m={}, n={}: {} LIDs would be needed, one for every switch and host; there are {}",
        params.owner(), m, n, 2 * m * n, most_lids);
  const Wire wire = wire_of(params), host_wire = wire_with(params, "host_delay");
  FabricBuilder out(params.spec());
  const auto place = [&](std::size_t id) {
    return MeshPosition{id % m, id / m, id % m * n + id / m + 1};
  };
  for (std::size_t id = 0; id < m * n; ++id) add_switch(out, place(id), m * n + place(id).lid);
  for (std::size_t id = 0; id < m * n; ++id) {
    if (place(id).x + 1 < m) out.add_link({end_at(id, east), end_at(id + 1, west), wire});
    if (place(id).y + 1 < n) out.add_link({end_at(id, north), end_at(id + m, south), wire});
  }
  for (std::size_t id = 0; id < m * n; ++id) add_host(out, place(id), SwitchId(id), host_wire);
  return std::move(out).build();
}

}  // namespace weft::topo
