// SPDX-License-Identifier: Apache-2.0
// Scenarios as human-readable text, as JSON and CSV, and as a chart; times there in microseconds.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>

#include "lab/report/chart.hpp"
#include "lab/report/columns.hpp"
#include "lab/report/field_values.hpp"
#include "lab/report/report.hpp"
#include "lab/report/result_file.hpp"
#include "lab/revision.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

/// More than these, and a table no longer fits a screen.
constexpr std::size_t most_flows_across = 8, most_phases = 24;

std::string two(double value) { return fmt::format("{:.2f}", value); }

struct TimeUnit {
  double microseconds;
  std::string_view name;
};

TimeUnit unit_for(Duration length) {
  if (length >= std::chrono::seconds(1)) return {1e6, "s"};
  return length >= std::chrono::milliseconds(1) ? TimeUnit{1e3, "ms"} : TimeUnit{1, "us"};
}

/// "1.5 to 2 s", in a unit that suits all of the scenario.
std::string span_of(const ScenarioResult& result, Duration from, Duration to) {
  const TimeUnit unit = unit_for(result.scenario.length);
  return fmt::format("{:g} to {:g} {}", microseconds_of(from) / unit.microseconds,
                     microseconds_of(to) / unit.microseconds, unit.name);
}

std::string_view service_of(const FlowPlan& flow) {
  switch (flow.service) {
    case FlowService::free:
      return "free";
    case FlowService::paced:
      return "paced";
    case FlowService::best_effort:
      return "best effort";
    case FlowService::promised:
      return "promised";
  }
  return "";
}

std::string asked_of(const FlowPlan& flow) {
  if (flow.service == FlowService::promised) return two(in_megabytes(flow.bandwidth)) + " MB/s";
  if (flow.service == FlowService::paced) return "every " + to_text(flow.interval);
  return std::string(service_of(flow));
}

std::string answer_of(const ScenarioResult& result, std::size_t flow) {
  const FlowService service = result.plan.flows[flow].service;
  if (service == FlowService::free || service == FlowService::paced) return "not asked";
  return result.found.flows[flow].granted ? "granted" : "refused";
}

Cells flow_cells(const ScenarioResult& result, std::size_t flow) {
  Cells cells{result.asked(flow).name, result.hosts[flow].from + " > " + result.hosts[flow].to,
              asked_of(result.asked(flow)), answer_of(result, flow)};
  const auto rate = rate_of(result, flow);
  if (!rate) return cells;
  cells.push_back(rate->promised ? two(*rate->promised) : "");
  cells.push_back(two(rate->measured));
  if (rate->promised) cells.push_back(fmt::format("{:.3f}", rate->ratio()));
  return cells;
}

void write_lines_of(std::ostream& out, Columns columns, const std::vector<Cells>& lines) {
  for (const Cells& line : lines) columns.fit(line);
  for (const Cells& line : lines) out << columns.text(line) << '\n';
}

void write_flow_table(std::ostream& out, const ScenarioResult& result) {
  std::vector<Cells> lines{{"flow", "from > to", "asked", "answer",
                            result.controlled ? "promised" : "wanted", "achieved", "ratio"}};
  for (std::size_t i = 0; i < result.found.flows.size(); ++i)
    lines.push_back(flow_cells(result, i));
  write_lines_of(out, {{true, true, true, true, false, false, false}}, lines);
  for (std::size_t i = 0; i < result.found.flows.size(); ++i)
    if (!result.found.flows[i].granted)
      out << wrapped(fmt::format("{} was refused:", result.asked(i).name),
                     result.found.flows[i].why)
          << '\n';
}

/// Every flow's bandwidth between two changes.
Cells phase_cells(const ScenarioResult& result, Duration from, Duration to) {
  Cells cells{span_of(result, from, to)};
  for (std::size_t i = 0; i < result.found.flows.size(); ++i) {
    const auto rate = rate_between(result, i, from, to);
    cells.push_back(rate ? two(rate->measured) : "");
  }
  return cells;
}

/// How many flows there are between two changes, what they get together, and the worst promise.
Cells phase_summary(const ScenarioResult& result, Duration from, Duration to) {
  int flows = 0;
  double sum = 0;
  for (std::size_t i = 0; i < result.found.flows.size(); ++i) {
    const auto rate = rate_between(result, i, from, to);
    if (!rate) continue;
    ++flows;
    sum += rate->measured;
  }
  Cells cells{span_of(result, from, to), fmt::format("{}", flows), two(sum)};
  if (const auto worst = worst_between(result, from, to))
    cells.push_back(fmt::format("{:.3f}", worst->rate.ratio()));
  return cells;
}

/// The times between two changes that have a whole bin.
std::vector<std::pair<Duration, Duration>> phases_of(const ScenarioResult& result) {
  const std::vector<Duration> changes = changes_of(result);
  const Duration bin = result.found.bin;
  std::vector<std::pair<Duration, Duration>> out;
  for (std::size_t i = 0; i + 1 < changes.size(); ++i)
    if ((changes[i] + bin - Duration(1)) / bin < changes[i + 1] / bin)
      out.emplace_back(changes[i], changes[i + 1]);
  return out;
}

void write_phases(std::ostream& out, const ScenarioResult& result) {
  const std::size_t flows = result.found.flows.size();
  const bool across = flows <= most_flows_across;
  Cells heading{across ? "MB/s" : "time"};
  for (std::size_t i = 0; across && i < flows; ++i) heading.push_back(result.asked(i).name);
  if (!across) heading.insert(heading.end(), {"flows", "MB/s", "worst ratio"});
  const auto phases = phases_of(result);
  std::vector<Cells> lines{heading};
  for (std::size_t i = 0; i < phases.size() && i < most_phases; ++i)
    lines.push_back(
        (across ? phase_cells : phase_summary)(result, phases[i].first, phases[i].second));
  Columns columns{std::vector<bool>(heading.size(), false)};
  columns.left[0] = true;
  write_lines_of(out, columns, lines);
  if (phases.size() > most_phases)
    out << fmt::format("  and {} more: --csv has them\n", phases.size() - most_phases);
}

/// Names the flows without a rate: their answer came too late, or they sent for less than a bin.
void write_unmeasured(std::ostream& out, const ScenarioResult& result) {
  std::string names;
  for (std::size_t i = 0; i < result.found.flows.size(); ++i)
    if (result.found.flows[i].granted && !rate_of(result, i))
      names += (names.empty() ? "" : ", ") + result.asked(i).name;
  if (!names.empty())
    out << wrapped("unmeasured ", "sent for less than a bin, or not at all: " + names) << '\n';
}

void write_worst(std::ostream& out, const ScenarioResult& result) {
  const auto worst = worst_promise(result);
  if (!worst) return;
  out << wrapped("worst      ",
                 fmt::format("{:.3f} of what was {}: {} got {} of {} MB/s, {}{}",
                             worst->rate.ratio(), result.controlled ? "promised" : "asked for",
                             result.asked(worst->flow).name, two(worst->rate.measured),
                             two(*worst->rate.promised),
                             span_of(result, worst->rate.from, worst->rate.to),
                             worst->kept || !result.controlled ? "" : ": NOT KEPT"))
      << '\n';
}

/// A spec, or only its name where it is too long for a line.
std::string brief(const std::string& spec) {
  constexpr std::size_t most = 40;
  return spec.size() <= most ? spec : spec.substr(0, spec.find(':')) + ":…";
}

std::string machine_line(const ScenarioSpec& run) {
  return fmt::format("{} on {}{}, {}, switch {}, nic {}, {}", run.scenario,
                     run.cluster.empty() ? "" : run.cluster + ": ", run.topology, run.engine,
                     brief(run.switches), brief(run.nic),
                     run.rate_control == "yes" ? "policy " + run.policy : "no rate control");
}

std::string limits_line(const ScenarioResult& result) {
  const comm::qos::Limits& limits = result.plan.limits;
  return fmt::format(
      "a flow alone {} MB/s, a packet every {}; handed out: {} MB/s of a host{}, {} % of links "
      "between switches",
      two(in_megabytes(limits.peak)), to_text(limits.per_packet),
      two(in_megabytes(limits.curve.front().outgoing)),
      result.scenario.capacity ? "" : " (measured)", result.plan.link_percent);
}

Json optional_number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

double measured_in(const ScenarioResult& result, std::size_t flow, std::size_t bin) {
  const Duration from = result.found.bin * static_cast<std::int64_t>(bin);
  return sent_between(result.found, flow, from, from + result.found.bin);
}

Json flow_json(const ScenarioResult& result, std::size_t flow) {
  const FlowPlan& asked = result.asked(flow);
  const FlowFound& found = result.found.flows[flow];
  const auto rate = rate_of(result, flow);
  Json out{{"name", asked.name},
           {"from", result.hosts[flow].from},
           {"to", result.hosts[flow].to},
           {"service", std::string(service_of(asked))},
           {"message_bytes", asked.message.count},
           {"start_us", microseconds_of(asked.start)},
           {"stop_us", microseconds_of(asked.stop)},
           {"answer", answer_of(result, flow)},
           {"why", found.why},
           {"began_us", microseconds_of(found.began)},
           {"ended_us", microseconds_of(found.ended)},
           {"bytes", found.bytes},
           {"promised_MBps", optional_number(rate ? rate->promised : std::nullopt)},
           {"measured_MBps", rate ? Json(rate->measured) : Json(nullptr)}};
  Json promised = Json::array(), measured = Json::array();
  for (std::size_t bin = 0; bin < result.found.bins(); ++bin) {
    promised.push_back(optional_number(promised_in(result, flow, bin)));
    measured.push_back(measured_in(result, flow, bin));
  }
  out["promised_by_bin_MBps"] = std::move(promised);
  out["measured_by_bin_MBps"] = std::move(measured);
  return out;
}

Json limits_json(const FlowsPlan& plan) {
  const comm::qos::Limits& limits = plan.limits;
  Json curve = Json::array();
  for (const comm::qos::CurvePoint& point : limits.curve)
    curve.push_back(
        {{"in_MBps", in_megabytes(point.incoming)}, {"out_MBps", in_megabytes(point.outgoing)}});
  return {{"per_packet_us", microseconds_of(limits.per_packet)},
          {"peak_MBps", in_megabytes(limits.peak)},
          {"link_percent", plan.link_percent},
          {"curve", curve}};
}

Json worst_json(const ScenarioResult& result) {
  const auto worst = worst_promise(result);
  if (!worst) return nullptr;
  return {{"flow", result.asked(worst->flow).name},
          {"from_us", microseconds_of(worst->rate.from)},
          {"to_us", microseconds_of(worst->rate.to)},
          {"promised_MBps", *worst->rate.promised},
          {"measured_MBps", worst->rate.measured},
          {"ratio", worst->rate.ratio()},
          {"kept", worst->kept}};
}

constexpr double no_line = std::numeric_limits<double>::quiet_NaN();

/// What a flow sends; no line before it starts and after it stops.
double drawn_in(const ScenarioResult& result, std::size_t flow, std::size_t bin) {
  const Duration at = result.found.bin * static_cast<std::int64_t>(bin);
  const FlowFound& found = result.found.flows[flow];
  const bool there =
      found.granted && at >= result.asked(flow).start && at < result.asked(flow).stop;
  return found.packets[bin] == 0 && !there ? no_line : measured_in(result, flow, bin);
}

template <class Value>
ChartSeries bins_of(const ScenarioResult& result, std::size_t flow, Value value) {
  const double unit = unit_for(result.scenario.length).microseconds;
  const auto add = [&](ChartSeries& series, Duration at, double y) {
    series.points.push_back({microseconds_of(std::min(at, result.scenario.length)) / unit, y});
  };
  ChartSeries series;
  series.colour = flow;
  series.stepped = true;
  const Duration bin = result.found.bin;
  for (std::size_t i = 0; i < result.found.bins(); ++i)
    add(series, bin * static_cast<std::int64_t>(i), value(i));
  add(series, bin * static_cast<std::int64_t>(result.found.bins()), no_line);
  add(series, result.scenario.length, no_line);
  return series;
}

}  // namespace

void write_flows(std::ostream& out, const ScenarioResult& result) {
  out << machine_line(result.spec) << '\n';
  if (!result.scenario.about.empty()) out << result.scenario.about << '\n';
  if (result.limited) out << wrapped("limits     ", limits_line(result)) << '\n';
  out << '\n';
  write_flow_table(out, result);
  out << '\n';
  write_phases(out, result);
  out << '\n';
  write_unmeasured(out, result);
  write_worst(out, result);
}

ResultFile flows_csv_file() {
  return {"weft qos --csv FILE",
          "a row for each bin of time and each flow",
          {{"time_us", "us: start of the bin"},
           {"flow", "its name"},
           {"from", "host that sends"},
           {"to", "host that receives"},
           {"service", "promised, best effort, paced or free"},
           {"answer", "of the managers: granted, refused or not asked"},
           {"promised_MBps", "MB/s that the flow was promised in this bin, or allowed to send"},
           {"measured_MBps", "MB/s of data that it sent"},
           {"command", "that repeats the run"},
           {"revision", "of weft"}}};
}

ResultFile flows_json_file() {
  return {"weft qos --json FILE", "one document",
          json_keys("flows 1",
                    {{"command", "that repeats the run"},
                     {"run.FIELD", "the scenario and the machine, as weft qos takes them"},
                     {"about", "what the scenario says about itself"},
                     {"limits", "what the managers hand out; null without rate control"},
                     {"limits.per_packet_us",
                      "us: longest interval of packets that does not slow down a "
                      "flow alone"},
                     {"limits.peak_MBps", "MB/s of that flow"},
                     {"limits.link_percent", "% of links between switches that is handed out"},
                     {"limits.curve[].in_MBps", "MB/s that arrive at a host …"},
                     {"limits.curve[].out_MBps", "… and MB/s that can leave it then"},
                     {"bin_us", "us: length of a bin"},
                     {"packets", "in all, acknowledgments included"},
                     {"flit_hops", "flits through switches"},
                     {"virtual_time_us", "us of virtual time of the whole run"},
                     {"worst", "the promise that was kept worst; null: there was none"},
                     {"worst.flow", "name of its flow"},
                     {"worst.from_us", "us: from when …"},
                     {"worst.to_us", "us: … to when"},
                     {"worst.promised_MBps", "MB/s promised in that time"},
                     {"worst.measured_MBps", "MB/s that the flow sent in it"},
                     {"worst.ratio", "of the two"},
                     {"worst.kept", "whether that counts as kept"},
                     {"flows[].name", "of the flow"},
                     {"flows[].from", "host that sends"},
                     {"flows[].to", "host that receives"},
                     {"flows[].service", "promised, best effort, paced or free"},
                     {"flows[].message_bytes", "bytes of a message"},
                     {"flows[].start_us", "us: start in the scenario"},
                     {"flows[].stop_us", "us: stop in the scenario"},
                     {"flows[].answer", "of the managers"},
                     {"flows[].why", "it was refused"},
                     {"flows[].began_us", "us: first data"},
                     {"flows[].ended_us", "us: end of the last message"},
                     {"flows[].bytes", "bytes of data in all"},
                     {"flows[].promised_MBps", "MB/s promised, mean; null: nothing was"},
                     {"flows[].measured_MBps", "MB/s over the bins in which it sent all the time"},
                     {"flows[].promised_by_bin_MBps[]", "MB/s promised in each bin"},
                     {"flows[].measured_by_bin_MBps[]", "MB/s sent in each bin"}})};
}

nlohmann::ordered_json document_of(const ScenarioResult& result) {
  Json spec = Json::object();
  put_fields(spec, result.spec, scenario_fields());
  Json flows = Json::array();
  for (std::size_t i = 0; i < result.found.flows.size(); ++i) flows.push_back(flow_json(result, i));
  Json document{{"weft", "flows 1"},
                {"revision", std::string(revision())},
                {"command", command_of(result.spec)},
                {"run", std::move(spec)},
                {"about", result.scenario.about},
                {"limits", result.limited ? limits_json(result.plan) : Json(nullptr)},
                {"bin_us", microseconds_of(result.found.bin)},
                {"packets", result.found.packets},
                {"flit_hops", result.found.flit_hops},
                {"virtual_time_us", microseconds_of(result.found.time)},
                {"worst", worst_json(result)},
                {"flows", std::move(flows)}};
  return document;
}

void write_csv(std::ostream& out, const ScenarioResult& result) {
  const std::string origin =
      fmt::format("{},{}", csv_field(command_of(result.spec)), csv_field(std::string(revision())));
  out << csv_heading(flows_csv_file()) << '\n';
  for (std::size_t bin = 0; bin < result.found.bins(); ++bin)
    for (std::size_t i = 0; i < result.found.flows.size(); ++i) {
      const auto promised = promised_in(result, i, bin);
      out << fmt::format("{},{},{},{},{},{},{},{},{}\n",
                         microseconds_of(result.found.bin * static_cast<std::int64_t>(bin)),
                         csv_field(result.asked(i).name), csv_field(result.hosts[i].from),
                         csv_field(result.hosts[i].to), service_of(result.asked(i)),
                         answer_of(result, i), promised ? fmt::format("{:.4f}", *promised) : "",
                         fmt::format("{:.4f}", measured_in(result, i, bin)), origin);
    }
}

Chart chart_of(const ScenarioResult& result) {
  Chart chart;
  chart.title = result.scenario.about.empty() ? "bandwidth over time" : result.scenario.about;
  chart.note =
      fmt::format("solid: measured; dashed: {}",
                  result.controlled ? "promised, or what best effort may send" : "asked for");
  chart.x_name = fmt::format("time, {}", unit_for(result.scenario.length).name);
  chart.y_name = "MB/s";
  for (std::size_t i = 0; i < result.found.flows.size(); ++i) {
    chart.series.push_back(bins_of(
        result, i, [&](std::size_t bin) { return promised_in(result, i, bin).value_or(no_line); }));
    chart.series.back().dashed = true;
  }
  for (std::size_t i = 0; i < result.found.flows.size(); ++i) {
    chart.series.push_back(
        bins_of(result, i, [&](std::size_t bin) { return drawn_in(result, i, bin); }));
    chart.series.back().name =
        result.asked(i).name + (result.found.flows[i].granted ? "" : " (refused)");
  }
  return chart;
}

}  // namespace weft
