// SPDX-License-Identifier: Apache-2.0
// The parsing of command lines, by CLI11.
#include "cli/arguments/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <iostream>

#include "base/catalog.hpp"
#include "cli/verbs.hpp"
#include "fabric/format/parsing/text.hpp"
#include "lab/revision.hpp"
#include "lab/shell.hpp"

namespace weft::cli {
namespace {

/// "--json FILE" taken apart.
struct Form {
  std::string names, value;
  explicit Form(const std::string& text)
      : names(text.substr(0, text.find(' '))), value(text.substr(text.find(' ') + 1)) {}
};

template <class Value>
CLI::Option* add(CLI::App& app, const Form& form, Value& value, const std::string& help) {
  return app.add_option(form.names, value, help)->type_name(form.value);
}

std::string whole_number(const std::string& text) {
  return number_from<std::uint64_t>(text)
             ? ""
             : fmt::format("\"{}\" is not a whole number from 0 to 18446744073709551615", text);
}

std::string some_text(const std::string& text) { return text.empty() ? "nothing is given" : ""; }

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::vector<std::string> option_names(const Verb& verb) {
  std::vector<std::string> out;
  for (const Takes::Option& option : takes(verb).options)
    out.insert(out.end(), option.names.begin(), option.names.end());
  return out;
}

bool has_option(const Verb& verb, const std::string& name) {
  const std::vector<std::string> names = option_names(verb);
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string complaint_about_option(const Verb& verb, const std::string& wrong) {
  const std::vector<std::string> names = option_names(verb);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto other = std::find_if(verbs().begin(), verbs().end(),
                                  [&](const Verb& each) { return has_option(each, wrong); });
  return fmt::format("{}: there is no option {}; there are: {}{}", verb.name, wrong,
                     fmt::join(known, " "),
                     other != verbs().end() ? fmt::format("; weft {} takes it", other->name)
                                            : suggestion(wrong, known));
}

/// ": write --load 0.3" for the word load=0.3 where there is such an option.
std::string as_option(const Verb& verb, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string name = "--" + word.substr(0, equals);
  if (equals == std::string::npos || !has_option(verb, name)) return {};
  return fmt::format(": write {} {}", name, word.substr(equals + 1));
}

/// What is wrong with the arguments, in clearer words than the library's where possible. A wrong
/// option comes first: a missing argument may be what it was meant for.
std::string complaint(const CLI::App& app, const Verb& verb, const CLI::ParseError& error) {
  const auto extra = app.remaining();
  const auto wrong = std::find_if(extra.begin(), extra.end(), [](const std::string& word) {
    return word.size() >= 2 && word.front() == '-';
  });
  if (wrong != extra.end()) return complaint_about_option(verb, wrong->substr(0, wrong->find('=')));
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 1 && option->get_items_expected_max() == 1 &&
        option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw)
      return fmt::format("{}: {} is given {} times; it has one value", verb.name,
                         option->get_name(), option->count());
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || extra.empty())
    return fmt::format("{}: {}; see weft {} --help", verb.name, error.what(), verb.name);
  return fmt::format("{}: \"{}\" is one word too many{}; see weft {} --help", verb.name,
                     extra.front(), as_option(verb, extra.front()), verb.name);
}

void prepare(CLI::App& app, const Verb& verb) {
  app.set_help_flag("-h,--help", "print this");
  app.footer(fmt::format("Example: {}", verb.example));
  app.get_formatter()->label("Positionals", "Arguments");
  app.get_formatter()->label("REQUIRED", "");
}

}  // namespace

void Arguments::required(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value, help)->required()->type_name("");
}
void Arguments::optional(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value, help)->capture_default_str()->type_name("");
}
void Arguments::rest(const std::string& name, std::vector<std::string>& values,
                     const std::string& help) {
  app_.add_option(name, values, help)->type_name("");
}
void Arguments::option(const std::string& form, std::string& value, const std::string& help) {
  const Form parts(form);
  CLI::Option* added = add(app_, parts, value, help)->capture_default_str();
  if (!value.empty() || parts.value == "FILE") added->check(some_text);
}
void Arguments::option(const std::string& form, std::uint64_t& value, const std::string& help) {
  add(app_, Form(form), value, help)->capture_default_str()->check(whole_number);
}
void Arguments::named(const std::string& name, std::string& value, const std::string& help) {
  std::string word = name;
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  option(fmt::format("--{} {}", name, word), value, help);
}
void Arguments::words(const std::string& form, std::vector<std::string>& values,
                      const std::string& help) {
  add(app_, Form(form), values, help);
}
void Arguments::repeated(const std::string& form, std::vector<std::string>& values,
                         const std::string& help) {
  add(app_, Form(form), values, help)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}
void Arguments::joined(const std::string& form, std::string& value, const std::string& help) {
  add(app_, Form(form), value, help)->join(',')->check(some_text);
}
void Arguments::flag(const std::string& names, bool& value, const std::string& help) {
  app_.add_flag(names, value, help);
}
void Arguments::together(const std::string& one, const std::string& other) {
  app_.get_option(one)->needs(app_.get_option(other));
  app_.get_option(other)->needs(app_.get_option(one));
}

std::string overview() {
  std::string out =
      "weft: describe a fabric, route it, prove it free of deadlock, simulate it\n"
      "Usage: weft VERB …\n\nVerbs:\n";
  for (const Verb& verb : verbs()) out += fmt::format("  {:<12}{}\n", verb.name, verb.summary);
  return out +
         "\nweft VERB --help says more and ends in an example; weft --version names the version.\n"
         "Exit code: 0 fine, 1 a check found something, an engine refused or a promise was "
         "broken,\n"
         "2 wrong input, 3 a simulation ran into a deadlock, 4 a host program did not come to its\n"
         "end.\n"
         "Example: weft study\n";
}

Takes takes(const Verb& verb) {
  CLI::App app;
  prepare(app, verb);
  Arguments arguments(app);
  const Action unused = verb.add(arguments);
  Takes out;
  for (const CLI::Option* option : app.get_options()) {
    const std::string help = in_one_line(option->get_description());
    if (option->get_positional()) {
      out.places.push_back({option->get_name(), option->get_default_str(), help,
                            option->get_required(), option->get_expected_max() > 1});
      continue;
    }
    const bool flag = option->get_type_size() == 0;
    Takes::Option& added = out.options.emplace_back();
    for (const std::string& name : option->get_snames()) added.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) added.names.push_back("--" + name);
    added.value = flag ? "" : option->get_type_name();
    added.fallback = flag ? "" : option->get_default_str();
    added.help = help;
    added.many = !flag && option->get_allow_extra_args();
  }
  return out;
}

std::string help_of(const Verb& verb) {
  CLI::App app(std::string(verb.summary), fmt::format("weft {}", verb.name));
  prepare(app, verb);
  Arguments arguments(app);
  const Action unused = verb.add(arguments);
  return app.help();
}

namespace {

std::string& given_command() {
  static std::string text;
  return text;
}

}  // namespace

const std::string& command_line() { return given_command(); }

int run(int argc, char** argv) {
  given_command() = "weft";
  for (int i = 1; i < argc; ++i) given_command() += " " + shell_word(argv[i]);
  if (argc < 2) throw Error("which verb? weft --help lists them; weft study is a good start");
  const std::string word = argv[1];
  if (word == "-h" || word == "--help" || word == "--version") {
    if (argc > 2) throw Error("{}: \"{}\" is one word too many; see weft --help", word, argv[2]);
    std::cout << (word == "--version" ? fmt::format("weft {} ({})\n", version(), revision())
                                      : overview());
    return exit_fine;
  }
  if (word.starts_with('-'))
    throw Error("options come after a verb, but for --help and --version; \"{}\" is neither", word);
  const Verb& verb = find_row(verbs(), "verb", word);
  CLI::App app(std::string(verb.summary), fmt::format("weft {}", verb.name));
  prepare(app, verb);
  Arguments arguments(app);
  const Action action = verb.add(arguments);
  try {
    app.parse(argc - 1, argv + 1);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return exit_fine;
  } catch (const CLI::ParseError& error) {
    throw Error("{}", complaint(app, verb, error));
  }
  return action();
}

}  // namespace weft::cli
