// SPDX-License-Identifier: Apache-2.0
// allgather: every rank's share of a vector comes to all ranks.
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/measured.hpp"

namespace weft {
namespace {

class AllgatherUse {
 public:
  using Collective = comm::Allgather;
  static constexpr bool has_root = false;

  AllgatherUse(const comm::Endpoint& ep, const CollectivePlan& plan)
      : rank_(ep.rank()),
        blocks_(comm::Blocks::shares(ep.size(), plan.bytes)),
        all_(plan.bytes, plan) {}

  void fill(std::size_t iteration) {
    numbers_.write(all_.bytes(), 0);
    numbers_.write(blocks_.block(all_.bytes(), rank_), first_number(rank_, iteration));
  }
  comm::TaskOf<comm::Status> run(comm::Allgather& allgather) {
    return allgather.run(all_.bytes(), blocks_);
  }
  bool is_right(std::size_t iteration) const {
    for (comm::Rank from = 0; from < blocks_.members(); ++from)
      if (!numbers_.are_in(blocks_.block(all_.bytes(), from), first_number(from, iteration)))
        return false;
    return true;
  }
  static std::vector<Figure> figures(const Params& params, const Laps& laps) {
    return bandwidths(laps, size_from(params, "bytes"), others_share(laps));
  }

 private:
  comm::Rank rank_;
  comm::Blocks blocks_;
  CountingNumbers numbers_{1};
  CollectiveBuffer all_;
};

}  // namespace

std::vector<Param> allgather_params() {
  return collective_params("ring", {"bytes", message_size, "512B",
                                    "of the whole result, to which every rank gives its share"});
}

Prepared allgather_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  return measured_program<AllgatherUse>(params, setting, laps);
}

}  // namespace weft
