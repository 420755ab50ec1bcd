// SPDX-License-Identifier: Apache-2.0
// Files that end too early, at many lengths: an answer or one line of complaint, never a crash.
#include <fmt/format.h>

#include "command.hpp"

namespace weft::testing {
namespace {

class Truncation : public Command {
 protected:
  /// Runs `line`, in which PART is the file, on about 60 prefixes of it.
  void try_prefixes(const std::string& file, std::string line) const {
    const std::string text = read_file(path(file));
    ASSERT_FALSE(text.empty()) << file;
    line.replace(line.find("PART"), 4, "part");
    for (std::size_t i = 0; i <= 60; ++i) {
      const std::size_t size = text.size() * i / 60;
      write("part", text.substr(0, size));
      const ProgramOutput output = run(line);
      const std::string where = fmt::format("{}: {} of {} bytes: {}\n{}", line, size, text.size(),
                                            output.status, output.err);
      ASSERT_LE(output.status, 2) << where;
      ASSERT_EQ(output.status == 2, !output.err.empty()) << where;
      ASSERT_TRUE(output.status < 2 || one_complaint(output.err)) << where;
    }
  }
};

TEST_F(Truncation, Fabrics) {
  for (const char* format : {"weft", "ibnetdiscover", "anynet", "graphml"}) {
    ASSERT_EQ(run(fmt::format("weft make iba_mesh:m=3,n=3 --format {} -o whole", format)).status,
              0);
    try_prefixes("whole", "weft make PART -o copy");
  }
}

TEST_F(Truncation, Tables) {
  ASSERT_EQ(
      run("weft make iba_mesh:m=2,n=2 -o net && weft route net xy --format opensm -o whole").status,
      0);
  try_prefixes("whole", "weft check net PART");
  ASSERT_EQ(run("weft route net dl -o t && weft mcast net t shared --members 'H(0,0),H(1,1)' "
                "-o whole --certificate c")
                .status,
            0);
  try_prefixes("whole", "weft check net PART");
  ASSERT_EQ(run("weft route net lash --source-routes -o whole").status, 0);
  try_prefixes("whole", "weft check net PART");
}

TEST_F(Truncation, Certificates) {
  ASSERT_EQ(run("weft make ring -o net && weft route net dl -o t --certificate whole").status, 0);
  try_prefixes("whole", "weft verify net t PART");
}

TEST_F(Truncation, Clusters) {
  write("whole",
        "name = \"n\"\nabout = \"a\"\ntopologies = [\"ring\", \"mesh\"]\n"
        "engines = [\"updown\"]\n[links]\nspeed = \"6Gb/s\"\ndelay = \"1ns\"\n"
        "[switches]\nlanes = 8\n");
  try_prefixes("whole", "weft study PART");
}

}  // namespace
}  // namespace weft::testing
