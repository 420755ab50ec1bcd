// SPDX-License-Identifier: Apache-2.0
// Replays of traces as human-readable text, as data, and side by side.
#pragma once
#include <iosfwd>
#include <string>

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
/// What ranks spent their time on, and the load of links over time, as SVG.
void write_plot(std::ostream& out, const Fabric& fabric, const ReplayResult& result);

/// Two results that write_json() wrote, side by side. Throws Error for a file that is something
/// else.
void write_comparison(std::ostream& out, const std::string& path, const std::string& other_path);

ResultFile replay_csv_file();
ResultFile replay_json_file();
ResultFile replay_ranks_csv_file();
ResultFile link_times_csv_file();

}  // namespace weft
