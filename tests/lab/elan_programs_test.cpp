// SPDX-License-Identifier: Apache-2.0
// Programs of Elan3lib: they run in all their forms, and the expected part limits them.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "lab/program/experiment.hpp"

namespace weft {
namespace {

ProgramSpec over_elans(const std::string& program) {
  ProgramSpec run;
  run.program = program;
  run.topology = "tree:k=4,n=2,speed=3.2Gb/s";
  run.engine = "nca";
  run.switches = "iq:flit=2B,lanes=2,buffer=128,route=3,allocate_lane=1,allocate=1,cross=1,link=1";
  run.nic = "elan";
  return run;
}

double figure(const ProgramResult& result, const std::string& name) {
  EXPECT_EQ(result.ended, run::WorldEnd::finished) << result.explanation;
  for (const Figure& figure : result.figures)
    if (figure.name == name) return figure.value;
  ADD_FAILURE() << name;
  return 0;
}

double ping(const std::string& params, const std::string& name) {
  return figure(run_program(over_elans("elan_ping:iterations=20,warmup=2," + params)), name);
}

TEST(ElanPrograms, ThereAndBackTakesLongerWithMoreDataAndOverPci) {
  const double empty = ping("bytes=0", "latency"), some = ping("bytes=64", "latency");
  const double elan = ping("bytes=64,from=elan,to=elan", "latency");
  EXPECT_GT(empty, 0.5);
  EXPECT_LT(empty, 5);
  EXPECT_GT(some, empty);
  EXPECT_LT(elan, some);
  EXPECT_GT(ping("bytes=64,wait=block", "latency"), some + 5);
  EXPECT_GE(ping("bytes=64,both=yes", "latency"), some);
  EXPECT_GT(ping("bytes=64,first=3,second=12", "latency"), some);  // more switches between them
}

TEST(ElanPrograms, StreamsAreFasterThanTheSameDataOneByOne) {
  for (const char* where :
       {"from=main,to=main", "from=main,to=elan", "from=elan,to=main", "from=elan,to=elan"}) {
    const std::string bytes = fmt::format("bytes=16KiB,{}", where);
    const double one = ping(bytes + ",window=1", "bandwidth");
    const double stream = ping(bytes + ",window=4", "bandwidth");
    EXPECT_GT(stream, one) << where;
    EXPECT_LT(stream, 400) << where;  // the link's
    EXPECT_LT(ping(bytes + ",window=4,both=yes", "bandwidth"), stream + 1) << where;
  }
}

TEST(ElanPrograms, AHotSpotGetsWhatItsPciBusTakes) {
  for (const char* by : {"write", "read"}) {
    const std::string program = fmt::format("hot_spot:iterations=10,bytes=16KiB,by={}", by);
    ProgramSpec few = over_elans(program), many = few;
    few.hosts = "2";
    const double alone = figure(run_program(few), "aggregate");
    const ProgramResult crowd = run_program(many);
    EXPECT_NEAR(figure(crowd, "aggregate") / alone, 1, 0.1) << by;
    EXPECT_GT(alone, 250) << by;
    EXPECT_NEAR(figure(crowd, "per_source") * 15, figure(crowd, "aggregate"), 1e-6) << by;
    EXPECT_LE(figure(crowd, "per_source"), figure(crowd, "fastest")) << by;
  }
}

TEST(ElanPrograms, HardwareCollectivesRunOverElans) {
  for (const char* library : {"none", "tports"})
    for (const char* program : {"barrier:algorithm=hardware,iterations=20",
                                "broadcast:algorithm=hardware,iterations=20,bytes=2000"}) {
      ProgramSpec run = over_elans(program);
      run.library = library;
      const ProgramResult result = run_program(run);
      EXPECT_EQ(result.ended, run::WorldEnd::finished) << result.explanation;
      EXPECT_EQ(result.iterations, 20U);
    }
}

TEST(ElanPrograms, WrongInputIsRefused) {
  const auto rejection = [](ProgramSpec run) -> std::string {
    try {
      run_program(run);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  ProgramSpec run = over_elans("hot_spot");
  run.nic = "hca";
  EXPECT_EQ(rejection(run), "hot_spot: the NIC hca is no Elan: --nic elan");
  EXPECT_EQ(rejection(over_elans("elan_ping:second=0")),
            "elan_ping: second=0: another rank than the first is needed");
  run = over_elans("elan_ping");
  run.hosts = "1";
  EXPECT_EQ(rejection(run), "elan_ping: two ranks are needed");
}

}  // namespace
}  // namespace weft
