// SPDX-License-Identifier: Apache-2.0
// gather: every rank's data come to the root.
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/measured.hpp"

namespace weft {
namespace {

class GatherUse {
 public:
  using Collective = comm::Gather;
  static constexpr bool has_root = true;

  GatherUse(const comm::Endpoint& ep, const CollectivePlan& plan)
      : rank_(ep.rank()),
        root_(plan.root),
        blocks_(comm::Blocks::equal(ep.size(), plan.bytes)),
        own_(plan.bytes, plan),
        all_(rank_ == root_ ? blocks_.total() : 0, plan) {}

  void fill(std::size_t iteration) { numbers_.write(own_.bytes(), first_number(rank_, iteration)); }
  comm::TaskOf<comm::Status> run(comm::Gather& gather) {
    return gather.run(root_, own_.bytes(), all_.bytes(), blocks_);
  }
  bool is_right(std::size_t iteration) const {
    for (comm::Rank from = 0; from < blocks_.members() && rank_ == root_; ++from)
      if (!numbers_.are_in(blocks_.block(all_.bytes(), from), first_number(from, iteration)))
        return false;
    return true;
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

std::vector<Param> gather_params() {
  return collective_params("binomial", {"bytes", message_size, "512B", "of data of every rank"},
                           {collective_root_param});
}

Prepared gather_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  return measured_program<GatherUse>(params, setting, laps);
}

}  // namespace weft
