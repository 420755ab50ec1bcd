// SPDX-License-Identifier: Apache-2.0
// Traces: what is read, and the errors of wrong lines.
#include "sim/workload/trace.hpp"

#include <gtest/gtest.h>

#include "base/message.hpp"
#include "plan/topo/topology.hpp"

namespace weft::test {
namespace {

using sim::Trace;
using sim::TraceMessage;

Trace read(const std::string& text, const Fabric& fabric) {
  return sim::read_trace({"t.csv", text}, fabric, {Bytes{8}, Duration(1000)});
}

TEST(Trace, HostsSizesAndTimesInAllForms) {
  const Fabric fabric = make_fabric("mesh:dims=2x2");
  const HostId h0(0), h1(1), h3(3);
  EXPECT_EQ(read("source,destination,size,time\n"
                 "h0,h1,1,0\n"
                 "\n"
                 "# by number, in bytes, with units\r\n"
                 " 3 , 0 , 100B , 2.5us \r\n"
                 "\"h1\",\"h3\",4KiB,\"17\"\n",
                 fabric),
            (Trace{{h0, h1, 1, 0}, {h3, h0, 13, 2500}, {h1, h3, 512, 17}}));
  EXPECT_EQ(read("", fabric), Trace{});
}

TEST(Trace, NamesWithCommasStandInQuotes) {
  const Fabric fabric = make_fabric("iba_mesh:m=2,n=2");
  const std::string name = fabric[HostId(2)].name;
  ASSERT_NE(name.find(','), std::string::npos);
  EXPECT_EQ(read("\"" + name + "\",0,1,5", fabric), (Trace{{HostId(2), HostId(0), 1, 5}}));
}

TEST(Trace, AHeadingInAnyWords) {
  const Fabric fabric = make_fabric("ring:switches=4");
  for (const char* heading : {"source,destination,size,time", "from,to,bytes,when", "a,b,c,d"}) {
    const auto trace =
        sim::read_trace({"t.csv", fmt::format("# x\n{}\nh0,h1,4,10\n", heading)}, fabric,
                        {.flit = Bytes{8}, .cycle = std::chrono::nanoseconds(8)});
    ASSERT_EQ(trace.size(), 1U) << heading;
    EXPECT_EQ(trace[0].at, 10U);
  }
}

TEST(Trace, GroupsByName) {
  const Fabric fabric = make_fabric("mesh:dims=2x2");
  const HostId h0(0), h1(1), h2(2), h3(3);
  const std::vector<Group> groups{{.name = "one", .members = {h1, h2, h3}, .source = h0},
                                  {.name = "any", .members = {h1, h2}}};
  const auto read_groups = [&](const std::string& text) {
    return sim::read_trace({"t.csv", text}, fabric, {Bytes{8}, Duration(1000), groups});
  };
  EXPECT_EQ(read_groups("h0,one,4,7\nh2,any,1,0\nh0,h1,1,0"),
            (Trace{{.from = h0, .flits = 4, .at = 7, .group = 0, .receivers = 3},
                   {.from = h2, .flits = 1, .at = 0, .group = 1, .receivers = 1},
                   {h0, h1, 1, 0}}));
  EXPECT_EQ(message_of([&] { read_groups("h1,one,1,0"); }),
            "t.csv:1: h1 does not send to the group \"one\"; only h0 does");
  EXPECT_EQ(message_of([&] { read_groups("h3,any,1,0"); }),
            "t.csv:1: h3 does not send to the group \"any\"; only its members do");
}

TEST(Trace, WrongLines) {
  const Fabric fabric = make_fabric("mesh:dims=2x2");
  const auto said = [&](const std::string& line) {
    return message_of([&] { read("h0,h1,1,0\n" + line + "\n", fabric); });
  };
  const std::string four = "t.csv:2: a line has four fields: source,destination,size,time";
  EXPECT_EQ(said("h0,h1,1"), four);
  EXPECT_EQ(said("h0,h1,1,2,3"), four);
  EXPECT_EQ(said("\"h0\"x,h1,1,2"), four);
  EXPECT_EQ(said("\"h0,h1,1,2"), "t.csv:2: a double quote is not closed");
  EXPECT_EQ(said("h9,h1,1,0"),
            "t.csv:2: the fabric has no host \"h9\"; its hosts are \"h0\" to \"h3\", or 0 to 3");
  EXPECT_EQ(said("0,4,1,0"),
            "t.csv:2: the fabric has no host \"4\"; its hosts are \"h0\" to \"h3\", or 0 to 3");
  EXPECT_EQ(said("0,1,-1,0"),
            "t.csv:2: size \"-1\": write flits (16), or bytes with a unit (4KiB)");
  EXPECT_EQ(said("0,1,0,0"),
            "t.csv:2: size \"0\": 1 to 16777216 flits are possible; a longer one takes "
            "several lines");
  EXPECT_EQ(said("0,1,0B,0"),
            "t.csv:2: size \"0B\": 1 to 16777216 flits are possible; a longer one takes "
            "several lines");
  EXPECT_EQ(said("0,1,1,soon"),
            "t.csv:2: time \"soon\": write cycles (1000), or a time with a unit (2.5us)");
  EXPECT_EQ(said("0,1,1,18446744073709551615"),
            "t.csv:2: time \"18446744073709551615\": later than cycle 1152921504606846976");
  EXPECT_EQ(said(std::string("0,1,\0,0", 7)), "t.csv:2: byte 0x00 is not text; UTF-8 is needed");
}

}  // namespace
}  // namespace weft::test
