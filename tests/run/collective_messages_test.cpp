// SPDX-License-Identifier: Apache-2.0
// What the algorithms of the collectives send: every rank's messages and bytes are those of the
// algorithm's closed form, and with data of which only the size counts everything happens at the
// same moments.
#include <gtest/gtest.h>

#include <bit>

#include "support/collective_worlds.hpp"
#include "support/test_memory.hpp"

namespace weft::run::collective_messages {
namespace {

using namespace comm;
using namespace test;

/// A member's block; a vector has one for each member. Powers of two up to 1024 divide both.
constexpr std::size_t block = 1024;
constexpr Rank root_of(int size) { return size / 3; }

// --- one run of each collective
// -------------------------------------------------------------------

TaskOf<Status> run_once(Endpoint& ep, Broadcast& broadcast, bool backed) {
  const TestMemory data(block * static_cast<std::size_t>(ep.size()), backed);
  co_return co_await broadcast.run(root_of(ep.size()), data.bytes);
}
TaskOf<Status> run_once(Endpoint& ep, Reduce& reduce, bool backed) {
  const TestMemory data(block * static_cast<std::size_t>(ep.size()), backed);
  const Reduction sum = backed ? sum_of<std::uint64_t>() : unspecified(8);
  co_return co_await reduce.run(root_of(ep.size()), data.bytes, sum);
}
/// Allreduce and Scan.
template <class AnyCollective>
TaskOf<Status> run_once(Endpoint& ep, AnyCollective& any, bool backed) {
  const TestMemory data(block * static_cast<std::size_t>(ep.size()), backed);
  const Reduction sum = backed ? sum_of<std::uint64_t>() : unspecified(8);
  const Status status = co_await any.run(data.bytes, sum);
  co_return status;
}
TaskOf<Status> run_once(Endpoint& ep, ReduceScatter& reduce_scatter, bool backed) {
  const Blocks blocks = Blocks::equal(ep.size(), block);
  const TestMemory data(blocks.total(), backed);
  const Reduction sum = backed ? sum_of<std::uint64_t>() : unspecified(8);
  co_return co_await reduce_scatter.run(data.bytes, blocks, sum);
}
TaskOf<Status> run_once(Endpoint& ep, Allgather& allgather, bool backed) {
  const Blocks blocks = Blocks::equal(ep.size(), block);
  const TestMemory all(blocks.total(), backed);
  co_return co_await allgather.run(all.bytes, blocks);
}
TaskOf<Status> run_once(Endpoint& ep, Gather& gather, bool backed) {
  const Blocks blocks = Blocks::equal(ep.size(), block);
  const TestMemory own(block, backed), all(blocks.total(), backed);
  co_return co_await gather.run(root_of(ep.size()), own.bytes, all.bytes, blocks);
}
TaskOf<Status> run_once(Endpoint& ep, Scatter& scatter, bool backed) {
  const Blocks blocks = Blocks::equal(ep.size(), block);
  const TestMemory all(blocks.total(), backed), own(block, backed);
  co_return co_await scatter.run(root_of(ep.size()), all.bytes, own.bytes, blocks);
}
TaskOf<Status> run_once(Endpoint& ep, Alltoall& alltoall, bool backed) {
  const Blocks blocks = Blocks::equal(ep.size(), block);
  const TestMemory out(blocks.total(), backed), in(blocks.total(), backed);
  co_return co_await alltoall.run(out.bytes, blocks, in.bytes, blocks);
}

template <class AnyCollective>
Task make_and_run(Endpoint& ep, const CollectiveSpec& spec, bool backed) {
  Team team(ep);
  const auto collective = co_await make_collective<AnyCollective>(team, spec);
  const Status status = co_await run_once(ep, *collective, backed);
  EXPECT_EQ(status, Status::ok);
}

/// All operations of a run.
template <class AnyCollective>
std::vector<OperationRecord> records_of(const std::string& algorithm, int size, bool backed,
                                        const std::string& library) {
  Crossbar world(size);
  world.options.record = true;
  world.options.library = library_from(library);
  const CollectiveSpec spec{algorithm};
  World run(world.machine->fabric, world.machine->tables, world.machine->switches,
            world.machine->nic, world.options);
  const WorldResult outcome =
      run.run([&](Endpoint& ep) { return make_and_run<AnyCollective>(ep, spec, backed); });
  EXPECT_EQ(outcome.ended, WorldEnd::finished) << outcome.explanation;
  return run.records();
}

// --- closed forms
// ---------------------------------------------------------------------------------

/// What a rank sends.
struct SentAmount {
  int messages = 0;
  std::size_t bytes = 0;
  friend bool operator==(const SentAmount&, const SentAmount&) = default;
  friend SentAmount operator+(SentAmount a, SentAmount b) {
    return {a.messages + b.messages, a.bytes + b.bytes};
  }
  friend std::ostream& operator<<(std::ostream& out, const SentAmount& sent) {
    return out << sent.messages << " messages, " << sent.bytes << " bytes";
  }
};

int log2_up(int x) { return static_cast<int>(std::bit_width(static_cast<unsigned>(x) - 1)); }
int log2_down(int x) { return static_cast<int>(std::bit_width(static_cast<unsigned>(x))) - 1; }

/// A rank among N, its place counted from the root, and the same in a team folded to 2^k.
struct RankForms {
  RankForms(Rank rank, int size, Rank root) : n(size), me(rank), place((rank + n - root) % n) {}

  int subtree() const { return place == 0 ? n : std::min(place & -place, n - place); }
  int extra() const { return n - (1 << log2_down(n)); }
  bool leaves() const { return place < 2 * extra() && place % 2 == 1; }
  bool has_partner() const { return place < 2 * extra(); }
  int folded() const { return has_partner() ? place / 2 : place - extra(); }
  int steps() const { return log2_down(n); }
  int power() const { return 1 << steps(); }
  std::size_t vector() const { return static_cast<std::size_t>(n) * block; }
  /// Messages with so many blocks in all, messages of a block, of the whole vector.
  SentAmount send(int messages, int blocks) const {
    return {messages, static_cast<std::size_t>(blocks) * block};
  }
  SentAmount blocks(int count) const { return send(count, count); }
  SentAmount vectors(int count) const { return send(count, count * n); }
  SentAmount unless(bool not_so, SentAmount sent) const { return not_so ? SentAmount{} : sent; }
  /// A member of a folded team sends this, and the result to its partner; one that leaves its data.
  SentAmount with_fold(SentAmount sent, SentAmount result) const {
    return leaves() ? vectors(1) : sent + unless(!has_partner(), result);
  }

  SentAmount tree_down() const { return vectors(log2_up(subtree())); }
  SentAmount scatter() const { return send(log2_up(subtree()), subtree() - 1); }
  SentAmount ring() const { return blocks(n - 1); }
  SentAmount doubling() const {
    if (leaves()) return blocks(1);
    SentAmount out = unless(!has_partner(), vectors(1));
    for (int have = 1; have < power(); have *= 2) {
      const int first = folded() / have * have;  // of the group whose blocks this rank has
      out = out + send(1, have + std::clamp(extra() - first, 0, have));
    }
    return out;
  }
  /// Half of the vector, a quarter, …
  SentAmount halving() const {
    return {steps(), vector() - vector() / static_cast<std::size_t>(power())};
  }
  /// In Rabenseifner's reduce: what this rank has when it is its turn.
  SentAmount gathering() const {
    if (leaves() || folded() == 0) return {};
    return {1, vector() / 2 / std::bit_floor(static_cast<unsigned>(folded()))};
  }

  int n;
  Rank me;
  int place;
};

using ClosedForm = std::function<SentAmount(const RankForms&)>;

/// By collective and algorithm. Those without a root count from rank 0.
const std::map<std::string, ClosedForm>& closed_forms() {
  using F = const RankForms&;
  static const std::map<std::string, ClosedForm> forms{
      {"broadcast binomial", [](F r) { return r.tree_down(); }},
      {"broadcast linear", [](F r) { return r.unless(r.place != 0, r.vectors(r.n - 1)); }},
      {"broadcast chain", [](F r) { return r.unless(r.place == r.n - 1, r.vectors(1)); }},
      {"broadcast chain:segment=1KiB",
       [](F r) { return r.unless(r.place == r.n - 1, r.blocks(r.n)); }},
      {"broadcast scatter_allgather", [](F r) { return r.scatter() + r.ring(); }},
      {"broadcast scatter_allgather:allgather=recursive_doubling",
       [](F r) { return r.scatter() + r.doubling(); }},
      {"reduce binomial", [](F r) { return r.unless(r.place == 0, r.vectors(1)); }},
      {"reduce linear", [](F r) { return r.unless(r.place == 0, r.vectors(1)); }},
      {"reduce chain", [](F r) { return r.unless(r.place == 0, r.vectors(1)); }},
      {"reduce chain:segment=1KiB", [](F r) { return r.unless(r.place == 0, r.blocks(r.n)); }},
      {"reduce rabenseifner", [](F r) { return r.with_fold(r.halving() + r.gathering(), {}); }},
      {"allreduce rabenseifner",
       [](F r) { return r.with_fold(r.halving() + r.halving(), r.vectors(1)); }},
      {"allreduce recursive_doubling",
       [](F r) { return r.with_fold(r.vectors(r.steps()), r.vectors(1)); }},
      {"allreduce ring", [](F r) { return r.ring() + r.ring(); }},
      {"allreduce tree", [](F r) { return r.unless(r.place == 0, r.vectors(1)) + r.tree_down(); }},
      {"allreduce linear", [](F r) { return r.vectors(r.place == 0 ? r.n - 1 : 1); }},
      {"scan recursive_doubling",
       [](F r) {
         int partners = 0;
         for (int bit = 1; bit < r.n; bit *= 2) partners += (r.me ^ bit) < r.n ? 1 : 0;
         return r.vectors(partners);
       }},
      {"scan linear", [](F r) { return r.unless(r.me == r.n - 1, r.vectors(1)); }},
      {"reduce_scatter halving",
       [](F r) {
         return r.with_fold(r.send(r.steps(), r.n - (r.has_partner() ? 2 : 1)), r.blocks(1));
       }},
      {"reduce_scatter pairwise", [](F r) { return r.ring(); }},
      {"reduce_scatter ring", [](F r) { return r.ring(); }},
      {"reduce_scatter tree",
       [](F r) { return r.unless(r.place == 0, r.vectors(1)) + r.scatter(); }},
      {"allgather ring", [](F r) { return r.ring(); }},
      {"allgather recursive_doubling", [](F r) { return r.doubling(); }},
      {"allgather bruck", [](F r) { return r.send(log2_up(r.n), r.n - 1); }},
      {"allgather neighbour",
       [](F r) { return r.n % 2 == 0 ? r.send(r.n / 2, r.n - 1) : r.ring(); }},
      {"allgather linear", [](F r) { return r.ring(); }},
      {"gather binomial", [](F r) { return r.unless(r.place == 0, r.send(1, r.subtree())); }},
      {"gather linear", [](F r) { return r.unless(r.place == 0, r.blocks(1)); }},
      {"scatter binomial", [](F r) { return r.scatter(); }},
      {"scatter linear", [](F r) { return r.unless(r.place != 0, r.blocks(r.n - 1)); }},
      {"alltoall pairwise", [](F r) { return r.ring(); }},
      {"alltoall linear", [](F r) { return r.ring(); }},
      {"alltoall bruck",
       [](F r) {
         int travelling = 0;  // a block as often as its distance has bits
         for (unsigned distance = 1; distance < static_cast<unsigned>(r.n); ++distance)
           travelling += std::popcount(distance);
         return r.send(log2_up(r.n), travelling);
       }},
  };
  return forms;
}

constexpr bool has_root(std::string_view kind) {
  return kind == "broadcast" || kind == "reduce" || kind == "gather" || kind == "scatter";
}

template <class AnyCollective>
void expect_closed_form(const std::string& algorithm, int size) {
  std::vector<SentAmount> sent(static_cast<std::size_t>(size));
  for (const OperationRecord& record : records_of<AnyCollective>(algorithm, size, false, "none"))
    if (record.kind == OpKind::send) {
      SentAmount& by_rank = sent[static_cast<std::size_t>(record.rank)];
      by_rank = by_rank + SentAmount{1, record.bytes};
    }
  const std::string name = fmt::format("{} {}", AnyCollective::kind, algorithm);
  const auto form = closed_forms().find(name);
  ASSERT_NE(form, closed_forms().end()) << name;
  const Rank root = has_root(AnyCollective::kind) ? root_of(size) : 0;
  for (Rank rank = 0; rank < size; ++rank)
    EXPECT_EQ(sent[static_cast<std::size_t>(rank)], form->second(RankForms(rank, size, root)))
        << name << ", rank " << rank << " of " << size;
}

/// Rows of which this file knows no run: they need a schedule, or a group of the switches.
bool is_special(std::string_view name) { return name == "schedule" || name == "hardware"; }

/// Calls visit.operator()<Reduce>("chain:segment=1KiB") and so on; barriers send no data.
template <class Visit>
void for_each_algorithm(Visit visit) {
  for_each_collective([&]<class AnyCollective>() {
    if constexpr (!std::is_same_v<AnyCollective, Barrier>)
      for (const auto& row : algorithms<AnyCollective>()) {
        if (is_special(row.name)) continue;
        for (const std::string& spec : variants(row))
          visit.template operator()<AnyCollective>(spec);
      }
  });
}

TEST(CollectiveMessages, AreThoseOfTheClosedForm) {
  for_each_algorithm([]<class AnyCollective>(const std::string& spec) {
    for (const int size : {1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 23})
      if (size <= 8 || !test::is_slow_build()) expect_closed_form<AnyCollective>(spec, size);
  });
}

// --- without contents
// -----------------------------------------------------------------------------

std::vector<std::string> lines_of(const std::vector<OperationRecord>& records) {
  std::vector<std::string> out;
  for (const OperationRecord& record : records)
    out.push_back(fmt::format("rank {}: {} {}, {} bytes, {} to {}", record.rank,
                              to_text(record.kind), record.peer, record.bytes,
                              to_text(record.posted), to_text(record.completed)));
  return out;
}

TEST(CollectiveMessages, WithoutContentsTheSameHappensAtTheSameMoments) {
  for_each_algorithm([]<class AnyCollective>(const std::string& spec) {
    for (const int size : {1, 6, 8}) {
      const auto lines = [&](bool backed) {
        return lines_of(records_of<AnyCollective>(spec, size, backed, "ucx"));
      };
      EXPECT_EQ(lines(true), lines(false)) << AnyCollective::kind << ' ' << spec << ' ' << size;
    }
  });
}

std::size_t combinations(const std::vector<OperationRecord>& records) {
  return static_cast<std::size_t>(
      std::count_if(records.begin(), records.end(),
                    [](const OperationRecord& record) { return record.kind == OpKind::spend; }));
}

TEST(CollectiveMessages, CombiningTakesTimeWhereItIsModelled) {
  EXPECT_EQ(combinations(records_of<Allreduce>("ring", 4, false, "none")), 0U);
  EXPECT_EQ(combinations(records_of<Allreduce>("ring", 4, false, "ucx")), 4U * 3);
  const auto last = [](const char* library) {
    return records_of<Reduce>("linear", 4, false, library).back().completed;
  };
  // Three vectors of 4 KiB at 10 GB/s, and at 1 GB/s.
  EXPECT_GE(last("ucx:combine=1GB/s") - last("ucx"), std::chrono::nanoseconds(3 * 3686));
}

}  // namespace
}  // namespace weft::run::collective_messages
