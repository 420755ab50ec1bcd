// SPDX-License-Identifier: Apache-2.0
// weft verify: does a certificate hold?
#include <iostream>
#include <memory>

#include "cli/arguments/inputs.hpp"
#include "cli/verbs.hpp"
#include "plan/check/graph/certificate.hpp"

namespace weft::cli {

Action add_verify(Arguments& arguments) {
  struct VerifyArguments {
    std::string fabric, tables, certificate;
  };
  auto options = std::make_shared<VerifyArguments>();
  arguments.required("fabric", options->fabric,
                     "fabric file, or a topology such as torus:dims=4x4");
  arguments.required("tables", options->tables, "their file");
  arguments.required("certificate", options->certificate,
                     "its file, as weft route --certificate writes it");
  return [options] {
    const Fabric fabric = find_fabric(options->fabric);
    const Tables tables = read_tables(read_input(options->tables), fabric);
    const auto certificate = read_certificate(read_input(options->certificate), fabric);
    if (const auto wrong = verify(fabric, tables, certificate)) {
      std::cout << fmt::format("the certificate does not hold: {}\n", *wrong);
      return exit_found;
    }
    std::cout << "the certificate holds: channel numbers strictly increase along every route\n";
    return exit_fine;
  };
}

}  // namespace weft::cli
