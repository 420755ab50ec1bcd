// SPDX-License-Identifier: Apache-2.0
// Worlds of ranks over Elans, and helpers of Elan3 programs.
#pragma once
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "comm/elan3.hpp"
#include "run/simulated/elan3.hpp"
#include "support/elite.hpp"
#include "support/worlds.hpp"

namespace weft::test {

/// A quaternary fat tree; of dimension two, it has 16 hosts.
inline Machine elan_machine(int dimension = 2, const std::string& nic = "elan") {
  return Machine("tree:k=4,n=" + std::to_string(dimension) + ",speed=3.2Gb/s", "nca", nic, elite);
}

/// The tree's first hosts, with a rank on each.
inline run::WorldOptions first_hosts(std::size_t count) {
  run::WorldOptions options;
  for (std::size_t i = 0; i < count; ++i) options.hosts.emplace_back(i);
  return options;
}

inline void fill(std::span<std::byte> bytes, std::uint64_t seed) {
  Rng rng(seed);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(rng.next());
}

inline std::vector<std::byte> filled(std::size_t size, std::uint64_t seed) {
  std::vector<std::byte> out(size);
  fill(out, seed);
  return out;
}

inline std::vector<std::byte> copy_of(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

/// The text of the Error that it throws.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace weft::test
