// SPDX-License-Identifier: Apache-2.0
// Checking tables on the command line.
#include "cli/findings.hpp"

#include <ostream>

#include "base/files.hpp"
#include "cli/page.hpp"
#include "cli/verbs.hpp"
#include "fabric/short_names.hpp"
#include "lab/cluster/waiting.hpp"
#include "lab/page/fabric_section.hpp"
#include "lab/page/result_sections.hpp"
#include "lab/progress.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"
#include "sim/flit/layout.hpp"

namespace weft::cli {

namespace {

/// The same, as people call switches and hosts.
std::vector<Finding> shortened(const Fabric& fabric, std::vector<Finding> findings) {
  const ShortNames names(fabric);
  const auto shorten = [&](std::string& text) { text = names.in(std::move(text)); };
  for (Finding& finding : findings) {
    shorten(finding.summary);
    for (std::string& line : finding.details) shorten(line);
    for (std::string& line : finding.hot_links) shorten(line);
  }
  return findings;
}

std::string subject_of(const Fabric& fabric, const Tables& tables) {
  return fmt::format("{}, {}", fabric.name(), tables.engine);
}

HtmlPage page_of(const Fabric& fabric, const Tables& tables, const Checked& checked,
                 const std::vector<std::string>& notes) {
  HtmlPage page{.title = subject_of(fabric, tables)};
  page.specs = {{"fabric", fabric.name()}, {"tables", tables.engine}};
  for (const std::string& note : notes) page.specs.push_back({"note", note});
  page.sections.push_back(fabric_section({.fabric = fabric, .routings = {{tables, &checked}}}));
  page.add(result_sections(document_of(checked.findings, page.title, notes)));
  return page;
}

}  // namespace

void add_switches(Arguments& arguments, std::string& switches) {
  arguments.option("--switch SPEC", switches,
                   "kind of switch, as in weft sim: where tables leave choices it decides\nwhat "
                   "packets wait for, and so whether they can deadlock (iq)");
}

void add_files(Arguments& arguments, FindingFiles& files) {
  arguments.option("--certificate FILE", files.certificate, "write the certificate to this file");
  arguments.option("--json FILE", files.json, "write the findings to this file as JSON");
  arguments.option("--top NUMBER", files.top,
                   "name so many of the busiest links under load, shifts and matchings");
  add_switches(arguments, files.switches);
  add_html(arguments, files.html);
}

void require_lanes(const Tables& tables, const FindingFiles& files) {
  if (!files.switches.empty()) sim::require_lanes(tables, sim::model_from(files.switches));
}

int print_findings(const Fabric& fabric, const Tables& tables, const FindingFiles& files,
                   std::ostream& human_output, const std::vector<std::string>& notes) {
  require_html(files.html);
  const WaitKind waiting = waiting_in(files.switches);
  require_lanes(tables, files);
  const Checked checked = [&] {
    ProgressLine line(stderr);
    line(std::nullopt, "checking " + fabric.name());
    return run_checks(fabric, tables, files.top, waiting);
  }();
  write_findings(human_output, shortened(fabric, checked.findings));
  if (!files.json.empty())
    write_file(files.json, [&](std::ostream& out) {
      write_json(out, document_of(checked.findings, subject_of(fabric, tables), notes));
    });
  if (!files.html.empty()) write_page(files.html, page_of(fabric, tables, checked, notes));
  if (!files.certificate.empty()) {
    if (const auto* certificate = std::get_if<Certificate>(&checked.deadlock))
      write_file(files.certificate,
                 [&](std::ostream& out) { write_certificate(out, fabric, *certificate); });
    else
      human_output << fmt::format("{} is not written: there is no certificate\n",
                                  files.certificate);
  }
  return checked.bad() ? exit_found : exit_fine;
}

}  // namespace weft::cli
