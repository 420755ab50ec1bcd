// SPDX-License-Identifier: Apache-2.0
// Replays of traces as human-readable text, as data and as pictures.
#pragma once
#include <iosfwd>
#include <span>
#include <string_view>

#include "lab/replay/experiment.hpp"
#include "lab/report/result_file.hpp"

namespace weft {

void write_replay(std::ostream& out, const Fabric& fabric, const ReplayResult& result);
void write_json(std::ostream& out, const Fabric& fabric, const ReplayResult& result);
/// A row for each job.
void write_csv(std::ostream& out, const ReplayResult& result);
/// A row for each rank.
void write_ranks_csv(std::ostream& out, const Fabric& fabric, const ReplayResult& result);
/// A row for each sample and link.
void write_link_times_csv(std::ostream& out, const Fabric& fabric, const ReplayResult& result);
/// When each operation began and ended, for Chrome or Perfetto.
void write_time_line(std::ostream& out, const ReplayResult& result);
/// What ranks spent their time on, and the load of links over time, as SVG.
void write_plot(std::ostream& out, const Fabric& fabric, const ReplayResult& result);

/// An item of a rank's time: its key in files, its words in tables.
struct ReplayItem {
  std::string_view key, words, meaning;
  Duration RankItems::*of;
};
std::span<const ReplayItem> replay_items();

ResultFile replay_csv_file();
ResultFile replay_json_file();
ResultFile replay_ranks_csv_file();
ResultFile link_times_csv_file();

}  // namespace weft
