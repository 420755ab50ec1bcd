// SPDX-License-Identifier: Apache-2.0
// The group schemes and visiting orders; catalog.cpp lists them.
#pragma once
#include "plan/mcast/mcast.hpp"

namespace weft {

Grouped union_group(const GroupSubject&, const Params&);
Grouped shared_group(const GroupSubject&, const Params&);
Grouped oriented_group(const GroupSubject&, const Params&);
Grouped rooted_group(const GroupSubject&, const Params&);

std::vector<Send> ro(const Fabric&, const OrderRequest&);
std::vector<Send> hio(const Fabric&, const OrderRequest&);
std::vector<Send> sho(const Fabric&, const OrderRequest&);
std::vector<Send> shio(const Fabric&, const OrderRequest&);
std::vector<Send> sco(const Fabric&, const OrderRequest&);
std::vector<Send> one_sho_three_ro(const Fabric&, const OrderRequest&);

}  // namespace weft
