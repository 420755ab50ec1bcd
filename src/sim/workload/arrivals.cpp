// SPDX-License-Identifier: Apache-2.0
// Arrival processes, in whole numbers.
#include "sim/workload/arrivals.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace weft::sim {
namespace {

std::optional<Gaps> gaps_at(const Lengths& lengths, Chance load) {
  const Chance packets = lengths.packets_at(load);
  if (packets.parts() == 0) return std::nullopt;
  return Gaps(packets);
}

/// The share `part` of `whole`, as a chance; `part` is not above it.
Chance share(Wide part, Wide whole) {
  while (part >> 64 != 0) {
    part >>= 1;
    whole >>= 1;
  }
  return Chance(static_cast<std::uint64_t>((part << 63) / whole));
}

/// How much more the number of packets of a host varies than with a Bernoulli process: with a
/// probability p of a packet in a cycle of a burst, a share s of cycles in bursts, and an
/// autocorrelation of states that decays by r = 1 - 1/on - 1/off a cycle, the variance of many
/// cycles is larger by the factor 1 + 2 p (1-s) r / (1-r), at most. Doubles are exact enough: it is
/// rounded up, and judges nothing by a hair.
Burstiness burstiness_of(double packets, double load, const Bursts& bursts) {
  const double on = static_cast<double>(bursts.on), peak = bursts.peak.value();
  const double pause_share = 1 - load / peak;
  const double off = on * pause_share / (1 - pause_share);
  if (off <= 0) return {};
  const double leave = 1 / on + 1 / std::max(off, 1.0);
  const double more = 2 * packets * pause_share * std::max(0.0, 1 - leave) / leave;
  return {static_cast<std::uint64_t>(more) + 2, static_cast<std::uint32_t>(4 * on * peak)};
}

}  // namespace

WeightedArrivals::WeightedArrivals(const Lengths& lengths, const IdVector<HostId, Chance>& loads)
    : gaps_(loads, [&](Chance load) { return gaps_at(lengths, load); }) {}

OnOffArrivals::OnOffArrivals(const Lengths& lengths, const IdVector<HostId, Chance>& loads,
                             const Bursts& bursts)
    : gaps_(lengths.packets_at(bursts.peak)),
      burst_(Chance(Chance::one / bursts.on)),
      pauses_(loads, [&](Chance load) { return pauses_for(load, bursts); }),
      burst_end_(loads.size(), never) {
  for (const Chance load : loads) {
    if (load.parts() == 0) continue;
    const Burstiness one =
        burstiness_of(lengths.packets_at(bursts.peak).value(), load.value(), bursts);
    burstiness_.dispersion = std::max(burstiness_.dispersion, one.dispersion);
    burstiness_.burst = std::max(burstiness_.burst, one.burst);
  }
}

OnOffArrivals::Pauses OnOffArrivals::pauses_for(Chance load, const Bursts& bursts) {
  if (load.parts() == 0) return {{}, {}, {}, true};
  invariant(load.parts() <= bursts.peak.parts(), "a burst offers less than the load");
  // The mean pause is on (peak - load) / load.
  const Wide pauses = Wide{bursts.on} * (bursts.peak.parts() - load.parts());
  const Wide bursts_at_load = load.parts();
  Pauses out{share(load.parts(), bursts.peak.parts()), Chance(Chance::one), {}, false};
  if (pauses <= bursts_at_load)
    out.happens = share(pauses, bursts_at_load);
  else
    out.length = Gaps(Chance(std::max<std::uint64_t>(share(bursts_at_load, pauses).parts(), 1)));
  return out;
}

Cycle OnOffArrivals::from(HostId host, Cycle cycle, Rng& rng) {
  const Pauses& pauses = pauses_[host];
  if (pauses.silent) return never;
  Cycle& end = burst_end_[host];
  Cycle at = cycle;
  if (end == never) {  // as if it had been at it for ever
    if (!pauses.starts_on(rng)) at += pause(pauses, rng);
    end = at + 1 + burst_(rng);
  }
  while (true) {
    const Cycle next = at + gaps_(rng);
    if (next < end) return next;
    at = end + (pauses.happens(rng) ? pause(pauses, rng) : 0);
    end = at + 1 + burst_(rng);
  }
}

}  // namespace weft::sim
