// SPDX-License-Identifier: Apache-2.0
// Completion, called as bash calls it.
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
      "study|reproduce|list|make|show|cluster|route|check|verify|sim|sweep|run|qos|mcast|order|"
      "completion|");
  EXPECT_EQ(of("weft s"), "study|show|sim|sweep|");
  EXPECT_EQ(of("weft nothing"), "|");
  EXPECT_EQ(of("weft --"), "--help|--version|");
}

TEST_F(Completion, Options) {
  EXPECT_EQ(of("weft study --"), "--help|--topologies|--engines|--seed|--json|--csv|");
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
  EXPECT_EQ(of("weft completion ''"), "bash|");
  EXPECT_EQ(of("weft run --hosts 4 bro"), "broadcast|");
  EXPECT_EQ(of("weft qos pre"), "premium|");
  EXPECT_EQ(of("weft sim tor"), "torus|");
  EXPECT_EQ(of("weft sim torus df"), "dfsssp|");
  EXPECT_EQ(of("weft sweep torus : dims = 4x4 df"), "dfsssp|");
  EXPECT_EQ(of("weft route torus dl too_many"), "|");
}

TEST_F(Completion, ValuesOfOptions) {
  EXPECT_EQ(of("weft make torus --format g"), "graphml|");
  EXPECT_EQ(of("weft route torus dl --format ''"), "weft|opensm|");
  EXPECT_EQ(of("weft sim torus dl --traffic t"), "transpose|tornado|");
  EXPECT_EQ(of("weft sweep torus dl --sa"), "--saturation|");
  EXPECT_EQ(of("weft run --cluster rhi"), "rhinet2|");
  EXPECT_EQ(of("weft run --topology tor"), "torus|");
  EXPECT_EQ(of("weft run --engine df"), "dfsssp|");
  EXPECT_EQ(of("weft run --nic h"), "hca|");
  EXPECT_EQ(of("weft qos premium --policy ''"), "equal|max-min|");
  EXPECT_EQ(of("weft qos premium --rate-control n"), "no|");
  EXPECT_EQ(of("weft study --engines dl df"), "dfsssp|");
  EXPECT_EQ(of("weft study --engines dl : lanes = 3 df"), "dfsssp|");
  EXPECT_EQ(of("weft study --engines dl --topologies tor"), "torus|");
  EXPECT_EQ(of("weft mcast f t union --source h"), "|");
  EXPECT_EQ(of("weft run --library mpich_q"), "mpich_qsnet|");
  EXPECT_EQ(of("weft route --format ="), "weft|opensm|");
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

}  // namespace
}  // namespace weft::testing
