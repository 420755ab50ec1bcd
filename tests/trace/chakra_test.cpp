// SPDX-License-Identifier: Apache-2.0
// Chakra execution traces: nodes become operations, and what is missing is named.
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "base/message.hpp"
#include "calls.hpp"
#include "support/files.hpp"
#include "trace/check.hpp"
#include "trace/formats/chakra.pb.h"
#include "trace/formats/format.hpp"
#include "trace/formats/formats.hpp"
#include "trace/replay/expansion.hpp"
#include "trace/summary.hpp"

namespace weft::testing {
namespace {

using namespace weft::trace;
using chakra_schema::Node;

/// A compute node of 5 us and after it an all-reduce of 65,536 bytes, byte by byte.
const std::string example(
    "\x07\x0a\x05\x31\x2e\x30\x2e\x30\x08\x12\x02\x63\x30\x18\x04\x38"
    "\x05\x3b\x08\x01\x12\x02\x61\x72\x18\x07\x2a\x01\x00\x52\x0e\x0a"
    "\x09\x69\x73\x5f\x63\x70\x75\x5f\x6f\x70\xd8\x01\x00\x52\x0d\x0a"
    "\x09\x63\x6f\x6d\x6d\x5f\x74\x79\x70\x65\x48\x00\x52\x0f\x0a\x09"
    "\x63\x6f\x6d\x6d\x5f\x73\x69\x7a\x65\x48\x80\x80\x04",
    77);

template <class Message>
std::string with_length(const Message& message) {
  const std::string bytes = message.SerializeAsString();
  std::string out;
  for (std::size_t left = bytes.size();; left >>= 7) {
    out += static_cast<char>((left & 127) | (left > 127 ? 128 : 0));
    if (left <= 127) return out + bytes;
  }
}

std::string file_of(const std::vector<Node>& nodes, const std::string& version = "0.0.4") {
  chakra_schema::Metadata metadata;
  metadata.set_version(version);
  std::string out = with_length(metadata);
  for (const Node& node : nodes) out += with_length(node);
  return out;
}

chakra_schema::Attribute& attribute(Node& node, const std::string& name) {
  chakra_schema::Attribute& out = *node.add_attr();
  out.set_name(name);
  return out;
}

Node node_of(std::uint64_t id, int type, std::vector<std::uint64_t> after = {}) {
  Node node;
  node.set_id(id);
  node.set_type(type);
  for (const std::uint64_t other : after) node.add_data_deps(other);
  return node;
}

Node computing(std::uint64_t id, std::uint64_t time, std::vector<std::uint64_t> after = {}) {
  Node node = node_of(id, 4, std::move(after));
  node.set_duration_micros(time);
  return node;
}

Node collective(std::uint64_t id, int type, std::int64_t bytes, const std::string& group = "") {
  Node node = node_of(id, 7);
  attribute(node, "comm_type").set_int64_value(type);
  attribute(node, "comm_size").set_int64_value(bytes);
  if (!group.empty()) attribute(node, "pg_name").set_string_value(group);
  return node;
}

Node message(std::uint64_t id, int type, const char* peer, int rank) {
  Node node = node_of(id, type);
  attribute(node, peer).set_int32_value(rank);
  attribute(node, "comm_size").set_uint64_value(100);
  attribute(node, "comm_tag").set_sint64_value(7);
  return node;
}

Trace trace_from(const std::vector<std::string>& files, const std::string& groups = "") {
  TraceHead head{.source = "x"};
  for (std::size_t rank = 0; rank < files.size(); ++rank)
    head.files.push_back(fmt::format("x.{}.et", rank));
  std::size_t next = 0;
  return chakra::read_ranks(std::move(head),
                            [&](const std::string&) { return stream_of(files[next++]); },
                            {.groups = groups});
}

std::string complaint(const std::vector<Node>& nodes) {
  return test::message_of([&] { trace_from({file_of(nodes)}); });
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(Chakra, TheExample) {
  const Trace trace = trace_from({example, example});
  const std::vector<Call> calls{
      {.kind = CallKind::compute, .time = Duration(5'000'000), .line = 0},
      {.kind = CallKind::allreduce, .stream = 1, .bytes = 65536, .after = {{0, false}}, .line = 1}};
  EXPECT_EQ(calls_of(trace), (RankCalls{calls, calls}));
  EXPECT_TRUE(trace.is_graph());
  check(trace);
  EXPECT_EQ(trace.place_of(1, calls[1]), "x.1.et: node 1 (rank 1, allreduce)");
}

TEST(Chakra, CutOffAnywhere) {
  for (std::size_t size = 0; size < example.size(); ++size) {
    const bool whole = size == 8 || size == 17;  // a file of fewer nodes
    EXPECT_EQ(test::message_of([&] { trace_from({example.substr(0, size)}); }) == "(no error)",
              whole)
        << size;
  }
}

TEST(Chakra, EveryCollective) {
  using Kind = CallKind;
  const std::vector<std::pair<Kind, std::uint64_t>> expected{{Kind::allreduce, 10},
                                                             {Kind::reduce, 10},
                                                             {Kind::allgather, 10},
                                                             {Kind::gather, 10},
                                                             {Kind::scatter, 5},
                                                             {Kind::bcast, 10},
                                                             {Kind::alltoall, 5},
                                                             {Kind::reduce_scatter_block, 5},
                                                             {Kind::reduce_scatter_block, 5},
                                                             {Kind::barrier, 0}};
  std::vector<Node> nodes;
  for (std::uint64_t type = 0; type < expected.size(); ++type)
    nodes.push_back(collective(type, static_cast<int>(type), 10));
  const Trace trace = trace_from({file_of(nodes), file_of(nodes)});
  check(trace);
  const std::vector<Call> calls = calls_of(trace)[1];
  ASSERT_EQ(calls.size(), expected.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i].kind, expected[i].first);
    EXPECT_EQ(calls[i].bytes, expected[i].second);
  }
}

TEST(Chakra, MessagesAndTheirMatches) {
  const Trace trace = trace_from(
      {file_of({message(1, 5, "comm_dst", 1)}), file_of({message(1, 6, "comm_src", 0)})});
  EXPECT_EQ(calls_of(trace)[0][0],
            (Call{.kind = CallKind::send, .peer = 1, .tag = 7, .bytes = 100, .line = 1}));
  check(trace);
  const Trace lonely = trace_from({file_of({message(3, 5, "comm_dst", 1)}), file_of({})});
  EXPECT_EQ(test::message_of([&] { check(lonely); }),
            "x.0.et: node 3 (rank 0, send): nobody receives this message; rank 0 sends 1 message "
            "with tag 7, rank 1 receives 0");
}

/// Ids differ from rank to rank, and dependencies tell which collective comes first.
TEST(Chakra, CollectivesMatchInTheOrderOfDependencies) {
  const auto rank = [](std::uint64_t first, std::uint64_t second) {
    Node last = collective(second, 9, 0);
    last.add_data_deps(first);
    return file_of({collective(first, 0, 1000), last});
  };
  const Trace trace = trace_from({rank(1, 2), rank(2, 1)});
  check(trace);
  check(expanded(trace, CollectiveAlgorithms()));
  const Trace apart =
      trace_from({rank(1, 2), file_of({collective(2, 0, 1000), collective(1, 9, 0)})});
  EXPECT_EQ(test::message_of([&] { check(apart); }),
            "x.1.et: node 1 (rank 1, barrier): rank 1 calls barrier as collective 1 on the world, "
            "rank 0 calls allreduce of 1000 bytes: x.0.et: node 1 (rank 0, allreduce)");
}

TEST(Chakra, DependenciesMayLeadForward) {
  Node both = computing(1, 3, {7, 5});
  both.add_ctrl_deps(5);
  const auto calls =
      calls_of(trace_from({file_of({both, computing(7, 2, {5}), computing(5, 1)})}))[0];
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].line, 5U);
  EXPECT_EQ(calls[1].line, 7U);
  EXPECT_EQ(calls[2].after, (std::vector<Dependency>{{0, false}, {1, false}}));
}

TEST(Chakra, EveryTypeOfIntegers) {
  using Set = std::function<void(chakra_schema::Attribute&)>;
  for (const Set& set :
       {Set([](auto& a) { a.set_int32_value(9); }), Set([](auto& a) { a.set_int64_value(9); }),
        Set([](auto& a) { a.set_uint32_value(9); }), Set([](auto& a) { a.set_uint64_value(9); }),
        Set([](auto& a) { a.set_sint32_value(9); }), Set([](auto& a) { a.set_sint64_value(9); }),
        Set([](auto& a) { a.set_fixed32_value(9); }), Set([](auto& a) { a.set_fixed64_value(9); }),
        Set([](auto& a) { a.set_sfixed32_value(9); }),
        Set([](auto& a) { a.set_sfixed64_value(9); })}) {
    Node node = node_of(1, 7);
    set(attribute(node, "comm_type"));
    EXPECT_EQ(calls_of(trace_from({file_of({node})}))[0][0].kind, CallKind::barrier);
  }
}

TEST(Chakra, Groups) {
  const TemporaryFolder folder;
  const std::string path = folder / "groups.json";
  const auto groups = [&](const std::string& text) {
    write_bytes(path, text);
    const std::string file = file_of({collective(1, 5, 8, "pair")});
    return trace_from({file_of({}), file, file}, path);
  };
  const Trace trace = groups(R"({"all": [0, 1, 2], "pair": [2, 1]})");
  check(trace);
  EXPECT_EQ(trace.head().communicators,
            (std::vector<Communicator>{{1, "all", {0, 1, 2}}, {2, "pair", {2, 1}}}));
  EXPECT_EQ(calls_of(trace)[1][0],
            (Call{.kind = CallKind::bcast, .communicator = 2, .peer = 2, .bytes = 8, .line = 1}));
  EXPECT_EQ(summary_of(trace).collective_calls, 1U);
  const auto message = [&](const std::string& text) {
    return test::message_of([&] { check(groups(text)); });
  };
  EXPECT_EQ(message("[1]"), path + ": an object of JSON is needed: {\"name\": [0, 1]}");
  EXPECT_EQ(message("{"), path + ": an object of JSON is needed: {\"name\": [0, 1]}");
  EXPECT_EQ(message(R"({"pair": [1, 3]})"),
            path + ": group pair: 3 is none of the ranks, which are 0 to 2");
  EXPECT_EQ(message(R"({"pair": [1, "a"]})"),
            path + ": group pair: \"a\" is none of the ranks, which are 0 to 2");
  EXPECT_EQ(message(R"({"pair": [1, 2, 1]})"), path + ": group pair has a rank twice");
  EXPECT_EQ(message(R"({"pair": []})"), path + ": group pair has no ranks");
  EXPECT_EQ(
      message(R"({"other": [1]})"),
      "x.1.et: node 1 (rank 1): the ranks of process group pair are not known; --groups names "
      "a file that has them");
  EXPECT_EQ(message(R"({"pair": [0, 2]})"),
            "x.1.et: node 1 (rank 1, bcast): rank 1 is not in group pair");
}

TEST(Chakra, WhatIsWrong) {
  const std::string at = "x.0.et: node 1 (rank 0): ";
  EXPECT_EQ(complaint({node_of(1, 5)}),
            at + "comm_dst is missing: the trace does not say who receives it");
  EXPECT_EQ(complaint({node_of(1, 6)}),
            at + "comm_src is missing: the trace does not say who sends it");
  EXPECT_EQ(complaint({message(1, 5, "comm_dst", 3)}), at + "comm_dst is 3, not 0 to 0");
  EXPECT_EQ(complaint({node_of(1, 7)}),
            at + "comm_type is missing: the kind of collective is not known");
  EXPECT_EQ(complaint({collective(1, 10, 8)}), at + "comm_type is 10, not 0 to 9");
  EXPECT_EQ(complaint({collective(1, 0, -8)}),
            at + "comm_size is -8, not 0 to 1152921504606846976");
  EXPECT_EQ(complaint({collective(1, 0, 8, "g")}),
            at + "the ranks of process group g are not known; --groups names a file that has them");
  EXPECT_EQ(complaint({node_of(1, 0)}), at + "type 0 of a node is not known");
  EXPECT_EQ(complaint({computing(1, 10'000'000'000'000)}),
            at + "10000000000000 us are longer than weft counts");
  EXPECT_EQ(complaint({computing(1, 1), computing(1, 1)}), at + "another node has the same id");
  EXPECT_EQ(complaint({computing(1, 1, {2})}),
            "x.0.et: node 1 depends on node 2, which never comes");
  EXPECT_EQ(complaint({computing(1, 1, {2}), computing(2, 1, {1})}),
            "x.0.et: nodes 1 and 2 wait for each other");
  Node text = node_of(1, 7);
  attribute(text, "comm_type").set_string_value("9");
  EXPECT_EQ(complaint({text}), at + "comm_type is no whole number");
  Node tag = message(1, 5, "comm_dst", 0);
  tag.mutable_attr(2)->set_int32_value(-1);
  EXPECT_EQ(complaint({tag}), at + "comm_tag is -1, not 0 or more");
}

TEST(Chakra, Versions) {
  const auto verdict = [](const std::string& version) {
    return test::message_of([&] { trace_from({file_of({}, version)}); });
  };
  for (const char* version : {"0.0.4", "0.1.0", "1.0.0", "1.2.3"})
    EXPECT_EQ(verdict(version), "(no error)") << version;
  for (const char* version : {"", "0.0.3", "2.0.0", "new", "1.0.x"})
    EXPECT_EQ(verdict(version),
              fmt::format("x.0.et: version \"{}\" of the schema is not known; weft "
                          "reads 0.0.4 and later",
                          version));
}

TEST(Chakra, DamagedFiles) {
  const auto verdict = [](const std::string& bytes) {
    return test::message_of([&] { trace_from({bytes}); });
  };
  EXPECT_EQ(verdict(""), "x.0.et: cut off: it is empty");
  EXPECT_EQ(verdict("\xff\xff\xff\xff\x0f"),
            "x.0.et: message 1 of the file is longer than 64 MiB: this is no trace");
  EXPECT_EQ(verdict("\xff\xff\xff\xff\xff\xff"), "x.0.et: message 1 of the file is damaged");
  EXPECT_EQ(verdict(example.substr(0, 8) + "\x02\x08\x80"),
            "x.0.et: message 2 of the file is damaged");
  EXPECT_EQ(verdict(example.substr(0, 20)), "x.0.et: message 3 of the file is cut off");
}

TEST(Chakra, FilesOfAllRanksAreFound) {
  const TemporaryFolder folder;
  for (const char* name : {"t.0.et", "t.2.et", "t.1.et", "tt.3.et", "t.x.et"})
    write_bytes(folder / name, example);
  for (const char* name : {"t.0.et", "t.2.et", "t"}) {
    const Trace trace = read_trace(folder / name);
    EXPECT_EQ(trace.ranks(), 3) << name;
    EXPECT_EQ(trace.source(), folder / name);
    EXPECT_EQ(trace.head().files[2], folder / "t.2.et");
  }
  EXPECT_EQ(read_trace(folder / "t.x.et").ranks(), 1);
  std::filesystem::remove(folder / "t.1.et");
  EXPECT_EQ(test::message_of([&] { read_trace(folder / "t"); }),
            folder / "t.1.et: the file of rank 1 is missing; there is one of rank 2");
}

TEST(Chakra, CompressedFiles) {
  const TemporaryFolder folder;
  const gzFile file = gzopen((folder / "t.0.et").c_str(), "wb");
  ASSERT_EQ(gzwrite(file, example.data(), static_cast<unsigned>(example.size())), 77);
  gzclose(file);
  EXPECT_EQ(read_trace(folder / "t").call_count(0), 2U);
}

}  // namespace
}  // namespace weft::testing
