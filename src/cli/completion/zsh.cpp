// SPDX-License-Identifier: Apache-2.0
// Completion for zsh: a call of _arguments for every verb.
#include <fmt/format.h>

#include "cli/completion/completion.hpp"

namespace weft::cli {
namespace {

/// Adds what can stand at a place, given as candidates_of() names it.
constexpr std::string_view zsh_candidates = R"zsh(_weft_candidates() {
  local found=1
  case ${1%+*} in
    "="*) compadd -- ${(s:,:)${1#=}} && found=0 ;;
    row) compadd -- ${(f)"$(weft list "$words[2]" --names 2>/dev/null)"} && found=0 ;;
    "") ;;
    *) compadd -- ${(f)"$(weft list "${1%+*}" --names 2>/dev/null)"} && found=0 ;;
  esac
  case $1 in
    *+files) _files && found=0 ;;
    *+folders) _files -/ && found=0 ;;
  esac
  return found
}
)zsh";

constexpr std::string_view zsh_function = R"zsh(_weft() {
  local curcontext=$curcontext state state_descr line
  typeset -A opt_args
  _arguments -C '(- *)'{-h,--help}'[list the verbs]' '(- *)--version[print the version]' \
    '1:verb:->verb' '*::argument:->argument'
  if [[ $state == verb ]]; then
    _describe verb _weft_verbs
  elif (( $+functions[_weft_$words[1]] )); then
    _weft_$words[1]
  fi
}
if [[ $funcstack[1] == _weft ]]; then
  _weft "$@"
else
  compdef _weft weft
fi
)zsh";

/// Text within single quotes.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// Help within the brackets of _arguments, or between its colons.
std::string zsh_help(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

/// "--nic[help]:NIC: _weft_candidates nics".
std::string spec_of(const Verb& verb, const Takes::Option& option, const std::string& name) {
  std::string out = fmt::format("{}[{}]", name, zsh_help(option.help));
  if (option.value.empty()) return out;
  return out + fmt::format(":{}: _weft_candidates \"{}\"", zsh_help(option.value),
                           candidates_of(verb.name, option.names.back(), option.value));
}

/// A word after an option that takes several is one of them.
std::string words_after(const Verb& verb, const Takes::Option& option) {
  return fmt::format(
      "  if [[ $PREFIX != -* && ${{${{(M)words[2,CURRENT-1]:#-*}}[-1]}} == {} ]]; then\n"
      "    _weft_candidates \"{}\"\n    return\n  fi\n",
      option.names.back(), candidates_of(verb.name, option.names.back(), option.value));
}

std::string function_of(const Verb& verb) {
  const Takes known = takes(verb);
  std::string out = fmt::format("_weft_{}() {{\n", verb.name);
  for (const Takes::Option& option : known.options)
    if (option.many) out += words_after(verb, option);
  out += "  _arguments";
  for (const Takes::Option& option : known.options)
    for (const std::string& name : option.names)
      out += " \\\n    " + in_quotes(spec_of(verb, option, name));
  for (const Takes::Positional& place : known.places)
    out += " \\\n    " + in_quotes(fmt::format(":{}: _weft_candidates \"{}\"", place.name,
                                               candidates_of(verb.name, place.name, "")));
  return out + "\n}\n";
}

}  // namespace

std::string zsh_completion() {
  std::string names, functions;
  for (const Verb& verb : verbs()) {
    names +=
        fmt::format("  {}\n", in_quotes(fmt::format("{}:{}", verb.name, zsh_help(verb.summary))));
    functions += function_of(verb);
  }
  return fmt::format(
      "#compdef weft\n# zsh completion for weft; load it with: source <(weft completion zsh)\n"
      "typeset -ga _weft_verbs=(\n{})\n{}{}{}",
      names, zsh_candidates, functions, zsh_function);
}

}  // namespace weft::cli
