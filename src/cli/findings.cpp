// SPDX-License-Identifier: Apache-2.0
// Checking tables on the command line.
#include "cli/findings.hpp"

#include <ostream>

#include "base/files.hpp"
#include "cli/verbs.hpp"
#include "fabric/short_names.hpp"
#include "lab/progress.hpp"
#include "lab/report/report.hpp"

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

}  // namespace

void add_files(Arguments& arguments, FindingFiles& files) {
  arguments.option("--certificate FILE", files.certificate, "write the certificate to this file");
  arguments.option("--json FILE", files.json, "write the findings to this file as JSON");
  arguments.option("--top NUMBER", files.top,
                   "name so many of the busiest links under load, shifts and matchings");
}

int print_findings(const Fabric& fabric, const Tables& tables, const FindingFiles& files,
                   std::ostream& human_output) {
  const Checked checked = [&] {
    ProgressLine line(stderr);
    line(std::nullopt, "checking " + fabric.name());
    return run_checks(fabric, tables, files.top);
  }();
  write_findings(human_output, shortened(fabric, checked.findings));
  if (!files.json.empty())
    write_file(files.json, [&](std::ostream& out) {
      write_findings_json(out, checked.findings,
                          fmt::format("{}, {}", fabric.name(), tables.engine));
    });
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
