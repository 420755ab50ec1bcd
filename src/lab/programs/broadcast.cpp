// SPDX-License-Identifier: Apache-2.0
// broadcast: one rank sends its data to all others. A rank's time is from the root's start until it
// has the data; back to back, it is from the rank's own start.
#include "lab/programs/programs.hpp"
#include "lab/programs/shared/measured.hpp"

namespace weft {
namespace {

class BroadcastUse {
 public:
  using Collective = comm::Broadcast;

  BroadcastUse(const comm::Endpoint& ep, const CollectivePlan& plan)
      : rank_(ep.rank()), root_(plan.root), data_(plan.bytes, plan) {}

  void fill(std::size_t iteration) {
    numbers_.write(data_.bytes(), first_number(rank_, iteration));
  }
  comm::TaskOf<comm::Status> run(comm::Broadcast& broadcast) {
    return broadcast.run(root_, data_.bytes());
  }
  bool is_right(std::size_t iteration) const {
    return numbers_.are_in(data_.bytes(), first_number(root_, iteration));
  }

 private:
  comm::Rank rank_, root_;
  CountingNumbers numbers_{1};
  CollectiveBuffer data_;
};

std::vector<Figure> broadcast_figures(const Params& params, const Laps& laps) {
  return bandwidths(laps, size_from(params, "bytes"), 1);
}

}  // namespace

std::vector<Param> broadcast_params() {
  return {
      {"algorithm", FreeText{}, "binomial", "one of weft list collectives, or of weft list orders"},
      {"bytes", message_size, "512B", "of data"},
      steady_iterations_param,
      warmup_param(),
      contents_param,
      {"back_to_back", YesNo{}, "no", "yes: no barrier between; times are from a rank's own start"},
      {"root", root_rank, "", "the rank that has the data; otherwise the order's own, or 0"},
      by_param,
      {"buffer", FreeText{}, "", "of the algorithm: registered for data"},
      segment_param,
      {"allgather", FreeText{}, "", "of the algorithm: scatter_allgather's"},
      scheme_param};
}

Prepared broadcast_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  ChosenCollective chosen = choose_collective(params, setting, collectives_of<comm::Broadcast>());
  CollectivePlan plan(params, std::move(chosen.collective), laps);
  plan.root = chosen.root;
  plan.back_to_back = params.flag("back_to_back");
  if (plan.back_to_back)
    laps.let_ranks_run_ahead();
  else
    plan.root_start = std::make_shared<comm::Time>();
  return {measured<BroadcastUse>(std::move(plan)), std::move(chosen.tables), broadcast_figures};
}

}  // namespace weft
