// SPDX-License-Identifier: Apache-2.0
// Which rank notifies which, in which order.
#include "comm/coll/patterns/exchanges.hpp"

#include <algorithm>
#include <bit>

namespace weft::comm {

Exchanges pairwise_exchanges(Rank rank, int size) {
  const auto power = static_cast<Rank>(std::bit_floor(static_cast<unsigned>(size)));
  if (rank >= power) return {{rank - power, nobody}, {nobody, rank - power}};
  const bool has_partner = rank + power < size;
  Exchanges out;
  if (has_partner) out.push_back({nobody, rank + power});
  for (Rank distance = 1; distance < power; distance *= 2)
    out.push_back({rank ^ distance, rank ^ distance});
  if (has_partner) out.push_back({rank + power, nobody});
  return out;
}

Exchanges dissemination_exchanges(Rank rank, int size) {
  Exchanges out;
  for (int distance = 1; distance < size; distance *= 2)
    out.push_back({(rank + distance) % size, (rank + size - distance) % size});
  return out;
}

Exchanges GatherRelease::both() const {
  Exchanges out = gather;
  out.insert(out.end(), release.begin(), release.end());
  return out;
}

GatherRelease tree_exchanges(Rank rank, int size, int degree) {
  GatherRelease out;
  const auto first = static_cast<std::int64_t>(rank) * degree + 1;
  const auto end = std::min<std::int64_t>(first + degree, size);
  for (std::int64_t child = first; child < end; ++child)
    out.gather.push_back({nobody, static_cast<Rank>(child)});
  if (rank > 0) {
    out.gather.push_back({(rank - 1) / degree, nobody});
    out.release.push_back({nobody, (rank - 1) / degree});
  }
  for (std::int64_t child = first; child < end; ++child)
    out.release.push_back({static_cast<Rank>(child), nobody});
  return out;
}

GatherRelease schedule_exchanges(Rank rank, std::span<const ScheduledSend> schedule) {
  std::vector<ScheduledSend> mine;
  for (const ScheduledSend& send : schedule)
    if (send.from == rank || send.to == rank) mine.push_back(send);
  std::stable_sort(mine.begin(), mine.end(),
                   [](const ScheduledSend& a, const ScheduledSend& b) { return a.step < b.step; });
  GatherRelease out;
  for (const ScheduledSend& send : mine)
    out.release.push_back(send.from == rank ? Exchange{send.to, nobody}
                                            : Exchange{nobody, send.from});
  out.gather = out.release;
  std::reverse(out.gather.begin(), out.gather.end());
  for (Exchange& exchange : out.gather) std::swap(exchange.to, exchange.from);
  return out;
}

bool by_puts(const Params& params) { return params.is("by", "puts"); }

}  // namespace weft::comm
