// SPDX-License-Identifier: Apache-2.0
// Every algorithm of the collectives with data: 1 to 33 ranks that enter at different times, runs
// in a row with different roots, sizes and reductions, blocks of different sizes and of none.
// Results are those of a plain computation, one rank after the other.
#include <gtest/gtest.h>

#include <cstring>

#include "base/rng.hpp"
#include "support/collective_worlds.hpp"

namespace weft::run::collective_data {
namespace {

using namespace comm;
using namespace test;
using Data = std::vector<std::byte>;

// --- what goes in
// ---------------------------------------------------------------------------------

/// x -> a x + b modulo 2^32, one after the other: associative, but the order matters.
struct Affine {
  std::uint32_t a, b;
};
struct Compose {
  Affine operator()(Affine first, Affine then) const {
    return {first.a * then.a, first.b * then.a + then.b};
  }
};
struct Least {
  double operator()(double a, double b) const { return std::min(a, b); }
};

Reduction any_reduction(Rng& rng, bool in_order) {
  switch (rng.below(in_order ? 4 : 3)) {
    case 0:
      return sum_of<std::int32_t>();
    case 1:
      return elementwise<double, Least>();
    case 2:
      return elementwise<std::uint64_t, std::bit_xor<std::uint64_t>>();
    default:
      return elementwise<Affine, Compose>(false);
  }
}

std::size_t any_size(Rng& rng) {
  constexpr std::array<std::size_t, 6> most{1, 4, 16, 40, 150, 400};
  return rng.below(most[rng.below(most.size())]);
}

Blocks any_blocks(Rng& rng, int members, std::size_t unit, bool equal) {
  if (equal) return Blocks::equal(members, any_size(rng) / unit * unit);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < members; ++i) sizes.push_back(any_size(rng) / unit * unit);
  return Blocks(std::move(sizes));
}

/// Random bytes: as doubles they are not numbers at times, so those come from the unit interval.
Data any_data(Rng& rng, std::size_t size) {
  Data out(size);
  for (std::size_t at = 0; at < size; at += sizeof(double)) {
    const double number = rng.unit();
    std::memcpy(out.data() + at, &number, std::min(sizeof(double), size - at));
  }
  return out;
}

/// One run: what everyone has, and the blocks of it.
struct CollectiveTurn {
  CollectiveTurn(Rng& rng, int members, bool in_order, bool equal)
      : root(static_cast<Rank>(rng.below(static_cast<std::uint64_t>(members)))),
        reduction(any_reduction(rng, in_order)),
        blocks(any_blocks(rng, members, reduction.element, equal)) {
    for (Rank rank = 0; rank < members; ++rank) {
      data.push_back(any_data(rng, blocks.total()));
      combined.push_back(data.back());
      if (rank > 0) reduction.combine(combined[combined.size() - 2], combined.back());
      const auto mine = blocks.block(std::span(data.back()), rank);
      gathered.insert(gathered.end(), mine.begin(), mine.end());
      out_blocks.push_back(equal ? blocks : any_blocks(rng, members, 1, false));
      out.push_back(any_data(rng, out_blocks.back().total()));
    }
  }

  Rank root;
  Reduction reduction;
  Blocks blocks;
  std::vector<Data> data;          ///< by member
  std::vector<Data> combined;      ///< of all members up to this one
  Data gathered{};                 ///< every member's block of its own data
  std::vector<Blocks> out_blocks;  ///< alltoall: what each member sends to each
  std::vector<Data> out;
};

// --- one run of each collective, and what must come out
// -------------------------------------------

const Data& of(const std::vector<Data>& all, Rank rank) {
  return all[static_cast<std::size_t>(rank)];
}
Data block_of(const Data& data, const Blocks& blocks, Rank member) {
  const auto block = blocks.block(std::span(data), member);
  return Data(block.begin(), block.end());
}

TaskOf<bool> is_right(Endpoint& ep, Reduce& reduce, const CollectiveTurn& turn) {
  Data data = of(turn.data, ep.rank());
  const Status status = co_await reduce.run(turn.root, data, turn.reduction);
  const Data& right = ep.rank() == turn.root ? turn.combined.back() : of(turn.data, ep.rank());
  co_return status == Status::ok&& data == right;
}

TaskOf<bool> is_right(Endpoint& ep, Allreduce& allreduce, const CollectiveTurn& turn) {
  Data data = of(turn.data, ep.rank());
  const Status status = co_await allreduce.run(data, turn.reduction);
  co_return status == Status::ok&& data == turn.combined.back();
}

TaskOf<bool> is_right(Endpoint& ep, Scan& scan, const CollectiveTurn& turn) {
  Data data = of(turn.data, ep.rank());
  const Status status = co_await scan.run(data, turn.reduction);
  co_return status == Status::ok&& data == of(turn.combined, ep.rank());
}

TaskOf<bool> is_right(Endpoint& ep, ReduceScatter& reduce_scatter, const CollectiveTurn& turn) {
  Data data = of(turn.data, ep.rank());
  const Status status = co_await reduce_scatter.run(data, turn.blocks, turn.reduction);
  co_return status == Status::ok&& block_of(data, turn.blocks, ep.rank()) ==
      block_of(turn.combined.back(), turn.blocks, ep.rank());
}

TaskOf<bool> is_right(Endpoint& ep, Allgather& allgather, const CollectiveTurn& turn) {
  Data data = of(turn.data, ep.rank());
  const Status status = co_await allgather.run(data, turn.blocks);
  co_return status == Status::ok&& data == turn.gathered;
}

/// What is said of others' blocks and buffers does not count, unless the algorithm needs it.
TaskOf<bool> is_right(Endpoint& ep, Gather& gather, const CollectiveTurn& turn) {
  const bool is_root = ep.rank() == turn.root;
  const Data own = block_of(of(turn.data, ep.rank()), turn.blocks, ep.rank());
  Data all(is_root ? turn.blocks.total() : 0);
  const Status status = co_await gather.run(turn.root, own, all, turn.blocks);
  co_return status == Status::ok && (!is_root || all == turn.gathered);
}

TaskOf<bool> is_right(Endpoint& ep, Scatter& scatter, const CollectiveTurn& turn) {
  const Data all = ep.rank() == turn.root ? of(turn.data, turn.root) : Data();
  Data own(turn.blocks.size(ep.rank()));
  const Status status = co_await scatter.run(turn.root, all, own, turn.blocks);
  co_return status == Status::ok&& own ==
      block_of(of(turn.data, turn.root), turn.blocks, ep.rank());
}

TaskOf<bool> is_right(Endpoint& ep, Alltoall& alltoall, const CollectiveTurn& turn) {
  std::vector<std::size_t> sizes;
  Data right;
  for (Rank from = 0; from < ep.size(); ++from) {
    const Blocks& theirs = turn.out_blocks[static_cast<std::size_t>(from)];
    const Data block = block_of(of(turn.out, from), theirs, ep.rank());
    sizes.push_back(block.size());
    right.insert(right.end(), block.begin(), block.end());
  }
  Data in(right.size());
  const Blocks in_blocks(std::move(sizes));
  const Status status = co_await alltoall.run(
      of(turn.out, ep.rank()), turn.out_blocks[static_cast<std::size_t>(ep.rank())], in, in_blocks);
  co_return status == Status::ok&& in == right;
}

// --- every algorithm, every size
// ------------------------------------------------------------------

bool keeps_order(const std::string& spec) {
  return spec != "ring" && spec != "halving" && spec != "pairwise";
}

template <class AnyCollective>
Task run_turns(Endpoint& ep, const CollectiveSpec& spec, const std::vector<CollectiveTurn>& turns,
               std::size_t& right) {
  Team team(ep);
  const auto collective = co_await make_collective<AnyCollective>(team, spec);
  Rng own(turns.size() * 1000 + static_cast<std::uint64_t>(ep.rank()));
  for (const CollectiveTurn& turn : turns) {
    if (own.below(3) == 0) co_await ep.sleep(Duration(own.below(20'000'000)));
    const bool is = co_await is_right(ep, *collective, turn);
    if (is) ++right;
  }
}

template <class AnyCollective>
void expect_right_results(const std::string& algorithm, int size, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<CollectiveTurn> turns;
  const bool equal = algorithm == "bruck";
  for (int i = 0; i < 4; ++i)
    turns.emplace_back(rng, size, keeps_order(algorithm), equal || rng.below(3) == 0);
  const Crossbar world(size, 1 + static_cast<int>(seed % 3));
  const CollectiveSpec spec{algorithm};
  std::size_t right = 0;
  const WorldResult outcome = world.machine->run(
      [&](Endpoint& ep) { return run_turns<AnyCollective>(ep, spec, turns, right); },
      world.options);
  ASSERT_EQ(outcome.ended, WorldEnd::finished)
      << AnyCollective::kind << ' ' << algorithm << ", " << size << " ranks\n"
      << outcome.explanation;
  EXPECT_EQ(right, turns.size() * static_cast<std::size_t>(size))
      << AnyCollective::kind << ' ' << algorithm << ", " << size << " ranks, seed " << seed;
}

template <class AnyCollective>
void expect_right_results() {
  std::uint64_t seed = 0;
  for (const auto& row : algorithms<AnyCollective>())
    for (const std::string& spec : variants(row))
      for (const int size : team_sizes()) expect_right_results<AnyCollective>(spec, size, ++seed);
}

TEST(CollectiveData, Reduce) { expect_right_results<Reduce>(); }
TEST(CollectiveData, Allreduce) { expect_right_results<Allreduce>(); }
TEST(CollectiveData, Scan) { expect_right_results<Scan>(); }
TEST(CollectiveData, ReduceScatter) { expect_right_results<ReduceScatter>(); }
TEST(CollectiveData, Allgather) { expect_right_results<Allgather>(); }
TEST(CollectiveData, Gather) { expect_right_results<Gather>(); }
TEST(CollectiveData, Scatter) { expect_right_results<Scatter>(); }
TEST(CollectiveData, Alltoall) { expect_right_results<Alltoall>(); }

// --- blocks
// ---------------------------------------------------------------------------------------

TEST(Blocks, FollowEachOtherInTheOrderOfRanks) {
  const Blocks blocks({3, 0, 5});
  EXPECT_EQ(blocks.members(), 3);
  EXPECT_EQ(blocks.offset(2), 3U);
  EXPECT_EQ(blocks.size(1), 0U);
  EXPECT_EQ(blocks.total(), 8U);
  EXPECT_EQ(blocks.largest(), 5U);
  EXPECT_FALSE(blocks.are_equal());
  EXPECT_TRUE(Blocks({4, 4}).are_equal());
  EXPECT_TRUE(Blocks::equal(5, 7).are_equal());
  EXPECT_EQ(Blocks::equal(5, 7).offset(3), 21U);
  EXPECT_EQ(Blocks::equal(5, 0).total(), 0U);
  EXPECT_EQ(Blocks().members(), 0);
}

TEST(Blocks, OfSharesDifferByOneUnitAtMost) {
  const Blocks shares = Blocks::shares(3, 44, 4);
  EXPECT_EQ(shares.size(0), 16U);
  EXPECT_EQ(shares.size(1), 16U);
  EXPECT_EQ(shares.size(2), 12U);
  EXPECT_EQ(shares.offset(2), 32U);
  EXPECT_EQ(shares.largest(), 16U);
  EXPECT_FALSE(shares.are_equal());
}

// --- what cannot be served
// ------------------------------------------------------------------------

/// What everyone of three is told.
template <class AnyCollective, class Run>
std::string complaint_of(const char* algorithm, Run run) {
  try {
    const Crossbar world(3);
    const CollectiveSpec spec{algorithm};
    world.machine->run([&](Endpoint& ep) -> Task {
      return [](Endpoint& at, const CollectiveSpec& made, Run with) -> Task {
        Team team(at);
        const auto collective = co_await make_collective<AnyCollective>(team, made);
        co_await with(*collective);
      }(ep, spec, run);
    });
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CollectiveData, ReductionsThatDoNotCommuteNeedAnAlgorithmThatKeepsTheOrder) {
  const Reduction reduction = elementwise<Affine, Compose>(false);
  const Blocks blocks = Blocks::equal(3, 0);
  EXPECT_EQ(complaint_of<Allreduce>("ring", [&](auto& ring) { return ring.run({}, reduction); }),
            "allreduce: ring does not combine in the order of ranks, and the reduction does not "
            "commute: take linear, rabenseifner, recursive_doubling or tree");
  for (const std::string name : {"ring", "pairwise", "halving"})
    EXPECT_EQ(complaint_of<ReduceScatter>(
                  name.c_str(), [&](auto& any) { return any.run({}, blocks, reduction); }),
              "reduce_scatter: " + name +
                  " does not combine in the order of ranks, and the reduction does not commute: "
                  "take tree");
}

TEST(CollectiveData, SizesThatAnAlgorithmNeedsAreNamed) {
  const Blocks unknown, unequal({1, 2, 0});
  Data three(3);
  const auto gather = [&](Gather& any) { return any.run(0, {}, {}, unknown); };
  EXPECT_EQ(complaint_of<Gather>("binomial", gather),
            "gather: binomial needs the sizes of all blocks at all members; linear does not");
  const auto scatter = [&](Scatter& any) { return any.run(0, {}, {}, unknown); };
  EXPECT_EQ(complaint_of<Scatter>("binomial", scatter),
            "scatter: binomial needs the sizes of all blocks at all members; linear does not");
  const auto alltoall = [&](Alltoall& any) { return any.run(three, unequal, three, unequal); };
  EXPECT_EQ(complaint_of<Alltoall>("bruck", alltoall),
            "alltoall: bruck needs blocks of one size; linear and pairwise do not");
}

TEST(CollectiveData, MembersOfALinearGatherKnowTheirOwnSizeOnly) {
  const Crossbar world(3);
  world.machine->finish([](Endpoint& ep) -> Task {
    Team team(ep);
    const CollectiveSpec linear{"linear"};
    const auto gather = co_await make_gather(team, linear);
    const auto scatter = co_await make_scatter(team, linear);
    const bool is_root = ep.rank() == 1;
    const Blocks blocks = is_root ? Blocks({2, 0, 5}) : Blocks();
    const std::array<std::size_t, 3> sizes{2, 0, 5};
    Data own(sizes[static_cast<std::size_t>(ep.rank())], static_cast<std::byte>(ep.rank()));
    Data all(is_root ? 7 : 0);
    EXPECT_EQ(co_await gather->run(1, own, all, blocks), Status::ok);
    if (is_root) {
      EXPECT_EQ(all.front(), std::byte{0});
      EXPECT_EQ(all.back(), std::byte{2});
    }
    std::fill(own.begin(), own.end(), std::byte{9});
    EXPECT_EQ(co_await scatter->run(1, all, own, blocks), Status::ok);
    for (const std::byte byte : own) EXPECT_EQ(byte, static_cast<std::byte>(ep.rank()));
  });
}

}  // namespace
}  // namespace weft::run::collective_data
