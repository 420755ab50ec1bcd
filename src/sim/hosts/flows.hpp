// SPDX-License-Identifier: Apache-2.0
// Flows: a hash table of the state of every flow: two ports that have communicated at one priority.
// A port is a processor of a host. The messages of a flow keep their order.
#pragma once
#include <cstdint>
#include <vector>

#include "fabric/fabric.hpp"

namespace weft::sim {

struct FlowKey {
  HostId from{}, to{};
  std::uint32_t from_processor = 0, to_processor = 0;  ///< below 2^16
  bool urgent = false;
};

class Flows {
 public:
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  /// A key in two words, which are compared fast.
  struct PackedKey {
    std::uint64_t hosts = 0, ports = 0;
    FlowKey unpacked() const {
      const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
      return {HostId(low(hosts >> 32U)), HostId(low(hosts)), low(ports >> 32U), low(ports) >> 1U,
              (ports & 1U) != 0};
    }
    friend bool operator==(const PackedKey&, const PackedKey&) = default;
  };
  struct alignas(64) FlowState {
    PackedKey key{};
    std::uint32_t begun = 0, taken = 0;  ///< transfers that have a number, and that had their turn
    std::uint32_t held = nothing;        ///< the first transfer that arrived before its turn
    // Transfers for which the target has no receive token, in order.
    std::uint32_t refused_first = nothing, refused_last = nothing;
    // Send tokens that have packets to send, in order.
    std::uint32_t first = nothing, last = nothing;
    std::uint32_t place = nothing;  ///< its number in its host's dispatcher
    std::uint64_t dispatched = 0;   ///< packets with data
  };

  std::uint32_t of(const FlowKey& flow) {
    const PackedKey key = packed(flow);
    const std::uint32_t id = *find(table_, key);
    return id != nothing ? id : add(key);
  }
  /// Valid until the next call of `of`.
  FlowState& operator[](std::uint32_t id) { return flows_[id]; }

 private:
  [[gnu::noinline]] std::uint32_t add(const PackedKey& key) {
    if (2 * (flows_.size() + 1) > table_.size()) {
      std::vector<std::uint32_t> larger(2 * table_.size(), nothing);
      for (std::uint32_t id = 0; id < flows_.size(); ++id) *find(larger, flows_[id].key) = id;
      table_.swap(larger);
    }
    const auto id = static_cast<std::uint32_t>(flows_.size());
    *find(table_, key) = id;
    flows_.push_back({.key = key});
    return id;
  }
  static PackedKey packed(const FlowKey& key) {
    return {std::uint64_t{key.from.index()} << 32U | key.to.index(),
            std::uint64_t{key.from_processor} << 32U | std::uint64_t{key.to_processor} << 1U |
                (key.urgent ? 1U : 0U)};
  }
  static std::uint64_t hash(const PackedKey& key) {
    const std::uint64_t mixed =
        ((key.hosts * 0x9e3779b97f4a7c15U) ^ key.ports) * 0x9e3779b97f4a7c15U;
    return mixed ^ mixed >> 32U;
  }
  /// Where the key is in a table, or would be.
  std::uint32_t* find(std::vector<std::uint32_t>& table, const PackedKey& key) const {
    const std::size_t mask = table.size() - 1;
    std::size_t place = hash(key) & mask;
    while (table[place] != nothing && flows_[table[place]].key != key) place = (place + 1) & mask;
    return &table[place];
  }
  std::vector<FlowState> flows_;
  std::vector<std::uint32_t> table_{std::vector<std::uint32_t>(64, nothing)};
};

}  // namespace weft::sim
