// SPDX-License-Identifier: Apache-2.0
// A fabric from a file, in any of the formats of fabric/format; the file says speeds and delays.
#include "fabric/format/format.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {

Fabric file(const Params& params) {
  if (params.text("path").empty()) params.reject("path", "the name of a fabric file is needed");
  return read_fabric(read_source(params.text("path")));
}

}  // namespace weft::topo
