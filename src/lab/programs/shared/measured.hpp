// SPDX-License-Identifier: Apache-2.0
// The programs of collectives that move data: a barrier, which is not measured, precedes every
// iteration, and a rank's time is from its own start, as in the OSU benchmarks; the time of an
// iteration's slowest rank is what PICO reports.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "comm/unbacked.hpp"
#include "lab/programs/shared/collective.hpp"
#include "lab/programs/shared/values.hpp"

namespace weft {

inline constexpr Param contents_param{
    "contents", YesNo{}, "no", "yes: data in memory, which are verified; no: their size alone"};
inline constexpr Param segment_param{"segment", FreeText{}, "",
                                     "of the algorithm: chain's messages"};
inline constexpr Param collective_root_param{"root", any_rank, "0", "a rank"};
/// The parameters of every such program, with its default algorithm and its own `bytes` and more.
std::vector<Param> collective_params(std::string_view algorithm, const Param& bytes,
                                     std::vector<Param> more = {});

/// How a collective is run and measured.
struct CollectivePlan {
  CollectivePlan(const Params& params, comm::CollectiveSpec spec, Laps& to_fill);

  comm::CollectiveSpec collective;
  comm::Rank root = 0;
  std::size_t bytes, warmup;
  bool contents;
  bool back_to_back = false;
  Laps& laps;
  std::shared_ptr<comm::Time> root_start{};  ///< where times count from the root's start
};

/// A rank's buffer, with contents or without.
class CollectiveBuffer {
 public:
  CollectiveBuffer(std::size_t size, const CollectivePlan& plan)
      : own_(plan.contents ? size : 0),
        bytes_(plan.contents ? std::span(own_) : comm::unbacked(size)) {}
  CollectiveBuffer(const CollectiveBuffer&) = delete;
  CollectiveBuffer& operator=(const CollectiveBuffer&) = delete;
  std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> own_;
  std::span<std::byte> bytes_;
};

/// The contents of buffers: numbers `first`, `first + step` and so on, modulo 2^32, in elements of
/// 4 bytes, or of 1 byte where those do not fit the buffers. Sums of them are such numbers, too.
struct CountingNumbers {
  explicit CountingNumbers(std::size_t size) : element(size % 4 == 0 ? 4 : 1) {}
  void write(std::span<std::byte> data, std::uint32_t first) const;
  bool are_in(std::span<const std::byte> data, std::uint32_t first, std::uint32_t step = 1) const;
  comm::Reduction sum() const;

  std::size_t element;
};
/// The first number of what a rank has in an iteration, and the sum of those of the first ranks.
std::uint32_t first_number(comm::Rank rank, std::size_t iteration);
std::uint32_t sum_of_first_numbers(int ranks, std::size_t iteration);

/// As nccl-tests define them: the algorithm's bandwidth (algbw), which is `bytes` by the time of
/// the slowest rank, and the bus bandwidth (busbw), which is that by a factor of the collective.
std::vector<Figure> bandwidths(const Laps& laps, std::size_t bytes, double bus_factor);
/// The part of a buffer of all ranks' blocks that does not stay with its rank: (n - 1) / n.
double others_share(const Laps& laps);

/// A rank's use of a collective: `Use::Collective`, its buffers, and what is in them.
template <class Use>
comm::Task run_measured(comm::Endpoint& ep, const CollectivePlan& plan) {
  using AnyCollective = typename Use::Collective;
  comm::Team team(ep);
  const comm::CollectiveSpec barrier_spec{"dissemination"};
  const auto barrier = co_await comm::make_barrier(team, barrier_spec);
  const auto collective = co_await comm::make_collective<AnyCollective>(team, plan.collective);
  Use use(ep, plan);
  for (std::size_t i = 0; i < plan.warmup || plan.laps.goes_on(i - plan.warmup); ++i) {
    if (plan.contents) use.fill(i);
    if (!plan.back_to_back) co_await barrier->enter();
    const comm::Time own_start = ep.now();
    if (plan.root_start && ep.rank() == plan.root) *plan.root_start = own_start;
    const comm::Status status = co_await use.run(*collective);
    if (status != comm::Status::ok)
      throw Error("{}: rank {}: {}", AnyCollective::kind, ep.rank(), to_text(status));
    invariant(!plan.contents || use.is_right(i), "a collective brings wrong data");
    const comm::Time start = plan.root_start ? *plan.root_start : own_start;
    if (i >= plan.warmup) plan.laps.add(ep.rank(), i - plan.warmup, ep.now() - start);
  }
  co_await barrier->enter();  // no rank leaves while others still need its data
}

template <class Use>
run::Program measured(CollectivePlan plan) {
  return [plan = std::move(plan)](comm::Endpoint& ep) { return run_measured<Use>(ep, plan); };
}
/// A program whose algorithm is one of the collective's rows. Throws Error for others.
template <class Use>
Prepared measured_program(const Params& params, const ProgramSetting& setting, Laps& laps) {
  using AnyCollective = typename Use::Collective;
  const Collectives among = collectives_of<AnyCollective>();
  const auto& row =
      find_row(comm::algorithms<AnyCollective>(), AnyCollective::kind, params.text("algorithm"));
  const Spec spec = algorithm_spec(params, std::string(row.name), among);
  const Params checked(spec, row.params);
  CollectivePlan plan(params, {spec.text()}, laps);
  if constexpr (Use::has_root) plan.root = rank_from(params, "root", setting);
  return {measured<Use>(std::move(plan)), {}, Use::figures};
}

}  // namespace weft
