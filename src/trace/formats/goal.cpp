// SPDX-License-Identifier: Apache-2.0
// Reads GOAL as text, which txt2bin of LogGOPSim and ATLAHS compile: operations of each rank in any
// order, and dependencies between them. Operations come in an order in which dependencies lead
// back.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/error.hpp"
#include "base/line_stream.hpp"
#include "base/text.hpp"
#include "trace/formats/formats.hpp"
#include "trace/graph_rank.hpp"

namespace weft::trace {
namespace {

bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}
bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// What is left of a line. White space between tokens is optional.
class GoalTokens {
 public:
  explicit GoalTokens(std::string_view line) : rest_(line) {}

  bool at_end() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    return rest_.empty();
  }
  std::string_view rest() const { return rest_; }
  void skip(std::size_t count) { rest_.remove_prefix(count); }
  bool take(std::string_view token) {
    at_end();
    return take_prefix(rest_, token);
  }
  void need(std::string_view token, std::string_view where) {
    if (!take(token)) throw Error("\"{}\" is needed {}, not \"{}\"", token, where, shown(rest_));
  }
  /// A name or keyword, as long as it is; empty where there is none.
  std::string_view take_name() {
    at_end();
    std::size_t size = 0;
    while (size < rest_.size() &&
           (is_letter(rest_[size]) || (size > 0 && (is_digit(rest_[size]) || rest_[size] == '_'))))
      ++size;
    const std::string_view name = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return name;
  }
  std::uint64_t take_number(std::uint64_t most, const char* what) {
    at_end();
    std::size_t size = 0;
    while (size < rest_.size() && is_digit(rest_[size])) ++size;
    const auto number = number_from<std::uint64_t>(rest_.substr(0, size));
    if (!number || *number > most)
      throw Error("\"{}\" is not {}; a whole number up to {} is needed", shown(rest_), what, most);
    rest_.remove_prefix(size);
    return *number;
  }
  /// -1, which GOAL also writes as 32 bits, is any.
  std::int64_t take_number_or_any(const char* what) {
    constexpr std::uint64_t any = 0xFFFFFFFF;
    if (take("-1")) return -1;
    const std::uint64_t number = take_number(any, what);
    return number == any ? -1 : static_cast<std::int64_t>(number);
  }

 private:
  std::string_view rest_;
};

Rank rank_from(std::int64_t number) {
  if (number >= most_ranks) throw Error("there is no rank {}", number);
  return static_cast<Rank>(number);
}

/// "64b to 1 tag 5 cpu 1 nic 1", behind the word send, and the like.
GraphOperation read_operation(GoalTokens& tokens, std::string_view word) {
  constexpr std::uint64_t largest_time = 9'000'000'000'000'000;  // ns that are counted in ps
  constexpr std::uint64_t largest_place = 255, any_number = ~std::uint64_t{0};
  GraphOperation out;
  if (word == "calc") {
    out.kind = CallKind::compute;
    out.amount = 1000 * tokens.take_number(largest_time, "a time in ns");
  } else {
    out.kind = word == "send" ? CallKind::send : CallKind::recv;
    out.amount = tokens.take_number(any_number, "a number of bytes");
    tokens.need("b", "behind the number of bytes");
    if (out.kind == CallKind::send) {
      tokens.need("to", "before the receiver");
      out.peer = static_cast<Rank>(tokens.take_number(most_ranks - 1, "a rank"));
    } else {
      tokens.need("from", "before the sender");
      out.peer = rank_from(tokens.take_number_or_any("a rank"));
    }
    if (tokens.take("tag")) out.tag = tokens.take_number_or_any("a tag");
  }
  if (tokens.take("cpu"))
    out.stream = static_cast<std::uint8_t>(tokens.take_number(largest_place, "a processor"));
  if (out.kind != CallKind::compute && tokens.take("nic"))
    out.nic = static_cast<std::uint8_t>(tokens.take_number(largest_place, "a NIC"));
  return out;
}

class GoalReader {
 public:
  GoalReader(TraceInput input, std::uint64_t memory)
      : path_(input.path), lines_(std::move(input.bytes), path_), memory_(memory) {}

  Trace read() {
    while (!done() && lines_.next()) {
      GoalTokens tokens(lines_.text);
      try {
        while (!done() && !skip_comments(tokens)) read_next(tokens);
      } catch (const Error& error) {
        throw Error("{}: line {}{}: {}", path_, lines_.number,
                    in_rank_ ? fmt::format(" (rank {})", next_rank_) : "", error.what());
      }
    }
    require_whole();
    return builder_->finish();
  }

 private:
  bool done() const { return builder_ && next_rank_ == ranks_; }

  /// Whether the line has nothing else. Comments stand where statements could begin.
  bool skip_comments(GoalTokens& tokens) {
    for (;;) {
      if (in_comment_) {
        const std::size_t end = tokens.rest().find("*/");
        if (end == std::string_view::npos) return true;
        tokens.skip(end + 2);
        in_comment_ = false;
      }
      if (tokens.at_end() || tokens.rest().starts_with("//")) return true;
      in_comment_ = tokens.take("/*");
      if (!in_comment_) return false;
    }
  }

  void read_next(GoalTokens& tokens) {
    if (in_rank_) return tokens.take("}") ? end_rank() : read_statement(tokens);
    if (needs_brace_) {
      tokens.need("{", "behind the number of a rank");
      needs_brace_ = false;
      in_rank_ = true;
      return;
    }
    const std::string_view word = tokens.take_name();
    if (word == "num_ranks" && !builder_) return begin(tokens);
    if (word != "rank" || !builder_)
      throw Error("\"{}\" is needed here, not \"{}\"", builder_ ? "rank" : "num_ranks",
                  shown(word.empty() ? tokens.rest() : word));
    if (tokens.take_number(most_ranks, "a rank") != static_cast<std::uint64_t>(next_rank_))
      throw Error("rank {} is next: ranks come in their order, and none is left out", next_rank_);
    needs_brace_ = true;
  }

  void begin(GoalTokens& tokens) {
    ranks_ = static_cast<int>(tokens.take_number(most_ranks, "a number of ranks"));
    if (ranks_ == 0) throw Error("a schedule needs 1 rank or more");
    builder_.emplace(TraceHead{.source = path_, .ranks = ranks_, .is_graph = true}, memory_);
  }

  void read_statement(GoalTokens& tokens) {
    const auto is_operation = [](std::string_view word) {
      return word == "send" || word == "recv" || word == "calc";
    };
    const std::string_view word = tokens.take_name();
    if (word.empty() || word == "rank" || word == "num_ranks")
      throw Error("an operation, a dependency or \"}}\" is needed, not \"{}{}\"", word,
                  shown(tokens.rest()));
    if (is_operation(word)) {
      add(tokens, word);
    } else if (tokens.take(":")) {
      const std::string_view operation = tokens.take_name();
      if (!is_operation(operation))
        throw Error("\"{}\" is no operation; there are: send recv calc", shown(operation));
      labels_.emplace(word, static_cast<std::uint32_t>(graph_.size()));  // the first counts
      add(tokens, operation);
    } else {
      read_dependency(tokens, word);
    }
    if (!tokens.at_end() && !tokens.rest().starts_with('}'))
      throw Error("\"{}\" is too much: a statement ends with its line", shown(tokens.rest()));
  }

  void add(GoalTokens& tokens, std::string_view word) {
    GraphOperation operation = read_operation(tokens, word);
    operation.line = lines_.number;
    graph_.add(operation);
  }

  void read_dependency(GoalTokens& tokens, std::string_view label) {
    const std::string_view word = tokens.take_name();
    if (word != "requires" && word != "irequires")
      throw Error("\":\", requires or irequires is needed behind the label {}, not \"{}\"",
                  shown(label), shown(word.empty() ? tokens.rest() : word));
    const std::string_view other = tokens.take_name();
    if (other.empty()) throw Error("a label is needed behind {}", word);
    graph_.add_edge({operation(label), operation(other), word == "irequires"});
  }
  std::uint32_t operation(std::string_view label) const {
    const auto found = labels_.find(std::string(label));
    if (found == labels_.end())
      throw Error("no operation before this line has the label {}", shown(label));
    return found->second;
  }

  void end_rank() {
    graph_.append_to(*builder_, next_rank_);
    labels_.clear();
    in_rank_ = false;
    ++next_rank_;
  }

  void require_whole() const {
    if (in_comment_) throw Error("{}: cut off: a comment has no end", path_);
    if (in_rank_) throw Error("{}: cut off: rank {} has no closing brace", path_, next_rank_);
    if (!builder_) throw Error("{}: cut off: num_ranks is missing", path_);
    if (!done())
      throw Error("{}: cut off: of {} ranks, rank {} and those behind it are missing", path_,
                  ranks_, next_rank_);
  }

  std::string path_;
  LineStream lines_;
  std::uint64_t memory_;
  std::optional<TraceBuilder> builder_;
  int ranks_ = 0;
  Rank next_rank_ = 0;  ///< whose block is open, or comes next
  bool in_comment_ = false, needs_brace_ = false, in_rank_ = false;
  GraphRank graph_;  ///< this rank
  std::unordered_map<std::string, std::uint32_t> labels_;
};

}  // namespace

namespace goal {

Trace read(TraceInput input, const ReadOptions& options) {
  return GoalReader(std::move(input), options.memory).read();
}

bool recognises(std::string_view front) {
  Lines lines(front);
  while (lines.next()) {
    const std::string_view text = trimmed(lines.text);
    if (text.starts_with("num_ranks") || text.starts_with("/*")) return true;
    if (!text.empty() && !text.starts_with("//")) return false;
  }
  return front.starts_with("//");
}

}  // namespace goal
}  // namespace weft::trace
