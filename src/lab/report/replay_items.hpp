// SPDX-License-Identifier: Apache-2.0
// The items of a rank's time in a replay, as reports name them.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "lab/replay/experiment.hpp"

namespace weft {

struct ReplayItem {
  std::string_view key, words, meaning;
  Duration RankItems::*of;
};
inline constexpr std::array replay_items{
    ReplayItem{"compute", "compute", "the program's own work", &RankItems::compute},
    ReplayItem{"library", "MPI", "work of the message-passing library", &RankItems::library},
    ReplayItem{"lower", "below MPI", "work of the lower library and for the NIC",
               &RankItems::lower},
    ReplayItem{"send_ready", "sends", "waiting until a send is taken", &RankItems::send_ready},
    ReplayItem{"packet", "messages", "waiting for a message", &RankItems::packet},
    ReplayItem{"nic_ready", "NIC", "waiting until the NIC takes the next packet",
               &RankItems::nic_ready},
    ReplayItem{"ack", "acknowledgments", "waiting for acknowledgments before the next packet",
               &RankItems::ack}};

/// The items that some of these jobs spent time on.
inline std::vector<ReplayItem> spent_items(const std::vector<const JobResult*>& jobs) {
  std::vector<ReplayItem> out;
  for (const ReplayItem& item : replay_items)
    if (std::any_of(jobs.begin(), jobs.end(),
                    [&](const JobResult* job) { return (job->mean().*item.of).count() > 0; }))
      out.push_back(item);
  return out;
}

/// 0 to 100.
inline double percentage(Duration part, Duration of) {
  return of.count() == 0
             ? 0
             : 100 * static_cast<double>(part.count()) / static_cast<double>(of.count());
}

/// "12.3 ms" with a unit that suits it.
inline std::string time_text(Duration time) {
  const double us = microseconds_of(time);
  if (us >= 1e6) return fmt::format("{:.4g} s", us / 1e6);
  return us >= 1e3 ? fmt::format("{:.4g} ms", us / 1e3) : fmt::format("{:.4g} us", us);
}

/// The last part of a path.
inline std::string file_name_of(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// A link in one direction: "s0:1 > s1:2", "s0 -> h3".
std::string direction_text(const Fabric& fabric, const LinkDirection& link);

}  // namespace weft
