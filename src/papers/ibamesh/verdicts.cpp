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

/// "one-source 32 B (b)".
std::string place(const JudgedTraffic& traffic, const MulticastRun& run) {
  return fmt::format("{}{}{} B ({})", traffic.name, traffic.name.empty() ? "" : " ", run.size,
                     lane_settings[run.setting].name);
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

/// Whether the second setting of each pair takes clearly less time, at sizes up to the largest.
ValueRange add_gains(const JudgedTraffic& traffic, Scheme scheme, std::int64_t largest,
                     const std::array<ComparedSettings, 2>& pairs, Cases& cases) {
  ValueRange out;
  for (const ComparedSettings& pair : pairs)
    for (const std::int64_t size : traffic.study.sizes()) {
      if (size > largest) continue;
      const MulticastRun run{traffic.what, size, pair.other, scheme};
      const double by = gain(traffic.study, run, pair);
      out.take(by);
      cases.add(by > margin, place(traffic, run));
    }
  return out;
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

std::string free_beats_tied(const JudgedTraffic& traffic, Scheme scheme, std::int64_t largest,
                            Cases& cases) {
  const IbameshStudy& study = traffic.study;
  const ValueRange range = add_gains(traffic, scheme, largest, tied_and_free, cases);
  ValueRange end;
  for (const ComparedSettings& pair : tied_and_free)
    end.take(gain(study, {traffic.what, study.largest(), 0, scheme}, pair));
  const bool alone = study.bound(traffic.what, scheme).packets == 1;
  return fmt::format(
      "tied lanes take {} longer up to {} B and {} at {} B{}", percent(range), largest,
      percent(end), study.largest(),
      alone ? "; no link carries more than one packet, so none waits for a lane" : "");
}

}  // namespace

double serialised_speed_up(const IbameshStudy& study, const TrafficCase& what) {
  return static_cast<double>(study.bound(what, Scheme::unicast).packets) /
         static_cast<double>(study.bound(what, Scheme::multicast).packets);
}

std::string multicast_wins(const JudgedTraffic& traffic, Cases& cases) {
  const auto& [study, what, name] = traffic;
  ValueRange range;
  for (const MulticastRun& run : study.runs(what)) {
    if (run.scheme == Scheme::multicast) continue;
    const double speed_up = study.speed_up(run);
    range.take(speed_up);
    cases.add(speed_up > 1, place(traffic, run));
  }
  return fmt::format("speed-up {}; by serialisation alone {}: {} by unicast, {} by multicast",
                     to_text(range), human_readable(serialised_speed_up(study, what)),
                     bound_text(study, what, Scheme::unicast),
                     bound_text(study, what, Scheme::multicast));
}

std::string grows_with_size(const JudgedTraffic& traffic, Cases& cases) {
  const auto& [study, what, name] = traffic;
  ValueRange first, last;
  for (std::size_t setting = 0; setting < lane_settings.size(); ++setting) {
    double before = 0;
    for (const std::int64_t size : study.sizes()) {
      const MulticastRun run{what, size, setting, Scheme::unicast};
      const double now = study.speed_up(run);
      if (size != study.smallest())
        cases.add(now >= before * (1 - margin), "the step to " + place(traffic, run));
      before = now;
    }
    const MulticastRun end{what, study.largest(), setting, Scheme::unicast};
    const double least = study.speed_up({what, study.smallest(), setting, Scheme::unicast});
    first.take(least);
    last.take(before);
    cases.add(before > least,
              fmt::format("{} against {} B", place(traffic, end), study.smallest()));
  }
  return fmt::format(
      "{} at {} B, {} at {} B over the five settings; by serialisation alone {} at any size",
      to_text(first), study.smallest(), to_text(last), study.largest(),
      human_readable(serialised_speed_up(study, what)));
}

std::string free_unicast_when_small(const JudgedTraffic& traffic, Cases& cases) {
  return free_beats_tied(traffic, Scheme::unicast, largest_small, cases);
}
std::string free_multicast_when_small(const JudgedTraffic& traffic, Cases& cases) {
  return free_beats_tied(traffic, Scheme::multicast, largest_small, cases);
}
std::string free_unicast(const JudgedTraffic& traffic, Cases& cases) {
  return free_beats_tied(traffic, Scheme::unicast, traffic.study.largest(), cases);
}
std::string free_multicast(const JudgedTraffic& traffic, Cases& cases) {
  return free_beats_tied(traffic, Scheme::multicast, traffic.study.largest(), cases);
}

std::string alike_when_large(const JudgedTraffic& traffic, Cases& cases) {
  constexpr double clear = 0.05;
  const auto& [study, what, name] = traffic;
  ValueRange range, end;
  for (const Scheme scheme : {Scheme::unicast, Scheme::multicast})
    for (const ComparedSettings& pair : tied_and_free)
      for (const std::int64_t size : study.sizes()) {
        if (size <= largest_small) continue;
        const MulticastRun run{what, size, pair.other, scheme};
        const double by = gain(study, run, pair);
        range.take(by);
        if (size == study.largest()) end.take(by);
        cases.add(std::abs(by) < clear,
                  fmt::format("{} by {}", place(traffic, run), to_text(scheme)));
      }
  const auto unicast = [&](std::size_t setting) {
    return human_readable(times_bound(
        traffic.study, {traffic.what, traffic.study.largest(), setting, Scheme::unicast}));
  };
  return fmt::format(
      "above {} B tied lanes take {} longer, at {} B {}; there unicast takes {} (c), {} (b), {} "
      "(e), {} (d) times its serialisation bound: what lies above 1, lanes can shorten",
      largest_small, percent(range), study.largest(), percent(end), unicast(2), unicast(1),
      unicast(4), unicast(3));
}

std::string lanes_help(const JudgedTraffic& traffic, Cases& cases) {
  const IbameshStudy& study = traffic.study;
  add_gains(traffic, Scheme::unicast, study.largest(), fewer_and_more, cases);
  const auto shown = [&](std::int64_t size) {
    const MulticastRun run{traffic.what, size, 0, Scheme::unicast};
    return fmt::format("{:.1f} and {:.1f} % at {} B", 100 * gain(study, run, fewer_and_more[0]),
                       100 * gain(study, run, fewer_and_more[1]), size);
  };
  const MulticastRun four{traffic.what, study.largest(), 3, Scheme::unicast};
  return fmt::format(
      "one lane takes longer than two, and two than four, by {}, {}; with four it is {} times the "
      "bound there, {}",
      shown(study.smallest()), shown(study.largest()), human_readable(times_bound(study, four)),
      bound_text(study, traffic.what, Scheme::unicast));
}

std::string no_congestion(const JudgedTraffic& traffic, Cases& cases) {
  const auto& [study, what, name] = traffic;
  const auto before_last =
      static_cast<std::int64_t>(study.bound(what, Scheme::unicast).packets) - 1;
  ValueRange range;
  for (MulticastRun run : study.runs(what)) {
    if (run.scheme == Scheme::multicast) continue;
    const BurstResult& unicast = study.at(run);
    run.scheme = Scheme::multicast;  // a single packet, as long as to the most distant host
    const Duration alone = unicast.packet * before_last + study.at(run).time;
    range.take(static_cast<double>(unicast.time.count()) / static_cast<double>(alone.count()));
    cases.add(unicast.time <= alone, place(traffic, run));
  }
  return fmt::format(
      "unicast takes {} times as long as if no packet waited for another: a buffer holds one "
      "packet "
      "of a lane, and its credit comes back later than a short packet is sent",
      to_text(range));
}

std::string more_speed_up(const JudgedTraffic& first, const TrafficCase& second, Cases& cases) {
  const auto& [study, what, name] = first;
  std::string shown;
  for (MulticastRun run : study.runs(what)) {
    if (run.scheme == Scheme::multicast) continue;
    const double before = study.speed_up(run);
    run.what = second;
    const double after = study.speed_up(run);
    cases.add(after > before * (1 + margin), place(first, run));
    if (run.setting == 0 && (run.size == study.smallest() || run.size == study.largest()))
      shown += fmt::format("{} to {} at {} B, ", human_readable(before), human_readable(after),
                           run.size);
  }
  return fmt::format("with one lane {}by serialisation alone {} to {}", shown,
                     human_readable(serialised_speed_up(study, what)),
                     human_readable(serialised_speed_up(study, second)));
}

std::string slower(const JudgedTraffic& traffic, const TrafficCase& other, Cases& cases) {
  const IbameshStudy& study = traffic.study;
  ValueRange range;
  for (MulticastRun run : study.runs(traffic.what)) {
    const double own = study.microseconds(run);
    run.what = other;
    const double times = own / study.microseconds(run);
    range.take(times);
    cases.add(times > 1, fmt::format("{} by {}", place(traffic, run), to_text(run.scheme)));
  }
  return fmt::format("{} times the time of {}", to_text(range), to_text(other));
}

}  // namespace weft::papers::ibamesh
