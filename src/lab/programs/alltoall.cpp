// SPDX-License-Identifier: Apache-2.0
// alltoall: every rank has data for every rank.
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/measured.hpp"

namespace weft {
namespace {

class AlltoallUse {
 public:
  using Collective = comm::Alltoall;
  static constexpr bool has_root = false;

  AlltoallUse(const comm::Endpoint& ep, const CollectivePlan& plan)
      : rank_(ep.rank()),
        blocks_(comm::Blocks::equal(ep.size(), plan.bytes)),
        out_(blocks_.total(), plan),
        in_(blocks_.total(), plan) {}

  void fill(std::size_t iteration) {
    for (comm::Rank to = 0; to < blocks_.members(); ++to)
      numbers_.write(blocks_.block(out_.bytes(), to), number(rank_, to, iteration));
  }
  comm::TaskOf<comm::Status> run(comm::Alltoall& alltoall) {
    return alltoall.run(out_.bytes(), blocks_, in_.bytes(), blocks_);
  }
  bool is_right(std::size_t iteration) const {
    for (comm::Rank from = 0; from < blocks_.members(); ++from)
      if (!numbers_.are_in(blocks_.block(in_.bytes(), from), number(from, rank_, iteration)))
        return false;
    return true;
  }
  static std::vector<Figure> figures(const Params& params, const Laps& laps) {
    return bandwidths(laps, size_from(params, "bytes") * static_cast<std::size_t>(laps.ranks()),
                      others_share(laps));
  }

 private:
  std::uint32_t number(comm::Rank from, comm::Rank to, std::size_t iteration) const {
    return first_number(from * blocks_.members() + to, iteration);
  }

  comm::Rank rank_;
  comm::Blocks blocks_;
  CountingNumbers numbers_{1};
  CollectiveBuffer out_, in_;
};

}  // namespace

std::vector<Param> alltoall_params() {
  return collective_params("pairwise",
                           {"bytes", message_size, "512B", "of data from each rank to each"});
}

Prepared alltoall_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  return measured_program<AlltoallUse>(params, setting, laps);
}

}  // namespace weft
