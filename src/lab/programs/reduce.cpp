// SPDX-License-Identifier: Apache-2.0
// reduce: sums of all ranks' numbers come to the root.
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/measured.hpp"

namespace weft {
namespace {

class ReduceUse {
 public:
  using Collective = comm::Reduce;
  static constexpr bool has_root = true;

  ReduceUse(const comm::Endpoint& ep, const CollectivePlan& plan)
      : ranks_(ep.size()),
        rank_(ep.rank()),
        numbers_(plan.bytes),
        sum_(numbers_.sum()),
        data_(plan.bytes, plan),
        root_(plan.root) {}

  void fill(std::size_t iteration) {
    numbers_.write(data_.bytes(), first_number(rank_, iteration));
  }
  comm::TaskOf<comm::Status> run(comm::Reduce& reduce) {
    return reduce.run(root_, data_.bytes(), sum_);
  }
  bool is_right(std::size_t iteration) const {
    if (rank_ != root_) return numbers_.are_in(data_.bytes(), first_number(rank_, iteration));
    return numbers_.are_in(data_.bytes(), sum_of_first_numbers(ranks_, iteration),
                           static_cast<std::uint32_t>(ranks_));
  }
  static std::vector<Figure> figures(const Params& params, const Laps& laps) {
    return bandwidths(laps, size_from(params, "bytes"), 1);
  }

 private:
  int ranks_;
  comm::Rank rank_;
  CountingNumbers numbers_;
  comm::Reduction sum_;
  CollectiveBuffer data_;
  comm::Rank root_;
};

}  // namespace

std::vector<Param> reduce_params() {
  return collective_params("binomial", {"bytes", message_size, "8B", "of data at every rank"},
                           {collective_root_param, segment_param});
}

Prepared reduce_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  return measured_program<ReduceUse>(params, setting, laps);
}

}  // namespace weft
