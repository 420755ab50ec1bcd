// SPDX-License-Identifier: Apache-2.0
// Sweeps in shards and by ranks, and weft merge, as a shell runs them: kills, the bytes of the
// merged file, and every wrong use in one line.
#include <fmt/format.h>

#include "command.hpp"

namespace weft::testing {
namespace {

class Shards : public Command {
 protected:
  /// What a verb writes in one process and in shards: the file, what it prints, the exit code.
  void expect_same_in_shards(const std::string& sweep, int of, const std::string& option = "-o",
                             const std::string& name = "rows.csv") const {
    SCOPED_TRACE(sweep);
    const ProgramOutput whole = run(fmt::format("{} {} whole-{}", sweep, option, name));
    EXPECT_NE(whole.status, 2) << whole.err;
    for (int i = 1; i <= of; ++i) {
      const ProgramOutput shard =
          run(fmt::format("{} --shard {}/{} {} {}", sweep, i, of, option, name));
      EXPECT_EQ(shard.status, 0) << shard.err;
    }
    EXPECT_FALSE(std::filesystem::exists(path(name)));
    const ProgramOutput merged =
        run(fmt::format("weft merge {0}.*-of-{1}.journal -o {0}", name, of));
    EXPECT_EQ(merged.status, whole.status);
    EXPECT_EQ(merged.out, whole.out);
    EXPECT_EQ(merged.err, whole.err);
    EXPECT_EQ(read_file(path(name)), read_file(path("whole-" + name)));
    run("rm -f *" + name + "*");
  }

  const std::string sweep_ =
      "weft sweep mesh:dims=2x2 xy --cycles 200 --warmup 50 --load [0.05..0.5:0.05] "
      "--seed [1..100] --jobs 1";
};

/// 1,000 points in 10 shards, three of them killed within their work and started again.
TEST_F(Shards, KilledAndResumedTheyMergeToTheSameBytes) {
  ASSERT_EQ(run(sweep_ + " -o calm.csv > calm.txt").status, 0);
  for (int i = 1; i <= 10; ++i) {
    const std::string shard = fmt::format("{} --shard {}/10 -o rows.csv", sweep_, i);
    const std::string journal = fmt::format("rows.csv.{}-of-10.journal", i);
    if (i % 3 == 0) {
      // Cut where a kill within a line leaves it, as a finished shard would not show one.
      run(
          fmt::format("{0} > log & until [ \"$(wc -l < {1})\" -gt 20 ]; do kill -0 $! || break; "
                      "done 2> log; kill -9 $! 2> log; wait $! 2> log; true",
                      shard, journal));
      run(fmt::format("truncate -s $(($(head -n 20 {0} | wc -c) + 9)) {0}", journal));
      EXPECT_EQ(error("weft merge " + journal + " -o rows.csv"),
                fmt::format("of 10 shards 9 (the first: {}) are missing, and {} is not finished",
                            i == 1 ? 2 : 1, i));
    }
    EXPECT_EQ(run(shard).out,
              fmt::format("shard {}/10 is finished: 100 points in {}\n", i, journal));
  }
  const ProgramOutput merged = run("weft merge rows.csv.*-of-10.journal -o rows.csv");
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_EQ(merged.out, read_file(path("calm.txt")));
  EXPECT_EQ(read_file(path("rows.csv")), read_file(path("calm.csv")));
  EXPECT_EQ(run("ls rows.csv.*.journal | wc -l").out, "10\n") << "a merge deletes no input";
}

TEST_F(Shards, OfEveryVerbMergeToTheSameBytes) {
  expect_same_in_shards("weft sweep mesh:dims=4x4 xy --load [0.1,0.2] --seeds 3 --cycles 500", 4);
  expect_same_in_shards(
      "weft sweep mesh:dims=2x2 xy --switch iq:lanes=[1,2] --saturation --resolution 0.05 "
      "--warmup 200 --cycles 1000",
      3, "-o", "rows.json");
  expect_same_in_shards(
      "weft sweep torus:dims=4x4 minhop --packet 16 --load [0.02,0.5] --warmup 9000 --cycles 500",
      7);
  expect_same_in_shards("weft sweep --cluster rhinet2 --load [0.1,0.2] --cycles 200", 2);
  const std::string programs =
      "weft run --cluster dane --hosts [4,8] 'allreduce:algorithm=[ring,tree],bytes=[8,4k]'";
  expect_same_in_shards(programs, 3, "--csv");
  expect_same_in_shards(programs, 3, "--json", "rows.json");
  // Shards whose points are all refused, and one without any.
  expect_same_in_shards(
      "weft run --topology '[torus:dims=3x3|mesh:dims=3x3]' --engine xy barrier --nic gm", 3,
      "--csv");
  write(
      "job.trace",
      "ranks 2\nrank 0\ninit\nallreduce 4096\nfinalize\nrank 1\ninit\nallreduce 4096\nfinalize\n");
  const std::string replays =
      "weft replay job.trace --topology '[mesh:dims=2x2|ring]' --engine updown "
      "--collective 'allreduce=[ring,tree]'";
  expect_same_in_shards(replays, 3, "--csv");
  expect_same_in_shards(replays + " --quick", 3, "--json", "rows.json");
}

TEST_F(Shards, PicturesAndRulesComeFromTheMerge) {
  const std::string sweep =
      "weft run --cluster dane --hosts 4 'allreduce:algorithm=[ring,tree],bytes=[8,4k]' --csv "
      "r.csv";
  ASSERT_EQ(run(sweep + " --plot calm.svg --open-mpi calm.rules").status, 0);
  ASSERT_EQ(run(sweep + " --shard 1/2 && " + sweep + " --shard 2/2").status, 0);
  ASSERT_EQ(run("weft merge r.csv.*.journal --plot r.svg --open-mpi r.rules --html r.html").status,
            0);
  EXPECT_EQ(run("cmp r.svg calm.svg && cmp r.rules calm.rules && test -s r.html").status, 0);
}

TEST_F(Shards, WrongUsesAreRefused) {
  const std::string sweep = "weft sweep mesh:dims=2x2 xy --cycles 100 --load [0.1,0.2,0.3]";
  EXPECT_EQ(error(sweep + " --shard 4/3 -o r.csv"),
            "shard=4/3: of 3 shards the numbers are 1 to 3");
  EXPECT_EQ(error(sweep + " --shard 3 -o r.csv"),
            "shard=3: which one and of how many is needed, such as 3/10");
  const std::string nowhere =
      ": a file for the results is needed: the journals of shards are beside it";
  EXPECT_EQ(error(sweep + " --shard 1/3"), "--shard" + nowhere);
  EXPECT_EQ(error(sweep + " --shard 1/3 -o -"), "--shard" + nowhere);
  EXPECT_EQ(error(sweep + " --shard 1/3 -o /dev/null"), "--shard" + nowhere);
  EXPECT_EQ(error("PMI_RANK=0 PMI_SIZE=2 " + sweep + " --mpi"), "--mpi" + nowhere);
  EXPECT_EQ(error(sweep + " --shard 1/3 -o r.csv --plot r.svg"),
            "--plot: a shard writes its journal alone; weft merge takes --plot");
  EXPECT_EQ(error("weft run barrier --cluster dane --hosts 4 --shard 1/2"),
            "--shard: only a sweep has points to share out, and brackets make one");
  EXPECT_EQ(error("weft replay x.trace --mpi"),
            "--mpi: only a sweep has points to share out, and brackets make one");
  EXPECT_EQ(run("ls").out, "");
}

TEST_F(Shards, WrongJournalsAreRefused) {
  const std::string sweep = "weft sweep mesh:dims=2x2 xy --cycles 100 ";
  run("weft make ring -o ring.toml");
  const std::string of_file = "weft sweep ring.toml updown --cycles 100 --seed [1,2] -o f.csv";
  for (const std::string& line : {sweep + "--load [0.1,0.2] --shard 1/2 -o a.csv",
                                  sweep + "--load [0.1,0.2] --shard 2/2 -o a.csv",
                                  sweep + "--load [0.1,0.3] --shard 2/2 -o b.csv",
                                  of_file + " --shard 1/2", of_file + " --shard 2/2"})
    ASSERT_EQ(run(line).status, 0) << line;
  write("out.csv", "old");
  EXPECT_EQ(error("weft merge -o out.csv"), "which journals? those of all shards of one sweep");
  EXPECT_EQ(error("weft merge a.csv.1-of-2.journal -o out.csv"), "of 2 shards 2 is missing");
  EXPECT_EQ(error("weft merge a.csv.1-of-2.journal b.csv.2-of-2.journal -o out.csv"),
            "b.csv.2-of-2.journal: of another sweep than a.csv.1-of-2.journal: load is "
            "\"[0.1,0.2]\" there and \"[0.1,0.3]\" here");
  EXPECT_EQ(error("weft merge a.csv.*.journal a.csv.1-of-2.journal -o out.csv"),
            "a.csv.1-of-2.journal and a.csv.1-of-2.journal are both shard 1/2");
  EXPECT_EQ(error("weft merge out.csv"),
            "out.csv: this is no journal of a sweep, or its first line is damaged");
  EXPECT_EQ(error("weft merge gone -o out.csv"), "gone: No such file or directory");
  EXPECT_EQ(error("weft merge a.csv.*.journal -o a.csv.1-of-2.journal"),
            "a.csv.1-of-2.journal: this file is read as well: what is written needs a name of its "
            "own");
  EXPECT_EQ(error("weft merge a.csv.*.journal --open-mpi rules"),
            "--open-mpi: rules come from a sweep of weft run");
  // A shard is resumed by its own sweep alone.
  EXPECT_EQ(error(sweep + "--load [0.1,0.3] --shard 1/2 -o a.csv"),
            "a.csv.1-of-2.journal: the journal of another sweep: load is \"[0.1,0.2]\" there and "
            "\"[0.1,0.3]\" here; delete the file to begin anew");
  // What the sweep read has changed.
  run("weft make ring:switches=5 -o ring.toml");
  const std::string changed = error("weft merge f.csv.*.journal -o out.csv");
  EXPECT_TRUE(changed.starts_with("f.csv.1-of-2.journal: the content of ring.toml was \""))
      << changed;
  EXPECT_EQ(read_file(path("out.csv")), "old");
  EXPECT_EQ(run("weft merge a.csv.*.journal -o out.csv").status, 0) << "nothing is lost";
}

/// Ranks as mpirun starts them, one after the other: the last one merges.
TEST_F(Shards, RanksMergeWhenTheLastIsFinished) {
  ASSERT_EQ(run(sweep_ + " -o calm.csv").status, 0);
  const auto rank = [&](int number) {
    return run(fmt::format("PMI_RANK={} PMI_SIZE=3 {} --mpi -o r.csv", number, sweep_));
  };
  for (const int number : {2, 0}) {
    const ProgramOutput one = rank(number);
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(one.out, "");
  }
  EXPECT_EQ(run("ls r.csv*").out, "r.csv.1-of-3.journal\nr.csv.3-of-3.journal\n");
  EXPECT_NE(rank(1).out, "");
  EXPECT_EQ(run("ls r.csv*").out, "r.csv\n");
  EXPECT_EQ(run("cmp r.csv calm.csv").status, 0);
}

/// All at once, many times: one of them prints the table.
TEST_F(Shards, OfRanksThatFinishAtOnceOneMerges) {
  for (int i = 0; i < 5; ++i) {
    const ProgramOutput all =
        run("for r in 0 1 2 3; do OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_SIZE=4 weft sweep "
            "mesh:dims=2x2 xy --cycles 100 --seed [1..4] --mpi -o r.csv & done; wait");
    EXPECT_EQ(all.err, "");
    EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 7) << all.out;
    EXPECT_EQ(run("ls").out, "r.csv\n");
  }
}

TEST_F(Shards, RanksComeFromTheEnvironment) {
  const std::string sweep = "weft sweep mesh:dims=2x2 xy --cycles 100 --seed [1,2] --mpi -o r.csv";
  const std::string none =
      "--mpi: the environment names no rank (OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID): start "
      "it with mpirun or srun";
  EXPECT_EQ(error(sweep), none);
  // The script of a job of Slurm is no rank, though it has a number.
  EXPECT_EQ(error("SLURM_PROCID=0 SLURM_NTASKS=4 " + sweep),
            "--mpi: SLURM_PROCID=0, but SLURM_STEP_NUM_TASKS is not set: start it with mpirun or "
            "srun");
  EXPECT_EQ(error("PMI_RANK=0 " + sweep),
            "--mpi: PMI_RANK=0, but PMI_SIZE is not set: start it with mpirun or srun");
  EXPECT_EQ(error("PMI_RANK=4 PMI_SIZE=4 " + sweep),
            "--mpi: PMI_RANK=4 and PMI_SIZE=4 are no rank and number of ranks");
  EXPECT_EQ(error("PMI_RANK=x PMI_SIZE=4 " + sweep),
            "--mpi: PMI_RANK=x and PMI_SIZE=4 are no rank and number of ranks");
  EXPECT_EQ(error(sweep + " --shard 1/2"), "--shard and --mpi: with --mpi the rank is the shard");
  // mpirun within a job of Slurm: the ranks are those of mpirun.
  EXPECT_EQ(run("SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 OMPI_COMM_WORLD_RANK=1 "
                "OMPI_COMM_WORLD_SIZE=2 " +
                sweep)
                .status,
            0);
  EXPECT_EQ(run("ls").out, "r.csv.2-of-2.journal\n");
  EXPECT_EQ(run("SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2 " + sweep).status, 0);
  EXPECT_EQ(run("ls").out, "r.csv\n");
}

}  // namespace
}  // namespace weft::testing
