// SPDX-License-Identifier: Apache-2.0
// Brackets in a value make a sweep.
#include "lab/simulate/brackets.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/decimal.hpp"
#include "base/error.hpp"

namespace weft {
namespace {

using Texts = std::vector<std::string>;

void require_few(std::size_t points) {
  if (points > most_points)
    throw Error("more than {} points; a sweep has so many at most", most_points);
}

struct DecimalRange {
  Decimal first, last, step;
};

/// "0.05..0.4:0.05"; nothing for a text that is no range, such as ../torus.toml. Throws Error for a
/// range that is not understood.
std::optional<DecimalRange> range_from(std::string_view text) {
  const std::size_t dots = text.find("..");
  const std::string_view before = text.substr(0, dots);
  if (dots == std::string_view::npos || before.empty() ||
      before.find_first_not_of("0123456789.+-eE") != std::string_view::npos)
    return std::nullopt;
  const std::size_t colon = text.find(':', dots);
  const std::size_t end = std::min(colon, text.size());
  const auto first = Decimal::parse(before);
  const auto last = Decimal::parse(text.substr(dots + 2, end - dots - 2));
  const auto step = Decimal::parse(end < text.size() ? text.substr(end + 1) : "1");
  if (!first || !last || !step)
    throw Error("{}: a range is first..last:step, as in 0.1..0.5:0.1, or 1..4 by ones", text);
  if (colon == std::string_view::npos && (first->places > 0 || last->places > 0))
    throw Error("{}: a range that is not of whole numbers needs a step, as in {}..{}:0.1", text,
                first->text(), last->text());
  return DecimalRange{*first, *last, *step};
}

void add_range(std::string_view text, DecimalRange range, Texts& out) {
  const int places = std::max({range.first.places, range.last.places, range.step.places});
  const std::int64_t first = range.first.with_places(places).units;
  const std::int64_t last = range.last.with_places(places).units;
  const std::int64_t step = range.step.with_places(places).units;
  if (step <= 0 || first > last)
    throw Error("{}: a range goes up in steps above zero, as in 0.1..0.5:0.1", text);
  require_few(out.size() + static_cast<std::size_t>((last - first) / step));
  for (std::int64_t at = first; at <= last; at += step) out.push_back(Decimal{at, places}.text());
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
    if (const auto range = range_from(value))
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

void vary(std::vector<SimulationSpec>& all, const SimulationField& field) {
  std::vector<SimulationSpec> out;
  for (const SimulationSpec& one : all) {
    const Texts values = [&] {
      try {
        return expand(one.*field.text);
      } catch (const Error& error) {
        throw Error("{}={}: {}", field.name, one.*field.text, error.what());
      }
    }();
    require_few(out.size() + values.size());
    for (const std::string& value : values) {
      out.push_back(one);
      out.back().*field.text = value;
    }
  }
  all = std::move(out);
}

/// The spec with equal numbers, such as 0.2 and 0.20, written alike; names of files stay.
SimulationSpec by_value(SimulationSpec spec) {
  for (const SimulationField& field : simulation_fields()) {
    std::string& value = spec.*field.text;
    if (field.text == &SimulationSpec::fabric || field.text == &SimulationSpec::tables ||
        value.find_first_of(".e") == std::string::npos)
      continue;
    double number = 0;
    const char* end = value.data() + value.size();
    const auto [rest, problem] = std::from_chars(value.data(), end, number);
    if (problem == std::errc() && rest == end) value = fmt::format("{}", number);
  }
  return spec;
}

}  // namespace

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

std::vector<SimulationSpec> expand(const SimulationSpec& spec) {
  const auto is_load = [](const SimulationField& f) { return f.text == &SimulationSpec::load; };
  std::vector<SimulationSpec> all{spec};
  for (const SimulationField& field : simulation_fields())
    if (!is_load(field)) vary(all, field);
  for (const SimulationField& field : simulation_fields())
    if (is_load(field)) vary(all, field);
  std::set<SimulationSpec> seen;
  std::erase_if(all, [&](const SimulationSpec& one) { return !seen.insert(by_value(one)).second; });
  return all;
}

}  // namespace weft
