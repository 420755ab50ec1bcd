// SPDX-License-Identifier: Apache-2.0
// Results of simulations as human-readable text: a block for one, a table for a sweep.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <ostream>

#include "base/decimal.hpp"
#include "lab/report/columns.hpp"
#include "lab/report/report.hpp"
#include "lab/report/simulation_words.hpp"

namespace weft {
namespace {

/// So many digits after the point, or a dash for what was not measured.
std::string number(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
}
std::string rate(double value) { return number(value, 4); }
/// A dash where no packet was measured.
std::string of_packets(const SimulationResult& result, double value, int digits) {
  return result.packets > 0 ? number(value, digits) : "-";
}

std::string reasons(const SimulationResult& result) {
  std::string out;
  for (const auto& [why, count] : result.lost_why)
    out += fmt::format("{}{} {}", out.empty() ? " (" : ", ", why, count);
  return out.empty() ? out : out + ")";
}

void write_explanation(std::ostream& out, const SimulationResult& result) {
  out << result.explanation << (result.explanation.ends_with('\n') ? "" : "\n");
}

/// Whether a field is shown even when it has its default.
bool always_shown(const SimulationField& field) {
  constexpr std::array parts{&SimulationSpec::fabric,   &SimulationSpec::tables,
                             &SimulationSpec::switches, &SimulationSpec::traffic,
                             &SimulationSpec::packet,   &SimulationSpec::load};
  return std::find(parts.begin(), parts.end(), field.text) != parts.end();
}

bool named_by_value(const SimulationField& field) {
  return field.text == &SimulationSpec::fabric || field.text == &SimulationSpec::tables;
}

}  // namespace

std::string phrase(const SimulationField& field, const SimulationSpec& simulation) {
  const std::string& value = simulation.*field.text;
  return named_by_value(field) ? value : fmt::format("{} {}", field.name, value);
}

std::string title(const SimulationSpec& simulation, const std::vector<SimulationField>& varied) {
  const SimulationSpec usual;
  std::string out;
  for (const SimulationField& field : simulation_fields()) {
    const bool differs =
        std::any_of(varied.begin(), varied.end(),
                    [&](const SimulationField& other) { return other.text == field.text; });
    const bool idle = field.text == &SimulationSpec::load && !uses_load(simulation);
    if (differs || idle || (!always_shown(field) && simulation.*field.text == usual.*field.text))
      continue;
    out += (out.empty() ? "" : ", ") + phrase(field, simulation);
  }
  return out;
}

std::string seeds_text(const SweepRow& row) {
  return row.seeds ? fmt::format(", seeds {}", row.seeds->seeds) : "";
}

namespace {

void simulation_line(std::ostream& out, std::string_view name, const std::string& words) {
  out << wrapped(fmt::format("{:<10}", name), words) << '\n';
}

void write_priority(std::ostream& out, std::string_view name, const PriorityLatency& of) {
  if (of.packets == 0) return;
  simulation_line(out, name,
                  fmt::format("{} cycles on average; p50 {}, p95 {}, p99 {}, p99.9 {}, at most {}",
                              number(of.mean, 2), number(of.p50, 0), number(of.p95, 0),
                              number(of.p99, 0), number(of.p999, 0), number(of.most, 0)));
}

void write_latencies(std::ostream& out, const SimulationResult& result) {
  if (result.packets == 0)
    return simulation_line(
        out, "latency",
        result.offered == 0 ? "no packet was created in the measured time"
                            : "most packets that were sent in the measured time have not arrived");
  const std::string width =
      std::isfinite(result.half_width) ? " ± " + number(result.half_width, 2) : "";
  simulation_line(out, "latency",
                  fmt::format("{}{} cycles on average, {} of them in the network",
                              number(result.mean, 2), width, number(result.network_mean, 2)));
  simulation_line(out, "",
                  fmt::format("p50 {}, p95 {}, p99 {}, p99.9 {}, at most {}", number(result.p50, 0),
                              number(result.p95, 0), number(result.p99, 0), number(result.p999, 0),
                              number(result.most, 0)));
  write_priority(out, "urgent", result.urgent);
  write_priority(out, "normal", result.normal);
  write_priority(out, "reply", result.reply);
  write_priority(out, "roundtrip", result.round_trip);
  simulation_line(out, "hops", fmt::format("{} switches on average", number(result.hops, 2)));
}

/// The sum over all hosts counts flits on the links, single sources count packets that arrived
/// whole. In a measured time of few packets the two differ by more than the sources do.
std::string range_of_hosts(const SimulationResult& result) {
  constexpr double rounding = 0.00005;
  const bool outside = result.accepted < result.least_host - rounding ||
                       result.accepted > result.most_host + rounding;
  return fmt::format("{} to {} from single hosts{}", rate(result.least_host),
                     rate(result.most_host),
                     outside ? ", counted in whole packets: too short a time to compare them" : "");
}

/// Every source keeps up, but much of what was sent in the measured time arrived after it.
bool still_filled(const SimulationResult& result) {
  constexpr std::uint64_t enough = 5000;
  return result.outcome == SimulationOutcome::steady && result.lost == 0 &&
         result.packets >= enough && result.accepted < 0.95 * result.offered;
}

void write_measured(std::ostream& out, const SimulationResult& result) {
  simulation_line(out, to_text(result.outcome),
                  fmt::format("{}{} of {} flits per host and cycle arrive; {}",
                              result.lost > 0 ? "with losses: " : "", rate(result.accepted),
                              rate(result.offered), range_of_hosts(result)));
  if (still_filled(result))
    simulation_line(out, "",
                    "buffers still filled while it was measured: a longer --warmup tells more");
  if (Spec::parse(result.spec.source).name == "batch")
    simulation_line(
        out, "finished",
        fmt::format("after {} cycles, {} us: the last packet has arrived{}", result.measured,
                    number(static_cast<double>(result.measured) * result.cycle_ns / 1000, 3),
                    result.lost > 0 ? " or is lost" : ""));
  if (!result.worst_host.empty())
    simulation_line(
        out, "worst",
        fmt::format("{} of {} flits per cycle arrive from host {}", rate(result.worst_accepted),
                    rate(result.worst_offered), result.worst_host));
  write_latencies(out, result);
  simulation_line(
      out, "links",
      fmt::format("{} flits per cycle on average, {} on the busiest{}", rate(result.mean_link),
                  rate(result.most_link), result.busiest.empty() ? "" : ", " + result.busiest));
}

/// The fields that differ between the rows shown, and the load if it differs between any.
std::vector<SimulationField> varied_fields(const std::vector<SweepRow>& shown,
                                           const std::vector<SweepRow>& all) {
  std::vector<SimulationField> out;
  for (const SimulationField& field : simulation_fields()) {
    const std::vector<SweepRow>& rows = field.text == &SimulationSpec::load ? all : shown;
    if (std::any_of(rows.begin(), rows.end(), [&](const SweepRow& row) {
          return row.result.spec.*field.text != rows[0].result.spec.*field.text;
        }))
      out.push_back(field);
  }
  return out;
}

/// Whether a row is the first of its combination, whose rows are in the order of their loads.
bool begins_combination(const SweepRow* before, const SweepRow& row) {
  const SimulationSpec& spec = row.result.spec;
  return before == nullptr || !same_but_for_load_and_length(before->result.spec, spec) ||
         std::stod(spec.load) <= std::stod(before->result.spec.load);
}

/// Towards saturation only the last steady point counts, or the lowest where none is steady.
std::vector<SweepRow> shown_rows(const std::vector<SweepRow>& rows) {
  std::vector<SweepRow> out;
  const SweepRow* before = nullptr;
  for (const SweepRow& row : rows) {
    const bool first = begins_combination(before, row);
    before = &row;
    if (row.saturation.empty() || row.saturation == row.result.spec.load ||
        (row.saturation == "0" && first))
      out.push_back(row);
  }
  return out;
}

/// What a search for saturation found about one combination.
struct SearchEnd {
  std::string lowest{}, highest{};  ///< loads that were tried
  std::string steady{};             ///< the highest steady one; "0": none
  std::string over{};               ///< the lowest that is not steady; empty: none
  bool short_of_resolution = false;
};

/// Of two loads, exactly.
std::string difference(const std::string& more, const std::string& less) {
  const Decimal a = Decimal::parse(more).value(), b = Decimal::parse(less).value();
  const int places = std::max(a.places, b.places);
  return Decimal{a.with_places(places).units - b.with_places(places).units, places}.text();
}

std::vector<SearchEnd> search_ends(const std::vector<SweepRow>& rows) {
  std::vector<SearchEnd> out;
  const SweepRow* before = nullptr;
  for (const SweepRow& row : rows) {
    const std::string& load = row.result.spec.load;
    if (begins_combination(before, row))
      out.push_back({load, "", row.saturation, "", row.short_of_resolution});
    before = &row;
    out.back().highest = load;
    if (out.back().over.empty() && row.result.outcome != SimulationOutcome::steady)
      out.back().over = load;
  }
  return out;
}

/// A note on the combinations of one kind, where there are any: "1 of 3 combinations: …".
template <class Belongs, class Note>
void write_note(std::ostream& out, const std::vector<SearchEnd>& ends, Belongs belongs, Note note) {
  const auto first = std::find_if(ends.begin(), ends.end(), belongs);
  if (first == ends.end()) return;
  if (ends.size() > 1)
    out << fmt::format("{} of {} combinations: ", std::count_if(ends.begin(), ends.end(), belongs),
                       ends.size());
  out << note(*first) << '\n';
}

/// Why the searches for saturation ended where they did.
void explain_saturation(std::ostream& out, const std::vector<SweepRow>& rows) {
  if (rows.front().saturation.empty()) return;
  const std::vector<SearchEnd> ends = search_ends(rows);
  out << '\n';
  write_note(
      out, ends, [](const SearchEnd& end) { return end.steady != "0" && !end.over.empty(); },
      [](const SearchEnd& end) {
        return fmt::format("steady up to this load, and not at the next, {} higher (--resolution)",
                           difference(end.over, end.steady));
      });
  write_note(
      out, ends, [](const SearchEnd& end) { return end.over.empty(); },
      [](const SearchEnd& end) {
        return fmt::format("steady up to load {}, the highest tried: no saturation was found",
                           end.highest);
      });
  write_note(
      out, ends, [](const SearchEnd& end) { return end.steady == "0"; },
      [](const SearchEnd& end) {
        return fmt::format(
            "steady at no load, not even at {}, the lowest tried; a finer --resolution tries lower "
            "ones",
            end.lowest);
      });
  write_note(
      out, ends, [](const SearchEnd& end) { return end.short_of_resolution; },
      [](const SearchEnd&) {
        return std::string(
            "simulations are shorter than this resolution needs, to limit their work; --cycles "
            "makes them longer");
      });
}

using Rows = std::vector<SweepRow>;
using Fields = std::vector<SimulationField>;

struct TextColumn {
  std::string name;
  bool left = false;
  std::function<std::string(const SweepRow&)> cell;
};

TextColumn column_of(const SimulationField& field, const Rows& rows) {
  const auto value = field.text;
  const bool text = std::any_of(rows.begin(), rows.end(), [&](const SweepRow& row) {
    return (row.result.spec.*value).find_first_not_of("0123456789.") != std::string::npos;
  });
  return {field.name, text, [=](const SweepRow& row) { return row.result.spec.*value; }};
}

void add_priority(std::vector<TextColumn>& out, const std::string& name,
                  PriorityLatency SimulationResult::*of) {
  const auto add = [&](const std::string& title, double PriorityLatency::*value, int digits) {
    out.push_back({title, false, [=](const SweepRow& row) {
                     const PriorityLatency& found = row.result.*of;
                     return found.packets > 0 ? number(found.*value, digits) : "-";
                   }});
  };
  add(name, &PriorityLatency::mean, 1);
  add("p99", &PriorityLatency::p99, 0);
}

/// "saturated", or "saturated 3/10" where not all seeds are.
std::string outcome_text(const SweepRow& row) {
  std::string outcome = to_text(row.result.outcome);
  if (!row.seeds || row.seeds->same_outcome == row.seeds->seeds) return outcome;
  return fmt::format("{} {}/{}", outcome, row.seeds->same_outcome, row.seeds->seeds);
}

std::vector<TextColumn> columns_of(const Rows& rows, const Fields& varied) {
  using Result = const SimulationResult&;
  std::vector<TextColumn> out;
  const auto add = [&](const std::string& name, bool left, std::string (*text)(Result)) {
    out.push_back({name, left, [=](const SweepRow& row) { return text(row.result); }});
  };
  for (const SimulationField& field : varied) out.push_back(column_of(field, rows));
  out.push_back({"outcome", true, outcome_text});
  add("accepted", false, [](Result r) { return rate(r.accepted); });
  if (rows[0].seeds)
    out.push_back(
        {"+/-", false, [](const SweepRow& row) { return rate(row.seeds->accepted_half_width); }});
  add("latency", false, [](Result r) { return of_packets(r, r.mean, 1); });
  add("+/-", false, [](Result r) { return of_packets(r, r.half_width, 1); });
  add("p99", false, [](Result r) { return of_packets(r, r.p99, 0); });
  add("max", false, [](Result r) { return of_packets(r, r.most, 0); });
  if (std::any_of(rows.begin(), rows.end(),
                  [](const SweepRow& row) { return row.result.urgent.packets > 0; })) {
    add_priority(out, "urgent", &SimulationResult::urgent);
    add_priority(out, "normal", &SimulationResult::normal);
  }
  if (std::any_of(rows.begin(), rows.end(),
                  [](const SweepRow& row) { return row.result.reply.packets > 0; })) {
    add_priority(out, "reply", &SimulationResult::reply);
    add_priority(out, "roundtrip", &SimulationResult::round_trip);
  }
  add("link", false, [](Result r) { return rate(r.most_link); });
  add("busiest", true, [](Result r) { return r.busiest; });
  if (std::any_of(rows.begin(), rows.end(),
                  [](const SweepRow& row) { return row.result.lost > 0; }))
    add("lost", true, [](Result r) { return std::to_string(r.lost) + reasons(r); });
  return out;
}

/// Counts the deadlocks of a sweep and explains the first.
void explain(std::ostream& out, const Rows& rows, const Fields& varied) {
  const auto stuck = [](const SweepRow& row) {
    return row.result.outcome == SimulationOutcome::deadlocked;
  };
  const auto found = std::find_if(rows.begin(), rows.end(), stuck);
  if (found == rows.end()) return;
  std::string values;
  for (const SimulationField& field : varied)
    values += (values.empty() ? "" : ", ") + phrase(field, found->result.spec);
  out << fmt::format(
      "\n{} in deadlock{}{}\n",
      counted(std::count_if(rows.begin(), rows.end(), stuck), "point ends", "points end"),
      values.empty() ? "" : "; the first: ", values);
  write_explanation(out, found->result);
}

}  // namespace

namespace {

void write_profile(std::ostream& out, const SimulationProfile& profile) {
  double hops = 0;
  for (const sim::PathUse& path : profile.paths) {
    const auto moved = static_cast<double>(path.flit_hops);
    hops += moved;
    simulation_line(out, "profile",
                    fmt::format("{}: {} cycles, {} flit-hops in {:.3g} s, {:.3g} M per second",
                                path.name, path.cycles, path.flit_hops, path.seconds,
                                path.seconds > 0 ? moved / path.seconds / 1e6 : 0));
  }
  if (!profile.counts || hops == 0) {
    simulation_line(out, "", "processor counters cannot be read here (perf_event_paranoid)");
    return;
  }
  const auto per_hop = [hops](std::uint64_t count) { return static_cast<double>(count) / hops; };
  const ProcessorCounts& counts = *profile.counts;
  simulation_line(out, "",
                  fmt::format("per flit-hop {:.0f} instructions, {:.0f} clocks, {:.2f} cache "
                              "misses, {:.2f} mispredicted branches",
                              per_hop(counts.instructions), per_hop(counts.clocks),
                              per_hop(counts.cache_misses), per_hop(counts.branch_misses)));
}

}  // namespace

void write_simulation(std::ostream& out, const SweepRow& row) {
  const SimulationResult& result = row.result;
  out << title(result.spec) << seeds_text(row) << '\n';
  const bool stuck = result.outcome == SimulationOutcome::deadlocked;
  if (stuck && result.packets == 0)
    simulation_line(out, to_text(result.outcome), "before anything was measured");
  else
    write_measured(out, result);
  if (row.seeds)
    simulation_line(
        out, "seeds",
        fmt::format("{} of {} {}; over seeds, with 95 % confidence, latency ± {} "
                    "cycles and accepted ± {}",
                    row.seeds->same_outcome, row.seeds->seeds, to_text(result.outcome),
                    number(result.half_width, 2), rate(row.seeds->accepted_half_width)));
  simulation_line(
      out, "packets",
      fmt::format("{} measured; {} sent, {} delivered, {} lost{}, {} inside", result.packets,
                  result.sent, result.delivered, result.lost, reasons(result), result.inside));
  simulation_line(out, "time",
                  fmt::format("{} cycles of {} ns: {} of warm-up, {} measured", result.cycles,
                              result.cycle_ns, result.warmup, result.measured));
  if (result.profile) write_profile(out, *result.profile);
  if (stuck) write_explanation(out, result);
}

void write_table(std::ostream& out, const std::vector<SweepRow>& rows) {
  if (rows.empty()) return;
  const Rows shown = shown_rows(rows);
  const Fields varied = varied_fields(shown, rows);
  const std::vector<TextColumn> columns = columns_of(shown, varied);
  std::vector<Cells> lines(1);
  Columns layout;
  for (const TextColumn& column : columns) {
    lines[0].push_back(column.name);
    layout.left.push_back(column.left);
  }
  for (const SweepRow& row : shown) {
    lines.emplace_back();
    for (const TextColumn& column : columns) lines.back().push_back(column.cell(row));
  }
  for (const Cells& line : lines) layout.fit(line);
  out << title(shown[0].result.spec, varied) << seeds_text(shown[0]) << "\n\n";
  for (const Cells& line : lines) out << layout.text(line) << '\n';
  explain_saturation(out, rows);
  explain(out, rows, varied);
}

}  // namespace weft
