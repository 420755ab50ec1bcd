// SPDX-License-Identifier: Apache-2.0
// The parsing of command lines, by CLI11.
#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/catalog.hpp"
#include "cli/verbs.hpp"
#include "lab/revision.hpp"

namespace weft::cli {

void Arguments::required(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value, help)->required();
}
void Arguments::optional(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value, help)->capture_default_str();
}
void Arguments::option(const std::string& names, std::string& value, const std::string& help) {
  app_.add_option(names, value, help)->capture_default_str();
}
void Arguments::option(const std::string& names, std::uint64_t& value, const std::string& help) {
  app_.add_option(names, value, help)->capture_default_str();
}
void Arguments::words(const std::string& names, std::vector<std::string>& values,
                      const std::string& help) {
  app_.add_option(names, values, help);
}
void Arguments::list(const std::string& names, std::vector<std::string>& values,
                     const std::string& help) {
  app_.add_option(names, values, help)->delimiter(',');
}
void Arguments::flag(const std::string& names, bool& value, const std::string& help) {
  app_.add_flag(names, value, help);
}
void Arguments::together(const std::string& one, const std::string& other) {
  app_.get_option(one)->needs(app_.get_option(other));
  app_.get_option(other)->needs(app_.get_option(one));
}

std::vector<std::string> Arguments::option_names() const {
  std::vector<std::string> out;
  for (const CLI::Option* option : app_.get_options())
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  return out;
}

std::vector<std::string> option_names(const Verb& verb) {
  CLI::App app;
  Arguments arguments(app);
  verb.add(arguments);
  return arguments.option_names();
}

int run(int argc, char** argv) {
  CLI::App app{"weft: describe a fabric, route it, prove it free of deadlock", "weft"};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(revision()));
  app.footer("Each verb has --help with an example.\nExample: weft study");
  if (argc > 1 && argv[1][0] != '-') find_row(verbs(), "verb", argv[1]);
  Action chosen;
  for (const Verb& verb : verbs()) {
    CLI::App* sub = app.add_subcommand(std::string(verb.name), std::string(verb.summary));
    sub->footer(fmt::format("Example: {}", verb.example));
    Arguments arguments(*sub);
    sub->callback([&chosen, action = verb.add(arguments)] { chosen = action; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "weft: {}\n", error.what());
    return exit_wrong_input;
  }
  return chosen();
}

}  // namespace weft::cli
