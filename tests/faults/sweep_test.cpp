// SPDX-License-Identifier: Apache-2.0
// Sweeps on a disk that fails at any moment, and sweeps that are killed: one proper complaint, a
// result file that is the old or the new one, and a journal from which the same command finishes
// with the same bytes.
#include <fmt/format.h>

#include <chrono>

#include "base/rng.hpp"
#include "cli/command.hpp"
#include "support/fabrics.hpp"

namespace weft::testing {
namespace {

/// A call that goes wrong, as failing_disk.cpp numbers and names them.
struct IoFault {
  std::string kind;
  int at = 1;
  /// Whether the process ends by it, or can no longer clean up.
  bool leaves_drafts() const { return kind.starts_with("kill") || kind == "broken"; }
};

/// What the program did, and the call that went wrong: "write", and the file's name.
struct Attempt {
  ProgramOutput output;
  std::string call{}, file{};
  bool reached() const { return !call.empty(); }
};

class SweepOnAFailingDisk : public Command {
 protected:
  static constexpr const char* result = "rows.csv";
  static constexpr const char* journal = "rows.csv.journal";

  Attempt attempt(const std::string& line) const {
    std::filesystem::remove(path("../fault"));
    Attempt out{run(line)};
    if (!std::filesystem::exists(path("../fault"))) return out;
    const std::string noted = read_file(path("../fault"));
    if (!noted.ends_with('\n')) return out;  // killed while it was noted
    out.call = noted.substr(0, noted.find(' '));
    const std::size_t begin =
        noted.rfind('/') == std::string::npos ? out.call.size() : noted.rfind('/');
    out.file = noted.substr(begin + 1, noted.size() - begin - 2);
    return out;
  }
  /// The environment of a command that meets the fault.
  static std::string with(const IoFault& fault) {
    const auto disk =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "failing_disk.so";
    return fmt::format("WEFT_FAULT={} WEFT_FAULT_AT={} WEFT_FAULT_LOG=../fault LD_PRELOAD={} ",
                       fault.kind, fault.at, shell_quoted(disk.string()));
  }

  /// Returns how many seconds it takes.
  double undisturbed() {
    const auto begin = std::chrono::steady_clock::now();
    const ProgramOutput output = run(sweep_);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(output.status, 0) << output.err;
    rows_ = read_file(path(result));
    table_ = output.out;
    return taken.count();
  }

  /// An empty folder, or one with the result of another sweep.
  void begin(bool anew) const {
    for (const std::string& name : names()) std::filesystem::remove(path(name));
    if (!anew) write(result, old_);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(path("")))
      out.push_back(entry.path().filename().string());
    std::ranges::sort(out);
    return out;
  }

  /// The exit code and the words after a fault, and what it left.
  void expect_proper_end(const Attempt& tried, const IoFault& fault) const {
    const ProgramOutput& output = tried.output;
    const bool killed = fault.kind.starts_with("kill");
    if (killed) {
      EXPECT_EQ(output.status, 137);
    } else if (output.status == 0) {
      // Nobody is harmed by what is not in the folder after a crash, or is still there.
      const bool harmless = fault.kind == "short" || fault.kind == "interrupted" ||
                            tried.call == "unlink" || tried.call == "fchown" ||
                            tried.file == "work" || tried.file == "." ||
                            (fault.kind == "full" && tried.call != "write");
      EXPECT_TRUE(harmless) << tried.call << " failed and nobody was told";
      EXPECT_EQ(output.out, table_);
      EXPECT_EQ(read_file(path(result)), rows_);
    } else {
      EXPECT_EQ(output.status, 2);
      EXPECT_EQ(output.out, "");
      const bool full = fault.kind == "full";
      const auto complaint = [&](const std::string& of) {
        return fmt::format("weft: {}: cannot be {}: {}\n", of,
                           tried.call == "flock" && !full ? "locked" : "written",
                           full ? "No space left on device" : "Input/output error");
      };
      // A full disk is noticed by the next call that needs room, maybe of the other file.
      const std::string of = tried.file == journal ? journal : result;
      if (!full || output.err != complaint(result)) {
        EXPECT_EQ(output.err, complaint(of));
      }
    }
    for (const std::string& name : names()) {
      if (name == result) {
        const std::string text = read_file(path(name));
        EXPECT_TRUE(text == old_ || text == rows_) << "mixed: " << text;
      } else if (name == journal) {
        const std::string text = read_file(path(name));
        EXPECT_TRUE(killed || fault.kind == "broken" || text.empty() || text.ends_with('\n'))
            << text;
      } else {
        EXPECT_TRUE(fault.leaves_drafts() && name.starts_with(".rows.csv.")) << name << " is left";
      }
    }
    remove_drafts();
  }

  void remove_drafts() const {
    for (const std::string& name : names())
      if (name.starts_with(".rows.csv.")) std::filesystem::remove(path(name));
  }

  /// The same command finishes what was left behind.
  void expect_finished() const {
    const ProgramOutput output = run(sweep_);
    EXPECT_EQ(output.status, 0) << output.err;
    EXPECT_EQ(output.out, table_);
    EXPECT_EQ(read_file(path(result)), rows_);
    EXPECT_EQ(names(), std::vector<std::string>{result});
  }

  std::string sweep_ =
      "weft sweep mesh:dims=2x2 xy --cycles 100 --load [0.1,0.2,0.3] --jobs 1 -o rows.csv";
  std::string rows_, table_, old_ = "the result of another sweep\n";
};

class EveryCall : public SweepOnAFailingDisk, public ::testing::WithParamInterface<const char*> {
 protected:
  /// A sweep after a fault meets another one of its kind, at every call; returns how many.
  int second_faults_after(const IoFault& first, bool anew) const {
    for (IoFault second{first.kind, 1};; ++second.at) {
      SCOPED_TRACE(with(second));
      begin(anew);
      attempt(with(first) + sweep_);
      remove_drafts();
      const Attempt resumed = attempt(with(second) + sweep_);
      if (!resumed.reached() || HasFailure()) return second.at - 1;
      expect_proper_end(resumed, second);
      expect_finished();
    }
  }
};

/// The fault at the n-th call, for every n until a sweep needs no n-th one, and at every call of
/// the sweep that then goes on; both with and without a result of an older sweep. Short runs try
/// every second n, without a second fault, and half of them with an older result.
TEST_P(EveryCall, IsComplainedAboutAndTheSweepGoesOn) {
  undisturbed();
  const bool is_long = test::tries(1, 2) == 2;
  int faults = 0, second_faults = 0;
  for (const bool anew : is_long ? std::vector{true, false} : std::vector{true}) {
    bool reached = true;
    for (IoFault first{GetParam(), 1}; reached && !HasFailure(); first.at += is_long ? 1 : 2) {
      SCOPED_TRACE(with(first));
      const bool old = !anew || (!is_long && first.at % 4 == 1);
      begin(!old);
      const Attempt tried = attempt(with(first) + sweep_);
      reached = tried.reached();
      if (!reached) {
        EXPECT_EQ(tried.output.status, 0);
        EXPECT_GT(first.at, 4) << "the calls are not counted";
        continue;
      }
      ++faults;
      expect_proper_end(tried, first);
      second_faults += is_long ? second_faults_after(first, !old) : 0;
      expect_finished();
    }
  }
  fmt::print("campaign: sweeps on a failing disk, {}: {} faults, {} with a second one\n",
             GetParam(), faults, second_faults);
}

INSTANTIATE_TEST_SUITE_P(Faults, EveryCall,
                         ::testing::Values("eio", "broken", "full", "short", "interrupted", "kill",
                                           "kill_half"),
                         [](const auto& info) { return std::string(info.param); });

/// Kills at random moments, again and again until a sweep is finished; every second process has a
/// fault before it.
TEST_F(SweepOnAFailingDisk, KilledAtAnyMoment) {
  const int wanted = test::tries(12, 1000);
  Rng rng(1);
  int kills = 0, faults = 0, finished = 0;
  for (const char* jobs : {" --jobs 1", " --jobs 3"}) {
    sweep_ = "weft sweep mesh:dims=4x4 xy --cycles 2000 --load [0.05..0.25:0.05] --seed [1,2]" +
             std::string(jobs) + " -o rows.csv";
    const double taken = undisturbed();
    begin(true);
    for (const int enough = kills + wanted / 2; kills < enough && !HasFailure();) {
      const std::vector<std::string> kinds{"eio", "full", "short", "interrupted"};
      const IoFault fault{kinds[rng.below(kinds.size())], static_cast<int>(1 + rng.below(20))};
      const bool faulty = rng.below(2) == 0;
      const double moment = 0.001 + 1.2 * taken * rng.unit();
      const std::string line = fmt::format("{}{} & sleep {:.6f}; kill -9 $! 2>/dev/null; wait $!",
                                           faulty ? with(fault) : "", sweep_, moment);
      SCOPED_TRACE(line);
      const Attempt tried = attempt(line);
      const int status = tried.output.status;
      ASSERT_TRUE(status == 0 || status == 2 || status == 137) << status << tried.output.err;
      if (status == 137) ++kills;
      if (tried.reached()) ++faults;
      if (status == 2) expect_proper_end(tried, fault);
      remove_drafts();
      if (std::filesystem::exists(path(result))) {
        ++finished;
        EXPECT_EQ(read_file(path(result)), rows_);
        if (std::filesystem::exists(path(journal))) expect_finished();
        begin(true);
      }
    }
    expect_finished();
  }
  fmt::print("campaign: killed sweeps: {} kills, {} I/O faults, {} sweeps finished\n", kills,
             faults, finished + 2);
}

}  // namespace
}  // namespace weft::testing
