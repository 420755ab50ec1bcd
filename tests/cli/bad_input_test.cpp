// SPDX-License-Identifier: Apache-2.0
// Wrong input on the command line: one line that says what would be right, and exit code 2.
#include <sys/stat.h>
#include <unistd.h>

#include "command.hpp"

namespace weft::testing {
namespace {

using BadInput = Command;

TEST_F(BadInput, Words) {
  EXPECT_EQ(error("weft"), "which verb? weft --help lists them; weft study is a good start");
  EXPECT_EQ(
      error("weft frob"),
      "no verb is called \"frob\"; there are: study reproduce list make import show cluster "
      "route check diff verify sim sweep merge run replay compare qos report trace mcast order "
      "export live "
      "sample completion help");
  EXPECT_EQ(error("weft --frob study"),
            "options come after a verb, but for --help and --version; \"--frob\" is neither");
  EXPECT_EQ(error("weft --version study"),
            "--version: \"study\" is one word too many; see weft --help");
  EXPECT_TRUE(error("weft ''").starts_with("no verb is called \"\""));
  EXPECT_EQ(error("weft make"), "make: fabric is required; see weft make --help");
  EXPECT_EQ(error("weft verify a b"), "verify: certificate is required; see weft verify --help");
  EXPECT_EQ(error("weft make torus show"),
            "make: \"show\" is one word too many; see weft make --help");
  EXPECT_EQ(error("weft check a b --frob"),
            "check: there is no option --frob; there are: -h --help --without --certificate --json "
            "--top --switch --html");
  EXPECT_EQ(error("weft check --frob"),
            "check: there is no option --frob; there are: -h --help --without --certificate --json "
            "--top --switch --html");
  EXPECT_EQ(error("weft study --json"),
            "study: --json: 1 required FILE missing; see weft study --help");
  EXPECT_EQ(error("weft show torus --from h0"), "show: --from requires --to; see weft show --help");
  EXPECT_EQ(error("weft completion tcsh"), "no shell is called \"tcsh\"; there are: bash zsh fish");
  EXPECT_EQ(error("weft help --man-pages /dev/null/man"),
            "/dev/null/man/man1: no folder of this name can be made");
  EXPECT_EQ(
      error("weft list frobs"),
      "no catalogue is called \"frobs\"; there are: clusters scenarios papers topologies engines "
      "groups "
      "orders checks traffic sources switches policies nics libraries programs collectives "
      "fabric-formats "
      "tables-formats trace-formats");
}

TEST_F(BadInput, WholeNumbers) {
  for (const char* text : {"-1", "x", "1x", "1.5", "18446744073709551616", "''"})
    EXPECT_NE(error(std::string("weft study --seed ") + text).find("is not a whole number from 0"),
              std::string::npos)
        << text;
  EXPECT_EQ(run("weft order torus ro --seed 18446744073709551615").status, 0);
}

TEST_F(BadInput, LineBreaksInWordsStayOnOneLine) {
  EXPECT_EQ(error("weft make $'a\\nb.toml'"), "a?b.toml: there is no such file");
  EXPECT_EQ(error("weft make torus $'a\\nb'"),
            "make: \"a?b\" is one word too many; see weft make --help");
}

TEST_F(BadInput, MissingFiles) {
  std::filesystem::create_directory(path("dir"));
  write("empty", "");
  EXPECT_EQ(error("weft show net.toml"), "net.toml: there is no such file");
  for (const std::string dir : {"dir", "dir/"})
    EXPECT_EQ(error("weft show " + dir),
              dir +
                  ": no topology among its 0 files; what ibnetdiscover prints, opensm-subnet.lst, "
                  "or ibdiagnet's .lst or .db_csv is needed");
  EXPECT_EQ(error("weft show file:path=net"), "net: No such file or directory");
  EXPECT_EQ(error("weft check torus net.tables"), "net.tables: No such file or directory");
  EXPECT_EQ(error("weft verify torus dir c"),
            "dir: a folder; a certificate is verified for files: weft import dir -o OUT writes "
            "OUT/fabric.toml and OUT/tables.weft");
  EXPECT_TRUE(error("weft check torus dir").starts_with("dir: no topology among its 0 files"));
  EXPECT_EQ(error("weft check torus empty"),
            "empty:1: this looks like no tables format; there are: weft opensm fdbs");
  EXPECT_EQ(error("weft study net.toml"), "net.toml: there is no such file");
  EXPECT_TRUE(
      error("weft study net").starts_with("\"net\" is neither a cluster file nor one that "));
  EXPECT_EQ(error("weft study empty"),
            "empty: topologies is missing: a list of texts, [\"…\", \"…\"]");
}

TEST_F(BadInput, UnreadableFiles) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  write("net.toml", "");
  chmod(path("net.toml").c_str(), 0);
  EXPECT_EQ(error("weft show net.toml"), "net.toml: Permission denied");
  EXPECT_EQ(error("weft study net.toml"), "net.toml: Permission denied");
  EXPECT_EQ(error("weft check torus net.toml"), "net.toml: Permission denied");
}

TEST_F(BadInput, Specs) {
  EXPECT_EQ(error("weft make torus:dims=0x4"), "torus: dims=0x4: a dimension needs 2 or more");
  EXPECT_EQ(error("weft make torus:frob=1"),
            "torus: unknown parameter \"frob\"; it takes dims hosts speed delay host_delay");
  EXPECT_TRUE(error("weft make donut")
                  .starts_with("\"donut\" is neither a file nor a topology; topologies are: mes"));
  EXPECT_EQ(error("weft make torus --format frob"),
            "no format is called \"frob\"; there are: weft ibnetdiscover subnet_lst db_csv anynet "
            "graphml dot");
  EXPECT_TRUE(error("weft route torus frob")
                  .starts_with("no routing engine is called \"frob\"; there are: minh"));
  EXPECT_EQ(error("weft route torus dl:frob=1"),
            "dl: unknown parameter \"frob\"; it takes tree root select columns form lanes");
  EXPECT_EQ(error("weft route torus dl:lanes=65"),
            "dl: lanes=65: a whole number from 1 to 64 is needed");
  EXPECT_EQ(
      error("weft route torus updown:root=frob"),
      "updown: root=frob: write auto, tops, first, central, far, best or the name of a switch");
  EXPECT_EQ(error("weft route torus dl --format frob"),
            "no format is called \"frob\"; there are: weft opensm fdbs");
  EXPECT_TRUE(error("weft order torus frob")
                  .starts_with("no visiting order is called \"frob\"; there are: ro hio"));
}

TEST_F(BadInput, HugeFabricsAreRefusedAtOnce) {
  for (const char* spec :
       {"crossbar:hosts=70000", "mesh:dims=100000x100000", "torus:dims=1000000x1000000x1000000",
        "hypercube:dims=30", "complete:switches=65000", "tree:k=1000,n=10", "clos3:radix=60000",
        "dragonfly:a=60000,h=1000", "xgft:children=999x999x999x999,parents=1x9x9x9",
        "random_regular:switches=999999999,degree=4", "iba_mesh:m=40000,n=40000",
        "torus:hosts=99999999", "mesh:dims=9999999999999999999", "hyperx:dims=3000x3000"}) {
    const std::string text = error(std::string("timeout 10 weft make ") + spec);
    EXPECT_TRUE(text.find("possible") != std::string::npos ||
                text.find("needed") != std::string::npos || text.find("write") == 0 ||
                text.find("there are 49151") != std::string::npos ||
                text.find("whole numbers") != std::string::npos)
        << spec << ": " << text;
  }
}

TEST_F(BadInput, Names) {
  ASSERT_EQ(run("weft route torus dl -o t").status, 0);
  EXPECT_EQ(error("weft show torus --switch s99"),
            "the fabric has no switch \"s99\"; its switches are \"s0\" to \"s15\"");
  EXPECT_EQ(error("weft show torus t --from h0 --to h99"),
            "the fabric has no host \"h99\"; its hosts are \"h0\" to \"h15\"");
  EXPECT_EQ(error("weft show torus --from h0 --to h1"),
            "show: a route is part of tables: name their file too");
  EXPECT_EQ(error("weft order torus ro --hosts h0,,h1"),
            "the fabric has no host \"\"; its hosts are \"h0\" to \"h15\"");
  EXPECT_EQ(error("weft order torus ro --hosts h0,h1 --hosts h0"), "host \"h0\" is named twice");
  EXPECT_EQ(error("weft order torus ro --hosts h0,h1 --root h2"),
            "ro: the root \"h2\" is not among the hosts");
  EXPECT_EQ(error("weft mcast torus t union"),
            "mcast: a group has members: name them with --members");
  EXPECT_EQ(error("weft mcast torus t union --members h0"),
            "group \"g\" has fewer than two members");
  EXPECT_EQ(error("weft mcast torus t union --members h0,h1 --name h5"),
            "mcast: a host is called h5, too: a group needs another name");
  EXPECT_EQ(error("weft mcast torus t union --members h0,h1 --source h99"),
            "the fabric has no host \"h99\"; its hosts are \"h0\" to \"h15\"");
  EXPECT_EQ(error("weft mcast torus t shared --members h0,h1 --lane 2"),
            "group \"g\": lane 2 does not exist; the tables have 2 (counted from 0)");
  EXPECT_EQ(error("weft mcast torus t frob --members h0,h1"),
            "no group scheme is called \"frob\"; there are: union shared oriented rooted");
}

TEST_F(BadInput, TablesOfAnotherFabricAreNeverFine) {
  ASSERT_EQ(run("weft route torus:dims=4x4 dl -o t --certificate c").status, 0);
  copy_recorded("opensm/mesh4x4/dor/opensm-lfts.dump", "lfts");
  for (const char* fabric : {"torus:dims=3x3", "mesh:dims=4x4", "torus:dims=4x4,hosts=2", "tree",
                             "crossbar", "torus:dims=5x5"})
    for (const char* verb :
         {"check F t", "verify F t c", "mcast F t shared --members h0,h1", "check F lfts"}) {
      std::string line = verb;
      line.replace(line.find('F'), 1, fabric);
      const ProgramOutput output = run("weft " + line);
      EXPECT_TRUE(output.status == 1 || output.status == 2) << line << '\n' << output.out;
      EXPECT_EQ(output.status == 2, one_complaint(output.err)) << line << '\n' << output.err;
    }
}

TEST_F(BadInput, HostNamesMayHaveCommas) {
  const ProgramOutput output =
      run("weft order iba_mesh hio --hosts 'H(0,0),H(1,0)' --hosts 'H(2,3)'");
  EXPECT_EQ(output.out, "step,from,to\n1,\"H(0,0)\",\"H(1,0)\"\n2,\"H(0,0)\",\"H(2,3)\"\n");
}

}  // namespace
}  // namespace weft::testing
