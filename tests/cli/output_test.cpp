// SPDX-License-Identifier: Apache-2.0
// Destinations of results: files that cannot be written, standard output, and closed pipes.
#include <unistd.h>

#include "command.hpp"

namespace weft::testing {
namespace {

using Output = Command;

TEST_F(Output, UnwritableFilesAreFoundBeforeTheWork) {
  std::filesystem::create_directory(path("dir"));
  const std::string missing = "/nowhere/x: cannot be written: No such file or directory";
  const std::string folder = "dir: cannot be written: Is a directory";
  EXPECT_EQ(error("weft make torus -o /nowhere/x"), missing);
  EXPECT_EQ(error("weft make torus -o dir"), folder);
  EXPECT_EQ(error("weft order torus hio -o dir"), folder);
  EXPECT_EQ(error("weft study --csv dir"), folder);
  EXPECT_EQ(error("weft study --json /nowhere/x"), missing);
  EXPECT_EQ(error("weft route torus dl -o file --certificate dir"), folder);
  EXPECT_EQ(error("weft route torus dl --json /nowhere/x"), missing);
  EXPECT_EQ(error("weft check torus tables --json dir"), folder);
  EXPECT_EQ(error("weft mcast torus tables union -o dir"), folder);
  // A fabric that takes long is not begun.
  EXPECT_EQ(error("timeout 5 weft route mesh:dims=1000x1000 dor -o dir"), folder);
  EXPECT_EQ(run("ls").out, "dir\n");
}

TEST_F(Output, AFolderWithoutRightsIsNoPlace) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  std::filesystem::create_directory(path("dir"));
  std::filesystem::permissions(path("dir"), std::filesystem::perms::owner_read);
  EXPECT_EQ(error("weft make torus -o dir/x"), "dir/x: cannot be written: Permission denied");
}

TEST_F(Output, WhatFailsLeavesTheOldFile) {
  write("net.toml", "old");
  EXPECT_EQ(run("weft make torus:dims=0x0 -o net.toml").status, 2);
  EXPECT_EQ(run("weft make torus --format opensm -o net.toml").status, 2);
  EXPECT_EQ(run("weft route torus dl:lanes=0 -o net.toml").status, 2);
  EXPECT_EQ(read_file(path("net.toml")), "old");
  EXPECT_EQ(run("ls").out, "net.toml\n");
}

TEST_F(Output, FullDisksAreReported) {
  const std::string full = "standard output cannot be written";
  EXPECT_EQ(error("weft list > /dev/full"), full);
  EXPECT_EQ(error("weft make torus > /dev/full"), full);
  EXPECT_EQ(error("weft show torus > /dev/full"), full);
  EXPECT_EQ(error("weft --help > /dev/full"), full);
  EXPECT_EQ(error("weft make torus -o /dev/full"),
            "/dev/full: cannot be written: No space left on device");
}

TEST_F(Output, ReadersMayLeave) {
  for (const char* line : {"weft list | head -1", "weft make mesh:dims=100x100 | head -1",
                           "weft order crossbar:hosts=9999 hio | head -1", "weft study | head -1",
                           "weft --help | true"}) {
    const ProgramOutput output = run(line);
    EXPECT_EQ(output.status, 0) << line;
    EXPECT_EQ(output.err, "") << line;
    EXPECT_LE(split_lines(output.out).size(), 1U) << line;
  }
}

TEST_F(Output, OneFileMayGoToStandardOutput) {
  const ProgramOutput tables = run("weft route ring dl -o - --certificate ring.cert --json f.json");
  EXPECT_EQ(tables.status, 0);
  EXPECT_TRUE(tables.out.starts_with("weft tables 1\n")) << tables.out;
  EXPECT_NE(tables.err.find("\ndeadlock   ok  free of deadlock"), std::string::npos);
  EXPECT_EQ(run("ls").out, "f.json\nring.cert\n");

  const ProgramOutput json = run("weft study --topologies ring --engines dl --json -");
  EXPECT_TRUE(json.out.starts_with("{\n")) << json.out;
  EXPECT_TRUE(json.err.starts_with("ring: routing engines compared\n")) << json.err;
  EXPECT_EQ(run("weft route ring minhop -o - 2>/dev/null").status, 1);
  EXPECT_EQ(error("weft study --json - --csv -"),
            "\"-\" is named twice: each file needs a name of its own");
}

TEST_F(Output, WhatIsReadIsNotReplaced) {
  ASSERT_EQ(run("weft make ring -o net.toml && weft route net.toml dl -o net.tables").status, 0);
  write("trace.csv", "h0,h1,1,0\n");
  write("cluster.toml", "name = \"x\"\ntopologies = [\"net.toml\"]\nengines = [\"updown\"]\n");
  std::filesystem::create_symlink("net.toml", path("link.toml"));
  std::filesystem::create_hard_link(path("net.tables"), path("same.tables"));
  const std::string text = read_file(path("net.toml"));
  const auto is_read = [](const std::string& name) {
    return name + ": this file is read as well: what is written needs a name of its own";
  };
  EXPECT_EQ(error("weft make net.toml -o net.toml"), is_read("net.toml"));
  EXPECT_EQ(error("weft make net.toml -o ./net.toml"), is_read("./net.toml"));
  EXPECT_EQ(error("weft make link.toml -o net.toml"), is_read("net.toml"));
  EXPECT_EQ(error("weft make file:path=net.toml -o net.toml"), is_read("net.toml"));
  EXPECT_EQ(error("weft route net.toml dl -o link.toml"), is_read("link.toml"));
  EXPECT_EQ(error("weft route net.toml dl --certificate net.toml"), is_read("net.toml"));
  EXPECT_EQ(error("weft order net.toml hio -o net.toml"), is_read("net.toml"));
  EXPECT_EQ(error("weft check net.toml net.tables --json same.tables"), is_read("same.tables"));
  EXPECT_EQ(error("weft mcast net.toml net.tables union --members h0,h1 -o net.tables"),
            is_read("net.tables"));
  EXPECT_EQ(error("weft sim net.toml net.tables --csv net.tables"), is_read("net.tables"));
  EXPECT_EQ(error("weft sim net.toml dl --traffic file:path=trace.csv --csv trace.csv"),
            is_read("trace.csv"));
  EXPECT_EQ(error("weft sweep '[ring,net.toml]' dl -o net.toml"), is_read("net.toml"));
  EXPECT_EQ(error("weft study --topologies ring net.toml --csv net.toml"), is_read("net.toml"));
  EXPECT_EQ(error("weft study cluster.toml --json cluster.toml"), is_read("cluster.toml"));
  EXPECT_EQ(error("weft study cluster.toml --json net.toml"), is_read("net.toml"));
  EXPECT_EQ(error("weft run barrier --cluster cluster.toml --csv net.toml"), is_read("net.toml"));
  EXPECT_EQ(error("weft reproduce ibamesh --cluster cluster.toml --csv net.toml"),
            is_read("net.toml"));
  write("flows.toml",
        "cluster = \"cluster.toml\"\nlength = \"1s\"\n[[flow]]\nfrom = \"h0\"\n"
        "to = \"h1\"\npromise = \"1MB/s\"\n");
  EXPECT_EQ(error("weft qos flows.toml --csv flows.toml"), is_read("flows.toml"));
  EXPECT_EQ(error("weft route ring dl -o ./x --json x"),
            "\"x\" is named twice: each file needs a name of its own");
  EXPECT_EQ(read_file(path("net.toml")), text);
}

TEST_F(Output, FormatsWithoutLanesAreReported) {
  const std::string note =
      "lfts has no lanes: the format opensm cannot say which of the 2 a packet takes";
  const auto output = [&](const std::string& line) { return run(line).out; };
  EXPECT_NE(output("weft route torus dor --format opensm -o lfts")
                .find(note + "; its routes alone are free of deadlock\n"),
            std::string::npos);
  EXPECT_NE(output("weft route torus dl --format opensm -o lfts --unsafe")
                .find(note + "; without them it CAN DEADLOCK\n"),
            std::string::npos);
  EXPECT_EQ(run("weft route torus updown --format opensm -o lfts").out.find("has no lanes"),
            std::string::npos);
}

/// What is proven on several lanes is refused in a format that has one, and no file is touched.
TEST_F(Output, ALostProofIsNotWritten) {
  write("lfts", "as before");
  const std::string files = " --format opensm -o lfts --json json --certificate certificate";
  for (const char* engine : {"dl", "lash", "dfsssp"})
    EXPECT_TRUE(refusal(std::string("weft route torus:dims=5x5 ") + engine + files)
                    .starts_with("lfts is not written: the format opensm has no lanes"))
        << engine;
  EXPECT_EQ(read_file(path("lfts")), "as before");
  EXPECT_FALSE(std::filesystem::exists(path("json")));
  EXPECT_FALSE(std::filesystem::exists(path("certificate")));
}

TEST_F(Output, StandardInputIsAFile) {
  ASSERT_EQ(run("weft make torus -o net.toml && weft route net.toml dl -o net.tables").status, 0);
  EXPECT_EQ(run("weft make torus | weft show -").out, run("weft show net.toml").out);
  EXPECT_EQ(run("cat net.tables | weft check net.toml -").out,
            run("weft check net.toml net.tables").out);
  EXPECT_EQ(error("weft show - < /dev/null"),
            "/dev/stdin:1: this looks like no fabric format; there are: weft ibnetdiscover "
            "subnet_lst db_csv anynet "
            "graphml");
}

}  // namespace
}  // namespace weft::testing
