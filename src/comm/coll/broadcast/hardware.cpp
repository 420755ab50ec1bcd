// SPDX-License-Identifier: Apache-2.0
// hardware: multicasts of the switches, one for each packet of data. Without acknowledgements,
// packets may overtake each other on another lane, so each carries its offset.
#include "comm/coll/patterns/hardware.hpp"

#include <cstring>

#include "base/error.hpp"
#include "comm/coll/collectives.hpp"
#include "comm/coll/patterns/scratch.hpp"

namespace weft::comm {
namespace {

class HardwareBroadcast final : public Broadcast {
 public:
  HardwareBroadcast(Team team, int group)
      : Broadcast(std::move(team)), multicast_(team_, group), packet_(multicast_.most()) {
    if (packet_.size() <= header)
      throw Error("hardware: packets of {} bytes are too small to broadcast", packet_.size());
  }

  TaskOf<Status> run(Rank root, std::span<std::byte> data) override {
    const Tag tag = multicast_.tag(number_++);
    return team_.rank() == root ? send(tag, data) : receive(root, tag, data);
  }

 private:
  using Offset = std::uint64_t;
  static constexpr std::size_t header = sizeof(Offset);

  TaskOf<Status> send(Tag tag, std::span<std::byte> data) {
    const std::size_t most = packet_.size() - header;
    Offset offset = 0;
    do {
      const auto piece = std::span<const std::byte>(data).subspan(offset).first(
          std::min(most, data.size() - offset));
      std::memcpy(packet_.data(), &offset, header);
      copy_contents(piece, std::span(packet_).subspan(header, piece.size()));
      const auto packet = std::span<const std::byte>(packet_).first(header + piece.size());
      Result result = co_await multicast_.send(tag, packet);
      for (const Rank member : multicast_.here())
        if (result.ok()) result = co_await multicast_.send_to(member, tag, packet);
      if (!result.ok()) co_return result.status;
      offset += piece.size();
    } while (offset < data.size());
    co_return Status::ok;
  }

  TaskOf<Status> receive(Rank root, Tag tag, std::span<std::byte> data) {
    std::size_t taken = 0;
    do {
      const Result result = co_await multicast_.recv(root, tag, packet_);
      if (!result.ok()) co_return result.status;
      Offset offset = 0;
      std::memcpy(&offset, packet_.data(), header);
      const std::size_t size = static_cast<std::size_t>(result.bytes) - header;
      invariant(offset + size <= data.size(), "a broadcast brings more than was asked for");
      copy_contents(std::span(packet_).subspan(header, size), data.subspan(offset, size));
      taken += size;
    } while (taken < data.size());
    co_return Status::ok;
  }

  TeamMulticast multicast_;
  std::vector<std::byte> packet_;
  std::uint32_t number_ = 0;
};

}  // namespace

TaskOf<std::unique_ptr<Broadcast>> hardware_broadcast(Team team, FactoryInputs inputs) {
  co_return std::make_unique<HardwareBroadcast>(std::move(team), inputs.group);
}

}  // namespace weft::comm
