// SPDX-License-Identifier: Apache-2.0
// Random regular graph: connected, simple, `degree` links at every switch. It starts as a circulant
// graph and is mixed by random switchings, which keep all degrees (Milo, Kashtan, Itzkovitz,
// Newman, Alon, 2003); components that this leaves apart are joined by one more switching each.
#include <numeric>
#include <unordered_set>

#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {
namespace {

/// Every link is drawn twenty times on average.
constexpr std::size_t switchings_per_link = 10;

std::vector<Join> circulant(std::size_t switches, std::size_t degree) {
  std::vector<Join> links;
  links.reserve(switches * degree / 2);
  const auto join = [&](std::size_t a, std::size_t b) {
    links.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
  };
  for (std::size_t step = 1; step <= degree / 2; ++step)
    for (std::size_t s = 0; s < switches; ++s) join(s, (s + step) % switches);
  if (degree % 2 != 0)
    for (std::size_t s = 0; s < switches / 2; ++s) join(s, s + switches / 2);
  return links;
}

/// The neighbours of every switch, a row of `degree` each: short enough to be searched.
class Neighbours {
 public:
  Neighbours(const std::vector<Join>& links, std::size_t switches)
      : degree_(2 * links.size() / switches), rows_(2 * links.size()) {
    std::vector<std::size_t> filled(switches, 0);
    for (const Join& link : links) {
      rows_[link.a * degree_ + filled[link.a]++] = link.b;
      rows_[link.b * degree_ + filled[link.b]++] = link.a;
    }
  }
  bool joined(std::uint32_t a, std::uint32_t b) const {
    const auto row = rows_.begin() + static_cast<std::ptrdiff_t>(a * degree_);
    const auto end = row + static_cast<std::ptrdiff_t>(degree_);
    return std::find(row, end, b) != end;
  }
  /// Link a-b becomes a-c, as far as `a` knows.
  void replace(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const auto row = rows_.begin() + static_cast<std::ptrdiff_t>(a * degree_);
    *std::find(row, row + static_cast<std::ptrdiff_t>(degree_), b) = c;
  }

 private:
  std::size_t degree_;
  std::vector<std::uint32_t> rows_;
};

/// Exchanges the ends of two random links, many times: a-b, c-d become a-c, b-d, unless that makes
/// a loop or a double link. Which end is which is drawn too, so a-d, b-c is as likely.
void mix(std::vector<Join>& links, std::size_t switches, Rng& rng) {
  Neighbours neighbours(links, switches);
  for (std::size_t left = switchings_per_link * links.size(); left > 0; --left) {
    Join& one = links[rng.below(links.size())];
    Join& two = links[rng.below(links.size())];
    if (rng.below(2) != 0) std::swap(two.a, two.b);
    const auto [a, b] = one;
    const auto [c, d] = two;
    if (a == c || b == d || neighbours.joined(a, c) || neighbours.joined(b, d)) continue;
    neighbours.replace(a, b, c);
    neighbours.replace(b, a, d);
    neighbours.replace(c, d, a);
    neighbours.replace(d, c, b);
    one = {a, c};
    two = {b, d};
  }
}

/// Connected components of switches, as trees that lead to a root.
class Components {
 public:
  explicit Components(std::size_t switches) : parent_(switches) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  std::uint32_t root(std::uint32_t s) {
    while (parent_[s] != s) s = parent_[s] = parent_[parent_[s]];
    return s;
  }
  /// Joins two components; false when they are one already.
  bool unite(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    parent_[a] = b;
    return a != b;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

/// One link on a cycle from each component. With degree 2 or more every component has one: a link
/// between switches that were connected before.
std::vector<std::size_t> cycle_links(const std::vector<Join>& links, std::size_t switches) {
  Components components(switches);
  std::vector<std::size_t> closing;
  for (std::size_t i = 0; i < links.size(); ++i)
    if (!components.unite(links[i].a, links[i].b)) closing.push_back(i);
  std::vector<std::size_t> out;
  std::unordered_set<std::uint32_t> seen;
  for (const std::size_t i : closing)
    if (seen.insert(components.root(links[i].a)).second) out.push_back(i);
  return out;
}

/// Without a link of a cycle a component stays connected. Exchanging the ends of two such links
/// joins their components twice, so the new links lie on a cycle again.
void connect(std::vector<Join>& links, std::size_t switches) {
  const std::vector<std::size_t> on_cycle = cycle_links(links, switches);
  for (std::size_t i = 1; i < on_cycle.size(); ++i)
    std::swap(links[on_cycle[0]].b, links[on_cycle[i]].a);
}

}  // namespace

Fabric random_regular(const Params& params) {
  const std::size_t switches = params.whole<std::size_t>("switches");
  const std::size_t degree = params.whole<std::size_t>("degree");
  const std::size_t hosts = hosts_each(params);
  if (degree >= switches) params.reject("degree", "it must be less than the number of switches");
  if (switches * degree % 2 != 0)
    params.reject("degree", "degree times switches must be even: a link has two ends");
  if (degree == 1 && switches > 2)
    params.reject("degree", "more than two switches need 2 or more to be connected");
  require_size(params,
               {switches, CheckedCount(switches) * hosts, switches * degree / 2, degree + hosts});

  Rng rng = rng_of(params);
  std::vector<Join> links = circulant(switches, degree);
  mix(links, switches, rng);
  connect(links, switches);
  for (Join& link : links) link = {std::min(link.a, link.b), std::max(link.a, link.b)};
  return from_graph(params, {std::move(links), std::vector<std::size_t>(switches, hosts)});
}

}  // namespace weft::topo
