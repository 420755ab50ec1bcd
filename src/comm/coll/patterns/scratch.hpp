// SPDX-License-Identifier: Apache-2.0
// Memory that a collective needs while it runs, and copies within a member: of unbacked data there
// is nothing to keep and nothing to copy, in the same time.
#pragma once
#include <cstddef>
#include <cstring>
#include <span>

#include "base/error.hpp"
#include "comm/pool.hpp"
#include "comm/task.hpp"
#include "comm/team.hpp"
#include "comm/unbacked.hpp"

namespace weft::comm {

/// Memory of the endpoint's pool; unbacked if the caller's data, which it is `like`, are.
class Scratch {
 public:
  Scratch(const Team& team, std::size_t size, std::span<const std::byte> like)
      : memory_(is_unbacked(like) ? Buffer() : Buffer(team.frames(), size)),
        bytes_(is_unbacked(like) ? unbacked(size) : memory_.bytes()) {}

  std::span<std::byte> bytes() const { return bytes_; }
  std::span<std::byte> first(std::size_t size) const { return bytes_.first(size); }

 private:
  Buffer memory_;
  std::span<std::byte> bytes_;
};

inline void copy_contents(std::span<const std::byte> from, std::span<std::byte> to) {
  invariant(from.size() == to.size(), "a copy is not as long as what is copied");
  if (from.empty() || from.data() == to.data() || is_unbacked(from) || is_unbacked(to)) return;
  std::memcpy(to.data(), from.data(), from.size());
}
/// Takes the time of copies of so many bytes.
inline Task spend_on_copies(const Team& team, std::size_t bytes) {
  Endpoint& endpoint = team.endpoint();
  if (endpoint.copying(bytes).count() > 0) co_await endpoint.copy(bytes);
}
/// A copy that takes its time.
inline Task copy(const Team& team, std::span<const std::byte> from, std::span<std::byte> to) {
  copy_contents(from, to);
  return spend_on_copies(team, to.size());
}

}  // namespace weft::comm
