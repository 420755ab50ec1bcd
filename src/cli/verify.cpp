// SPDX-License-Identifier: Apache-2.0
// weft verify: does a certificate hold? The verifier reads the texts itself; this file only writes
// what comes in another form as weft's own.
#include "verify/verify.hpp"

#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/arguments/inputs.hpp"
#include "cli/verbs.hpp"
#include "fabric/format/formats.hpp"
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
  source.text = weft_text(read, read_tables(source, read));
  return source;
}

/// The verifier reads a plainer form of fabrics than weft: if it refuses a text, it gets the fabric
/// as weft writes it.
std::optional<std::string> contradiction(Source fabric, const Source& tables,
                                         const Source& certificate) {
  const auto verify = [&] {
    const auto text = [](const Source& source) {
      return verifier::InputText{source.name, source.text};
    };
    return verifier::verify(text(fabric), text(tables), text(certificate));
  };
  try {
    return verify();
  } catch (const verifier::UnreadableInput&) {
    fabric.text = weft_text(read_fabric(fabric));
  }
  try {
    return verify();
  } catch (const verifier::UnreadableInput& problem) {
    throw Error("{}", problem.what());
  }
}

}  // namespace

Action add_verify(Arguments& arguments) {
  struct VerifyArguments {
    std::string fabric, tables, certificate;
  };
  auto options = std::make_shared<VerifyArguments>();
  arguments.required("fabric", options->fabric,
                     "fabric file or topology; what is not weft's own text is written so");
  arguments.required("tables", options->tables, "their file; OpenSM's are first written as weft's");
  arguments.required("certificate", options->certificate,
                     "its file, as weft route --certificate writes it");
  return [options] {
    for (const std::string& path : {options->tables, options->certificate}) require_files(path);
    const Source fabric = fabric_text(options->fabric);
    const Source tables = tables_text(options->tables, fabric);
    if (const auto wrong = contradiction(fabric, tables, read_input(options->certificate))) {
      std::cout << fmt::format("the certificate does not hold: {}\n", *wrong);
      return exit_found;
    }
    std::cout << "the certificate holds: channel numbers strictly increase along every route\n";
    return exit_fine;
  };
}

}  // namespace weft::cli
