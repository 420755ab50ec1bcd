// SPDX-License-Identifier: Apache-2.0
// Brackets in a value make a sweep.
#include "lab/sweep/brackets.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/units.hpp"

namespace weft {
namespace {

using Texts = std::vector<std::string>;

struct RangeText {
  std::string_view first, last, step;  ///< an empty step was not given
};

[[noreturn]] void reject_range(std::string_view text) {
  throw Error(
      "{}: a range is first..last:step, as in 0.1..0.5:0.1, 1..4 by ones, or 8B..1MiB:x4 by a "
      "factor",
      text);
}

/// "8B" or "1MiB": a number with a unit of size.
std::optional<std::int64_t> size_in(std::string_view text) {
  if (text.empty() || text[0] < '0' || text[0] > '9' ||
      text.find_first_not_of("0123456789") == std::string_view::npos)
    return std::nullopt;
  try {
    return bytes_from(text).count;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// "0.05..0.4:0.05"; nothing for a text that is no range, such as ../torus.toml.
std::optional<RangeText> range_in(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos || dots == 0) return std::nullopt;
  const std::string_view first = text.substr(0, dots);
  if (first.find_first_not_of("0123456789.+-eE") != std::string_view::npos && !size_in(first))
    return std::nullopt;
  const std::size_t colon = text.find(':', dots);
  const std::size_t end = std::min(colon, text.size());
  RangeText out{first, text.substr(dots + 2, end - dots - 2), {}};
  if (end < text.size()) out.step = text.substr(end + 1);
  if (out.last.empty() || (end < text.size() && out.step.empty())) reject_range(text);
  return out;
}

void add_decimals(std::string_view text, const RangeText& range, Texts& out) {
  const auto first = Decimal::parse(range.first), last = Decimal::parse(range.last);
  const auto by = Decimal::parse(range.step.empty() ? "1" : range.step);
  if (!first || !last || !by) reject_range(text);
  if (range.step.empty() && (first->places > 0 || last->places > 0))
    throw Error("{}: a range that is not of whole numbers needs a step, as in {}..{}:0.1", text,
                first->text(), last->text());
  const int places = std::max({first->places, last->places, by->places});
  const std::int64_t from = first->with_places(places).units, to = last->with_places(places).units;
  const std::int64_t step = by->with_places(places).units;
  if (step <= 0 || from > to)
    throw Error("{}: a range goes up in steps above zero, as in 0.1..0.5:0.1", text);
  require_few(out.size() + static_cast<std::size_t>((to - from) / step));
  for (std::int64_t at = from; at <= to; at += step) out.push_back(Decimal{at, places}.text());
}

/// Whole numbers or sizes, from one to the next by what `next` makes of it.
template <class Next>
void add_whole(std::string_view text, const RangeText& range, Texts& out, Next next) {
  const bool sizes = size_in(range.first) || size_in(range.last);
  const auto value = [](std::string_view one) {
    const auto size = size_in(one);
    return size ? size : count_from(one);
  };
  const auto first = value(range.first), last = value(range.last);
  if (!first || !last) reject_range(text);
  if (*first < 1 || *first > *last)
    throw Error("{}: a range of sizes, or by a factor, goes up from 1 or more", text);
  for (std::int64_t at = *first; at <= *last; at = next(at)) {
    require_few(out.size());
    out.push_back(sizes ? to_text(Bytes{at}) : std::to_string(at));
    if (at > *last - 1 || next(at) <= at) return;
  }
}

void add_range(std::string_view text, const RangeText& range, Texts& out) {
  constexpr std::int64_t most_factor = 1'000'000;
  if (range.step.starts_with('x')) {
    const std::int64_t factor = count_from(range.step.substr(1)).value_or(0);
    if (factor < 2 || factor > most_factor)
      throw Error("{}: a factor is a whole number of 2 or more, as in 8B..1MiB:x4", text);
    add_whole(text, range, out, [factor](std::int64_t at) {
      return at > std::numeric_limits<std::int64_t>::max() / factor ? at : at * factor;
    });
  } else if (size_in(range.first)) {
    const std::int64_t step = size_in(range.step).value_or(0);
    if (step < 1) throw Error("{}: a range of sizes needs a step, as in 1KiB..4KiB:1KiB", text);
    add_whole(text, range, out, [step](std::int64_t at) {
      return at > std::numeric_limits<std::int64_t>::max() - step ? at : at + step;
    });
  } else {
    add_decimals(text, range, out);
  }
}

/// The values between two brackets.
Texts values_of(std::string_view inside) {
  const char separator = inside.find('|') == std::string_view::npos ? ',' : '|';
  Texts out;
  for (bool more = true; more;) {
    const std::size_t end = std::min(inside.find(separator), inside.size());
    const std::string_view value = inside.substr(0, end);
    more = end < inside.size();
    inside.remove_prefix(more ? end + 1 : end);
    if (value.empty() && separator == ',')
      throw Error("a value is missing between brackets, write [a,b,c]; [|a] has an empty one");
    if (const auto range = range_in(value))
      add_range(value, *range, out);
    else
      out.emplace_back(value);
  }
  return out;
}

/// Every text of the one list followed by every text of the other.
Texts product(const Texts& heads, const Texts& tails) {
  require_few(heads.size() * tails.size());
  Texts out;
  out.reserve(heads.size() * tails.size());
  for (const std::string& head : heads)
    for (const std::string& tail : tails) out.push_back(head + tail);
  return out;
}

}  // namespace

void require_few(std::size_t points) {
  if (points > most_points)
    throw Error("more than {} points; a sweep has so many at most", most_points);
}

std::vector<std::string> expand(std::string_view text) {
  Texts out{""};
  while (true) {
    const std::size_t open = text.find('[');
    const std::string_view before = text.substr(0, open);
    if (before.find(']') != std::string_view::npos)
      throw Error("a bracket is closed that was not opened");
    out = product(out, {std::string(before)});
    if (open == std::string_view::npos) return out;
    text = text.substr(open + 1);
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) throw Error("a bracket is not closed");
    const std::string_view inside = text.substr(0, close);
    if (inside.find('[') != std::string_view::npos) throw Error("brackets cannot be in brackets");
    out = product(out, values_of(inside));
    text = text.substr(close + 1);
  }
}

}  // namespace weft
