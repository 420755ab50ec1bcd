// SPDX-License-Identifier: Apache-2.0
// scatter: every rank gets its block of the root's data.
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/measured.hpp"

namespace weft {
namespace {

class ScatterUse {
 public:
  using Collective = comm::Scatter;
  static constexpr bool has_root = true;

  ScatterUse(const comm::Endpoint& ep, const CollectivePlan& plan)
      : rank_(ep.rank()),
        root_(plan.root),
        blocks_(comm::Blocks::equal(ep.size(), plan.bytes)),
        own_(plan.bytes, plan),
        all_(rank_ == root_ ? blocks_.total() : 0, plan) {}

  void fill(std::size_t iteration) {
    for (comm::Rank to = 0; to < blocks_.members() && rank_ == root_; ++to)
      numbers_.write(blocks_.block(all_.bytes(), to), first_number(to, iteration));
  }
  comm::TaskOf<comm::Status> run(comm::Scatter& scatter) {
    return scatter.run(root_, all_.bytes(), own_.bytes(), blocks_);
  }
  bool is_right(std::size_t iteration) const {
    return numbers_.are_in(own_.bytes(), first_number(rank_, iteration));
  }
  static std::vector<Figure> figures(const Params& params, const Laps& laps) {
    return bandwidths(laps, size_from(params, "bytes") * static_cast<std::size_t>(laps.ranks()),
                      others_share(laps));
  }

 private:
  comm::Rank rank_, root_;
  comm::Blocks blocks_;
  CountingNumbers numbers_{1};
  CollectiveBuffer own_, all_;
};

}  // namespace

std::vector<Param> scatter_params() {
  return collective_params("binomial", {"bytes", message_size, "512B", "of data for every rank"},
                           {collective_root_param});
}

Prepared scatter_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  return measured_program<ScatterUse>(params, setting, laps);
}

}  // namespace weft
