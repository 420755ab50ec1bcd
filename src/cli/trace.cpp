// SPDX-License-Identifier: Apache-2.0
// weft trace: what a trace of an MPI program amounts to, whether it can come to its end, and the
// same in another format.
#include <iostream>
#include <memory>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/verbs.hpp"
#include "cli/warnings.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"
#include "trace/check.hpp"
#include "trace/formats/format.hpp"
#include "trace/replay/expansion.hpp"
#include "trace/summary.hpp"

namespace weft::cli {
namespace {

struct TraceArguments {
  std::string action, file, out, format, json;
  std::vector<std::string> collectives;
  trace::ReadOptions reading;
};

int show_trace(const TraceArguments& options) {
  std::ostream& human_output = prepare_outputs({options.json}, {options.file});
  trace::Trace trace = trace::read_trace(options.file, options.reading);
  const trace::TraceSummary summary = summary_of(trace);
  if (!options.json.empty())
    write_file(options.json,
               [&](std::ostream& out) { write_json(out, document_of(trace.source(), summary)); });
  write_trace_summary(human_output, trace.source(), summary);
  return exit_fine;
}

/// What keeps a program from its end is a finding, not wrong input.
trace::Trace checked_trace(const TraceArguments& options) {
  trace::Trace trace = trace::read_trace(options.file, options.reading);
  try {
    check(trace);
  } catch (const Error& error) {
    throw RefusedError(error.what());
  }
  return trace;
}

int check_trace(const TraceArguments& options) {
  const trace::Trace trace = checked_trace(options);
  std::cout << trace.source() << ": "
            << (trace.ranks() == 1
                    ? "the rank can come to its end"
                    : fmt::format("all {} ranks can come to their ends", trace.ranks()))
            << "\n";
  return exit_fine;
}

int convert_trace(const TraceArguments& options) {
  if (options.out.empty()) throw Error("trace convert: the file to write is needed");
  const std::string by_name = options.out.ends_with(".goal") ? "goal" : "weft";
  const trace::TraceFormat& format =
      find_format(trace::trace_formats(), options.format.empty() ? by_name : options.format);
  prepare_outputs({options.out}, {options.file});
  const trace::CollectiveAlgorithms algorithms(options.collectives);
  trace::Trace trace = checked_trace(options);
  if (format.name == "goal" && trace::times_a_section(trace))
    warn({"GOAL knows no timed sections: times of its replays are of the whole run"});
  if (format.name == "goal" && needs_expansion(trace)) trace = expanded(trace, algorithms);
  write_file(options.out, [&](std::ostream& out) { format.write(out, trace); });
  return exit_fine;
}

int do_trace(const TraceArguments& options) {
  const bool converts = options.action == "convert";
  if (!converts && (!options.out.empty() || !options.format.empty()))
    throw Error("trace {}: a second file and --format are for trace convert", options.action);
  if (!converts && !options.collectives.empty())
    throw Error("trace {}: --collective is for trace convert", options.action);
  if (options.action != "show" && !options.json.empty())
    throw Error("trace {}: --json is for trace show", options.action);
  if (options.action == "show") return show_trace(options);
  if (options.action == "check") return check_trace(options);
  if (converts) return convert_trace(options);
  throw Error("trace: \"{}\" is not known here; there are: show check convert", options.action);
}

}  // namespace

Action add_trace(Arguments& arguments) {
  auto options = std::make_shared<TraceArguments>();
  arguments.required("action", options->action,
                     "show: what it amounts to; check: whether it can come to its\nend; convert: "
                     "write it in another format");
  arguments.required("file", options->file,
                     "of a trace, in a format of weft list trace-formats; of\nChakra's that of any "
                     "rank, or x for x.0.et and all others");
  arguments.optional("out", options->out, "convert: file to write; - is standard output");
  arguments.option("--json FILE", options->json, "show: write the summary to this file, too");
  arguments.option(
      "--format NAME", options->format,
      "convert: one of weft list trace-formats; otherwise goal for a\nfile x.goal, and "
      "weft for any other");
  arguments.repeated("--collective NAME=ALGORITHM", options->collectives,
                     "convert: to GOAL, such as allreduce=ring; otherwise as weft replay");
  arguments.option("--read-as NAME", options->reading.format,
                   "format of the file; otherwise by its contents");
  arguments.option("--groups FILE", options->reading.groups,
                   "JSON, {\"name\": [ranks]}: process groups of a Chakra trace");
  return [options] { return do_trace(*options); };
}

}  // namespace weft::cli
