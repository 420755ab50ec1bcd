// SPDX-License-Identifier: Apache-2.0
// How the statements of the InfiniBand mesh paper are judged: each on all runs it is about, and
// argued with the serialisation bound where that explains it.
#pragma once
#include <string>

#include "papers/ibamesh/study.hpp"
#include "papers/runner/cases.hpp"

namespace weft::papers::ibamesh {

/// Times that differ by less count as equal.
inline constexpr double margin = 0.01;

/// The traffic that a statement is judged on.
struct JudgedTraffic {
  const IbameshStudy& study;
  TrafficCase what;
  std::string name{};  ///< before the names of its cases; empty where there is no other traffic
};

/// These add their cases, and return what the verdict rests on.
using Judge = std::string (*)(const JudgedTraffic&, Cases&);

/// Multicast takes less time.
std::string multicast_wins(const JudgedTraffic& traffic, Cases& cases);
/// No step to the next size lowers the speed-up, and the largest has more than the smallest.
std::string grows_with_size(const JudgedTraffic& traffic, Cases& cases);
/// Free lanes take less time than as many tied ones, at the small sizes or at all.
std::string free_unicast_when_small(const JudgedTraffic& traffic, Cases& cases);
std::string free_multicast_when_small(const JudgedTraffic& traffic, Cases& cases);
std::string free_unicast(const JudgedTraffic& traffic, Cases& cases);
std::string free_multicast(const JudgedTraffic& traffic, Cases& cases);
/// At the large sizes free and tied lanes differ by less than 5 %.
std::string alike_when_large(const JudgedTraffic& traffic, Cases& cases);
/// Unicast with two free lanes beats one, and with four two.
std::string lanes_help(const JudgedTraffic& traffic, Cases& cases);
/// Unicast takes no longer than its packets need one after the other, and the last to the most
/// distant host.
std::string no_congestion(const JudgedTraffic& traffic, Cases& cases);
/// The second traffic has more speed-up than the first.
std::string more_speed_up(const JudgedTraffic& first, const TrafficCase& second, Cases& cases);
/// It takes longer than the other.
std::string slower(const JudgedTraffic& traffic, const TrafficCase& other, Cases& cases);

/// The speed-up if serialisation were all: packets of the busiest link by unicast over those by
/// multicast.
double serialised_speed_up(const IbameshStudy& study, const TrafficCase& what);

}  // namespace weft::papers::ibamesh
