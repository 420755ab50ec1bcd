// SPDX-License-Identifier: Apache-2.0
// weft completion: verbs, options, topologies and engines completed by the shell.
#include <iostream>
#include <memory>

#include "base/error.hpp"
#include "cli/verbs.hpp"

namespace weft::cli {
namespace {

std::string bash() {
  std::string verb_names;
  std::string cases;
  for (const Verb& verb : verbs()) {
    verb_names += fmt::format(" {}", verb.name);
    cases +=
        fmt::format("    {}) options=\"{}\" ;;\n", verb.name, fmt::join(option_names(verb), " "));
  }
  return fmt::format(R"(# bash completion for weft; load it with: source <(weft completion bash)
_weft() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} verb=${{COMP_WORDS[1]}} options="" names=""
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "{}" -- "$word"))
    return
  fi
  case $verb in
{}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  case $verb:$COMP_CWORD in
    list:2) names="clusters topologies engines groups orders checks fabric-formats tables-formats" ;;
    study:2) names=$(weft list clusters --names 2>/dev/null) ;;
    completion:2) names=bash ;;
    route:3) names=$(weft list engines --names 2>/dev/null) ;;
    order:3) names=$(weft list orders --names 2>/dev/null) ;;
    mcast:4) names=$(weft list groups --names 2>/dev/null) ;;
    *:2) names=$(weft list topologies --names 2>/dev/null) ;;
  esac
  COMPREPLY=($(compgen -W "$names" -- "$word") $(compgen -f -- "$word"))
}}
complete -o filenames -F _weft weft
)",
                     verb_names.substr(1), cases);
}

}  // namespace

Action add_completion(Arguments& arguments) {
  auto shell = std::make_shared<std::string>("bash");
  arguments.optional("shell", *shell, "bash");
  return [shell] {
    if (*shell != "bash") throw Error("there is completion for bash, not for \"{}\"", *shell);
    std::cout << bash();
    return exit_fine;
  };
}

}  // namespace weft::cli
