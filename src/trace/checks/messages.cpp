// SPDX-License-Identifier: Apache-2.0
// Compares what ranks send with what they receive. Without wildcards the k-th message of a channel
// meets its k-th receive; with them only what holds for every order is demanded.
#include "trace/checks/messages.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/words.hpp"
#include "trace/checks/communicators.hpp"
#include "trace/checks/mixing.hpp"
#include "trace/matched_calls.hpp"

namespace weft::trace {
namespace {

struct ChannelCounts {
  std::uint64_t sent = 0, received = 0;
  std::uint64_t sizes = 0, capacities = 0;  ///< in a number that tells sequences apart
  std::uint64_t largest = 0, least_capacity = std::numeric_limits<std::uint64_t>::max();

  bool all_fit() const { return sizes == capacities || largest <= least_capacity; }
};
using CountedChannel = std::pair<MessageChannel, ChannelCounts>;

bool is_wild(const MessageChannel& channel) {
  return channel.source == any_rank || channel.tag == any_message_tag;
}

/// "from rank 3 with tag 7 in communicator 2"
std::string channel_text(const Trace& trace, const MessageChannel& channel) {
  std::string out =
      channel.source == any_rank ? "from any rank" : fmt::format("from rank {}", channel.source);
  out +=
      channel.tag == any_message_tag ? " with any tag" : fmt::format(" with tag {}", channel.tag);
  if (channel.communicator != world) out += " in " + communicator_text(trace, channel.communicator);
  return out;
}

/// Walks through the calls of a rank that have an end of one channel.
class EndsOfChannel {
 public:
  EndsOfChannel(const Trace& trace, const MessageChannel& channel, bool sends)
      : rank(sends ? channel.source : channel.destination),
        calls_(trace, rank),
        channel_(channel),
        sends_(sends) {}

  bool next() {
    while (calls_.next(call)) {
      ends = message_ends(rank, call);
      if (sends_ ? ends.sends && ends.to == channel_ : ends.receives && ends.from == channel_)
        return true;
    }
    return false;
  }
  /// Goes to end number `number`, from 1.
  void skip_to(std::uint64_t number) {
    while (number-- > 0) invariant(next(), "a message was counted and is not there");
  }
  /// How many there are.
  static std::uint64_t count(const Trace& trace, const MessageChannel& channel, bool sends) {
    std::uint64_t out = 0;
    for (EndsOfChannel ends(trace, channel, sends); ends.next();) ++out;
    return out;
  }

  Rank rank;
  Call call{};
  MessageEnds ends{};

 private:
  MatchedCalls calls_;
  const MessageChannel& channel_;
  bool sends_;
};

/// The channels to one rank in one communicator.
class ArrivalsCheck {
 public:
  ArrivalsCheck(const Trace& trace, std::span<const CountedChannel> channels)
      : trace_(trace), channels_(channels) {}

  void run() const {
    bool wild_sends = false, wild_receives = false;
    for (const auto& [channel, counts] : channels_) {
      wild_sends = wild_sends || (is_wild(channel) && counts.sent > 0);
      wild_receives = wild_receives || (is_wild(channel) && counts.received > 0);
    }
    if (wild_sends) return require_equal_sums();
    if (wild_receives) return require_enough();
    for (const CountedChannel& one : channels_) require_pairs(one);
  }

 private:
  [[noreturn]] void fail_unmatched(const MessageChannel& channel) const {
    const std::uint64_t all_sent = EndsOfChannel::count(trace_, channel, true);
    const std::uint64_t all_received = EndsOfChannel::count(trace_, channel, false);
    const bool sent = all_sent > all_received;
    EndsOfChannel ends(trace_, channel, sent);
    ends.skip_to(std::min(all_sent, all_received) + 1);
    throw Error("{}: {}; rank {} sends {} with tag {}{}, rank {} receives {}",
                trace_.place_of(ends.rank, ends.call),
                sent ? "nobody receives this message" : "no message comes for this receive",
                channel.source, counted(all_sent, "message", "messages"), channel.tag,
                channel.communicator == world
                    ? ""
                    : " in " + communicator_text(trace_, channel.communicator),
                channel.destination, all_received);
  }

  void require_pairs(const CountedChannel& one) const {
    const auto& [channel, counts] = one;
    if (counts.sent != counts.received) fail_unmatched(channel);
    // Calls of a graph have no order in which messages would meet receives.
    if (trace_.is_graph() || counts.all_fit()) return;
    EndsOfChannel sends(trace_, channel, true), receives(trace_, channel, false);
    while (sends.next() && receives.next())
      if (sends.ends.bytes > receives.ends.capacity)
        throw Error("{}: room for {}, but the message for it has {}: {}",
                    trace_.place_of(receives.rank, receives.call),
                    counted(receives.ends.capacity, "byte", "bytes"), sends.ends.bytes,
                    trace_.place_of(sends.rank, sends.call));
  }

  /// Throws Error at the last receive of a wildcard channel.
  [[noreturn]] void fail_at_last(const CountedChannel& one, const std::string& what) const {
    EndsOfChannel receives(trace_, one.first, false);
    receives.skip_to(one.second.received);
    throw Error("{}: {}", trace_.place_of(receives.rank, receives.call), what);
  }

  void require_equal_sums() const {
    std::uint64_t sent = 0, received = 0;
    for (const CountedChannel& one : channels_) {
      sent += one.second.sent;
      received += one.second.received;
    }
    if (sent != received) fail_sums();
  }
  /// Throws Error at the last send to the rank, or at its last receive.
  [[noreturn]] void fail_sums() const {
    const MessageChannel& first = channels_.front().first;
    const auto is_here = [&](const MessageChannel& channel) {
      return channel.destination == first.destination && channel.communicator == first.communicator;
    };
    std::uint64_t sent = 0, received = 0;
    std::string last_send, last_receive;
    Call call;
    for (Rank rank = 0; rank < trace_.ranks(); ++rank)
      for (MatchedCalls calls(trace_, rank); calls.next(call);) {
        const MessageEnds ends = message_ends(rank, call);
        if (ends.sends && is_here(ends.to)) ++sent, last_send = trace_.place_of(rank, call);
        if (ends.receives && is_here(ends.from))
          ++received, last_receive = trace_.place_of(rank, call);
      }
    throw Error("{}: {} sent to rank {}, which receives {}",
                sent > received ? last_send : last_receive, messages_are(sent), first.destination,
                received);
  }

  /// Sums of messages that receives of their own source and tag leave over.
  struct Leftovers {
    std::uint64_t all = 0;
    std::map<Rank, std::uint64_t> by_source{};
    std::map<std::int64_t, std::uint64_t> by_tag{};
  };

  Leftovers leftovers() const {
    Leftovers out;
    for (const CountedChannel& one : channels_) {
      const auto& [channel, counts] = one;
      if (is_wild(channel)) continue;
      if (counts.received > counts.sent) fail_unmatched(channel);
      const std::uint64_t left = counts.sent - counts.received;
      out.all += left;
      out.by_source[channel.source] += left;
      out.by_tag[channel.tag] += left;
    }
    return out;
  }

  /// How many messages a wildcard channel can get.
  static std::uint64_t supply(const Leftovers& left, const MessageChannel& channel) {
    if (channel.source == any_rank && channel.tag == any_message_tag) return left.all;
    if (channel.source == any_rank) {
      const auto found = left.by_tag.find(channel.tag);
      return found == left.by_tag.end() ? 0 : found->second;
    }
    const auto found = left.by_source.find(channel.source);
    return found == left.by_source.end() ? 0 : found->second;
  }

  void require_enough() const {
    const Leftovers left = leftovers();
    std::uint64_t wild = 0;
    const CountedChannel* last = nullptr;
    for (const CountedChannel& one : channels_) {
      const auto& [channel, counts] = one;
      if (!is_wild(channel)) continue;
      wild += counts.received;
      last = &one;
      if (const std::uint64_t most = supply(left, channel); counts.received > most)
        fail_at_last(one, fmt::format("no message comes for this receive; rank {} receives {} {}, "
                                      "and {} for them",
                                      channel.destination, counts.received,
                                      channel_text(trace_, channel), messages_are(most)));
    }
    if (wild != left.all)
      fail_at_last(*last,
                   fmt::format("{} sent to rank {} besides those with receives of their own, "
                               "and it has {} with wildcards",
                               messages_are(left.all), last->first.destination,
                               counted(wild, "receive", "receives")));
  }

  static std::string messages_are(std::uint64_t count) {
    return fmt::format("{} {}", counted(count, "message", "messages"), count == 1 ? "is" : "are");
  }

  const Trace& trace_;
  std::span<const CountedChannel> channels_;
};

/// Counts by channel. All ranks are walked at once, and channels whose messages have met their
/// receives are forgotten: memory does not grow with the tags that a program uses.
class MessageCounts {
 public:
  explicit MessageCounts(const Trace& trace) : trace_(trace) {
    std::vector<std::pair<Rank, MatchedCalls>> walks;
    for (Rank rank = 0; rank < trace.ranks(); ++rank)
      walks.emplace_back(rank, MatchedCalls(trace, rank));
    Call call;
    while (!walks.empty())
      std::erase_if(walks, [&](auto& walk) {
        const bool more = walk.second.next(call);
        if (more) add(message_ends(walk.first, call));
        return !more;
      });
  }

  /// Those that are left, in order.
  std::vector<CountedChannel> channels() const {
    std::vector<CountedChannel> out(counts_.begin(), counts_.end());
    std::sort(out.begin(), out.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return out;
  }

 private:
  using Counts = std::unordered_map<MessageChannel, ChannelCounts, MessageChannelHash>;

  void add(const MessageEnds& ends) {
    if (ends.sends) {
      const auto found = counts_.try_emplace(ends.to).first;
      ChannelCounts& counts = found->second;
      ++counts.sent;
      counts.sizes = mixed(counts.sizes, ends.bytes);
      counts.largest = std::max(counts.largest, ends.bytes);
      forget_balanced(found);
    }
    if (ends.receives) {
      const auto found = counts_.try_emplace(ends.from).first;
      ChannelCounts& counts = found->second;
      ++counts.received;
      counts.capacities = mixed(counts.capacities, ends.capacity);
      counts.least_capacity = std::min(counts.least_capacity, ends.capacity);
      forget_balanced(found);
    }
  }
  void forget_balanced(Counts::iterator channel) {
    const ChannelCounts& counts = channel->second;
    const bool fits = trace_.is_graph() || counts.all_fit();
    if (counts.sent == counts.received && fits && !is_wild(channel->first)) counts_.erase(channel);
  }

  const Trace& trace_;
  Counts counts_;
};

}  // namespace

std::size_t MessageChannelHash::operator()(const MessageChannel& channel) const {
  const auto both = [](std::int32_t high, std::int32_t low) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32 |
           static_cast<std::uint32_t>(low);
  };
  std::uint64_t out =
      mixed(both(channel.source, channel.destination), static_cast<std::uint64_t>(channel.tag));
  out ^= static_cast<std::uint64_t>(channel.communicator) * 0x9e3779b97f4a7c15U;
  return out;
}

MessageEnds message_ends(Rank rank, const Call& call) {
  MessageEnds out;
  const auto send = [&] {
    out.sends = call.peer != no_rank;
    out.to = {call.peer, call.communicator, rank, call.tag};
    out.bytes = call.bytes;
  };
  const auto receive = [&](Rank from, std::int64_t tag, std::uint64_t capacity) {
    out.receives = from != no_rank;
    out.from = {rank, call.communicator, from, tag};
    out.capacity = capacity;
  };
  switch (call.kind) {
    case CallKind::send:
    case CallKind::ssend:
    case CallKind::isend:
      send();
      break;
    case CallKind::recv:
    case CallKind::irecv:
      receive(call.peer, call.tag, call.bytes);
      break;
    case CallKind::sendrecv:
      send();
      receive(call.from, call.receive_tag, call.capacity);
      break;
    default:
      break;
  }
  return out;
}

void require_messages(const Trace& trace) {
  const std::vector<CountedChannel> channels = MessageCounts(trace).channels();
  for (std::size_t begin = 0, end = 0; begin < channels.size(); begin = end) {
    const MessageChannel& first = channels[begin].first;
    while (end < channels.size() && channels[end].first.destination == first.destination &&
           channels[end].first.communicator == first.communicator)
      ++end;
    ArrivalsCheck(trace, std::span(channels).subspan(begin, end - begin)).run();
  }
}

}  // namespace weft::trace
