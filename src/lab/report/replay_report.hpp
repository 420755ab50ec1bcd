// SPDX-License-Identifier: Apache-2.0
// Replays of traces as human-readable text, as data and as pictures.
#pragma once
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lab/replay/experiment.hpp"
#include "lab/report/chart.hpp"
#include "lab/report/result_file.hpp"

namespace weft {

void write_replay(std::ostream& out, const Fabric& fabric, const ReplayResult& result);
nlohmann::ordered_json document_of(const Fabric& fabric, const ReplayResult& result);
/// The points of a sweep, without their ranks.
nlohmann::ordered_json document_of(const std::vector<ReplayResult>& results);
/// A row for each job.
void write_csv(std::ostream& out, const std::vector<ReplayResult>& results);
/// "finished", "refused: why".
std::string outcome_of(const ReplayResult& result);
/// The points of a sweep, the fastest first: times, and what they were spent on.
void write_table(std::ostream& out, std::vector<ReplayResult> results);
/// The same as bars.
BarChart chart_of(std::vector<ReplayResult> results);
/// A row for each rank.
void write_ranks_csv(std::ostream& out, const Fabric& fabric, const ReplayResult& result);
/// A row for each sample and link.
void write_link_times_csv(std::ostream& out, const Fabric& fabric, const ReplayResult& result);
/// "rank 3", and "job 2 rank 3" where there are several jobs.
std::vector<std::string> rank_names(const ReplayResult& result);
/// When each operation began and ended, for Chrome or Perfetto.
void write_time_line(std::ostream& out, const ReplayResult& result);
/// What ranks spent their time on, and the load of links over time.
ChartSheet chart_of(const Fabric& fabric, const ReplayResult& result);

ResultFile replay_csv_file();
ResultFile replay_json_file();
ResultFile replay_sweep_json_file();
ResultFile replay_ranks_csv_file();
ResultFile link_times_csv_file();

}  // namespace weft
