// SPDX-License-Identifier: Apache-2.0
// Recorded runs of the NAS Parallel Benchmarks: they pass the checks, and their summaries are the
// numbers that other programs have counted.
#include <gtest/gtest.h>

#include <cmath>

#include "support/paths.hpp"
#include "trace/check.hpp"
#include "trace/formats/format.hpp"
#include "trace/summary.hpp"

namespace weft::testing {
namespace {

using namespace weft::trace;

/// What is known of a run.
struct NpbRun {
  const char* name;
  std::uint64_t messages, self_messages, bytes, channels, pairs, collectives, payload;
  double least, mean, most;  // compute of a rank, in ms
  const char* sizes;         // messages up to so many bytes
  const char* calls;         // collectives
};

const NpbRun runs[] = {
    {"cg.S.16", 47104, 1664, 56131584, 48, 48, 3, 192, 4.045, 4.397, 5.148,
     "8: 26624, 16: 512, 4096: 19968", "barrier x 1, bcast 4 x 1, reduce 8 x 1"},
    {"cg.W.16", 47104, 1664, 279773184, 48, 48, 3, 192, 20.206, 21.222, 21.821,
     "8: 26624, 16: 512, 16384: 19968", "barrier x 1, bcast 4 x 1, reduce 8 x 1"},
    {"cg.A.16", 47104, 1664, 559325184, 48, 48, 3, 192, 56.112, 57.341, 58.412,
     "8: 26624, 16: 512, 32768: 19968", "barrier x 1, bcast 4 x 1, reduce 8 x 1"},
    {"lu.W.16", 462516, 0, 456665760, 48, 48, 22, 5184, 177.569, 214.934, 230.172,
     "128: 9, 256: 15, 512: 447900, 32768: 14592",
     "barrier x 2, bcast 4 x 7, bcast 8 x 2, bcast 40 x 1, allreduce 8 x 5, allreduce 40 x 5"},
    {"is.S.16", 15, 0, 60, 15, 15, 36, 3259072, 0.568, 0.591, 0.752, "4: 15",
     "bcast 4 x 1, reduce 4 x 1, reduce 8 x 1, allreduce 2068 x 11, alltoall 4 x 11, "
     "alltoallv x 11"},
    {"is.S.32", 31, 0, 124, 31, 31, 36, 3657088, 0.320, 0.351, 0.501, "4: 31",
     "bcast 4 x 1, reduce 4 x 1, reduce 8 x 1, allreduce 2068 x 11, alltoall 4 x 11, "
     "alltoallv x 11"},
    {"is.S.64", 63, 0, 252, 63, 63, 36, 4520704, 0.200, 0.218, 0.397, "4: 63",
     "bcast 4 x 1, reduce 4 x 1, reduce 8 x 1, allreduce 2068 x 11, alltoall 4 x 11, "
     "alltoallv x 11"},
    {"sp.S.16", 38880, 0, 44421120, 192, 96, 12, 1856, 5.000, 5.228, 5.874,
     "512: 10908, 1024: 7272, 2048: 10908, 4096: 9792",
     "barrier x 2, bcast 4 x 2, bcast 8 x 1, bcast 12 x 1, reduce 8 x 1, allreduce 40 x 2, "
     "comm x 3"},
    {"bt.S.16", 23520, 0, 52208640, 384, 96, 14, 1984, 4.776, 5.033, 5.877,
     "1024: 8784, 4096: 14736",
     "barrier x 2, bcast 4 x 4, bcast 8 x 1, bcast 12 x 1, reduce 8 x 1, allreduce 40 x 2, "
     "comm x 3"},
    {"mg.S.16", 6704, 0, 3890944, 112, 72, 102, 17408, 0.460, 0.535, 1.141,
     "8: 160, 16: 480, 32: 640, 64: 480, 128: 1160, 256: 520, 512: 960, 1024: 1088, 2048: 608, "
     "4096: 608",
     "barrier x 6, bcast 4 x 6, bcast 32 x 1, reduce 8 x 1, allreduce 8 x 48, allreduce 16 x 40"},
    {"mg.W.16", 9584, 0, 53196544, 112, 72, 102, 17408, 10.547, 10.740, 11.235,
     "8: 160, 16: 480, 32: 640, 64: 480, 128: 1160, 256: 520, 512: 960, 1024: 960, 2048: 480, "
     "4096: 960, 8192: 480, 16384: 1088, 32768: 608, 65536: 608",
     "barrier x 6, bcast 4 x 6, bcast 32 x 1, reduce 8 x 1, allreduce 8 x 48, allreduce 16 x 40"},
    {"mg.A.16", 11024, 0, 206992128, 112, 72, 102, 17408, 81.154, 81.910, 83.123,
     "8: 160, 16: 480, 32: 640, 64: 480, 128: 1160, 256: 520, 512: 960, 1024: 960, 2048: 480, "
     "4096: 960, 8192: 480, 16384: 960, 32768: 480, 65536: 1088, 131072: 608, 262144: 608",
     "barrier x 6, bcast 4 x 6, bcast 32 x 1, reduce 8 x 1, allreduce 8 x 48, allreduce 16 x 40"},
};

Trace recorded(const std::string& name) {
  return read_trace((source_dir() / "tests/recorded/npb" / (name + ".trace.zst")).string());
}

std::string sizes_text(const TraceSummary& summary) {
  std::string out;
  for (const auto& [bytes, count] : summary.sizes)
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", bytes, count);
  return out;
}

std::string calls_text(const TraceSummary& summary) {
  std::string out;
  for (const CollectiveUse& use : summary.collectives)
    out += fmt::format("{}{}{} x {}", out.empty() ? "" : ", ", to_text(use.kind),
                       use.bytes == 0 ? "" : fmt::format(" {}", use.bytes), use.count);
  return out;
}

double milliseconds(Duration time) { return std::round(double(time.count()) / 1e6) / 1e3; }

TEST(Npb, SummariesAreWhatOthersCounted) {
  for (const NpbRun& run : runs) {
    SCOPED_TRACE(run.name);
    const Trace trace = recorded(run.name);
    check(trace);
    const TraceSummary summary = summary_of(trace);
    EXPECT_EQ(summary.messages, run.messages);
    EXPECT_EQ(summary.self_messages, run.self_messages);
    EXPECT_EQ(summary.bytes, run.bytes);
    EXPECT_EQ(summary.channels, run.channels);
    EXPECT_EQ(summary.pairs, run.pairs);
    EXPECT_EQ(summary.collective_calls, run.collectives);
    EXPECT_EQ(summary.collective_payload, run.payload);
    EXPECT_EQ(milliseconds(summary.least_compute), run.least);
    EXPECT_EQ(milliseconds(summary.mean_compute), run.mean);
    EXPECT_EQ(milliseconds(summary.most_compute), run.most);
    EXPECT_EQ(sizes_text(summary), run.sizes);
    EXPECT_EQ(calls_text(summary), run.calls);
  }
}

TEST(Npb, FloorHasTheSameCallsAndComputesLess) {
  for (const char* name : {"is.S.16", "is.S.32", "is.S.64", "mg.S.16", "cg.S.16"}) {
    SCOPED_TRACE(name);
    const Trace floor = recorded(std::string("floor/") + name);
    check(floor);
    const TraceSummary less = summary_of(floor), whole = summary_of(recorded(name));
    EXPECT_EQ(less.messages, whole.messages);
    EXPECT_EQ(less.bytes, whole.bytes);
    EXPECT_EQ(calls_text(less), calls_text(whole));
    EXPECT_LT(less.mean_compute, whole.mean_compute);
  }
}

}  // namespace
}  // namespace weft::testing
