// SPDX-License-Identifier: Apache-2.0
// allreduce: sums of all ranks' numbers come to all ranks.
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/measured.hpp"

namespace weft {
namespace {

class AllreduceUse {
 public:
  using Collective = comm::Allreduce;
  static constexpr bool has_root = false;

  AllreduceUse(const comm::Endpoint& ep, const CollectivePlan& plan)
      : ranks_(ep.size()),
        rank_(ep.rank()),
        numbers_(plan.bytes),
        sum_(numbers_.sum()),
        data_(plan.bytes, plan) {}

  void fill(std::size_t iteration) {
    numbers_.write(data_.bytes(), first_number(rank_, iteration));
  }
  comm::TaskOf<comm::Status> run(comm::Allreduce& allreduce) {
    return allreduce.run(data_.bytes(), sum_);
  }
  bool is_right(std::size_t iteration) const {
    return numbers_.are_in(data_.bytes(), sum_of_first_numbers(ranks_, iteration),
                           static_cast<std::uint32_t>(ranks_));
  }
  static std::vector<Figure> figures(const Params& params, const Laps& laps) {
    return bandwidths(laps, size_from(params, "bytes"), 2 * others_share(laps));
  }

 private:
  int ranks_;
  comm::Rank rank_;
  CountingNumbers numbers_;
  comm::Reduction sum_;
  CollectiveBuffer data_;
};

}  // namespace

std::vector<Param> allreduce_params() {
  return collective_params("recursive_doubling",
                           {"bytes", message_size, "8B", "of data at every rank"});
}

Prepared allreduce_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  return measured_program<AllreduceUse>(params, setting, laps);
}

}  // namespace weft
