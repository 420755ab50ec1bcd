// SPDX-License-Identifier: Apache-2.0
// Completion for fish: a line for every verb, option and place.
#include <fmt/format.h>

#include "cli/completion/completion.hpp"

namespace weft::cli {
namespace {

/// __weft_verb VERB: whether the line has this verb. __weft_at VERB PLACE: whether the word to
/// complete is this one of a verb: 0, 1, … or, where an option takes several words, the option.
constexpr std::string_view fish_functions = R"fish(function __weft_verb
  set -l words (commandline -opc)
  test (count $words) -ge 2; and test "$words[2]" = $argv[1]
end
function __weft_at
  __weft_verb $argv[1]; or return 1
  set -l words (commandline -opc)
  set -l verb $words[2]
  set -l place 0
  set -l want ''
  for word in $words[3..-1]
    if string match -q -- '-*' $word
      set want ''
      contains -- "$verb:$word" $__weft_many; and set want $word
      contains -- "$verb:$word" $__weft_valued; and set want value
    else if test "$want" = value
      set want ''
    else if test -z "$want"
      set place (math $place + 1)
    end
  end
  test -n "$want"; and set place $want
  test "$place" = $argv[2]
end
function __weft_candidates
  set -l what (string replace -r '[+].*' '' -- $argv[1])
  switch $what
    case '=*'
      string split , (string sub -s 2 -- $what)
    case row
      set -l words (commandline -opc)
      weft list $words[3] --names 2>/dev/null
    case ''
    case '*'
      weft list $what --names 2>/dev/null
  end
  switch $argv[1]
    case '*+files'
      __fish_complete_path (commandline -ct)
    case '*+folders'
      __fish_complete_directories (commandline -ct) ''
  end
end
complete -c weft -e
complete -c weft -f
complete -c weft -n __fish_use_subcommand -s h -l help -d 'list the verbs'
complete -c weft -n __fish_use_subcommand -l version -d 'print the version'
)fish";

/// Text within single quotes.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string line_of_place(const Verb& verb, std::string_view place, const std::string& what) {
  if (what.empty()) return {};
  return fmt::format("complete -c weft -n '__weft_at {} {}' -a '(__weft_candidates {})'\n",
                     verb.name, place, what);
}

std::string line_of_option(const Verb& verb, const Takes::Option& option) {
  std::string line = fmt::format("complete -c weft -n '__weft_verb {}'", verb.name);
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  line += " -d " + fish_quoted(option.help);
  if (option.value.empty()) return line + "\n";
  return line + fmt::format(" -x -a '(__weft_candidates {})'\n",
                            candidates_of(verb.name, option.names.back(), option.value));
}

}  // namespace

std::string fish_completion() {
  std::string lines, valued, many;
  for (const Verb& verb : verbs()) {
    const Takes known = takes(verb);
    lines += fmt::format("complete -c weft -n __fish_use_subcommand -a {} -d {}\n", verb.name,
                         fish_quoted(verb.summary));
    std::size_t place = 0;
    for (const Takes::Positional& each : known.places)
      lines +=
          line_of_place(verb, std::to_string(place++), candidates_of(verb.name, each.name, ""));
    for (const Takes::Option& option : known.options) {
      lines += line_of_option(verb, option);
      if (option.value.empty()) continue;
      for (const std::string& name : option.names)
        (option.many ? many : valued) += fmt::format(" {}:{}", verb.name, name);
      if (option.many)
        lines += line_of_place(verb, option.names.back(),
                               candidates_of(verb.name, option.names.back(), option.value));
    }
  }
  return fmt::format(
      "# fish completion for weft; put it into ~/.config/fish/completions/weft.fish\n"
      "set -g __weft_valued{}\nset -g __weft_many{}\n{}{}",
      valued, many, fish_functions, lines);
}

}  // namespace weft::cli
