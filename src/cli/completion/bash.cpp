// SPDX-License-Identifier: Apache-2.0
// Completion for bash.
#include <fmt/format.h>

#include "cli/completion/completion.hpp"

namespace weft::cli {
namespace {

/// Prints what can stand at a place, given as candidates_of() names it.
constexpr std::string_view bash_candidates = R"bash(_weft_candidates() {
  case ${1%+*} in
    =*) tr , '\n' <<<"${1#=}" ;;
    row) weft list "$3" --names ;;
    nothing|"") ;;
    *) weft list "${1%+*}" --names ;;
  esac 2>/dev/null
  case $1 in
    *+files) compgen -f -- "$2" ;;
    *+folders) compgen -d -- "$2" ;;
  esac
}
)bash";

/// bash cuts words at ":" and "=", so the parts of torus:dims=4x4 count as one word here, and
/// --format=weft as two.
constexpr std::string_view bash_function = R"bash(_weft() {
  local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} i part want="" place=0 places options
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    [[ $word == -* ]] && options="--help --version"
    COMPREPLY=($(compgen -W "${options:-$_weft_verbs}" -- "$word"))
    return
  fi
  places=(${_weft_places[$verb]:-})
  options=" ${_weft_options[$verb]:-} "
  for ((i = 2; i < COMP_CWORD; i++)); do
    part=${COMP_WORDS[i]}
    if [[ $part == [:=] || (${COMP_WORDS[i - 1]} == [:=] && ${COMP_WORDS[i - 2]} != -*) ]]; then
      continue
    elif [[ $part == -* && $options =~ " $part="([^ ]*) ]]; then
      want=${BASH_REMATCH[1]}
      [[ -n $want ]] || want=nothing
    elif [[ -n $want ]]; then
      [[ $want == *... ]] || want=""
    elif [[ $part != -* ]]; then
      ((++place))
    fi
  done
  if [[ $word == "=" && ${COMP_WORDS[i - 1]} == -* ]]; then
    word=""
  elif [[ $word == [:=] || (${COMP_WORDS[i - 1]} == [:=] && ${COMP_WORDS[i - 2]} != -*) ]]; then
    return
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$(sed 's/=[^ ]*//g' <<<"$options")" -- "$word"))
    return
  fi
  [[ -n $want ]] || want=${places[place]:-}
  while IFS= read -r part; do
    [[ $part == "$word"* ]] && COMPREPLY+=("$part")
  done < <(_weft_candidates "${want%...}" "$word" "${COMP_WORDS[2]}")
}
complete -o filenames -F _weft weft
)bash";

}  // namespace

std::string bash_completion() {
  std::string names, places, options;
  for (const Verb& verb : verbs()) {
    const Takes known = takes(verb);
    std::string at_places, of_options;
    for (const Takes::Positional& place : known.places) {
      const std::string what = candidates_of(verb.name, place.name, "");
      at_places += fmt::format(" {}", what.empty() ? "nothing" : what);
    }
    for (const Takes::Option& option : known.options) {
      const std::string what = candidates_of(verb.name, option.names.back(), option.value);
      for (const std::string& name : option.names)
        of_options += fmt::format(" {}{}{}{}", name, option.value.empty() ? "" : "=", what,
                                  option.many ? "..." : "");
    }
    names += fmt::format(" {}", verb.name);
    places += fmt::format("  [{}]=\"{}\"\n", verb.name, at_places);
    options += fmt::format("  [{}]=\"{}\"\n", verb.name, of_options);
  }
  return fmt::format(
      "# bash completion for weft; load it with: source <(weft completion bash)\n"
      "_weft_verbs=\"{}\"\ndeclare -gA _weft_places=(\n{})\ndeclare -gA "
      "_weft_options=(\n{})\n{}{}",
      names.substr(1), places, options, bash_candidates, bash_function);
}

}  // namespace weft::cli
