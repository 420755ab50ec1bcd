// SPDX-License-Identifier: Apache-2.0
// What several topologies share: sizes that are checked before memory is used, a fabric under
// construction, and the constructions that more than one row is a case of.
#pragma once
#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/params.hpp"
#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "fabric/fabric.hpp"

namespace weft::topo {

/// A count that is computed from parameters: it saturates at `absurd` instead of overflowing, and
/// absurd counts are refused.
class CheckedCount {
 public:
  static constexpr std::int64_t absurd = 1'000'000'000'000;

  constexpr CheckedCount() = default;
  template <class Number>
  constexpr CheckedCount(Number n)
      : n_(n > Number{} ? std::min(static_cast<std::int64_t>(n), absurd) : 0) {}

  [[nodiscard]] constexpr std::int64_t value() const { return n_; }
  friend constexpr CheckedCount operator+(CheckedCount a, CheckedCount b) { return a.n_ + b.n_; }
  friend constexpr CheckedCount operator*(CheckedCount a, CheckedCount b) {
    if (b.n_ != 0 && a.n_ > absurd / b.n_) return absurd;
    return a.n_ * b.n_;
  }
  friend constexpr CheckedCount operator/(CheckedCount a, std::int64_t b) { return a.n_ / b; }
  friend constexpr auto operator<=>(CheckedCount, CheckedCount) = default;

 private:
  std::int64_t n_ = 0;
};

/// InfiniBand's LIDs that are not for multicast groups.
inline constexpr std::size_t most_lids = 49'151;

struct Size {
  CheckedCount switches, hosts, links;
  CheckedCount ports;  ///< of the switch with most
};

/// Throws Error for more than four million things, or a switch with more ports than there can be.
void require_size(const Params& params, const Size& size);

/// The parameter "hosts": how many each switch (that has hosts at all) gets.
std::size_t hosts_each(const Params& params);

/// Random numbers from the parameter "seed".
Rng rng_of(const Params& params);

/// The digits of `index` in the mixed radix `dims`, the first fastest.
std::vector<int> digits(std::size_t index, std::span<const int> dims);
CheckedCount product(std::span<const int> dims);

inline LinkEnd end_at(std::size_t on, std::size_t port) {
  return {SwitchId(on), static_cast<PortNumber>(port)};
}

/// A fabric under construction: named after its spec, switches s0, s1, …, hosts h0, h1, …, one
/// kind of wire between switches and one to hosts.
class Assembly {
 public:
  /// Throws Error when `size` is absurd.
  Assembly(const Params& params, const Size& size);

  void add_switch(std::vector<int> at = {});
  void add_link(LinkEnd a, LinkEnd b) { add_link(a, b, wire_); }
  void add_link(LinkEnd a, LinkEnd b, Wire wire) { out_.add_link({a, b, wire}); }
  /// `count` hosts on switch `on`, from port `first` on.
  void add_hosts(std::size_t on, std::size_t first, std::size_t count);
  Fabric build() && { return std::move(out_).build(); }

 private:
  FabricBuilder out_;
  Wire wire_, host_wire_;
};

Wire wire_of(const Params& params);
/// The same with the delay that a parameter gives, where it gives one.
Wire wire_with(const Params& params, std::string_view delay);

/// A link between switches `a` < `b`, of a topology that is a list of links.
struct Join {
  std::uint32_t a, b;
  friend auto operator<=>(const Join&, const Join&) = default;
};

struct Graph {
  std::vector<Join> links;
  std::vector<std::size_t> hosts;  ///< how many, by switch
};

/// Ports in the order of the neighbours' ids, then the hosts.
Fabric from_graph(const Params& params, Graph graph);

/// Mesh, torus and ring: coordinates with dimension 0 fastest; port 1 = +x, 2 = -x, 3 = +y, 4 = -y
/// and so on on every switch (at the edge of a mesh the port stays empty), then the hosts.
struct GridShape {
  std::vector<int> dims;
  bool wraps;
};
Fabric from_grid(const Params& params, const GridShape& grid);

/// HyperX: complete graphs in every dimension (hyperx.cpp).
struct HyperxShape {
  std::vector<int> dims;
  std::vector<int> width;  ///< parallel links, by dimension
};
Fabric from_hyperx(const Params& params, const HyperxShape& shape);

/// Extended generalized fat tree (xgft.cpp): by level, from the hosts upwards, the children of a
/// switch (m), the parents of a child (w) and the parallel links between the two.
struct XgftShape {
  std::vector<int> children, parents, links;
};
Fabric from_xgft(const Params& params, const XgftShape& shape);

}  // namespace weft::topo
