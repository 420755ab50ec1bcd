// SPDX-License-Identifier: Apache-2.0
// reduce_scatter: every rank gets its share of the sums of all ranks' numbers.
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/measured.hpp"

namespace weft {
namespace {

class ReduceScatterUse {
 public:
  using Collective = comm::ReduceScatter;
  static constexpr bool has_root = false;

  ReduceScatterUse(const comm::Endpoint& ep, const CollectivePlan& plan)
      : ranks_(ep.size()),
        rank_(ep.rank()),
        numbers_(plan.bytes),
        sum_(numbers_.sum()),
        data_(plan.bytes, plan),
        blocks_(comm::Blocks::shares(ranks_, plan.bytes, numbers_.element)) {}

  void fill(std::size_t iteration) {
    numbers_.write(data_.bytes(), first_number(rank_, iteration));
  }
  comm::TaskOf<comm::Status> run(comm::ReduceScatter& reduce_scatter) {
    return reduce_scatter.run(data_.bytes(), blocks_, sum_);
  }
  bool is_right(std::size_t iteration) const {
    const auto ranks = static_cast<std::uint32_t>(ranks_);
    const auto before = static_cast<std::uint32_t>(blocks_.offset(rank_) / numbers_.element);
    return numbers_.are_in(blocks_.block(data_.bytes(), rank_),
                           sum_of_first_numbers(ranks_, iteration) + ranks * before, ranks);
  }
  static std::vector<Figure> figures(const Params& params, const Laps& laps) {
    return bandwidths(laps, size_from(params, "bytes"), others_share(laps));
  }

 private:
  int ranks_;
  comm::Rank rank_;
  CountingNumbers numbers_;
  comm::Reduction sum_;
  CollectiveBuffer data_;
  comm::Blocks blocks_;
};

}  // namespace

std::vector<Param> reduce_scatter_params() {
  return collective_params("halving", {"bytes", message_size, "512B",
                                       "of data at every rank, which gets its share of the sums"});
}

Prepared reduce_scatter_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  return measured_program<ReduceScatterUse>(params, setting, laps);
}

}  // namespace weft
