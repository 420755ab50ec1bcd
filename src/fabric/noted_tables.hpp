// SPDX-License-Identifier: Apache-2.0
// Tables as somebody's files have them, and what is odd about these.
#pragma once
#include <string>
#include <vector>

#include "fabric/tables.hpp"

namespace weft {

struct NotedTables {
  Tables tables;
  std::vector<std::string> notes{};  ///< a line each
};

}  // namespace weft
