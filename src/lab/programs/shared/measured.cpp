// SPDX-License-Identifier: Apache-2.0
// What programs of collectives send, expect and report.
#include "lab/programs/shared/measured.hpp"

#include <array>
#include <cstring>

namespace weft {

std::vector<Param> collective_params(std::string_view algorithm, const Param& bytes,
                                     std::vector<Param> more) {
  std::vector<Param> out{{"algorithm", FreeText{}, algorithm, "one of weft list collectives"},
                         bytes,
                         steady_iterations_param,
                         warmup_param(),
                         contents_param};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

CollectivePlan::CollectivePlan(const Params& params, comm::CollectiveSpec spec, Laps& to_fill)
    : collective(std::move(spec)),
      bytes(size_from(params, "bytes")),
      warmup(params.whole<std::size_t>("warmup")),
      contents(params.flag("contents")),
      laps(to_fill) {
  expect_iterations(params, laps);
}

void CountingNumbers::write(std::span<std::byte> data, std::uint32_t first) const {
  for (std::size_t at = 0; at < data.size(); at += element, ++first) {
    if (element == 1)
      data[at] = static_cast<std::byte>(first);
    else
      std::memcpy(data.data() + at, &first, element);
  }
}

bool CountingNumbers::are_in(std::span<const std::byte> data, std::uint32_t first,
                             std::uint32_t step) const {
  std::array<std::byte, 4> right{};
  for (std::size_t at = 0; at < data.size(); at += element, first += step) {
    write(std::span(right).first(element), first);
    if (std::memcmp(data.data() + at, right.data(), element) != 0) return false;
  }
  return true;
}

comm::Reduction CountingNumbers::sum() const {
  return element == 4 ? comm::sum_of<std::uint32_t>() : comm::sum_of<std::uint8_t>();
}

std::uint32_t first_number(comm::Rank rank, std::size_t iteration) {
  return static_cast<std::uint32_t>(iteration) * 1'000'003U +
         static_cast<std::uint32_t>(rank) * 7919U;
}

std::uint32_t sum_of_first_numbers(int ranks, std::size_t iteration) {
  std::uint32_t sum = 0;
  for (comm::Rank rank = 0; rank < ranks; ++rank) sum += first_number(rank, iteration);
  return sum;
}

std::vector<Figure> bandwidths(const Laps& laps, std::size_t bytes, double bus_factor) {
  const double algorithm = megabytes_per_second(bytes, laps.slowest().mean);
  return {{"algbw", algorithm, "MB/s"}, {"busbw", algorithm * bus_factor, "MB/s"}};
}

double others_share(const Laps& laps) {
  const auto ranks = static_cast<double>(laps.ranks());
  return (ranks - 1) / ranks;
}

}  // namespace weft
