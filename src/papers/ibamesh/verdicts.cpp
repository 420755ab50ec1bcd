// SPDX-License-Identifier: Apache-2.0
// Judging the statements of the InfiniBand mesh paper.
#include "papers/ibamesh/verdicts.hpp"

#include <algorithm>
#include <cmath>

#include "base/words.hpp"

namespace weft::papers::ibamesh {
namespace {

struct ValueRange {
  double least = 1e300, most = -1e300;
  void take(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

std::string to_text(const ValueRange& range) {
  return fmt::format("{} to {}", human_readable(range.least), human_readable(range.most));
}
std::string percent(const ValueRange& range) {
  return fmt::format("{:.1f} to {:.1f} %", 100 * range.least, 100 * range.most);
}

/// Two settings: the second is compared with the first.
struct ComparedSettings {
  std::size_t base, other;
};
constexpr std::array<ComparedSettings, 2> tied_and_free{{{2, 1}, {4, 3}}},
    fewer_and_more{{{0, 1}, {1, 3}}};

/// How much longer the base takes.
double gain(const IbameshStudy& study, MulticastRun run, const ComparedSettings& pair) {
  run.setting = pair.base;
  const double base = study.microseconds(run);
  run.setting = pair.other;
  return base / study.microseconds(run) - 1;
}

std::string bound_text(const IbameshStudy& study, const TrafficCase& what, Scheme scheme) {
  const Bound bound = study.bound(what, scheme);
  return fmt::format("{} {}", counted(bound.packets, "packet", "packets"), bound.where);
}

/// The time of a run over its serialisation bound.
double times_bound(const IbameshStudy& study, const MulticastRun& run) {
  const BurstResult& result = study.at(run);
  const Bound bound = study.bound(run.what, run.scheme);
  return static_cast<double>(result.time.count()) /
         static_cast<double>(result.packet.count() * static_cast<std::int64_t>(bound.packets));
}

}  // namespace

double serialised_speed_up(const IbameshStudy& study, const TrafficCase& what) {
  return static_cast<double>(study.bound(what, Scheme::unicast).packets) /
         static_cast<double>(study.bound(what, Scheme::multicast).packets);
}

Judged multicast_wins(const IbameshStudy& study, const TrafficCase& what) {
  ValueRange range;
  for (const MulticastRun& run : study.runs(what)) range.take(study.speed_up(run));
  return {range.least > 1,
          fmt::format("speed-up {}; by serialisation alone {}: {} by unicast, {} by multicast",
                      to_text(range), human_readable(serialised_speed_up(study, what)),
                      bound_text(study, what, Scheme::unicast),
                      bound_text(study, what, Scheme::multicast))};
}

Judged grows_with_size(const IbameshStudy& study, const TrafficCase& what) {
  ValueRange first, last;
  int falls = 0, steps = 0;
  for (std::size_t setting = 0; setting < lane_settings.size(); ++setting) {
    double before = 0;
    for (const std::int64_t size : study.sizes()) {
      const double now = study.speed_up({what, size, setting, Scheme::unicast});
      if (size == study.smallest()) first.take(now);
      if (size == study.largest()) last.take(now);
      if (before > 0) ++steps;
      if (now < before * (1 - margin)) ++falls;
      before = now;
    }
  }
  return {
      falls == 0 && last.least > first.most,
      fmt::format("{} at {} B, {} at {} B over the five settings; it falls at {} of {} steps to "
                  "the next size; by serialisation alone {} at any size",
                  to_text(first), study.smallest(), to_text(last), study.largest(), falls, steps,
                  human_readable(serialised_speed_up(study, what)))};
}

Judged free_beats_tied(const IbameshStudy& study, const TrafficCase& what, Scheme scheme) {
  ValueRange small, large;
  for (const ComparedSettings& pair : tied_and_free) {
    for (const std::int64_t size : study.sizes())
      if (size <= largest_small) small.take(gain(study, {what, size, 0, scheme}, pair));
    large.take(gain(study, {what, study.largest(), 0, scheme}, pair));
  }
  const bool alone = study.bound(what, scheme).packets == 1;
  return {
      small.least > margin,
      fmt::format("tied lanes take {} longer up to {} B and {} at {} B{}", percent(small),
                  largest_small, percent(large), study.largest(),
                  alone ? "; no link carries more than one packet, so none waits for a lane" : "")};
}

Judged alike_when_large(const IbameshStudy& study, const TrafficCase& what) {
  constexpr double clear = 0.05;
  ValueRange range;
  for (const Scheme scheme : {Scheme::unicast, Scheme::multicast})
    for (const ComparedSettings& pair : tied_and_free)
      range.take(gain(study, {what, study.largest(), 0, scheme}, pair));
  const auto unicast = [&](std::size_t setting) {
    return human_readable(times_bound(study, {what, study.largest(), setting, Scheme::unicast}));
  };
  return {
      std::max(std::abs(range.least), std::abs(range.most)) < clear,
      fmt::format("at {} B tied lanes take {} longer; unicast takes {} (c), {} (b), {} (e), {} "
                  "(d) times its serialisation bound: what lies above 1, lanes can shorten",
                  study.largest(), percent(range), unicast(2), unicast(1), unicast(4), unicast(3))};
}

Judged lanes_help(const IbameshStudy& study, const TrafficCase& what) {
  ValueRange range;
  for (const std::int64_t size : study.sizes())
    for (const ComparedSettings& pair : fewer_and_more)
      range.take(gain(study, {what, size, 0, Scheme::unicast}, pair));
  const auto shown = [&](std::int64_t size) {
    const MulticastRun run{what, size, 0, Scheme::unicast};
    return fmt::format("{:.1f} and {:.1f} % at {} B", 100 * gain(study, run, fewer_and_more[0]),
                       100 * gain(study, run, fewer_and_more[1]), size);
  };
  const MulticastRun four{what, study.largest(), 3, Scheme::unicast};
  return {range.least > margin,
          fmt::format("one lane takes longer than two, and two than four, by {}, {}; with four it "
                      "is {} times the bound there, {}",
                      shown(study.smallest()), shown(study.largest()),
                      human_readable(times_bound(study, four)),
                      bound_text(study, what, Scheme::unicast))};
}

Judged more_speed_up(const IbameshStudy& study, const TrafficCase& first,
                     const TrafficCase& second) {
  bool holds = true;
  std::string shown;
  for (const std::int64_t size : {study.smallest(), study.largest()}) {
    const double before = study.speed_up({first, size, 0, Scheme::unicast});
    const double after = study.speed_up({second, size, 0, Scheme::unicast});
    holds = holds && after > before * (1 + margin);
    shown += fmt::format("{} to {} at {} B, ", human_readable(before), human_readable(after), size);
  }
  return {holds, fmt::format("{}by serialisation alone {} to {}", shown,
                             human_readable(serialised_speed_up(study, first)),
                             human_readable(serialised_speed_up(study, second)))};
}

}  // namespace weft::papers::ibamesh
