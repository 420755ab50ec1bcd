// SPDX-License-Identifier: Apache-2.0
// weft sim and weft sweep: wrong input is reported before the work, and a killed sweep goes on.
#include <csignal>

#include "command.hpp"

namespace weft::testing {
namespace {

class SimulationCommand : public Command {
 protected:
  /// The first word of the second line, and the exit code.
  std::string outcome(const std::string& line) const {
    const ProgramOutput output = run(line);
    const auto lines = split_lines(output.out);
    const std::string second = lines.size() > 1 ? lines[1] : output.err;
    return second.substr(0, second.find(' ')) + " " + std::to_string(output.status);
  }
  std::string files() const { return run("ls").out; }
};

TEST_F(SimulationCommand, OutcomesAndExitCodes) {
  EXPECT_EQ(outcome("weft sim mesh xy --load 0.1"), "steady 0");
  EXPECT_EQ(outcome("weft sim mesh xy --load 1"), "saturated 0");
  EXPECT_EQ(outcome("weft sim mesh xy --traffic all_to_all:rounds=1"), "complete 0");
  EXPECT_EQ(outcome("weft sim torus minhop --load 0.9 --packet 16"), "deadlocked 3");
}

/// The result is the same; lines behind it say how it was computed.
TEST_F(SimulationCommand, ProfileNamesThePaths) {
  const std::string run_it = "weft sim mesh:dims=8x8 dor --load 0.2 --warmup 500 --cycles 2000";
  const std::string result = run(run_it + " --switch iq:lanes=4").out;
  const std::string profiled = run(run_it + " --switch iq:lanes=4 --profile").out;
  ASSERT_TRUE(profiled.starts_with(result)) << profiled;
  const std::string profile = profiled.substr(result.size());
  EXPECT_TRUE(profile.starts_with("profile    events, packets of one flit: ")) << profile;
  EXPECT_NE(profile.find("profile    words of switches: "), std::string::npos) << profile;
  EXPECT_NE(profile.find(" M per second\n"), std::string::npos) << profile;
  const std::string whole = run(run_it +
                                " --packet 4 --switch "
                                "iq:switching=cut_through,multiplex=packet,buffer=16 --profile")
                                .out;
  EXPECT_NE(whole.find("\nprofile    whole packets: 2"), std::string::npos) << whole;
}

TEST_F(SimulationCommand, WrongFieldsAreNamed) {
  EXPECT_EQ(error("weft sim mesh"),
            "a simulation needs tables, by a routing engine or a file of tables");
  EXPECT_EQ(error("weft sim mesh xy --load [0.1,0.2]"),
            "load=[0.1,0.2]: values in brackets make a sweep: weft sweep");
  EXPECT_EQ(error("weft sim mesh xy --switch iq:lanes=[2]"),
            "switch=iq:lanes=[2]: values in brackets make a sweep: weft sweep");
  EXPECT_EQ(error("weft sim mesh xy --load [0.1"), "load=[0.1: a bracket is not closed");
  for (const char* option :
       {"--load 1.5", "--load 0", "--load x", "--packet 0", "--packet 1*0.5", "--window -1",
        "--urgent 2", "--warmup x", "--cycles 0", "--seed -1", "--switch oq", "--switch iq:route=x",
        "--switch iq:lanes=99", "--traffic frob", "--traffic hot_spot:share=2", "--faults x",
        "--traffic file:path=nowhere",
        "--switch iq:switching=cut_through,buffer=4,flit=8B --packet 8"})
    for (const char* verb : {"weft sim mesh xy ", "weft sweep mesh xy -o rows.csv "}) {
      const std::string output = error(std::string(verb) + option);
      EXPECT_FALSE(output.starts_with("exit ")) << option << ": " << output;
    }
  EXPECT_EQ(files(), "");
}

TEST_F(SimulationCommand, WhatATraceDoesNotUseIsRefused) {
  write("trace.csv", "h0,h1,4,0\n");
  const std::string run_trace = " mesh xy --traffic file:path=trace.csv ";
  EXPECT_EQ(outcome("weft sim" + run_trace + "--packet 2 --seed 2"), "complete 0");
  const std::string why =
      ": a trace has none: its messages say what is sent and when, and it is run to its end";
  EXPECT_EQ(error("weft sim" + run_trace + "--load 0.3"), "load=0.3" + why);
  EXPECT_EQ(error("weft sim" + run_trace + "--window 2"), "window=2" + why);
  EXPECT_EQ(error("weft sim" + run_trace + "--ack 0"), "ack=0" + why);
  EXPECT_EQ(error("weft sim" + run_trace + "--urgent 0.5"), "urgent=0.5" + why);
  EXPECT_EQ(error("weft sim" + run_trace + "--warmup 9"), "warmup=9" + why);
  EXPECT_EQ(error("weft sim" + run_trace + "--cycles 9"), "cycles=9" + why);
  EXPECT_EQ(error("weft sweep" + run_trace + "--load [0.1,0.3] -o rows.csv"), "load=0.3" + why);
  EXPECT_EQ(files(), "trace.csv\n");
}

TEST_F(SimulationCommand, TheLastWrongPointIsFoundBeforeTheFirstIsRun) {
  for (const char* option :
       {"--load [0.1..0.9:0.01,1.1]", "--seed [1..99,x]", "--traffic [uniform,frob]",
        "--switch iq:lanes=[1,2,99]", "--packet [1,x]", "--faults '[|x]'"})
    EXPECT_FALSE(
        error(std::string("timeout 5 weft sweep mesh:dims=16x16 xy --cycles 99999999 ") + option)
            .starts_with("exit "))
        << option;
  EXPECT_EQ(refusal("timeout 5 weft sweep [mesh,torus] xy --cycles 99999999"),
            "xy: needs a mesh of two dimensions without wrap links; dor serves the others");
}

TEST_F(SimulationCommand, TablesMustFitTheFabric) {
  ASSERT_EQ(run("weft route torus:dims=4x4 dor -o t").status, 0);
  EXPECT_EQ(outcome("weft sim torus:dims=4x4 t"), "steady 0");
  EXPECT_FALSE(error("weft sim torus:dims=5x5 t").starts_with("exit "));
  EXPECT_FALSE(error("weft sim torus:dims=4x4 t --switch iq:lanes=1").starts_with("exit "));
}

/// The command line is right, the job cannot be done: exit code 1, as of weft route.
TEST_F(SimulationCommand, ARoutingEngineMayRefuseTheFabric) {
  const std::string why =
      "xy: needs a mesh of two dimensions without wrap links; dor serves the others";
  for (const char* line : {"weft sim torus xy --csv row.csv", "weft sweep torus xy -o rows.csv",
                           "weft run --topology torus --engine xy barrier --json run.json"})
    EXPECT_EQ(refusal(line), why);
  EXPECT_EQ(run("weft route torus xy").status, 1);
  EXPECT_EQ(files(), "");
}

TEST_F(SimulationCommand, TyposGetASuggestion) {
  const auto suggests = [&](const std::string& options, const std::string& word) {
    const std::string text = error("weft sim " + options);
    EXPECT_TRUE(text.ends_with("; did you mean " + word + "?")) << text;
  };
  suggests("mesh xy --switch iq:lane=4", "lanes");
  suggests("mesh xy --traffic uniformm", "uniform");
  suggests("mesh xy --traffic fil:path=x", "file");
  suggests("mesh xy --traffic file:pth=x", "path");
  suggests("mesh xy --traffic hot_spot:hosts=1", "host");
  suggests("mesh:dim=4x4 xy", "dims");
  suggests("'mesh:dims=4x4, hosts=2' xy", "hosts");
  suggests("mehs xy", "mesh");
  suggests("mesh,dims=4x4 xy", "mesh:dims=4x4");
  suggests("mesh updwn", "updown");
  suggests("mesh updown:rot=s0", "root");
  suggests("mesh xy --lod 0.3", "--load");
  suggests("mesh xy --lod=0.3", "--load");
  EXPECT_TRUE(error("weft sim mesh xy --saturation").ends_with("; weft sweep takes it"));
  EXPECT_EQ(error("weft sim mesh xy load=0.3"),
            "sim: \"load=0.3\" is one word too many: write --load 0.3; see weft sim --help");
  EXPECT_EQ(
      error("weft sim mesh xy --switch iq,lanes=4"),
      "no switch is called \"iq,lanes=4\"; there are: iq infiniband; did you mean iq:lanes=4?");
}

TEST_F(SimulationCommand, SeveralLoadsAreASweepInBrackets) {
  const std::string right =
      ": one number from 0 to 1 is needed; weft sweep takes several, as in '[0.1..0.5:0.1]' or "
      "'[0.1,0.5]'";
  for (const std::string text : {"0.1..0.5", "0.1..0.5:0.1", "0.1:0.5:0.1", "0.1-0.5", "0.1,0.5"})
    EXPECT_EQ(error("weft sim mesh xy --load " + text), "load=" + text + right);
  EXPECT_EQ(error("weft sweep mesh xy --load [0.1:0.5:0.1]"), "load=0.1:0.5:0.1" + right);
  EXPECT_EQ(error("weft sweep mesh xy --load [0.1..0.5]"),
            "load=[0.1..0.5]: 0.1..0.5: a range that is not of whole numbers needs a step, as in "
            "0.1..0.5:0.1");
  EXPECT_EQ(error("weft sim mesh xy --load 130%"),
            "load=130%: \"130%\" is not a number from 0 to 1, or a percentage");
  EXPECT_EQ(error("weft sim mesh xy --load -0.1"),
            "load=-0.1: \"-0.1\" is not a number from 0 to 1, or a percentage");
  EXPECT_EQ(error("weft sim mesh xy --load 1e-300"),
            "load=1e-300: it has to be above 0, and 2^-63 or more");
}

TEST_F(SimulationCommand, UnitsOfLengthsAndTimes) {
  const std::string cycles = ": a whole number of cycles from 1 to 1099511627776, or auto";
  for (const std::string text : {"10us", "1e-3", "1.5", "-5", "0", "1099511627777", "2e12"})
    EXPECT_EQ(error("weft sim mesh xy --cycles " + text), "cycles=" + text + cycles);
  const std::string length =
      ": a length is 1 to 65535 flits, or as many bytes with a unit, as in 64B";
  for (const std::string text : {"-1", "0", "1.5", "65536", "1GiB"}) {
    EXPECT_EQ(error("weft sim mesh xy --packet " + text), "packet=" + text + length);
    EXPECT_EQ(error("weft sim mesh xy --switch iq:buffer=" + text), "iq: buffer=" + text + length);
  }
}

TEST_F(SimulationCommand, WhatWouldHaveNoEffectIsRefused) {
  EXPECT_EQ(error("weft sim mesh xy --ack 2"),
            "ack=2: hosts send acknowledgments in a closed loop only: --window");
  EXPECT_EQ(error("weft sim mesh xy --urgent 0.5"),
            "urgent=0.5: switches treat all packets alike: --switch iq:priorities=yes");
  EXPECT_EQ(run("weft sim mesh xy --window 4").out.find("load"), std::string::npos);
  EXPECT_EQ(error("weft sweep mesh xy --resolution 0.1"),
            "resolution=0.1: only a search for saturation has one: --saturation");
  EXPECT_EQ(error("weft sim mesh xy --load 0.1 --load 0.2"),
            "sim: --load is given 2 times; it has one value");
  EXPECT_EQ(error("weft order mesh ro --hosts h0 --hosts h1 more"),  // that one may be repeated
            "order: \"more\" is one word too many; see weft order --help");
  EXPECT_EQ(error("weft sim mesh xy --csv \"$UNSET\""),
            "sim: --csv: nothing is given; see weft sim --help");
  write("trace.csv", "source,destination,size,time\n");
  EXPECT_EQ(error("weft sim mesh xy --traffic file:path=trace.csv"),
            "trace.csv: there is no message; a line is source,destination,size,time");
}

/// What --help, a complaint and weft list name is what there is.
TEST_F(SimulationCommand, AllTrafficIsNamed) {
  const auto names = split_lines(run("weft list --names traffic").out);
  EXPECT_GT(names.size(), 10U);
  const std::string complaint = error("weft sim mesh xy --traffic frob") + " ";
  for (const char* verb : {"sim", "sweep"}) {
    std::string help = run(std::string("weft ") + verb + " --help").out;
    help = help.substr(help.find("--traffic"), help.find("--packet") - help.find("--traffic"));
    std::replace(help.begin(), help.end(), ',', ' ');
    std::replace(help.begin(), help.end(), '\n', ' ');
    for (const std::string& name : names)
      EXPECT_NE(help.find(" " + name + " "), std::string::npos) << name << " in " << help;
  }
  for (const std::string& name : names)
    EXPECT_NE(complaint.find(" " + name + " "), std::string::npos) << name << " in " << complaint;
}

TEST_F(SimulationCommand, NamesOfTheCatalogueAreNoFiles) {
  for (const char* name : {"dor", "torus"}) write(name, "something else\n");
  EXPECT_EQ(outcome("weft sim torus dor"), "steady 0");
  EXPECT_EQ(outcome("weft sim torus:dims=4x4 dor:order=last"), "steady 0");
  EXPECT_FALSE(error("weft sim torus ./dor").starts_with("exit "));
  EXPECT_FALSE(error("weft sim ./torus dor").starts_with("exit "));
  write("c.toml", "topologies = [\"torus\"]\nengines = [\"dor\"]\n");
  EXPECT_EQ(run("weft study ./c.toml").status, 0);
}

TEST_F(SimulationCommand, UnwritableFilesAreFoundBeforeTheWork) {
  std::filesystem::create_directory(path("dir"));
  const std::string folder = "dir: cannot be written: Is a directory";
  const std::string huge = " mesh:dims=100x100 xy --cycles 999999999 ";
  for (const char* option : {"--json dir", "--csv dir", "--links dir"})
    EXPECT_EQ(error("timeout 5 weft sim" + huge + option), folder);
  EXPECT_EQ(error("timeout 5 weft sweep" + huge + "-o dir"), folder);
  std::filesystem::create_directory(path("rows.csv.journal"));
  EXPECT_EQ(error("timeout 5 weft sweep" + huge + "-o rows.csv"),
            "rows.csv.journal: cannot be written: Is a directory");
  EXPECT_EQ(error("weft sim mesh xy --json a --csv a"),
            "\"a\" is named twice: each file needs a name of its own");
}

TEST_F(SimulationCommand, ASweepIsItsSimulations) {
  ASSERT_EQ(run("weft sweep mesh xy --load [0.1,0.2] --seed [1..2] -o rows.csv").status, 0);
  const auto rows = split_lines(read_file(path("rows.csv")));
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(run("weft sim mesh xy --load 0.2 --seed 2 --csv - 2>/dev/null").out,
            rows[0] + "\n" + rows[4] + "\n");
  EXPECT_EQ(files(), "rows.csv\n");
}

TEST_F(SimulationCommand, OutputByEnding) {
  const std::string line = "weft sweep mesh xy --load [0.1,0.2] -o ";
  ASSERT_EQ(run(line + "rows.json").status, 0);
  EXPECT_TRUE(read_file(path("rows.json")).starts_with("{\n  \"weft\": \"simulations 1\""));
  const ProgramOutput output = run(line + "-");
  EXPECT_TRUE(output.out.starts_with("fabric,tables,")) << output.out;
  EXPECT_TRUE(output.err.starts_with("mesh, xy, ")) << output.err;
  EXPECT_EQ(run(line + "/dev/null").status, 0);
  EXPECT_EQ(run("weft sweep mesh xy --load [0.1,0.2]").err, "");
  EXPECT_EQ(files(), "rows.json\n");
}

TEST_F(SimulationCommand, ASweepWithADeadlockFinishesTheOthers) {
  const ProgramOutput output =
      run("weft sweep torus minhop --packet 16 --load [0.01,0.9,0.02] -o rows.csv");
  EXPECT_EQ(output.status, 3);
  EXPECT_NE(output.out.find("\n1 point ends in deadlock; the first: load 0.9\n"), std::string::npos)
      << output.out;
  const auto rows = split_lines(read_file(path("rows.csv")));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_NE(rows[1].find(",steady,"), std::string::npos);
  EXPECT_NE(rows[2].find(",deadlocked,"), std::string::npos);
  EXPECT_NE(rows[3].find(",steady,"), std::string::npos);
}

TEST_F(SimulationCommand, LostPacketsHaveAReason) {
  const ProgramOutput output = run("weft sim mesh xy --faults link=s0:1@100 --cycles 2000");
  EXPECT_EQ(output.status, 0) << output.err;
  EXPECT_NE(output.out.find(" lost ("), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("\nsteady     with losses: 0."), std::string::npos) << output.out;
}

TEST_F(SimulationCommand, CyclesOfFaultsCountFromTheStartOfTheWarmUp) {
  const auto lost_at = [&](int cycle) {
    return run("weft sim mesh xy --warmup 2000 --cycles 1000 --faults link=s0:1@" +
               std::to_string(cycle))
        .out;
  };
  EXPECT_NE(lost_at(2500).find(" lost (link down "), std::string::npos) << lost_at(2500);
  EXPECT_NE(lost_at(3500).find(" 0 lost, "), std::string::npos) << lost_at(3500);
}

/// Where nobody ignores interrupts, as shells do in the background.
TEST_F(SimulationCommand, AnInterruptedSweepSaysHowToGoOn) {
  const std::string interrupted =
      " weft sweep mesh xy --cycles 1000000000 -o rows.csv & for i in {1..500}; do "
      "if [ -s rows.csv.journal ]; then break; fi; sleep 0.02; done; kill -INT $!; ";
  const ProgramOutput output = run("env --default-signal=INT" + interrupted + "wait $!");
  EXPECT_EQ(output.status, 128 + SIGINT);
  EXPECT_EQ(output.err,
            "weft: finished points are kept in rows.csv.journal; the same command resumes\n");
  EXPECT_EQ(files(), "rows.csv.journal\n");
  const ProgramOutput ignored =
      run("rm rows.csv.journal; env --ignore-signal=INT" + interrupted + "kill $!; wait $!");
  EXPECT_EQ(ignored.status, 128 + SIGTERM);
  EXPECT_EQ(ignored.err, output.err) << "the end of a job does";
}

TEST_F(SimulationCommand, AJournalOfSomethingElseIsLeftAlone) {
  write("rows.csv.journal", "my diary\n");
  EXPECT_EQ(error("weft sweep mesh xy -o rows.csv"),
            "rows.csv.journal:1: this line of the journal is damaged; delete the file to begin "
            "anew");
  EXPECT_EQ(read_file(path("rows.csv.journal")), "my diary\n");
  EXPECT_EQ(files(), "rows.csv.journal\n");
}

}  // namespace
}  // namespace weft::testing
