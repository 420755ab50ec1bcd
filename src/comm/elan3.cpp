// SPDX-License-Identifier: Apache-2.0
// Elan3: parts of blocks, and segments that close by themselves.
#include "comm/elan3.hpp"

#include "base/error.hpp"

namespace weft::comm {

Elan3::Block Elan3::Block::part(std::size_t offset, std::size_t size) const {
  if (offset > bytes.size() || size > bytes.size() - offset)
    throw Error("block {:#x}: it has {} bytes, and none from {} to {}", elan, bytes.size(), offset,
                offset + size);
  return {elan + static_cast<Address>(offset), host + offset, store, bytes.subspan(offset, size)};
}

namespace {

std::vector<Rank> members_of(const Team& team) {
  std::vector<Rank> ranks;
  for (Rank member = 0; member < team.size(); ++member) ranks.push_back(team.in_world(member));
  return ranks;
}

}  // namespace

Elan3::Segment Elan3::open(const Block& block, RegionRights rights, const Team& partners) {
  return open(block, rights, members_of(partners));
}

Elan3::Segment Elan3::open_event(Event event) {
  return open_event(event, members_of(Team(endpoint_)));
}

void Elan3::Segment::close() {
  if (of_ == nullptr) throw Error("a segment that was never open is closed");
  of_->close(handle_);
}

Elan3::Segment::~Segment() {
  if (of_ == nullptr) return;
  try {
    of_->close(handle_);
  } catch (const Error&) {
    // It was closed before, or its memory is gone.
  }
}

}  // namespace weft::comm
