// SPDX-License-Identifier: Apache-2.0
// weft's own format of traces (docs/reference/traces.md): reads it line by line.
#include <array>
#include <unordered_map>

#include "base/error.hpp"
#include "base/line_stream.hpp"
#include "base/suggestion.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "trace/formats/formats.hpp"

namespace weft::trace {
namespace {

/// The kinds by the first word of their lines; "wtime" begins those of three.
const std::unordered_map<std::string_view, CallKind>& kinds_by_word() {
  static const auto kinds = [] {
    std::unordered_map<std::string_view, CallKind> out;
    for (int kind = 0; kind < call_kinds; ++kind) {
      const std::string_view text = to_text(static_cast<CallKind>(kind));
      out.emplace(text.substr(0, text.find(' ')), static_cast<CallKind>(kind));
    }
    return out;
  }();
  return kinds;
}

/// A number with `places` decimals at most, in units of the last one.
std::optional<std::int64_t> fixed_point(std::string_view text, int places) {
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string_view decimals = text.substr(std::min(point + 1, text.size()));
  if (decimals.size() > static_cast<std::size_t>(places)) return std::nullopt;
  std::string digits(text.substr(0, point));
  digits += decimals;
  digits.append(static_cast<std::size_t>(places) - decimals.size(), '0');
  const bool plain = digits.find_first_not_of("0123456789") == std::string::npos && point > 0;
  return plain ? number_from<std::int64_t>(digits) : std::nullopt;
}

/// The words behind the first one of a line.
class CallLine {
 public:
  CallLine(std::string_view rest, Rank rank, Call& call) : rest_(rest), rank_(rank), call_(call) {}

  void read() {
    take_communicator();
    read_arguments();
    if (!at_end()) throw Error("\"{}\" is one word too many", shown(take_word(rest_)));
  }

 private:
  bool at_end() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    return rest_.empty();
  }
  /// Whether another number follows, not the end or a semicolon.
  bool more() { return !at_end() && rest_.front() != ';'; }

  template <class Number>
  void take(Number& into, const char* what) {
    const std::string_view word = take_word(rest_);
    const auto number = number_from<Number>(word);
    if (word.empty()) throw Error("{} is missing", what);
    if (!number) throw Error("\"{}\" is not {}; a whole number is needed", shown(word), what);
    into = *number;
  }
  template <class Number>
  Number take_number(const char* what) {
    Number number{};
    take(number, what);
    return number;
  }
  void take_nanoseconds() {
    const std::string_view word = take_word(rest_);
    const auto time = fixed_point(word, 3);
    if (!time)
      throw Error(
          "\"{}\" is not a time in nanoseconds; a number up to 9223372036854775 with at most 3 "
          "decimals is needed",
          shown(word));
    call_.time = Duration(*time);
  }
  void take_seconds() {
    const std::string_view word = take_word(rest_);
    const std::size_t point = std::min(word.find('.'), word.size());
    const auto whole = fixed_point(word.substr(0, point), 0);
    const auto fraction = fixed_point(fmt::format("0{}", word.substr(point)), 12);
    if (!whole || !fraction)
      throw Error("\"{}\" is not a time in seconds; a number with at most 12 decimals is needed",
                  shown(word));
    call_.seconds = *whole;
    call_.time = Duration(*fraction);
  }
  void take_list(std::vector<std::uint64_t>& into, const char* what) {
    if (!more()) throw Error("{} are missing", what);
    while (more()) into.push_back(take_number<std::uint64_t>(what));
  }
  std::size_t take_choice(const std::array<std::string_view, 3>& words) {
    const std::string_view word = take_word(rest_);
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end())
      throw Error("\"{}\" is not known here; there are: {}", shown(word), fmt::join(words, " "));
    return static_cast<std::size_t>(found - words.begin());
  }
  void take_semicolon() {
    if (take_word(rest_) != ";") throw Error("a semicolon is missing");
  }

  /// A last word @ID.
  void take_communicator() {
    while (!rest_.empty() && is_space(rest_.back())) rest_.remove_suffix(1);
    const std::size_t at = rest_.rfind('@');
    if (at == std::string_view::npos || (at > 0 && !is_space(rest_[at - 1]))) return;
    const std::string_view id = rest_.substr(at + 1);
    const auto number = number_from<std::int32_t>(id);
    if (!number)
      throw Error("\"@{}\" names no communicator; @ and its number are needed", shown(id));
    call_.communicator = *number;
    rest_ = rest_.substr(0, at);
  }

  void take_message() {
    take(call_.peer, "the other rank");
    take(call_.tag, "the tag");
    take(call_.bytes, "the number of bytes");
  }
  void take_received(std::uint64_t request) {
    ReceivedMessage& got = call_.received.emplace_back();
    got.request = request;
    take(got.source, "the rank of the message that came");
    take(got.bytes, "the number of bytes that came");
    if (more()) take(got.tag, "the tag of the message that came");
  }
  void read_waitall() {
    take_list(call_.requests, "requests");
    while (!at_end()) {
      take_semicolon();
      take_received(take_number<std::uint64_t>("the request"));
    }
  }
  void read_sizes_of_root() {
    take(call_.peer, "the root");
    if (call_.peer == rank_) {
      take_list(call_.sizes, "numbers of bytes");
    } else {
      take(call_.bytes, "the number of bytes");
    }
  }
  void read_made() {
    take(call_.made, "the communicator");
    call_.origin = static_cast<CommunicatorOrigin>(take_choice(origin_words));
    take(call_.communicator, "the parent");
    while (more()) call_.members.push_back(take_number<Rank>("a member"));
    if ((call_.made < 0) != call_.members.empty())
      throw Error("a communicator has members, and none, which is -1, has not");
  }
  void read_clock() {
    static constexpr std::array<std::string_view, 3> words{"begin", "end", "other"};
    call_.kind =
        static_cast<CallKind>(static_cast<std::size_t>(CallKind::begin_timed) + take_choice(words));
    take_seconds();
  }

  void read_arguments();
  void read_message();
  void read_collective();

  std::string_view rest_;
  Rank rank_;
  Call& call_;
};

void CallLine::read_arguments() {
  if (is_collective(call_.kind)) return read_collective();
  if (call_.kind >= CallKind::send && call_.kind <= CallKind::sendrecv) return read_message();
  if (call_.kind == CallKind::compute) return take_nanoseconds();
  if (call_.kind >= CallKind::begin_timed) return read_clock();
}

void CallLine::read_message() {
  switch (call_.kind) {
    case CallKind::recv:
      take_message();
      if (more()) take_received(0);
      return;
    case CallKind::isend:
    case CallKind::irecv:
      take(call_.request, "the request");
      return take_message();
    case CallKind::wait:
      take(call_.request, "the request");
      if (more()) take_received(call_.request);
      return;
    case CallKind::waitall:
      return read_waitall();
    case CallKind::sendrecv:
      take_message();
      take(call_.from, "the source");
      take(call_.receive_tag, "the tag of the receive");
      take(call_.capacity, "the capacity of the receive");
      if (more()) take_received(0);
      return;
    default:
      return take_message();
  }
}

void CallLine::read_collective() {
  switch (call_.kind) {
    case CallKind::barrier:
      return;
    case CallKind::gatherv:
    case CallKind::scatterv:
      return read_sizes_of_root();
    case CallKind::allgatherv:
    case CallKind::reduce_scatter:
      return take_list(call_.sizes, "numbers of bytes");
    case CallKind::alltoallv:
      take_list(call_.sizes, "numbers of bytes");
      take_semicolon();
      return take_list(call_.receive_sizes, "numbers of bytes to receive");
    case CallKind::make_communicator:
      return read_made();
    case CallKind::free_communicator:
      return take(call_.communicator, "the communicator");
    default:
      if (has_root(call_.kind)) take(call_.peer, "the root");
      return take(call_.bytes, "the number of bytes");
  }
}

class CallsReader {
 public:
  CallsReader(TraceInput input, std::uint64_t memory)
      : path_(input.path), lines_(std::move(input.bytes), path_), memory_(memory) {}

  Trace read() {
    TraceBuilder builder({.source = path_, .ranks = read_ranks()}, memory_);
    ranks_ = builder.head().ranks;
    while (next_item()) read_item(builder);
    if (rank_ + 1 < ranks_)
      throw Error("{}: cut off: of {} ranks, rank {} and those behind it are missing", path_,
                  ranks_, rank_ + 1);
    return builder.finish();
  }

 private:
  /// Goes to the next line that is not empty and not a comment.
  bool next_item() {
    while (lines_.next()) {
      text_ = trimmed(lines_.text);
      if (!lines_.ended) fail("cut off: the last line has no end");
      if (!text_.empty() && text_.front() != '#') return true;
    }
    return false;
  }

  int read_ranks() {
    int ranks = 0;
    if (next_item() && take_word(text_) == "ranks")
      ranks = number_from<int>(trimmed(text_)).value_or(0);
    if (ranks < 1 || ranks > most_ranks)
      fail("\"ranks\" and their number, from 1 to {}, are needed first", most_ranks);
    return ranks;
  }

  void read_item(TraceBuilder& builder) {
    const std::string_view word = take_word(text_);
    if (word == "rank") return read_rank();
    if (rank_ < 0) fail("\"rank 0\" is needed before the first call");
    const auto found = kinds_by_word().find(word);
    if (found == kinds_by_word().end()) fail_unknown(word);
    Call& call = call_;
    call = {.kind = found->second, .line = lines_.number};
    try {
      CallLine(text_, rank_, call).read();
    } catch (const Error& error) {
      throw Error("{}: line {} (rank {}, {}): {}", path_, lines_.number, rank_, word, error.what());
    }
    builder.append(rank_, call);
  }

  void read_rank() {
    if (number_from<Rank>(trimmed(text_)) != rank_ + 1 || rank_ + 1 >= ranks_)
      fail("\"rank {}\": {}", shown(trimmed(text_)),
           rank_ + 1 < ranks_
               ? fmt::format("rank {} is next", rank_ + 1)
               : fmt::format("this trace is of {}, from 0 on", counted(ranks_, "rank", "ranks")));
    ++rank_;
  }

  [[noreturn]] void fail_unknown(std::string_view word) {
    std::vector<std::string_view> words;
    for (const auto& entry : kinds_by_word()) words.push_back(entry.first);
    std::sort(words.begin(), words.end());
    fail("\"{}\" is no call{}", shown(word), suggestion(word, words));
  }

  template <class... Values>
  [[noreturn]] void fail(fmt::format_string<Values...> form, Values&&... values) {
    throw Error("{}: line {}: {}", path_, std::max<std::uint64_t>(lines_.number, 1),
                fmt::format(form, std::forward<Values>(values)...));
  }

  std::string path_;
  LineStream lines_;
  std::uint64_t memory_;
  std::string_view text_;  ///< what is left of the line
  int ranks_ = 0;
  Rank rank_ = -1;
  Call call_;
};

}  // namespace

namespace weft_calls {

Trace read(TraceInput input, const ReadOptions& options) {
  return CallsReader(std::move(input), options.memory).read();
}

bool recognises(std::string_view front) {
  Lines lines(front);
  while (lines.next()) {
    const std::string_view text = trimmed(lines.text);
    if (!text.empty() && text.front() != '#') return text.starts_with("ranks ");
  }
  return front.starts_with('#');
}

}  // namespace weft_calls
}  // namespace weft::trace
