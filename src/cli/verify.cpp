// SPDX-License-Identifier: Apache-2.0
// weft verify: does a certificate hold? The verifier reads the texts itself; this file only writes
// what comes in another form as weft's own.
#include "verify/verify.hpp"

#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/arguments/inputs.hpp"
#include "cli/subnet.hpp"
#include "cli/verbs.hpp"
#include "fabric/format/formats.hpp"
#include "lab/cluster/waiting.hpp"
#include "plan/verify/verify_text.hpp"

namespace weft::cli {
namespace {

bool is_a_file(const std::string& path) { return path == "-" || is_file(path); }

/// A fabric in weft's own text is left as it is.
Source fabric_text(const std::string& path_or_spec) {
  if (!is_a_file(path_or_spec)) return {path_or_spec, weft_text(find_fabric(path_or_spec))};
  Source source = read_input(path_or_spec);
  if (!weft_fabric::recognises(source.text)) source.text = weft_text(read_fabric(source));
  return source;
}

/// Throws Error for a folder.
void require_files(const std::string& path) {
  if (std::filesystem::is_directory(path))
    throw Error(
        "{0}: a folder; a certificate is verified for files: weft import {0} -o OUT writes "
        "OUT/fabric.toml and OUT/tables.weft",
        path);
}

Source tables_text(const std::string& path, const Source& fabric) {
  Source source = read_input(path);
  if (weft_tables::recognises(source.text)) return source;
  const Fabric read = read_fabric(fabric);
  const NotedTables tables = noted_tables_of(source, read);
  print_notes(tables.notes, std::cout);
  source.text = weft_text(read, tables.tables);
  return source;
}

/// The verifier reads a plainer form of fabrics than weft: if it refuses a text, it gets the fabric
/// as weft writes it.
verifier::Judgment judgment(Source fabric, const Source& tables, const Source& certificate) {
  const auto judge = [&] {
    const auto text = [](const Source& source) {
      return verifier::InputText{source.name, source.text};
    };
    return verifier::judge(text(fabric), text(tables), text(certificate));
  };
  try {
    return judge();
  } catch (const verifier::UnreadableInput&) {
    fabric.text = weft_text(read_fabric(fabric));
  }
  try {
    return judge();
  } catch (const verifier::UnreadableInput& problem) {
    throw Error("{}", problem.what());
  }
}

/// Whether a certificate is for the switches that are asked for.
bool covers(verifier::ProofKind proof, WaitKind waiting) {
  return proof == verifier::ProofKind::every_choice || waiting == WaitKind::cut_through ||
         (proof == verifier::ProofKind::some_choice_worms && waiting == WaitKind::wormhole);
}

}  // namespace

Action add_verify(Arguments& arguments) {
  struct VerifyArguments {
    std::string fabric, tables, certificate, switches;
  };
  auto options = std::make_shared<VerifyArguments>();
  arguments.required("fabric", options->fabric,
                     "fabric file or topology; what is not weft's own text is written so");
  arguments.required(
      "tables", options->tables,
      "their file; those of OpenSM and ibdiagnet (.far) are first\nwritten as weft's");
  arguments.required("certificate", options->certificate,
                     "its file, as weft route --certificate writes it");
  arguments.option(
      "--switch SPEC", options->switches,
      "kind of switch, as in weft sim, that it must be for where tables leave\nchoices");
  return [options] {
    const WaitKind waiting = waiting_in(options->switches);
    for (const std::string& path : {options->tables, options->certificate}) require_files(path);
    const Source fabric = fabric_text(options->fabric);
    const Source tables = tables_text(options->tables, fabric);
    const Source certificate = read_input(options->certificate);
    const auto [proof, claim, wrong] = judgment(fabric, tables, certificate);
    if (wrong) {
      std::cout << fmt::format("the certificate does not hold: {}\n", *wrong);
      return exit_found;
    }
    std::cout << fmt::format("the certificate holds: {}\n", claim);
    if (options->switches.empty() || covers(proof, waiting)) return exit_fine;
    std::cout << fmt::format("it says nothing of {}\n", options->switches);
    return exit_found;
  };
}

}  // namespace weft::cli
