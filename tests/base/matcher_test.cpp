// SPDX-License-Identifier: Apache-2.0
// The matcher against an obviously correct one: two lists, searched from the front.
#include "base/matcher.hpp"

#include <gtest/gtest.h>

#include <list>

#include "base/rng.hpp"

namespace weft {
namespace {

class Naive {
 public:
  std::optional<int> arrive(const Envelope& envelope, int message) {
    for (auto at = posted_.begin(); at != posted_.end(); ++at)
      if (matches(at->envelope, envelope)) return taken(posted_, at);
    unexpected_.push_back({envelope, message});
    return std::nullopt;
  }
  std::optional<int> post(const Envelope& wanted, int receive) {
    for (auto at = unexpected_.begin(); at != unexpected_.end(); ++at)
      if (matches(wanted, at->envelope)) return taken(unexpected_, at);
    posted_.push_back({wanted, receive});
    return std::nullopt;
  }
  void withdraw(int receive) {
    posted_.remove_if([&](const Entry& entry) { return entry.value == receive; });
  }
  std::size_t posted() const { return posted_.size(); }
  std::size_t unexpected() const { return unexpected_.size(); }

 private:
  struct Entry {
    Envelope envelope;
    int value;
  };
  static int taken(std::list<Entry>& list, std::list<Entry>::iterator at) {
    const int value = at->value;
    list.erase(at);
    return value;
  }
  std::list<Entry> posted_, unexpected_;
};

Envelope any_envelope(Rng& rng, bool wildcards) {
  Envelope out{rng.below(2), static_cast<std::int32_t>(rng.below(4)),
               static_cast<std::int64_t>(rng.below(3))};
  if (wildcards && rng.below(4) == 0) out.source = any_source;
  if (wildcards && rng.below(4) == 0) out.tag = any_tag;
  return out;
}

TEST(Matcher, DoesWhatTheNaiveOneDoes) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    Matcher<int, int> matcher;
    Naive naive;
    std::vector<std::pair<int, Matcher<int, int>::Ticket>> waiting;
    for (int step = 0; step < 400; ++step) {
      const std::uint64_t what = rng.below(10);
      if (what < 5) {
        const Envelope envelope = any_envelope(rng, false);
        const auto receive = matcher.arrive(envelope, step);
        ASSERT_EQ(receive, naive.arrive(envelope, step)) << seed;
        if (receive) std::erase_if(waiting, [&](const auto& w) { return w.first == *receive; });
      } else if (what < 9 || waiting.empty()) {
        const Envelope wanted = any_envelope(rng, true);
        const int* const first = matcher.probe(wanted);
        const std::optional<int> probed = first == nullptr ? std::nullopt : std::optional(*first);
        const auto found = matcher.post(wanted, step);
        EXPECT_EQ(probed, found.message);
        ASSERT_EQ(found.message, naive.post(wanted, step)) << seed;
        if (!found.message) waiting.emplace_back(step, found.ticket);
      } else {
        const auto gone = waiting.begin() + static_cast<std::ptrdiff_t>(rng.below(waiting.size()));
        matcher.withdraw(gone->second);
        naive.withdraw(gone->first);
        waiting.erase(gone);
      }
      ASSERT_EQ(matcher.posted(), naive.posted());
      ASSERT_EQ(matcher.unexpected(), naive.unexpected());
    }
  }
}

TEST(Matcher, TakesOutAMessageThatItsSenderWithdraws) {
  Matcher<int, int> matcher;
  matcher.arrive({0, 1, 5}, 10);
  matcher.arrive({0, 1, 5}, 11);
  EXPECT_EQ(matcher.take_if([](int message) { return message == 10; }), 10);
  EXPECT_EQ(matcher.take_if([](int message) { return message == 10; }), std::nullopt);
  EXPECT_EQ(matcher.post({0, any_source, 5}, 1).message, 11);
  EXPECT_EQ(matcher.unexpected(), 0U);
}

}  // namespace
}  // namespace weft
