// SPDX-License-Identifier: Apache-2.0
// Sweeps of a pretended simulation: order, saturation, cores, and being killed at any byte.
#include "lab/simulate/sweep.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "base/error.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"
#include "lab/revision.hpp"
#include "lab/simulate/result_row.hpp"
#include "support/files.hpp"
#include "sweep_support.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;

std::string bytes(const std::vector<SweepRow>& rows) {
  std::ostringstream out;
  write_json(out, document_of(rows));
  return out.str();
}

/// "0.1 0.2": the loads of the rows.
std::string loads(const std::vector<SweepRow>& rows) {
  std::string out;
  for (const SweepRow& row : rows) out += row.result.spec.load + " ";
  return out;
}

/// Files cannot grow beyond so many bytes: what goes beyond is written in part, and then fails.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::size_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit less{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &less);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*signal_)(int);
  rlimit before_{};
};

class Sweep : public ::testing::Test {
 protected:
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  /// Runs with a journal as weft sweep does; `ran` counts simulations.
  std::string run(const SweepSpec& request, std::uint64_t jobs = 1) {
    SimulationJournal journal(path_, identity(request));
    ran = 0;
    const auto counting = [&](const SimulationExperiment& s) { return ++ran, pretend(s); };
    const std::string out = bytes(run_pretended(request, counting, {jobs, &journal, {}}));
    journal.remove();
    return out;
  }
  /// The journal of a sweep that was killed after its last point.
  std::string whole_journal(const SweepSpec& request) {
    SimulationJournal journal(path_, identity(request));
    run_pretended(request, pretend, {1, &journal, {}});
    const std::string text = read_file(path_);
    journal.remove();
    return text;
  }
  std::string complaint(const SweepSpec& request) {
    try {
      return "none: " + run(request);
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.starts_with(path_) ? "j" + text.substr(path_.size()) : text;
    }
  }

  testing::TemporaryFolder folder_;
  std::string path_ = folder_ / "j";
  std::atomic<int> ran = 0;
};

TEST_F(Sweep, RowsAreInOrderOnAnyNumberOfCores) {
  SweepSpec request = sweep_of("[0.1..0.5:0.1]", "iq:lanes=[1,2]");
  request.simulation.seed = "[1..3]";
  const auto rows = run_pretended(request, pretend, {1, nullptr, {}});
  ASSERT_EQ(rows.size(), 30U);
  EXPECT_EQ(rows[7].result.spec.switches, "iq:lanes=1");
  EXPECT_EQ(rows[7].result.spec.seed, "2");
  EXPECT_EQ(rows[7].result.spec.load, "0.3");
  EXPECT_EQ(rows[7].result.outcome, SimulationOutcome::saturated);
  EXPECT_EQ(rows[7].saturation, "");
  for (const std::uint64_t jobs : {2U, 4U, 100U, 0U})
    EXPECT_EQ(bytes(run_pretended(request, pretend, {jobs, nullptr, {}})), bytes(rows)) << jobs;
}

TEST_F(Sweep, SaturationIsTheHighestSteadyLoad) {
  const auto rows = run_pretended(saturation_of("iq:lanes=[1,2,3]", "0.005"), pretend);
  std::set<std::string> found;
  for (const SweepRow& row : rows) {
    found.insert(row.result.spec.switches + " " + row.saturation);
    const double load = std::stod(row.result.spec.load);
    EXPECT_EQ(row.result.outcome == SimulationOutcome::steady,
              load <= std::stod(row.saturation) + 1e-9);
  }
  EXPECT_EQ(found, (std::set<std::string>{"iq:lanes=1 0.2", "iq:lanes=2 0.4", "iq:lanes=3 0.6"}));
  EXPECT_LE(rows.size(), 3 * 8U);
  EXPECT_EQ(
      bytes(run_pretended(saturation_of("iq:lanes=[1,2,3]", "0.005"), pretend, {4, nullptr, {}})),
      bytes(rows));
}

TEST_F(Sweep, SaturationAtTheEndsOfTheScale) {
  const auto none = run_pretended(saturation_of("iq:lanes=0", "0.25"), pretend);
  EXPECT_EQ(loads(none), "0.25 0.5 ");
  EXPECT_EQ(none[0].saturation, "0");
  const auto full = run_pretended(saturation_of("iq:lanes=5", "0.3"), pretend);
  EXPECT_EQ(loads(full), "0.6 0.9 ");
  EXPECT_EQ(full[0].saturation, "0.9");
  EXPECT_EQ(run_pretended(saturation_of("iq:lanes=5", "0.5"), pretend)[0].saturation, "1");
}

TEST_F(Sweep, ADeadlockIsNotSteady) {
  SweepSpec request = saturation_of("iq:lanes=3", "0.1");
  request.simulation.tables = "minhop";
  EXPECT_EQ(run_pretended(request, pretend)[0].saturation, "0.2");
}

TEST_F(Sweep, ResumesFromEveryByteOfItsJournal) {
  SweepSpec lists = sweep_of("[0.1,0.4]", "iq:lanes=2");
  lists.simulation.faults = "some";
  lists.simulation.tables = "minhop";
  for (const SweepSpec& request : {lists, saturation_of("iq:lanes=[1,2]", "0.4")}) {
    const std::string expected = bytes(run_pretended(request, pretend));
    const std::string text = whole_journal(request);
    int most = 0;
    for (std::size_t size = 0; size <= text.size(); ++size) {
      write(text.substr(0, size));
      const std::uint64_t jobs = 1 + size % 2;
      ASSERT_EQ(run(request, jobs), expected) << size;
      ASSERT_FALSE(fs::exists(path_));
      if (request.saturation && jobs > 1) continue;  // begins some that are not needed
      const auto lines = std::count(text.begin(), text.begin() + static_cast<long>(size), '\n');
      most = std::max(most, ran.load());
      ASSERT_EQ(ran, most - std::max(0L, lines - 1)) << size;
    }
    EXPECT_EQ(ran, 0);
  }
}

TEST_F(Sweep, ADamagedJournalIsRefused) {
  const SweepSpec request = sweep_of("[0.1,0.2]");
  const std::string text = whole_journal(request);
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string wrong = text;
    wrong[at] = static_cast<char>(wrong[at] ^ 1);
    write(wrong);
    const bool torn = at + 1 == text.size();  // the last line has no end now
    const std::string error = complaint(request);
    ASSERT_EQ(error.starts_with("none: "), torn) << at << error;
    if (!torn) {
      const auto line = std::count(text.begin(), text.begin() + static_cast<long>(at), '\n') + 1;
      ASSERT_EQ(error, fmt::format("j:{}: this line of the journal is damaged; delete the file to "
                                   "begin anew",
                                   line))
          << at;
    }
    fs::remove(path_);
  }
}

TEST_F(Sweep, OtherFilesAreNoJournals) {
  const SweepSpec request = sweep_of("[0.1,0.2]");
  const std::string damaged =
      ": this line of the journal is damaged; delete the file to begin anew";
  for (const char* text : {"x", "my notes\n", "\n", "0123456789abcdef \n"}) {
    write(text);
    EXPECT_EQ(complaint(request), "j:1" + damaged) << text;
    EXPECT_EQ(read_file(path_), text);
  }
  write(journal_heading(identity(request)) + journal_line("{}"));
  EXPECT_EQ(complaint(request), "j:2" + damaged);
  write(journal_heading(identity(request)) + journal_line("3"));
  EXPECT_EQ(complaint(request), "j:2" + damaged);
}

TEST_F(Sweep, JournalsOfOtherSweepsAreRefused) {
  const SweepSpec request = sweep_of("[0.1,0.2]");
  write(whole_journal(request));
  EXPECT_EQ(complaint(sweep_of("[0.1,0.3]")),
            "j: the journal of another sweep: load is \"[0.1,0.2]\" there and \"[0.1,0.3]\" here; "
            "delete the file to begin anew");
  EXPECT_EQ(complaint(saturation_of("iq", "0.1")),
            "j: the journal of another sweep: load is \"[0.1,0.2]\" there and \"0.1\" here; delete "
            "the file to begin anew");
  SweepIdentity older = identity(request);
  older["revision"] = "older";
  write(journal_heading(older));
  EXPECT_EQ(complaint(request),
            fmt::format("j: the journal of another sweep: revision is \"older\" there and \"{}\" "
                        "here; delete the file to begin anew",
                        revision()));
}

TEST_F(Sweep, FilesOfTheSweepMustNotChange) {
  const std::string fabric = folder_ / "net.toml";
  for (const std::string& text : {fabric, "file:path=" + fabric, "x:path=" + fabric + ",y=1"}) {
    std::ofstream(fabric) << "one";
    SweepSpec request = sweep_of("[0.1,0.2]");
    request.simulation.fabric = text;
    write(whole_journal(request));
    std::ofstream(fabric) << "two";
    EXPECT_NE(complaint(request).find("net.toml is \""), std::string::npos) << complaint(request);
    fs::remove(path_);
  }
}

TEST_F(Sweep, AJournalNeedsAPlace) {
  path_ = folder_ / "nowhere/j";
  EXPECT_EQ(complaint(sweep_of("[0.1,0.2]")), "j: cannot be written: No such file or directory");
}

TEST_F(Sweep, AJournalIsAFileOfItsOwn) {
  const SweepSpec request = sweep_of("[0.1,0.2]");
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(complaint(request), "j: a journal is a file, and this is none");
  fs::remove(path_);
  fs::create_symlink("precious", path_);
  EXPECT_EQ(complaint(request), "j: a journal is a file of its own, and this is a symbolic link");
  EXPECT_FALSE(fs::exists(folder_ / "precious"));
}

TEST_F(Sweep, AFullDiskLeavesWholeLines) {
  const SweepSpec request = sweep_of("[0.1..0.4:0.1]");
  const std::string whole = whole_journal(request);
  const std::string expected = run(request);
  for (std::size_t room = 0; room < whole.size(); ++room) {
    try {
      const FileSizeLimit limit(room);
      run(request);
      ADD_FAILURE() << room;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), path_ + ": cannot be written: File too large");
    }
    EXPECT_EQ(read_file(path_), whole.substr(0, whole.substr(0, room).rfind('\n') + 1)) << room;
    if (room % 64 == 0) {
      EXPECT_EQ(run(request), expected) << room;
    }
    fs::remove(path_);
  }
}

TEST_F(Sweep, ResultsAfterAFailedWriteAreKept) {
  // One thread meets a full disk; another one, later, finds room.
  const SweepSpec request = sweep_of("[0.1,0.2,0.3]");
  const auto rows = run_pretended(request, pretend, {1, nullptr, {}});
  const std::string whole = whole_journal(request);
  const std::size_t heading = whole.find('\n') + 1;
  for (std::size_t room = heading; room < heading + 30; ++room) {
    {
      SimulationJournal journal(path_, identity(request));
      {
        const FileSizeLimit limit(room);
        EXPECT_THROW(journal.add(rows[0].result), std::runtime_error);
      }
      journal.add(rows[1].result);
    }
    EXPECT_EQ(run(request), bytes(rows));
    EXPECT_EQ(ran, 2);
  }
}

TEST_F(Sweep, AJournalRemovedMeanwhileIsBegunAnew) {
  const SweepSpec request = sweep_of("[0.1,0.2]");
  for (int i = 0; i < 20; ++i) {
    // Sweeps end and remove what others are about to lock.
    std::vector<std::jthread> sweeps;
    for (int n = 0; n < 4; ++n)
      sweeps.emplace_back([&] {
        try {
          SimulationJournal journal(path_, identity(request));
          EXPECT_TRUE(fs::exists(path_));
          run_pretended(request, pretend, {1, &journal, {}});
          EXPECT_TRUE(fs::exists(path_));
          journal.remove();
        } catch (const Error& error) {
          EXPECT_EQ(error.what(), path_ + ": another sweep that runs now writes this journal");
        }
      });
  }
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(Sweep, OneJournalHasOneWriter) {
  const SweepSpec request = sweep_of("[0.1,0.2]");
  const SimulationJournal open(path_, identity(request));
  EXPECT_EQ(complaint(request), "j: another sweep that runs now writes this journal");
}

TEST_F(Sweep, OfSeveralWrongPointsTheFirstIsReported) {
  const SweepSpec request = sweep_of("[0.1..0.9:0.01]");
  const auto picky = [](const SimulationExperiment& point) {
    const std::string& load = point.request.spec.load;
    if (load > "0.2") throw Error("load={}: too much", load);
    return pretend(point);
  };
  for (int i = 0; i < 20; ++i) {
    SimulationJournal journal(path_, identity(request));
    try {
      run_pretended(request, picky, {4, &journal, {}});
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "load=0.21: too much");
    }
    EXPECT_TRUE(fs::exists(path_));  // what was finished is kept
  }
  fs::remove(path_);
  const SweepSpec hopeless = sweep_of("[0.5,0.6]");
  SimulationJournal journal(path_, identity(hopeless));
  EXPECT_THROW(run_pretended(hopeless, picky, {4, &journal, {}}), Error);
  EXPECT_FALSE(fs::exists(path_));  // an empty one is not
}

TEST_F(Sweep, WorkOfAnEarlierRunIsNeverThrownAway) {
  const SweepSpec request = sweep_of("[0.1,0.2]");
  const std::string text = whole_journal(request);
  const std::string begun = text.substr(0, text.rfind('\n', text.size() - 2) + 1);
  write(begun);
  SimulationJournal journal(path_, identity(request));
  const auto wrong = [](const SimulationExperiment&) -> SimulationResult { throw Error("gone"); };
  EXPECT_THROW(run_pretended(request, wrong, {1, &journal, {}}), Error);
  EXPECT_EQ(read_file(path_), begun);
}

TEST_F(Sweep, WhatIsNotTheInputsFaultKeepsTheJournal) {
  const SweepSpec request = sweep_of("[0.1,0.2]");
  SimulationJournal journal(path_, identity(request));
  const auto heavy = [](const SimulationExperiment& point) {
    if (point.request.spec.load == "0.2") throw std::bad_alloc();
    return pretend(point);
  };
  EXPECT_THROW(run_pretended(request, heavy, {1, &journal, {}}), std::bad_alloc);
  EXPECT_EQ(split_lines(read_file(path_)).size(), 2U);
}

TEST_F(Sweep, WrongRequests) {
  SweepSpec request = sweep_of("0.2");
  request.saturation = true;
  EXPECT_EQ(complaint(request), "load=0.2: towards saturation the load is what is looked for");
  for (const char* text : {"0", "-0.1", "0.6", "x", "", "1e-3"})
    EXPECT_EQ(complaint(saturation_of("iq", text)),
              fmt::format("resolution={}: a number such as 0.005 is needed, 0.5 at most", text));
  request = sweep_of("0.2");
  request.simulation.fabric = "-";
  EXPECT_EQ(complaint(request),
            "a sweep that was cut short reads its files again: none can be standard input");
  try {
    run_pretended(sweep_of("0.2"), pretend, {1025, nullptr, {}});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "jobs=1025: 1024 at most");
  }
  request = saturation_of("iq", "0.1");
  request.simulation.traffic = "file:path=trace";
  EXPECT_EQ(complaint(request),
            "traffic=file:path=trace: it comes to an end; only endless traffic has a saturation "
            "point");
}

TEST_F(Sweep, ReportsItsProgress) {
  std::vector<std::string> reported;
  const auto report = [&](std::size_t done, std::size_t all, const std::string& what) {
    reported.push_back(fmt::format("{}/{} {}", done, all, what));
  };
  const SweepSpec request = sweep_of("[0.1,0.2,0.3]");
  const std::string text = whole_journal(request);
  run_pretended(request, pretend, {1, nullptr, report});
  EXPECT_EQ(reported,
            (std::vector<std::string>{"0/3 ", "1/3 load=0.1", "2/3 load=0.2", "3/3 load=0.3"}));
  reported.clear();
  write(text.substr(0, text.size() - 1));
  SimulationJournal journal(path_, identity(request));
  run_pretended(request, pretend, {1, &journal, report});
  EXPECT_EQ(reported, (std::vector<std::string>{"2/3 ", "3/3 load=0.3"}));
  reported.clear();
  run_pretended(saturation_of("iq", "0.25"), pretend, {1, nullptr, report});
  EXPECT_EQ(reported, (std::vector<std::string>{"0/5 ", "1/5 load=0.5 warmup=1024 cycles=2048",
                                                "2/5 load=0.25 warmup=1024 cycles=2048"}));
}

/// Searches may need more or fewer simulations than were planned.
TEST_F(Sweep, TheShareThatIsDoneNeverFalls) {
  double before = 0;
  const auto report = [&](std::size_t done, std::size_t all, const std::string& what) {
    const double share = static_cast<double>(done) / static_cast<double>(all);
    EXPECT_GE(share, before) << what;
    EXPECT_LE(share, 1) << what;
    before = share;
  };
  const auto long_ones_saturate = [](const SimulationExperiment& point) {
    SimulationResult out = pretend(point);
    if (out.spec.cycles != "2048") out.outcome = SimulationOutcome::saturated;
    return out;
  };
  for (const std::uint64_t jobs : {1U, 4U}) {
    before = 0;
    run_pretended(saturation_of("iq:lanes=[1..5]", "0.005"), long_ones_saturate,
                  {jobs, nullptr, report});
    EXPECT_GT(before, 0.9);
  }
}

TEST_F(Sweep, ARowReadsBackAsItWas) {
  SimulationSpec simulation = sweep_of("0.3").simulation;
  simulation.tables = "minhop";
  simulation.faults = "some";
  const SimulationResult result = pretend({.request = request_of(simulation)});
  const SimulationResult again = result_from(row_of(result));
  EXPECT_EQ(again.spec, result.spec);
  EXPECT_EQ(again.outcome, SimulationOutcome::deadlocked);
  EXPECT_EQ(again.mean, result.mean);
  EXPECT_TRUE(std::isnan(again.half_width));
  EXPECT_TRUE(std::signbit(again.p50));
  EXPECT_EQ(again.p99, 1e300);
  EXPECT_EQ(again.most, 5e-324);
  EXPECT_EQ(again.packets, ~std::uint64_t{0});
  EXPECT_EQ(again.busiest, result.busiest);
  EXPECT_EQ(again.lost_why, result.lost_why);
  EXPECT_EQ(again.explanation, result.explanation);
  EXPECT_THROW(outcome_from("x"), Error);
}

}  // namespace
}  // namespace weft::testing
