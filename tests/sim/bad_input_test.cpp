// SPDX-License-Identifier: Apache-2.0
// Inputs that do not fit each other are refused, in one clear line.
#include <gtest/gtest.h>

#include "base/message.hpp"
#include "fabric/builder.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/topo/topology.hpp"
#include "sim/network.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

using test::message_of;

std::string refusal(const Fabric& fabric, const Tables& tables, const std::string& switches,
                    std::uint32_t longest = 1) {
  return message_of(
      [&] { Network(fabric, tables, model_from(switches), {.longest_packet = longest}); });
}

TEST(BadInput, TablesOfAnotherFabric) {
  const Fabric small = make_fabric("mesh:dims=2x2"), large = make_fabric("mesh:dims=4x4");
  for (const char* engine : {"xy", "updown:form=source", "dl", "lash"}) {
    EXPECT_NE(refusal(large, test::routed(small, engine), "iq"), "(no error)") << engine;
    EXPECT_NE(refusal(small, test::routed(large, engine), "iq"), "(no error)") << engine;
  }
  EXPECT_EQ(refusal(large, test::routed(small, "xy"), "iq"),
            message_of([&] { require_fit(large, test::routed(small, "xy")); }));
}

TEST(BadInput, GroupsOfAnotherFabric) {
  const Fabric small = make_fabric("mesh:dims=2x2"), large = make_fabric("mesh:dims=4x4");
  const Tables routes = test::routed(large, "xy");
  const GroupRequest request{"g", {HostId(0), HostId(15)}, HostId(0), 0};
  Tables tables = test::routed(small, "xy");
  tables.groups.push_back(std::get<Group>(make_group({large, routes, request}, "union")));
  EXPECT_EQ(refusal(small, tables, "iq"), message_of([&] { require_fit(small, tables); }));
}

TEST(BadInput, Lanes) {
  const Fabric fabric = make_fabric("torus:dims=4x4");
  EXPECT_EQ(refusal(fabric, test::routed(fabric, "dor"), "iq:lanes=1"),
            "the tables (dor) use 2 lanes, the switches (iq:lanes=1) have 1");
  EXPECT_EQ(message_of([] { model_from("iq:lanes=65"); }),
            "iq: lanes=65: a whole number from 0 to 64 is needed");
  EXPECT_EQ(refusal(fabric, test::routed(fabric, "dor"), "iq:lanes=33,control=yes"),
            "iq:control=yes,lanes=33: 33 lanes and as many control lanes; 64 are the most in all");
}

TEST(BadInput, BuffersSmallerThanAPacket) {
  const Fabric fabric = make_fabric("mesh:dims=2x2");
  Tables tables = test::routed(fabric, "xy");
  EXPECT_EQ(refusal(fabric, tables, "iq", 9), "(no error)");
  EXPECT_EQ(refusal(fabric, tables, "iq:switching=cut_through", 9), "(no error)");
  EXPECT_EQ(refusal(fabric, tables, "iq:switching=cut_through,buffer=8", 9),
            "iq:buffer=8,switching=cut_through: a buffer of 8 flits cannot hold a packet of 9; "
            "buffer=auto does, and switching=wormhole can do with less");
  EXPECT_EQ(refusal(fabric, tables, "iq:switching=store_and_forward,buffer=64B", 9),
            "iq:buffer=64B,switching=store_and_forward: a buffer of 8 flits cannot hold a packet "
            "of 9; buffer=auto does, and switching=wormhole can do with less");
  const GroupRequest request{"g", {HostId(0), HostId(3)}, HostId(0), 0};
  tables.groups.push_back(std::get<Group>(make_group({fabric, tables, request}, "union")));
  EXPECT_EQ(refusal(fabric, tables, "iq", 9), "(no error)");
  EXPECT_EQ(refusal(fabric, tables, "iq:buffer=8", 9),
            "iq:buffer=8: a buffer of 8 flits cannot hold a packet of 9, which multicast needs");
}

TEST(BadInput, StopAndGo) {
  const Fabric fabric = make_fabric("mesh:dims=2x2");
  const Tables tables = test::routed(fabric, "xy");
  // Three cycles to the next buffer and two for the stop to come back.
  EXPECT_EQ(refusal(fabric, tables, "iq:flow=stop_go,stop=4,buffer=8"),
            "iq:buffer=8,flow=stop_go,stop=4: with stop at 4 of 8 flits the buffer overflows: up "
            "to 5 more "
            "arrive before the stop takes effect; buffer=9 would do");
  EXPECT_EQ(refusal(fabric, tables, "iq:flow=stop_go,buffer=5"),
            "iq:buffer=5,flow=stop_go: with stop at 0 of 5 flits the buffer overflows: up to 5 "
            "more arrive before the stop takes effect; buffer=6 would do");
  EXPECT_EQ(refusal(fabric, tables, "iq:flow=stop_go,buffer=6"), "(no error)");
  EXPECT_EQ(refusal(fabric, tables, "iq:flow=stop_go,stop=3,go=3"),
            "iq:flow=stop_go,go=3,stop=3: go=3: it has to be less than stop=3");
  EXPECT_EQ(message_of([] { model_from("iq:stop=3"); }), "iq: stop and go are for flow=stop_go");
}

TEST(BadInput, SwitchModels) {
  const auto error = [](const char* spec) { return message_of([&] { model_from(spec); }); };
  EXPECT_EQ(error("oq"), "no switch is called \"oq\"; there are: iq infiniband");
  EXPECT_EQ(
      error("iq:multiplex=packet"),
      "iq: multiplex=packet: a packet that stands still would block all lanes of its link; it "
      "takes switching=cut_through or store_and_forward, and flow=credit");
  EXPECT_EQ(error("iq:multiplex=packet,switching=cut_through,flow=stop_go"),
            error("iq:multiplex=packet"));
  EXPECT_EQ(error("iq:aging=100"), "iq: aging is for priorities=yes");
  EXPECT_EQ(error("iq:aging=0"), "(no error)");
  EXPECT_EQ(error("iq:buffer=0"),
            "iq: buffer=0: a length is 1 to 65535 flits, or as many bytes with a unit, as in 64B");
  EXPECT_EQ(error("iq:flit=0B"), "iq: flit=0B: 1 to 65536 bytes");
  EXPECT_EQ(error("iq:allocate=0"),
            "iq: allocate=0: it can be 1 to 10000 cycles, or a time up to 100us");
  EXPECT_EQ(error("iq:buffer=4KiB,flit=16B"), "(no error)");
  EXPECT_EQ(model_from("iq:buffer=4KiB,flit=16B").buffer, 256U);
  EXPECT_EQ(model_from("iq:buffer=65B").buffer, 8U);
}

TEST(BadInput, FabricsThatCannotBeSimulated) {
  FabricBuilder empty("bare");
  empty.add_switch({"s0", 0, 0, 0, {}});
  const Fabric bare = std::move(empty).build();
  EXPECT_EQ(refusal(bare, test::routed(bare, "minhop"), "iq"), "bare: there are no hosts");
  FabricBuilder far("to the moon");
  far.add_switch({"s0", 0, 0, 0, {}});
  far.add_host({"a", SwitchId(0), 0, {gigabits_per_second(8), duration_from("1.28s")}});
  const Fabric moon = std::move(far).build();
  EXPECT_EQ(refusal(moon, test::routed(moon, "minhop"), "iq"),
            "to the moon: a link with a delay of 1.28s is 160000000 cycles of 8ns long; 1000000 "
            "are the most");
}

TEST(BadInput, Faults) {
  const Fabric fabric = make_fabric("mesh:dims=2x2");
  const auto error = [&](const char* text) {
    const std::string all = message_of([&] { faults_from(fabric, text); });
    const std::string tail =
        "; faults are like link=s0:3@1000, link=h5@0-500 (until then), switch=s7@2000 (at that "
        "cycle), corrupt=s0:3@1000 (one packet) and errors=1e-9 (of all bits), with ; between them";
    return all.ends_with(tail) ? all.substr(0, all.size() - tail.size()) : "not so: " + all;
  };
  EXPECT_EQ(error("link=h9@0"), "fault \"link=h9@0\": there is no host of that name");
  EXPECT_EQ(
      error("link=s9:1@0"),
      "fault \"link=s9:1@0\": the fabric has no switch \"s9\"; its switches are \"s0\" to \"s3\"");
  EXPECT_EQ(error("link=s0:77@0"), "fault \"link=s0:77@0\": nothing is connected to that port");
  EXPECT_EQ(error("link=s0:x@0"), "fault \"link=s0:x@0\": the port is not a number");
  EXPECT_EQ(
      error("switch=s4@0"),
      "fault \"switch=s4@0\": the fabric has no switch \"s4\"; its switches are \"s0\" to \"s3\"");
  EXPECT_EQ(error("switch=s1"), "fault \"switch=s1\": there is no cycle behind an @");
  EXPECT_EQ(
      error("switch=s1@-3"),
      "fault \"switch=s1@-3\": behind the @ a cycle of the network is needed, a whole number");
  EXPECT_EQ(
      error("link=s0:1@5us"),
      "fault \"link=s0:1@5us\": behind the @ a cycle of the network is needed, a whole number");
  EXPECT_EQ(error("foo=1"), "fault \"foo=1\": it is neither link, switch, corrupt nor errors");
  EXPECT_EQ(error("errors=2"), "fault \"errors=2\": the rate is a number from 0 to 1");
  EXPECT_EQ(error("errors=nan"), "fault \"errors=nan\": the rate is a number from 0 to 1");
  EXPECT_EQ(error("errors=0;link=h0@1;errors=1e-9"),
            "fault \"errors=1e-9\": there is a rate of errors already");
  EXPECT_EQ(error("host=h0@1"),
            "fault \"host=h0@1\": it is neither link, switch, corrupt nor errors");
  EXPECT_EQ(error("link=h0@5-5"), "fault \"link=h0@5-5\": its end must come after its beginning");
  EXPECT_EQ(error("link=h0@5-x"), "fault \"link=h0@5-x\": its end must come after its beginning");
  EXPECT_EQ(error("switch=s1@5-9"), "fault \"switch=s1@5-9\": only links have an end");
  EXPECT_EQ(error("corrupt=h0@5-9"), "fault \"corrupt=h0@5-9\": only links have an end");
  EXPECT_EQ(error("corrupt=h9@5"), "fault \"corrupt=h9@5\": there is no host of that name");
  EXPECT_EQ(error("link"), "fault \"link\": there is no =");
  const Faults read = faults_from(fabric, "link=s0:1@5;link=h2@6;switch=s3@7;errors=1e-9");
  EXPECT_EQ(read.links.size(), 2U);
  EXPECT_EQ(read.links[1].host, HostId(2));
  EXPECT_EQ(read.switches.at(0).at, 7U);
  EXPECT_EQ(read.links[1].until, never);
  EXPECT_EQ(read.bit_error_rate, 1e-9);
  const Faults passing = faults_from(fabric, "link=s0:1@5-90;corrupt=s0:1@7;corrupt=h1@8");
  EXPECT_EQ(passing.links.at(0).until, 90U);
  EXPECT_EQ(passing.glitches.at(0).link, passing.links.at(0).link);
  EXPECT_EQ(passing.glitches.at(1).host, HostId(1));
  EXPECT_EQ(passing.glitches.at(1).at, 8U);
  // A sender that has received a stop would never receive a go.
  const Tables tables = test::routed(fabric, "xy");
  NetworkOptions options{.faults = passing};
  EXPECT_EQ(message_of([&] {
              const Network network(fabric, tables, model_from("iq:flow=stop_go,buffer=40"),
                                    options);
            }),
            "iq:buffer=40,flow=stop_go: links that come back (fault @5-90) are for flow=credit");
}

}  // namespace
}  // namespace weft::sim
