// SPDX-License-Identifier: Apache-2.0
// PacketFormat: how an Elan cuts data into packets, and a packet into transactions of a block each.
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/units.hpp"
#include "sim/elan/model.hpp"
#include "sim/elan/operation.hpp"

namespace weft::sim::elan {

class PacketFormat {
 public:
  PacketFormat(const Model& model, Bytes flit)
      : payload_(size(model.payload)),
        block_(size(model.block)),
        descriptor_(size(model.descriptor)),
        packet_header_(size(model.packet_header)),
        block_header_(size(model.block_header)),
        flit_(size(flit)) {}

  std::uint64_t block_bytes() const { return block_; }
  /// Blocks of so much data.
  std::uint32_t blocks(std::uint64_t data) const {
    return static_cast<std::uint32_t>((data + block_ - 1) / block_);
  }
  /// Data in a packet of an operation; one that asks another Elan carries a descriptor.
  std::uint64_t data_in(const DmaOperation& operation, std::uint32_t packet) const {
    const std::uint64_t bytes = operation.asks ? descriptor_ : operation.bytes;
    return std::min(payload_, bytes - packet * payload_);
  }
  /// Where a block begins, from the beginning of its operation's data.
  Address offset(std::uint32_t packet, std::uint32_t block) const {
    return static_cast<Address>(packet * payload_ + block * block_);
  }
  /// A packet has a header and at least one transaction. A transaction with data carries a block,
  /// however few of its bytes are wanted.
  std::uint32_t flits(std::uint64_t data) const {
    const std::uint64_t with_data = blocks(data);
    const std::uint64_t bytes =
        packet_header_ + std::max<std::uint64_t>(1, with_data) * block_header_ + with_data * block_;
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(2, in_flits(bytes)));
  }
  /// The longest packet.
  std::uint32_t most_flits() const { return flits(std::max(payload_, descriptor_)); }
  std::uint32_t header_flits() const { return in_flits(packet_header_); }
  /// Of a transaction with data.
  std::uint32_t block_flits() const { return in_flits(block_header_ + block_); }

 private:
  static std::uint64_t size(Bytes bytes) { return static_cast<std::uint64_t>(bytes.count); }
  std::uint32_t in_flits(std::uint64_t bytes) const {
    return static_cast<std::uint32_t>((bytes + flit_ - 1) / flit_);
  }

  std::uint64_t payload_, block_, descriptor_, packet_header_, block_header_, flit_;
};

}  // namespace weft::sim::elan
