// SPDX-License-Identifier: Apache-2.0
// weft completion: verbs, options, topologies, engines and files completed by the shell.
#include <iostream>
#include <memory>

#include "base/error.hpp"
#include "cli/verbs.hpp"

namespace weft::cli {
namespace {

/// `weft list` prints the candidates for most arguments; others are files, or names that the user
/// chooses.
constexpr std::string_view candidates = R"bash(_weft_candidates() {
  case $1 in
    fabric|FABRICS|TOPOLOGY) weft list topologies --names; compgen -f -- "$2" ;;
    paper) weft list papers --names ;;
    cluster|CLUSTER) weft list clusters --names; compgen -f -- "$2" ;;
    engine|ENGINES) weft list engines --names ;;
    scheme) weft list groups --names ;;
    order) weft list orders --names ;;
    kind) printf '%s\n' $_weft_kinds ;;
    make--format) weft list fabric-formats --names ;;
    route--format) weft list tables-formats --names ;;
    TRAFFIC) weft list traffic --names ;;
    NIC) weft list nics --names ;;
    LIBRARY) weft list libraries --names ;;
    program) weft list programs --names ;;
    scenario) weft list scenarios --names; compgen -f -- "$2" ;;
    POLICY) printf '%s\n' equal max-min ;;
    RATE-CONTROL) printf '%s\n' yes no ;;
    simulated|ENGINE) weft list engines --names; compgen -f -- "$2" ;;
    shell) echo bash ;;
    tables|certificate|FILE) compgen -f -- "$2" ;;
    DIR) compgen -d -- "$2" ;;
  esac 2>/dev/null
}
)bash";

/// bash cuts words at ":" and "=", so the parts of torus:dims=4x4 count as one word here, and
/// --format=weft as two.
constexpr std::string_view function = R"bash(_weft() {
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
      [[ $want == NAME ]] && want=$verb$part
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
  [[ $want == tables && $verb == s[iw]* ]] && want=simulated
  while IFS= read -r part; do
    [[ $part == "$word"* ]] && COMPREPLY+=("$part")
  done < <(_weft_candidates "${want%...}" "$word")
}
complete -o filenames -F _weft weft
)bash";

std::string bash() {
  std::string names, places, options;
  for (const Verb& verb : verbs()) {
    const Takes known = takes(verb);
    std::string listed;
    for (const Takes::Option& option : known.options)
      listed += fmt::format(" {}{}{}{}", option.name, option.value.empty() ? "" : "=", option.value,
                            option.many ? "..." : "");
    names += fmt::format(" {}", verb.name);
    places += fmt::format("  [{}]=\"{}\"\n", verb.name, fmt::join(known.places, " "));
    options += fmt::format("  [{}]=\"{}\"\n", verb.name, listed.empty() ? "" : listed.substr(1));
  }
  return fmt::format(
      "# bash completion for weft; load it with: source <(weft completion bash)\n"
      "_weft_verbs=\"{}\"\n_weft_kinds=\"{}\"\ndeclare -gA _weft_places=(\n{})\ndeclare -gA "
      "_weft_options=(\n{})\n{}{}",
      names.substr(1), fmt::join(list_kinds(), " "), places, options, candidates, function);
}

}  // namespace

Action add_completion(Arguments& arguments) {
  auto shell = std::make_shared<std::string>("bash");
  arguments.optional("shell", *shell, "the shell; there is only this one");
  return [shell] {
    if (*shell != "bash") throw Error("there is completion for bash, not for \"{}\"", *shell);
    std::cout << bash();
    return exit_fine;
  };
}

}  // namespace weft::cli
