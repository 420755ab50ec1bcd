// SPDX-License-Identifier: Apache-2.0
// A step of a critical path, and the own work of ranks on it.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "comm/types.hpp"
#include "lab/path/rank_log.hpp"

namespace weft {

/// Time of a rank on the path, by what it is spent on.
struct OwnWork {
  Duration compute{}, library{}, lower{};
  Duration waiting{};  ///< for its own sends
  Duration sum() const { return compute + library + lower + waiting; }
  OwnWork& operator+=(const OwnWork& other);
  OwnWork& operator-=(const OwnWork& other);
};
OwnWork work_between(const RankCounts& begin, const RankCounts& end);

/// What a critical path runs through: own work of a rank, or what it sends.
enum class PathPart : std::uint8_t {
  compute,
  library,
  lower,
  waiting,
  message,  ///< its data
  read,     ///< the same, which their receiver reads
  request,  ///< what asks for it
  answer,   ///< what its receiver says about it
};
inline constexpr std::size_t path_parts = 8;
std::string_view to_text(PathPart part);

/// A part of own work.
struct OwnPart {
  PathPart part;
  Duration OwnWork::*of;
};
/// Between two moments a rank does them in this order: it calls the library before it computes, and
/// waits at last.
inline constexpr std::array<OwnPart, 4> own_parts{{{PathPart::library, &OwnWork::library},
                                                   {PathPart::lower, &OwnWork::lower},
                                                   {PathPart::compute, &OwnWork::compute},
                                                   {PathPart::waiting, &OwnWork::waiting}}};

struct PathStep {
  PathPart part{};
  comm::Rank rank = 0, to = 0;         ///< where it begins and where it ends: the same for own work
  comm::Rank peer = comm::any_source;  ///< the other rank of a message
  std::uint64_t message = 0;           ///< Op::Carried::message; 0: none
  std::uint64_t bytes = 0;             ///< of the message
  comm::Time begin{}, end{};
};

}  // namespace weft
