// SPDX-License-Identifier: Apache-2.0
// The checks, one function per file of this folder; catalog.cpp lists them.
#pragma once
#include "fabric/hot_links.hpp"
#include "plan/check/check.hpp"

namespace weft {

Finding check_reach(const Subject&);
Finding check_hops(const Subject&);
Finding check_load(const Subject&);
Finding check_shifts(const Subject&);
Finding check_matchings(const Subject&);
Finding check_bisection(const Subject&);
Finding check_multicast(const Subject&);
Finding check_deadlock(const Subject&);

/// What links carry, of which some are hot.
struct CarriedRoutes {
  const IdVector<ChannelId, double>& routes;
  double mean = 0;
  std::string where{};                       ///< ends the line of a link: ", in one matching"
  IdVector<ChannelId, std::size_t> shift{};  ///< or the shift that it was in
};
/// Adds as many of the busiest links as the subject wants, as lines and as items.
void add_hot_links(Finding& finding, const Subject& subject, const CarriedRoutes& carried);

}  // namespace weft
