// SPDX-License-Identifier: Apache-2.0
// Tables written in a format that may not hold all of them.
#include "cli/export_tables.hpp"

#include <ostream>
#include <sstream>

#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "plan/check/deadlock.hpp"

namespace weft::cli {
namespace {

bool is_certified(const Fabric& fabric, const Tables& tables) {
  return std::holds_alternative<Certificate>(deadlock(fabric, tables));
}

/// The tables that a reader of the file gets.
Tables as_written(const TablesFormat& format, const Fabric& fabric, const Tables& tables) {
  std::ostringstream text;
  format.write(text, fabric, tables);
  return format.read({std::string(format.name), std::move(text).str()}, fabric).tables;
}

enum class LaneLoss {
  none,      ///< the file holds all lanes
  harmless,  ///< the routes alone are free of deadlock
  unproven,  ///< they are not, but neither are the tables
  proof,     ///< the tables are free of deadlock, what the file holds is not
};

LaneLoss lane_loss(const TablesFormat& format, const Fabric& fabric, const Tables& tables) {
  if (tables.lane_count == 1 || format.name == "weft") return LaneLoss::none;
  const Tables held = as_written(format, fabric, tables);
  if (held.lane_count >= tables.lane_count) return LaneLoss::none;
  if (loses_proof(fabric, tables, held)) return LaneLoss::proof;
  return is_certified(fabric, held) ? LaneLoss::harmless : LaneLoss::unproven;
}

}  // namespace

bool loses_proof(const Fabric& fabric, const Tables& tables, const Tables& held) {
  return !is_certified(fabric, held) && is_certified(fabric, tables);
}

void add_tables_file(Arguments& arguments, TablesFile& file) {
  arguments.option("-o,--output FILE", file.path, "write the tables to this file");
  arguments.option("--format NAME", file.format, "one of weft list tables-formats");
  arguments.flag("--unsafe", file.unsafe,
                 "write them even if the format has no lanes and they can deadlock\nwithout");
}

std::string write_tables(const TablesFile& file, const Fabric& fabric, const Tables& tables) {
  if (file.path.empty()) return "";
  const TablesFormat& format = find_format(tables_formats(), file.format);
  const LaneLoss loss = lane_loss(format, fabric, tables);
  if (loss == LaneLoss::proof && !file.unsafe)
    throw RefusedError(
        "{} is not written: the format {} has no lanes, and without its {} lanes {} can deadlock; "
        "--format weft keeps them, updown and nue:lanes=1 need none, --unsafe writes it anyway",
        file.path, format.name, tables.lane_count, tables.engine);
  write_file(file.path, [&](std::ostream& out) { format.write(out, fabric, tables); });
  if (loss == LaneLoss::none) return "";
  const char* without = loss == LaneLoss::harmless ? "; its routes alone are free of deadlock"
                        : loss == LaneLoss::proof  ? "; without them it CAN DEADLOCK"
                                                   : "";
  return fmt::format("{} has no lanes: the format {} cannot say which of the {} a packet takes{}\n",
                     file.path, format.name, tables.lane_count, without);
}

}  // namespace weft::cli
