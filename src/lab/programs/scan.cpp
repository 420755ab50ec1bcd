// SPDX-License-Identifier: Apache-2.0
// scan: sums of the numbers of all lower ranks and of its own come to every rank.
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/measured.hpp"

namespace weft {
namespace {

class ScanUse {
 public:
  using Collective = comm::Scan;
  static constexpr bool has_root = false;

  ScanUse(const comm::Endpoint& ep, const CollectivePlan& plan)
      : rank_(ep.rank()), numbers_(plan.bytes), sum_(numbers_.sum()), data_(plan.bytes, plan) {}

  void fill(std::size_t iteration) {
    numbers_.write(data_.bytes(), first_number(rank_, iteration));
  }
  comm::TaskOf<comm::Status> run(comm::Scan& scan) { return scan.run(data_.bytes(), sum_); }
  bool is_right(std::size_t iteration) const {
    return numbers_.are_in(data_.bytes(), sum_of_first_numbers(rank_ + 1, iteration),
                           static_cast<std::uint32_t>(rank_ + 1));
  }
  static std::vector<Figure> figures(const Params& params, const Laps& laps) {
    return {bandwidths(laps, size_from(params, "bytes"), 1).front()};
  }

 private:
  comm::Rank rank_;
  CountingNumbers numbers_;
  comm::Reduction sum_;
  CollectiveBuffer data_;
};

}  // namespace

std::vector<Param> scan_params() {
  return collective_params("recursive_doubling",
                           {"bytes", message_size, "8B", "of data at every rank"});
}

Prepared scan_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  return measured_program<ScanUse>(params, setting, laps);
}

}  // namespace weft
