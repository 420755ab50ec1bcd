// SPDX-License-Identifier: Apache-2.0
// Short names: InfiniBand's descriptions of switches and NICs begin with the name that people use,
// as "leaf03 MF0;ib-sw03:SX6036/U1", "MF0;ib-sw03:SX6036/U1", "node017 HCA-1" or "node017 mlx5_0".
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.hpp"

namespace weft {

/// What stands before the hardware; the whole name where none is named.
std::string_view short_name(std::string_view name);

/// Whether `text` is the beginning of the name, up to a space, a semicolon or a colon.
bool begins_name(std::string_view text, std::string_view name);

/// Puts short names, where nothing else of the fabric has the same, into lines for people.
class ShortNames {
 public:
  explicit ShortNames(const Fabric& fabric);
  std::string in(std::string text) const;

 private:
  std::vector<std::string> long_names_;  ///< the longest first
};

/// The fabric with such names, to print from; all else is the same.
Fabric with_short_names(const Fabric& fabric);

}  // namespace weft
