// SPDX-License-Identifier: Apache-2.0
// Shards: how points are dealt, what their journals must be to be merged, and that the merged rows
// are those of one process.
#include "lab/sweep/shard.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <sstream>

#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"
#include "lab/revision.hpp"
#include "lab/sweep/identity.hpp"
#include "lab/sweep/shard_journals.hpp"
#include "support/files.hpp"
#include "sweep_support.hpp"

namespace weft {
namespace {

using testing::pretend, testing::sweep_of, testing::unresolved;

std::string complaint(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Shards, AreReadAndWritten) {
  EXPECT_EQ(shard_from("3/10"), (Shard{3, 10}));
  EXPECT_EQ(to_text(shard_from("1/1")), "1/1");
  const auto rejected = [](const std::string& text) {
    return complaint([&] { shard_from(text); });
  };
  EXPECT_EQ(rejected("11/10"), "shard=11/10: of 10 shards the numbers are 1 to 10");
  EXPECT_EQ(rejected("0/10"), "shard=0/10: of 10 shards the numbers are 1 to 10");
  EXPECT_EQ(rejected("1/0"), "shard=1/0: a sweep has 1 to 100000 shards");
  EXPECT_EQ(rejected("1/100001"), "shard=1/100001: a sweep has 1 to 100000 shards");
  for (const std::string text : {"3", "", "/", "3/", "/3", "a/b", "1/2/3", "-1/2", "1 /2",
                                 "99999999999999999999/3", "1/99999999999999999999"})
    EXPECT_EQ(rejected(text),
              "shard=" + text + ": which one and of how many is needed, such as 3/10");
}

/// Every point is dealt once; each shard has one of every `of` consecutive points.
TEST(Shards, DealEveryPointOnce) {
  for (const std::size_t points : {0U, 1U, 9U, 10U, 11U, 1000U})
    for (const std::size_t of : {1U, 2U, 7U, 10U, 1500U}) {
      std::vector<int> dealt(points, 0);
      for (std::size_t number = 1; number <= of; ++number) {
        std::vector<int> blocks(points / of + 1, 0);
        for (const std::size_t point : points_of(Shard{number, of}, points)) {
          ++dealt.at(point);
          EXPECT_EQ(++blocks.at(point / of), 1);
        }
        EXPECT_LE(std::accumulate(blocks.begin(), blocks.end(), 0U), (points + of - 1) / of);
      }
      EXPECT_EQ(dealt, std::vector<int>(points, 1)) << points << " points, " << of << " shards";
    }
}

/// Ten loads in turn, the last one a hundred times as long, on ten shards (and nine, and eleven):
/// dealt one after the other, one shard would have all of the long ones.
TEST(Shards, AreOfSimilarCost) {
  constexpr std::size_t points = 1000, loads = 10;
  for (const std::size_t of : {9U, 10U, 11U})
    for (std::size_t number = 1; number <= of; ++number) {
      std::size_t costly = 0;
      for (const std::size_t point : points_of(Shard{number, of}, points))
        costly += point % loads == loads - 1 ? 1 : 0;
      EXPECT_GE(costly, 3U) << number << " of " << of;
      EXPECT_LE(costly, 20U) << number << " of " << of;
    }
}

/// The rule is part of the format of journals: shards of one sweep may be begun and resumed years
/// apart.
TEST(Shards, AreDealtAsEver) {
  EXPECT_EQ(points_of(Shard{1, 3}, std::size_t{12}), (std::vector<std::size_t>{1, 4, 6, 9}));
  EXPECT_EQ(points_of(Shard{2, 3}, std::size_t{12}), (std::vector<std::size_t>{0, 3, 8, 10}));
}

class ShardMerge : public ::testing::Test {
 protected:
  /// The journal of a shard that has run, or of one that was killed before its last line.
  std::string journal(const SweepSpec& spec, const Shard& shard, bool to_the_end = true) const {
    const std::string path = folder_ / "j";
    {
      SimulationJournal open(path, with_shard(testing::identity(spec), shard));
      SweepExperiment part{spec, points_of(shard, unresolved(spec).points)};
      run_sweep(part, pretend, {1, &open, {}});
      if (to_the_end) open.end();
    }
    EXPECT_EQ(shard_is_finished(path), to_the_end);
    std::string text = testing::read_file(path);
    std::filesystem::remove(path);
    return text;
  }
  std::vector<JournalSource> journals(const SweepSpec& spec, std::size_t of) const {
    std::vector<JournalSource> out;
    for (std::size_t number = of; number > 0; --number)
      out.push_back({fmt::format("j{}", number), journal(spec, {number, of})});
    return out;
  }
  static std::string rows_of(const std::vector<SweepRow>& rows) {
    std::ostringstream out;
    write_json(out, document_of(rows));
    write_csv(out, rows);
    return out.str();
  }
  static std::string merged(const SweepSpec& spec, std::vector<JournalSource> sources) {
    const ShardJournals all(std::move(sources));
    const auto finished = all.finished<SimulationResult>();
    const auto never = [](const SimulationExperiment&) -> SimulationResult {
      throw std::logic_error("a merge runs nothing");
    };
    return rows_of(run_sweep(unresolved(spec), never, {.merged = &finished}));
  }
  static std::string refused(std::vector<JournalSource> sources) {
    return complaint([&] { ShardJournals(std::move(sources)).finished<SimulationResult>(); });
  }
  /// The heading of another sweep, or of another weft.
  std::string with(const std::string& name, const std::string& value) const {
    SweepIdentity identity = with_shard(testing::identity(spec_), {2, 2});
    identity[name] = value;
    return journal_heading(identity) + journal_end();
  }

  const SweepSpec spec_ = sweep_of("[0.1..0.5:0.1]", "iq:lanes=[1,2]");
  testing::TemporaryFolder folder_;
};

TEST_F(ShardMerge, GivesTheRowsOfOneProcess) {
  for (const SweepSpec& spec :
       {spec_, testing::saturation_of("iq:lanes=[1,2,3]", "0.01"), sweep_of("0.1")}) {
    const std::string whole = rows_of(testing::run_pretended(spec));
    for (const std::size_t of : {1U, 2U, 3U, 12U})
      EXPECT_EQ(merged(spec, journals(spec, of)), whole);
  }
}

TEST_F(ShardMerge, TheSpecComesBackFromTheIdentity) {
  SweepSpec spec = testing::saturation_of("iq:lanes=[1,2]", "0.02");
  spec.simulation.faults = "some";
  EXPECT_EQ(testing::identity(sweep_spec_of(testing::identity(spec))), testing::identity(spec));
  spec = sweep_of("[0.1,0.2]");
  spec.seeds = "3";
  EXPECT_EQ(testing::identity(sweep_spec_of(testing::identity(spec))), testing::identity(spec));
  EXPECT_EQ(complaint([] { sweep_spec_of({}); }), "the heading of the journal has no fabric");
}

TEST_F(ShardMerge, NeedsEveryShardOnce) {
  std::vector<JournalSource> all = journals(spec_, 10);  // j10 … j1
  const auto without = [&](std::vector<std::size_t> numbers) {
    std::vector<JournalSource> some = all;
    for (const std::size_t number : numbers) some[10 - number].name.clear();
    std::erase_if(some, [](const JournalSource& source) { return source.name.empty(); });
    return refused(some);
  };
  EXPECT_EQ(without({}), "");
  EXPECT_EQ(without({3}), "of 10 shards 3 is missing");
  EXPECT_EQ(without({3, 7}), "of 10 shards 3 and 7 are missing");
  EXPECT_EQ(without({10, 1, 3}), "of 10 shards 1, 3 and 10 are missing");
  EXPECT_EQ(without({2, 3, 4, 5, 6, 7}), "of 10 shards 6 (the first: 2) are missing");
  // Those that have not come to their ends are named with them.
  std::vector<JournalSource> some(all.begin(), all.end() - 2);
  some.back().text.resize(some.back().text.size() - 1);
  EXPECT_EQ(refused(some), "of 10 shards 1 and 2 are missing, and 3 is not finished");
  all.push_back({"copy", all[7].text});
  EXPECT_EQ(refused(all), "j3 and copy are both shard 3/10");
  all.back() = {"j", journal(spec_, {3, 9})};
  EXPECT_EQ(refused(all), "j: one of 9 shards, and j10 is one of 10");
}

TEST_F(ShardMerge, NeedsShardsOfOneSweepAndRevision) {
  const JournalSource first{"a", journal(spec_, {1, 2})};
  EXPECT_EQ(refused({first, {"b", with("load", "0.7")}}),
            "b: of another sweep than a: load is \"[0.1..0.5:0.1]\" there and \"0.7\" here");
  EXPECT_EQ(refused({first, {"b", with("more", "0.7")}}),
            "b: of another sweep than a: more is nothing there and \"0.7\" here");
  EXPECT_EQ(refused({first, {"b", with("revision", "old")}}),
            fmt::format("b: written by revision old of weft, and this is {}", revision()));
  EXPECT_EQ(refused({first, {"b", with("shard", "3/2")}}),
            "b=3/2: shard=3/2: of 2 shards the numbers are 1 to 2");
  EXPECT_EQ(refused({first, {"b", with("verb", "run")}}),
            "b: of another sweep than a: verb is \"sweep\" there and \"run\" here");
  const std::string whole = journal_heading(testing::identity(spec_));
  EXPECT_EQ(refused({first, {"b", whole}}),
            "b: the journal of a whole sweep, not of a shard: the same command resumes it");
}

TEST_F(ShardMerge, NeedsTheFilesAsTheyWere) {
  const ShardJournals all(journals(spec_, 2));
  SweepIdentity now = testing::identity(spec_);
  all.require_same(now);
  now["the content of x.toml"] = "2";
  EXPECT_EQ(complaint([&] { all.require_same(now); }),
            "j1: the content of x.toml was nothing in the sweep and is \"2\" now");
}

TEST_F(ShardMerge, NeedsJournalsThatCameToTheirEnd) {
  const JournalSource first{"a", journal(spec_, {1, 2})};
  EXPECT_EQ(refused({first, {"b", journal(spec_, {2, 2}, false)}}),
            "b: shard 2/2 is not finished: its command resumes it");
  std::string torn = journal(spec_, {2, 2});
  torn.pop_back();
  EXPECT_EQ(refused({first, {"b", torn}}), "b: shard 2/2 is not finished: its command resumes it");
  for (const std::string text : {"", "load,latency\n1,2\n", "\n"})
    EXPECT_EQ(refused({first, {"b", text}}),
              "b: this is no journal of a sweep, or its first line is damaged");
  std::string damaged = journal(spec_, {2, 2});
  damaged[damaged.size() - 40] ^= 1;
  EXPECT_NE(refused({first, {"b", damaged}})
                .find("this line of the journal is damaged; delete the file to begin anew"),
            std::string::npos);
  // A last line without the points before it.
  SweepIdentity second = with_shard(testing::identity(spec_), {2, 2});
  const std::string empty = journal_heading(second) + journal_end();
  EXPECT_EQ(complaint([&] {
              merged(spec_, {first, {"b", empty}});
            }).substr(0, 35),
            "the journals lack the point switch=");
}

TEST_F(ShardMerge, IsDoneByOneOfSeveral) {
  const std::string path = folder_ / "lock";
  EXPECT_FALSE(MergeLock(path).held()) << "there is no such journal any more";
  std::ofstream(path) << "x";
  const MergeLock one(path);
  EXPECT_TRUE(one.held());
  EXPECT_FALSE(MergeLock(path).held());
}

}  // namespace
}  // namespace weft
