// SPDX-License-Identifier: Apache-2.0
// ThreadProcessors: the Elans' own processors, which match tagged messages. The model runs no code
// on them: what a library has them do takes a time that it names, and the memory that it touches.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/elan/units/shared_parts.hpp"

namespace weft::sim::elan {

class ThreadProcessors {
 public:
  explicit ThreadProcessors(SharedParts& shared)
      : shared_(shared), processors_(shared.boards.size()) {}

  /// Looks at an envelope and works on it for a time; returns when it is done.
  Duration work(HostId host, Duration time);
  /// When work that is issued now could start.
  Duration free_at(HostId host) const {
    return processors_[host.index()].thread.free_at(shared_.now());
  }
  const Resource& resource(HostId host) const { return processors_[host.index()].thread; }

 private:
  struct ThreadProcessor {
    Resource thread{};
    std::uint32_t envelopes = 0;  ///< that it looked at
  };
  SharedParts& shared_;
  std::vector<ThreadProcessor> processors_;  ///< by host
};

}  // namespace weft::sim::elan
