// SPDX-License-Identifier: Apache-2.0
// The constants that a paper's machines are made of: every number of a cluster file, defaults
// included, with its origin as the paper's constants.csv tells it.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/format/format.hpp"
#include "lab/cluster/cluster.hpp"

namespace weft::papers {

enum class ConstantOrigin { paper, calibrated, method, assumed };

/// By name: "nic.post", "paper.capacity", or of one of several files "viabarrier3:nic.pci_mhz".
/// What is not there is an assumption.
using ConstantOrigins = std::map<std::string, ConstantOrigin>;
/// Reads constants.csv. Throws Error "file:line: …".
ConstantOrigins read_origins(const Source& source);
/// Those of the paper of this name; none where it has no such file.
ConstantOrigins origins_of(std::string_view paper);

struct MachineConstant {
  std::string name;
  std::string value;  ///< "1.2us"
};
/// Those that are a number with or without a unit, and not 0.
std::vector<MachineConstant> constants_of(const Cluster& cluster);

/// The cluster with constants multiplied by these factors, or by less where more is not allowed.
/// Numbers that are whole stay whole, and none becomes 0.
Cluster with_factors(Cluster cluster, const std::map<std::string, double>& factors);

/// "1.8us" for "1.2us" and 1.5; nothing for a text that is no number.
std::string scaled(const std::string& value, double factor);

}  // namespace weft::papers
