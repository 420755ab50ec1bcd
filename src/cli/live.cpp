// SPDX-License-Identifier: Apache-2.0
// weft live: routes a subnet for OpenSM, whose plugin starts it and talks to it.
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>

#include "base/catalog.hpp"
#include "base/files.hpp"
#include "cli/verbs.hpp"
#include "fabric/builder.hpp"
#include "fabric/fat_tree.hpp"
#include "fabric/format/addresses.hpp"
#include "fabric/format/format.hpp"
#include "lab/cluster/cluster.hpp"
#include "lab/report/report.hpp"
#include "live/frames.hpp"
#include "live/router/subnet_router.hpp"
#include "plan/export/opensm_levels.hpp"
#include "plan/route/route.hpp"

namespace weft::cli {
namespace {

struct LiveArguments {
  std::string tables;
  std::string keep;
  std::vector<std::string> sweeps;
  std::uint64_t patience = 60;
  bool sticky = false;
};

live::TablesSource tables_source(const LiveArguments& options) {
  return [&options](const Fabric& fabric, unsigned lanes) -> Routed {
    std::string name = options.tables;
    if (name.empty())
      name = std::holds_alternative<FatTree>(FatTree::find(fabric)) ? "dmodk" : "updown";
    if (!names_engine(name)) return tables_in(name, fabric);
    Routed routed = route(fabric, with_most_lanes(name, static_cast<int>(lanes)));
    if (const auto* refused = std::get_if<Refused>(&routed))
      return Refused{fmt::format("{}: {}", name, refused->why)};
    return routed;
  };
}

/// Writes what was answered last to a folder, with its proof.
void keep(const LiveArguments& options, const live::RoutedSubnet& subnet) {
  namespace fs = std::filesystem;
  const auto path = [&](const char* name) { return (fs::path(options.keep) / name).string(); };
  const auto verdict = deadlock(subnet.fabric, subnet.tables);
  fs::remove(path("certificate"));
  fs::remove(path("order.csv"));
  write_file(path("fabric.toml"), [&](std::ostream& out) {
    find_row(fabric_formats(), "format", "weft").write(out, subnet.fabric);
  });
  if (subnet.update)
    write_file(path("order.csv"), [&](std::ostream& out) {
      write_update_order_csv(out, subnet.fabric, *subnet.update);
    });
  write_file(path("source"), [&](std::ostream& out) { out << options.tables << '\n'; });
  if (const auto* certificate = std::get_if<Certificate>(&verdict))
    write_file(path("certificate"),
               [&](std::ostream& out) { write_certificate(out, subnet.fabric, *certificate); });
  write_file(path("tables.weft"), [&](std::ostream& out) {
    find_row(tables_formats(), "format", "weft").write(out, subnet.fabric, subnet.tables);
  });
}

/// Goes on from what is kept there by the same source, if anything is. Says so, or why it cannot.
std::string resume(const LiveArguments& options, live::SubnetRouter& router) {
  namespace fs = std::filesystem;
  const auto path = [&](const char* name) { return (fs::path(options.keep) / name).string(); };
  if (!options.sticky || options.keep.empty() || !fs::exists(path("tables.weft"))) return {};
  try {
    if (read_source(path("source")).text != options.tables + "\n")
      return "what is kept is of other tables: all is routed anew";
    Fabric fabric = read_fabric(read_source(path("fabric.toml")));
    Tables tables = read_tables(read_source(path("tables.weft")), fabric);
    router.resume(std::move(fabric), std::move(tables));
    return "goes on from the tables in " + options.keep;
  } catch (const Error& error) {
    return fmt::format("what is kept cannot be read: {}", error.what());
  }
}

/// Does so when nobody asks anything for a moment, or any more.
void keep_meanwhile(const LiveArguments& options, const live::SubnetRouter& router) {
  pollfd question{STDIN_FILENO, POLLIN, 0};
  constexpr int moment_ms = 50;
  if (options.keep.empty() || !router.last()) return;
  if (poll(&question, 1, moment_ms) != 0 && (question.revents & POLLHUP) == 0) return;
  try {
    keep(options, *router.last());
  } catch (const std::exception& error) {
    fmt::print(stderr, "weft: live: {}\n", error.what());
  }
}

live::Frame answer(live::SubnetRouter& router, const live::Frame& question, live::LogLines& log) {
  using live::FrameKind;
  if (question.kind == FrameKind::tree)
    return frame_of(router.tree(live::tree_request(question.bytes), log));
  if (question.kind != FrameKind::route)
    throw Error("a question of kind {}", static_cast<unsigned>(question.kind));
  auto routed = router.route(live::route_request(question.bytes), log);
  if (auto* refused = std::get_if<Refused>(&routed))
    return {FrameKind::refused, std::move(refused->why)};
  return frame_of(std::get<live::SubnetTables>(routed));
}

/// Sends log and answer; false when nobody listens any more.
bool reply(const live::LogLines& log, const live::Frame& answer) {
  for (const std::string& line : log.warnings)
    if (!live::send(STDOUT_FILENO, {live::FrameKind::warning, line})) return false;
  for (const std::string& line : log.notes)
    if (!live::send(STDOUT_FILENO, {live::FrameKind::note, line})) return false;
  return live::send(STDOUT_FILENO, answer);
}

/// Answers until nobody asks. OpenSM waits meanwhile: what takes too long ends this program.
int serve(const LiveArguments& options) {
  live::SubnetRouter router(tables_source(options), options.sticky);
  std::string resumed = resume(options, router);
  bool asked = false;
  for (live::Frame question; live::receive(STDIN_FILENO, question); asked = true) {
    alarm(static_cast<unsigned>(options.patience));
    live::LogLines log;
    if (!resumed.empty()) log.notes.push_back(std::exchange(resumed, {}));
    live::Frame found;
    const auto begin = std::chrono::steady_clock::now();
    try {
      found = answer(router, question, log);
    } catch (const std::runtime_error& error) {
      found = {live::FrameKind::refused, error.what()};
    }
    alarm(0);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (question.kind == live::FrameKind::route)
      log.notes.push_back(fmt::format("answered in {:.3f} s", took.count()));
    if (!reply(log, found)) return exit_found;
    keep_meanwhile(options, router);
  }
  if (!asked) throw Error("live: no question of OpenSM's plugin came");
  return exit_fine;
}

/// The fabric with GUIDs and LIDs; those that it does not have are another's by name, so that parts
/// are the same from sweep to sweep.
Fabric addressed_like(const Fabric& fabric, const std::optional<Fabric>& other) {
  if (!other) return with_addresses(fabric);
  FabricBuilder builder(fabric.name());
  for (SwitchId s : fabric.switches()) {
    Switch data = fabric[s];
    if (const auto same = other->find_switch(data.name); same && data.guid == 0) {
      data.guid = (*other)[*same].guid;
      data.lid = (*other)[*same].lid;
    }
    builder.add_switch(std::move(data));
  }
  for (LinkId l : fabric.links()) builder.add_link(fabric[l]);
  for (HostId h : fabric.hosts()) {
    Host data = fabric[h];
    if (const auto same = other->find_host(data.name); same && data.guid == 0) {
      data.guid = (*other)[*same].guid;
      data.port_guid = (*other)[*same].port_guid;
      data.lid = (*other)[*same].lid;
    }
    builder.add_host(std::move(data));
  }
  return with_addresses(std::move(builder).build());
}

/// Shows what the log of OpenSM would have, sweep by sweep.
int rehearse(const LiveArguments& options) {
  live::SubnetRouter router(tables_source(options), options.sticky);
  bool fine = true;
  std::optional<Fabric> first;
  for (const std::string& name : options.sweeps) {
    const Fabric fabric = addressed_like(find_fabric(name), first);
    if (!first) first = fabric;
    std::ostringstream text;
    find_row(fabric_formats(), "format", "ibnetdiscover").write(text, fabric);
    live::LogLines log;
    const auto routed = router.route({usual_lanes, {}, text.str()}, log);
    std::cout << name << '\n';
    for (const std::string& line : log.warnings) std::cout << "  WARNING: " << line << '\n';
    for (const std::string& line : log.notes) std::cout << "  " << line << '\n';
    if (const auto* refused = std::get_if<Refused>(&routed))
      std::cout << "  there are no tables of weft: " << refused->why << '\n';
    fine = fine && log.warnings.empty() && std::holds_alternative<live::SubnetTables>(routed);
    if (!options.keep.empty() && router.last()) keep(options, *router.last());
  }
  return fine ? exit_fine : exit_found;
}

}  // namespace

Action add_live(Arguments& arguments) {
  auto options = std::make_shared<LiveArguments>();
  arguments.optional("tables", options->tables,
                     "routing engine, or file or folder of tables; without it dmodk on fat\ntrees, "
                     "updown elsewhere");
  arguments.flag("--sticky", options->sticky,
                 "when links come and go, change as few entries as possible");
  arguments.option(
      "--keep FOLDER", options->keep,
      "write fabric, tables, certificate and order of updates there; with\n--sticky the "
      "next start goes on from these");
  arguments.option("--patience SECONDS", options->patience,
                   "end when an answer takes longer, so that OpenSM goes on by itself");
  arguments.words("--try FABRIC", options->sweeps,
                  "without OpenSM: print what its log would have if it found these\nfabrics, one "
                  "after the other");
  return [options] {
    constexpr std::uint64_t longest = 1'000'000;
    if (options->patience < 1 || options->patience > longest)
      throw Error("live: --patience {}: from 1 to {} seconds", options->patience, longest);
    if (std::error_code problem; !options->keep.empty()) {
      std::filesystem::create_directories(options->keep, problem);
      if (!std::filesystem::is_directory(options->keep))
        throw Error("live: --keep {}: this folder cannot be made", options->keep);
    }
    if (!options->tables.empty() && !holds_tables(options->tables)) require_engine(options->tables);
    if (!options->sweeps.empty()) return rehearse(*options);
    if (isatty(STDIN_FILENO) != 0)
      throw Error(
          "live: OpenSM's plugin starts this verb; opensm.conf needs \"event_plugin_name weft\", "
          "\"event_plugin_options {}\" and \"routing_engine weft\"",
          options->tables.empty() ? "updown" : options->tables);
    return serve(*options);
  };
}

}  // namespace weft::cli
