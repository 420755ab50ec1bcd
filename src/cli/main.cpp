// SPDX-License-Identifier: Apache-2.0
// weft: the program. Parses the command line and turns every error into one line and exit code 2.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "base/error.hpp"
#include "cli/verbs.hpp"
#include "lab/revision.hpp"

namespace {

int run(int argc, char** argv) {
  using namespace weft::cli;
  CLI::App app{"weft: describe a fabric, route it, prove it free of deadlock", "weft"};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(weft::revision()));
  app.footer("Each verb has --help with an example.\nExample: weft study");
  Action chosen;
  for (const Verb& verb : verbs()) {
    CLI::App* sub = app.add_subcommand(std::string(verb.name), std::string(verb.summary));
    sub->footer(fmt::format("Example: {}", verb.example));
    sub->callback([&chosen, action = verb.add(*sub)] { chosen = action; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "weft: {}\n", error.what());
    return exit_wrong_input;
  }
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const weft::Error& error) {
    fmt::print(stderr, "weft: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "weft: not enough memory for this\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "weft: {}\n", error.what());
  }
  return weft::cli::exit_wrong_input;
}
