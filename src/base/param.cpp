// SPDX-License-Identifier: Apache-2.0
// Checks of values against the type of their parameter, and descriptions of the types.
#include "base/param.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace weft {
namespace {

bool parse_whole(std::string_view text, std::int64_t& value) {
  const std::optional<std::int64_t> count = count_from(text);
  value = count.value_or(0);
  return count.has_value();
}

/// What `read` throws, as text; empty when it throws nothing.
template <class Read>
std::string thrown_by(Read&& read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// These words, or else "4GiB is the most".
template <class Unit>
std::string or_usual(std::string_view words, Unit end, std::string_view which) {
  return words.empty() ? fmt::format("{} is the {}", to_text(end), which) : std::string(words);
}

/// "full | " before the form of other values.
std::string or_word(const std::optional<std::string_view>& word) {
  return word && !word->empty() ? std::string(*word) + " | " : std::string();
}

std::string complaint_about(const FreeText&, std::string_view) { return {}; }

/// Only the reader knows the upper end, and the complaint names both ends.
std::string complaint_about(const WholeUpTo&, std::string_view) { return {}; }

std::string complaint_about(const Whole& type, std::string_view text) {
  if (type.word == text) return {};
  return thrown_by([&] { whole_from(text, type.least, type.most); });
}

std::string complaint_about(const Dims& type, std::string_view text) {
  return thrown_by([&] { dims_from(text, type.least); });
}

std::string complaint_about(const OneOf& type, std::string_view text) {
  if (std::find(type.begin(), type.end(), text) != type.end()) return {};
  if (!type.otherwise.empty()) return std::string(type.otherwise);
  return fmt::format("it can be {}", fmt::join(type, ", "));
}

std::string complaint_about(const YesNo&, std::string_view text) {
  return complaint_about(OneOf{"no", "yes"}, text);
}

std::string complaint_about(const BandwidthText&, std::string_view text) {
  return thrown_by([&] {
    if (bandwidth_from(text).bits_per_second == 0) throw Error("a link needs a speed above zero");
  });
}

std::string complaint_about(const DurationText& type, std::string_view text) {
  return thrown_by([&] {
    if (duration_from(text) < type.least) throw Error(or_usual(type.below, type.least, "least"));
  });
}

std::string complaint_about(const DelayText& type, std::string_view text) {
  if (type.word == text) return {};
  const std::string range = fmt::format("{}{} to {} cycles, or a time up to {}", or_word(type.word),
                                        type.least, type.most, to_text(type.longest));
  return thrown_by([&] {
    const Delay delay = type.plain ? delay_or_cycles_from(text) : delay_from(text);
    const bool fits = delay.counts_cycles()
                          ? delay >= Delay::cycles(type.least) && delay <= Delay::cycles(type.most)
                          : delay <= type.longest && (type.least == 0 || delay > Duration{0});
    if (!fits) throw Error("it can be {}", range);
  });
}

std::string complaint_about(const BytesText& type, std::string_view text) {
  return thrown_by([&] {
    const Bytes size = size_from(text, type.plain);
    if (size < type.least) throw Error(or_usual(type.below, type.least, "least"));
    if (size > type.most) throw Error(or_usual(type.above, type.most, "most"));
  });
}

std::string in_words(const FreeText& type) { return std::string(type.form); }

std::string in_words(const Whole& type) {
  std::string out = or_word(type.word);
  out += type.most == Whole{}.most ? fmt::format("{} or more", type.least)
                                   : fmt::format("{} to {}", type.least, type.most);
  return type.unit.empty() ? out : fmt::format("{} {}", out, type.unit);
}

std::string in_words(const WholeUpTo& type) {
  return or_word(type.word) + fmt::format("{} to {}", type.least, type.most);
}

std::string in_words(const Dims& type) {
  return type.least > 1 ? fmt::format("{} or more each", type.least) : std::string();
}

std::string in_words(const OneOf& type) { return fmt::format("{}", fmt::join(type, " | ")); }

std::string in_words(const YesNo&) { return {}; }

std::string in_words(const BandwidthText&) { return {}; }

/// A least time of 1ps only excludes zero: not worth words.
std::string in_words(const DurationText& type) {
  return type.least > Duration{1} ? to_text(type.least) + " or more" : std::string();
}

std::string in_words(const DelayText& type) {
  return or_word(type.word) + fmt::format("{} to {} cycles | a time up to {}", type.least,
                                          type.most, to_text(type.longest));
}

std::string in_words(const BytesText& type) {
  if (type.most < BytesText{}.most)
    return fmt::format("{} to {}", to_text(type.least), to_text(type.most));
  return type.least > Bytes{0} ? to_text(type.least) + " or more" : std::string();
}

/// What a value is, where its range does not show it.
template <class Type>
std::string_view kind_of(const Type&) {
  return "";
}
std::string_view kind_of(const FreeText& type) { return type.form.empty() ? "text" : ""; }
std::string_view kind_of(const Dims&) { return "numbers joined by x"; }
std::string_view kind_of(const YesNo&) { return "yes | no"; }
std::string_view kind_of(const BandwidthText&) { return "bandwidth"; }
std::string_view kind_of(const DurationText&) { return "time"; }
std::string_view kind_of(const BytesText&) { return "size"; }

}  // namespace

std::string complaint(const ParamType& type, std::string_view value) {
  return std::visit([&](const auto& each) { return complaint_about(each, value); }, type);
}

std::string describe(const ParamType& type) {
  return std::visit([](const auto& each) { return in_words(each); }, type);
}

std::string allowed_values(const ParamType& type) {
  const std::string_view kind = std::visit([](const auto& each) { return kind_of(each); }, type);
  std::string range = describe(type);
  if (kind.empty()) return range;
  return range.empty() ? std::string(kind) : fmt::format("{}, {}", kind, range);
}

std::string_view take_until(std::string_view& rest, char stop) {
  const std::size_t at = std::min(rest.find(stop), rest.size());
  const std::string_view head = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return head;
}

std::int64_t whole_from(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  if (!parse_whole(text, value) || value < least || value > most)
    throw Error("a whole number from {} to {} is needed", least, most);
  return value;
}

std::vector<int> dims_from(std::string_view text, int least) {
  const std::string form = "write whole numbers joined by x, as in 4x4x2";
  std::vector<int> out;
  std::string_view rest = text;
  if (rest.empty()) throw Error(form);
  while (!rest.empty()) {
    const bool more = rest.find('x') != std::string_view::npos;
    std::int64_t value = 0;
    if (!parse_whole(take_until(rest, 'x'), value) || (more && rest.empty())) throw Error(form);
    if (value > 1'000'000) throw Error("a dimension can be 1000000 at most");
    if (value < least) throw Error("a dimension needs {} or more", least);
    out.push_back(static_cast<int>(value));
  }
  return out;
}

Delay delay_or_cycles_from(std::string_view text) {
  std::int64_t cycles = 0;
  return parse_whole(text, cycles) && cycles >= 0 ? Delay::cycles(cycles) : delay_from(text);
}

Bytes size_from(std::string_view text, bool plain) {
  if (plain && text.find_first_not_of("0123456789") == std::string_view::npos)
    return bytes_from(std::string(text) + "B");
  return bytes_from(text);
}

}  // namespace weft
