// SPDX-License-Identifier: Apache-2.0
// The routing engines, one function per file of this folder; catalog.cpp lists them.
#pragma once
#include "plan/route/route.hpp"

namespace weft {

Routed minhop(const Fabric&, const Params&);
Routed dor(const Fabric&, const Params&);
Routed xy(const Fabric&, const Params&);
Routed updown(const Fabric&, const Params&);
Routed prefix(const Fabric&, const Params&);
Routed sbp(const Fabric&, const Params&);
Routed lash(const Fabric&, const Params&);
Routed dl(const Fabric&, const Params&);
Routed min_on_dragonfly(const Fabric&, const Params&);
Routed dmodk(const Fabric&, const Params&);
Routed nca(const Fabric&, const Params&);
Routed sssp(const Fabric&, const Params&);
Routed dfsssp(const Fabric&, const Params&);
Routed nue(const Fabric&, const Params&);
Routed valiant(const Fabric&, const Params&);
Routed romm(const Fabric&, const Params&);
Routed xy_yx(const Fabric&, const Params&);
Routed ugal(const Fabric&, const Params&);
Routed ugal_g(const Fabric&, const Params&);
Routed par(const Fabric&, const Params&);
Routed min_adaptive(const Fabric&, const Params&);
Routed updown_adaptive(const Fabric&, const Params&);

}  // namespace weft
