// SPDX-License-Identifier: Apache-2.0
// All-to-all: host i sends to i+1, i+2, … around to i-1, one packet each, and again.
#include <limits>

#include "sim/traffic/destinations.hpp"
#include "sim/traffic/patterns.hpp"

namespace weft::sim {
namespace {

class AllToAll : public Pattern {
 public:
  AllToAll(std::size_t hosts, std::uint64_t rounds)
      : turn_(hosts, {1, rounds}), endless_(rounds == 0) {}

  HostId next(HostId from, Rng&) override {
    HostRound& turn = turn_[from];
    if (turn.step == turn_.size()) {
      if (!endless_ && --turn.rounds == 0) return stop(turn);
      turn.step = 1;
    }
    const std::size_t to = from.index() + turn.step++;
    return HostId(to < turn_.size() ? to : to - turn_.size());
  }
  bool ends() const override { return !endless_; }

 private:
  struct HostRound {
    std::size_t step;
    std::uint64_t rounds;  ///< this one and those to come
  };
  static HostId stop(HostRound& turn) {
    turn.rounds = 1;
    return HostId::none();
  }
  IdVector<HostId, HostRound> turn_;
  bool endless_;
};

}  // namespace

std::unique_ptr<Pattern> all_to_all(const Fabric& fabric, const Params& params) {
  require_two_hosts(fabric, params);
  return std::make_unique<AllToAll>(fabric.host_count(), params.whole<std::uint64_t>("rounds"));
}

}  // namespace weft::sim
