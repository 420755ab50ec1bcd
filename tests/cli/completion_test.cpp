// SPDX-License-Identifier: Apache-2.0
// Completion, called as bash calls it, and as zsh and fish complete lines.
#include <fmt/format.h>

#include "command.hpp"

namespace weft::testing {
namespace {

class Completion : public Command {
 protected:
  /// The completions of the last of these words; bash cuts words at ":" and "=".
  std::string of(const std::string& words) const {
    const ProgramOutput output =
        run(fmt::format("set -u; source <(weft completion bash); COMP_WORDS=({}); "
                        "COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
                        "_weft; printf '%s|' \"${{COMPREPLY[@]-}}\"",
                        words));
    EXPECT_EQ(output.err, "") << words;
    return output.out;
  }
};

TEST_F(Completion, Verbs) {
  EXPECT_EQ(
      of("weft ''"),
      "study|reproduce|list|make|import|show|cluster|route|check|diff|verify|sim|sweep|merge|run|"
      "replay|compare|qos|report|"
      "trace|mcast|order|export|live|sample|completion|help|");
  EXPECT_EQ(of("weft s"), "study|show|sim|sweep|sample|");
  EXPECT_EQ(of("weft nothing"), "|");
  EXPECT_EQ(of("weft --"), "--help|--version|");
}

TEST_F(Completion, Options) {
  EXPECT_EQ(of("weft study --"),
            "--help|--topologies|--engines|--without|--seed|--throughput|--switch|--failures|--"
            "sample|--anew|--top|--"
            "json|--csv|--plot|--html|");
  EXPECT_EQ(of("weft route torus dl --c"), "--certificate|");
  EXPECT_EQ(of("weft nothing --"), "|");
}

TEST_F(Completion, CatalogueEntries) {
  EXPECT_EQ(of("weft make tor"), "torus|");
  EXPECT_EQ(of("weft route torus df"), "dfsssp|");
  EXPECT_EQ(of("weft route torus : dims = 4x4 df"), "dfsssp|");
  EXPECT_EQ(of("weft route -o file torus df"), "dfsssp|");
  EXPECT_EQ(of("weft order rhinet2_a s"), "sho|shio|sco|");
  EXPECT_EQ(of("weft mcast f t ''"), "union|shared|oriented|rooted|");
  EXPECT_EQ(of("weft list o"), "orders|");
  EXPECT_EQ(of("weft study rhi"), "rhinet2|");
  EXPECT_EQ(of("weft reproduce i"), "ibamesh|");
  EXPECT_EQ(of("weft completion ''"), "bash|zsh|fish|");
  EXPECT_EQ(of("weft list nics h"), "hca|");
  EXPECT_EQ(of("weft list nothing h"), "|");
  EXPECT_EQ(of("weft help re"), "reproduce|replay|report|results|");
  EXPECT_EQ(of("weft run --hosts 4 bro"), "broadcast|");
  EXPECT_EQ(of("weft qos pre"), "premium|");
  EXPECT_EQ(of("weft sim tor"), "torus|");
  EXPECT_EQ(of("weft sim torus df"), "dfsssp|");
  EXPECT_EQ(of("weft sweep torus : dims = 4x4 df"), "dfsssp|");
  EXPECT_EQ(of("weft route torus dl too_many"), "|");
}

TEST_F(Completion, ValuesOfOptions) {
  EXPECT_EQ(of("weft make torus --format g"), "graphml|");
  EXPECT_EQ(of("weft route torus dl --format ''"), "weft|opensm|fdbs|");
  EXPECT_EQ(of("weft sim torus dl --traffic t"), "transpose|tornado|");
  EXPECT_EQ(of("weft sweep torus dl --sa"), "--saturation|");
  EXPECT_EQ(of("weft run --cluster rhi"), "rhinet2|");
  EXPECT_EQ(of("weft run --topology tor"), "torus|");
  EXPECT_EQ(of("weft run --engine df"), "dfsssp|");
  EXPECT_EQ(of("weft run --nic h"), "hca|");
  EXPECT_EQ(of("weft sim --switch i"), "iq|infiniband|");
  EXPECT_EQ(of("weft show torus --switch i"), "|");
  EXPECT_EQ(of("weft qos premium --policy ''"), "equal|max-min|");
  EXPECT_EQ(of("weft qos premium --rate-control n"), "no|");
  EXPECT_EQ(of("weft study --engines dl df"), "dfsssp|");
  EXPECT_EQ(of("weft study --engines dl : lanes = 3 df"), "dfsssp|");
  EXPECT_EQ(of("weft study --engines dl --topologies tor"), "torus|");
  EXPECT_EQ(of("weft mcast f t union --source h"), "|");
  EXPECT_EQ(of("weft run --library mpich_q"), "mpich_qsnet|");
  EXPECT_EQ(of("weft route --format ="), "weft|opensm|fdbs|");
  EXPECT_EQ(of("weft route --format = op"), "opensm|");
  EXPECT_EQ(of("weft route --format = opensm torus.toml df"), "dfsssp|");
  EXPECT_EQ(of("weft study --engines = dl df"), "dfsssp|");
}

TEST_F(Completion, Files) {
  write("torus net.toml", "");
  write("$(touch bait)", "");
  EXPECT_EQ(of("weft show tor"), "torus|torus net.toml|");
  EXPECT_EQ(of("weft check torus t"), "torus net.toml|");
  EXPECT_EQ(of("weft study --json '$'"), "$(touch bait)|");
  EXPECT_FALSE(std::filesystem::exists(path("bait")));
  std::filesystem::create_directory(path("here"));
  EXPECT_EQ(of("weft reproduce ibamesh -o ''"), "here|");
}

TEST_F(Completion, SaysNothingWithinParameters) {
  EXPECT_EQ(of("weft make torus :"), "|");
  EXPECT_EQ(of("weft make torus : d"), "|");
}

/// Lines, and what they become where one word completes them: the same in every shell.
const std::vector<std::pair<std::string, std::string>> completed_lines{
    {"weft rou", "weft route "},
    {"weft route torus df", "weft route torus dfsssp "},
    {"weft study --engines dl df", "weft study --engines dl dfsssp "},
    {"weft study --engines dl --topologies xg", "weft study --engines dl --topologies xgft "},
    {"weft make torus --format g", "weft make torus --format graphml "},
    {"weft route torus dl --form", "weft route torus dl --format "},
    {"weft list nics hc", "weft list nics hca "},
    {"weft help resu", "weft help results "},
    {"weft sim torus --load 0.1 df", "weft sim torus --load 0.1 dfsssp "},
    {"weft qos premium --policy max", "weft qos premium --policy max-min "},
    {"weft check torus net", "weft check torus net.toml "},
    {"weft route torus dl too_many", "weft route torus dl too_many"},
};

bool installed(const std::string& program) {
  return run_shell("command -v " + program).status == 0;
}

/// Types lines into a zsh on a terminal of its own, and prints what a tab makes of each.
constexpr std::string_view type_into_zsh = R"zsh(
zmodload zsh/zpty
until_there() {
  for ((i = 0; i < 1000; i++)); do
    zpty -r -t z ignored
    [[ -s typed ]] && return
    sleep 0.01
  done
}
zpty -b z "PS1= TERM=dumb zsh -f -i"
zpty -w z "autoload -Uz compinit; compinit -u -D; source <(weft completion zsh)"
zpty -w z "show() { print -r -- \"\$BUFFER|\" > typed; BUFFER=; }; zle -N show; bindkey '^X' show"
zpty -w z "bindkey '^I' complete-word; print ready > typed"
until_there
while IFS= read -r line; do
  rm typed
  zpty -w -n z "$line"$'\t\x18'
  until_there
  cat typed
done < lines
)zsh";

TEST_F(Completion, ZshCompletesLines) {
  if (!installed("zsh")) GTEST_SKIP() << "zsh is not installed";
  std::string lines, expected;
  for (const auto& [line, whole] : completed_lines) lines += line + "\n", expected += whole + "|\n";
  write("lines", lines);
  write("net.toml", "");
  write("type.zsh", std::string(type_into_zsh));
  EXPECT_EQ(run("zsh -n <(weft completion zsh)").err, "");
  EXPECT_EQ(run("zsh -f type.zsh").out, expected);
}

TEST_F(Completion, FishCompletesLines) {
  if (!installed("fish")) GTEST_SKIP() << "fish is not installed";
  std::string lines, expected;
  for (const auto& [line, whole] : completed_lines) {
    lines += line + "\n";
    const std::string last = whole.substr(whole.rfind(' ', whole.size() - 2) + 1);
    expected += (whole.back() == ' ' ? last.substr(0, last.size() - 1) : "") + "|\n";
  }
  write("lines", lines);
  write("net.toml", "");
  const ProgramOutput output =
      run("XDG_CONFIG_HOME=$PWD XDG_DATA_HOME=$PWD fish --no-config -c 'weft completion fish | "
          "source; while read -l line; set -l found (complete -C \"$line\" | string replace -r "
          "\"\\t.*\" \"\"); echo \"$found|\"; end' < lines");
  EXPECT_EQ(output.out, expected);
  EXPECT_EQ(output.err, "");
}

}  // namespace
}  // namespace weft::testing
