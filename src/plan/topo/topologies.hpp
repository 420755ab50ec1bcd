// SPDX-License-Identifier: Apache-2.0
// The functions behind the rows of catalog.cpp, one file each. What they share is in
// construction.hpp.
#pragma once
#include "base/params.hpp"
#include "fabric/fabric.hpp"

namespace weft::topo {

Fabric mesh(const Params&);
Fabric torus(const Params&);
Fabric ring(const Params&);
Fabric hypercube(const Params&);
Fabric complete(const Params&);
Fabric hyperx(const Params&);
Fabric dragonfly(const Params&);
Fabric dragonfly_plus(const Params&);

Fabric xgft(const Params&);
Fabric tree(const Params&);
Fabric clos2(const Params&);
Fabric clos3(const Params&);
Fabric crossbar(const Params&);
Fabric chain(const Params&);

Fabric random_regular(const Params&);
Fabric random_irregular(const Params&);

Fabric myrinet_clos(const Params&);
Fabric fat_tree_241(const Params&);
Fabric fat_tree_242(const Params&);
Fabric rhinet2_a(const Params&);
Fabric rhinet2_b_surrogate(const Params&);
Fabric iba_mesh(const Params&);

Fabric file(const Params&);

}  // namespace weft::topo
