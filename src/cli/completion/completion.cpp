// SPDX-License-Identifier: Apache-2.0
// weft completion: verbs, options, entries of catalogues and files completed by the shell.
#include "cli/completion/completion.hpp"

#include <array>
#include <iostream>
#include <memory>

#include "base/catalog.hpp"

namespace weft::cli {
namespace {

struct ShellRow {
  std::string_view name;
  std::string (*script)();
};
constexpr std::array shells{ShellRow{"bash", bash_completion}, ShellRow{"zsh", zsh_completion},
                            ShellRow{"fish", fish_completion}};

}  // namespace

Action add_completion(Arguments& arguments) {
  auto shell = std::make_shared<std::string>("bash");
  arguments.optional("shell", *shell,
                     "bash: source <(weft completion bash) in ~/.bashrc;\n"
                     "zsh: source <(weft completion zsh) in ~/.zshrc, after compinit;\n"
                     "fish: weft completion fish > ~/.config/fish/completions/weft.fish");
  return [shell] {
    std::cout << find_row(std::span<const ShellRow>(shells), "shell", *shell).script();
    return exit_fine;
  };
}

}  // namespace weft::cli
