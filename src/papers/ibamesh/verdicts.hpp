// SPDX-License-Identifier: Apache-2.0
// How the statements of the InfiniBand mesh paper are judged: each over all runs it is about, and
// argued with the serialisation bound where that explains it.
#pragma once
#include <string>

#include "papers/ibamesh/study.hpp"

namespace weft::papers::ibamesh {

struct Judged {
  bool holds = false;
  std::string because;
};

/// Times that differ by less count as equal.
inline constexpr double margin = 0.01;
/// The figures separate small from large sizes without saying where.
inline constexpr std::int64_t largest_small = 256;

/// Multicast takes less time in every run.
Judged multicast_wins(const IbameshStudy& study, const TrafficCase& what);
/// With every setting no step to a larger size lowers the speed-up, and the largest has the most.
Judged grows_with_size(const IbameshStudy& study, const TrafficCase& what);
/// At all small sizes free lanes take less time than as many tied ones.
Judged free_beats_tied(const IbameshStudy& study, const TrafficCase& what, Scheme scheme);
/// At the largest size free and tied lanes differ by less than 5 %.
Judged alike_when_large(const IbameshStudy& study, const TrafficCase& what);
/// Unicast with two free lanes beats one, and with four two, at all sizes.
Judged lanes_help(const IbameshStudy& study, const TrafficCase& what);
/// The second case has more speed-up than the first with one lane, at the smallest and at the
/// largest size.
Judged more_speed_up(const IbameshStudy& study, const TrafficCase& first,
                     const TrafficCase& second);

/// The speed-up if serialisation were all: packets of the busiest link by unicast over those by
/// multicast.
double serialised_speed_up(const IbameshStudy& study, const TrafficCase& what);

}  // namespace weft::papers::ibamesh
