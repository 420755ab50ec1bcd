// SPDX-License-Identifier: Apache-2.0
// Subnets on the command line: folders with dumps.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "fabric/infiniband/import.hpp"

namespace weft::cli {

/// Shows progress. Throws Error.
infiniband::Subnet read_subnet(const std::string& folder);

/// What is odd.
void print_notes(const std::vector<std::string>& notes, std::ostream& human_output);
/// What is odd about the dumps, and what cannot be judged by them.
void print_gaps(const infiniband::Subnet& subnet, std::ostream& human_output);

}  // namespace weft::cli
