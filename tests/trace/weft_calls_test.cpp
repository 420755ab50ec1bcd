// SPDX-License-Identifier: Apache-2.0
// weft's own format: what is read is what was written, and wrong lines are named.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <sstream>

#include "base/catalog.hpp"
#include "base/compressed.hpp"
#include "base/message.hpp"
#include "random_calls.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"
#include "trace/formats/format.hpp"

namespace weft::testing {
namespace {

using namespace weft::trace;

Trace parsed_calls(const std::string& text, std::uint64_t memory = usual_trace_memory) {
  return read_trace({"x.trace", stream_of(text)}, {.format = "weft", .memory = memory});
}

std::string written_calls(const Trace& trace) {
  std::ostringstream out;
  find_row(trace_formats(), "format", "weft").write(out, trace);
  return out.str();
}

/// The text without comments.
std::string items_of(const std::string& text) {
  std::string out;
  for (const std::string& line : split_lines(text))
    if (!line.starts_with('#')) out += line + "\n";
  return out;
}

TEST(WeftCalls, RandomCallsThereAndBack) {
  EXPECT_TRUE(rc::check([] {
    RankCalls calls = RandomCalls(*rc::gen::arbitrary<std::uint64_t>()).make();
    const Trace trace = trace_of(calls, {.source = "x"});
    const std::string text = written_calls(trace);
    const RankCalls again = without_lines(calls_of(parsed_calls(text)));
    RC_ASSERT(again == without_lines(calls));
    RC_ASSERT(written_calls(parsed_calls(text, 1000)) == text);
  }));
}

TEST(WeftCalls, RealTracesThereAndBack) {
  for (const char* name : {"bt.S.16", "is.S.16", "is.S.64", "mg.S.16", "floor/is.S.32"}) {
    const std::string path =
        (source_dir() / fmt::format("tests/recorded/npb/{}.trace.zst", name)).string();
    const std::string text = decompressed(read_file(path), path);
    EXPECT_TRUE(items_of(written_calls(read_trace(path))) == items_of(text)) << name;
  }
}

std::string message_for(const std::string& text) {
  return test::message_of([&] { parsed_calls(text); });
}

TEST(WeftCalls, WrongLinesAreNamed) {
  const std::string limits = "a number up to 9223372036854775 with at most 3 decimals is needed";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"send", "(rank 1, send): the other rank is missing"},
      {"send 1 x 8", "(rank 1, send): \"x\" is not the tag; a whole number is needed"},
      {"send 1 0 -8",
       "(rank 1, send): \"-8\" is not the number of bytes; a whole number is needed"},
      {"send 99999999999 0 8",
       "(rank 1, send): \"99999999999\" is not the other rank; a whole number is needed"},
      {"send 1 0 8 9", "(rank 1, send): \"9\" is one word too many"},
      {"barrier @x",
       "(rank 1, barrier): \"@x\" names no communicator; @ and its number are needed"},
      {"recv 1 0 8 1", "(rank 1, recv): the number of bytes that came is missing"},
      {"waitall", "(rank 1, waitall): requests are missing"},
      {"waitall 1 ;", "(rank 1, waitall): the request is missing"},
      {"waitall 1 ; 1 0 8 0 0", "(rank 1, waitall): a semicolon is missing"},
      {"alltoallv 1 1", "(rank 1, alltoallv): a semicolon is missing"},
      {"alltoallv 1 1 ;", "(rank 1, alltoallv): numbers of bytes to receive are missing"},
      {"compute -5", "(rank 1, compute): \"-5\" is not a time in nanoseconds; " + limits},
      {"compute 1.2345", "(rank 1, compute): \"1.2345\" is not a time in nanoseconds; " + limits},
      {"compute 99999999999999999",
       "(rank 1, compute): \"99999999999999999\" is not a time in nanoseconds; " + limits},
      {"wtime now 0.0", "(rank 1, wtime): \"now\" is not known here; there are: begin end other"},
      {"wtime begin x",
       "(rank 1, wtime): \"x\" is not a time in seconds; a number with at most 12 decimals is "
       "needed"},
      {"comm 1 join 0 1",
       "(rank 1, comm): \"join\" is not known here; there are: split dup create"},
      {"comm -1 split 0 1",
       "(rank 1, comm): a communicator has members, and none, which is -1, has not"},
  };
  for (const auto& [line, message] : wrong)
    EXPECT_EQ(message_for("ranks 2\nrank 0\nrank 1\n" + line + "\n"), "x.trace: line 4 " + message);
}

TEST(WeftCalls, WrongFilesAreNamed) {
  const std::string first = ": \"ranks\" and their number, from 1 to 1048576, are needed first";
  EXPECT_EQ(message_for(""), "x.trace: line 1" + first);
  EXPECT_EQ(message_for("# nothing\n\nrank 0\n"), "x.trace: line 3" + first);
  EXPECT_EQ(message_for("ranks 0\n"), "x.trace: line 1" + first);
  EXPECT_EQ(message_for("ranks 2000000000\n"), "x.trace: line 1" + first);
  EXPECT_EQ(message_for("ranks 2\ninit\n"),
            "x.trace: line 2: \"rank 0\" is needed before the first call");
  EXPECT_EQ(message_for("ranks 2\nrank 1\n"), "x.trace: line 2: \"rank 1\": rank 0 is next");
  EXPECT_EQ(message_for("ranks 1\nrank 0\nrank 1\n"),
            "x.trace: line 3: \"rank 1\": this trace is of 1 rank, from 0 on");
  EXPECT_EQ(message_for("ranks 3\nrank 0\ninit\n"),
            "x.trace: cut off: of 3 ranks, rank 1 and those behind it are missing");
  EXPECT_EQ(message_for("ranks 1\nrank 0\nfinalize"),
            "x.trace: line 3: cut off: the last line has no end");
  EXPECT_EQ(message_for("ranks 1\nrank 0\nalreduce 8\n"),
            "x.trace: line 3: \"alreduce\" is no call; did you mean allreduce?");
}

TEST(WeftCalls, OptionalWordsAndSpaces) {
  const std::string usual = "ranks 1\nrank 0\nrecv 0 7 8\ncompute 1500\nbarrier @-1\n";
  const std::string other =
      "#\r\n\tranks 1\r\n\r\n rank  0\r\nrecv\t0  7 8 \r\ncompute "
      "1500.000\r\nbarrier  @-1 \r\n";
  EXPECT_EQ(items_of(written_calls(parsed_calls(other))), usual);
  EXPECT_EQ(calls_of(parsed_calls("ranks 1\nrank 0\ncompute 1.5\n"))[0][0].time, Duration(1500));
}

TEST(WeftCalls, ClocksMayCountFrom1970) {
  const std::string text =
      "ranks 1\nrank 0\nwtime begin 1763400000.120000000\nwtime end 1763400000.123456789012\n";
  EXPECT_EQ(items_of(written_calls(parsed_calls(text))), text);
}

TEST(WeftCalls, GraphsCannotBeWritten) {
  const Trace graph = trace_of({{{.kind = CallKind::compute}}}, {.source = "g", .is_graph = true});
  EXPECT_EQ(test::message_of([&] { written_calls(graph); }),
            "g: a graph, whose calls have no order: weft's own format cannot hold it");
}

TEST(WeftCalls, CutOffAnywhere) {
  const std::string text = written_calls(trace_of(RandomCalls(7).make(), {.source = "x"}));
  ASSERT_GT(text.size(), 1000U);
  for (std::size_t size = 0; size < text.size(); ++size)
    test::message_of([&] { parsed_calls(text.substr(0, size)); });
}

}  // namespace
}  // namespace weft::testing
