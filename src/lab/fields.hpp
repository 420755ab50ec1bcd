// SPDX-License-Identifier: Apache-2.0
// Fields: the parameters of a request, declared once beside the struct that they fill. A request
// exists twice: as text, every field as the user writes it (SimulationSpec, ProgramSpec,
// ScenarioSpec), and typed (SimulationRequest, …). A field joins the two; the command line, sweeps,
// reports and result files go over the same table of fields.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"
#include "lab/shell.hpp"

namespace weft {

/// Throws Error: "load=2: a number from 0 to 1 is needed".
[[noreturn]] inline void reject(std::string_view name, const std::string& text,
                                std::string_view right) {
  throw Error("{}={}: {}", name, text.substr(0, 60), right);
}

/// What `parse` makes of the text; its Error begins with the field that is wrong.
template <class Parse>
auto parsed(std::string_view name, const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const Error& error) {
    reject(name, text, error.what());
  }
}

template <class Number>
Number whole(std::string_view name, const std::string& text, Number least, Number most) {
  Number value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem == std::errc() && rest == end) {
    if (value >= least && value <= most) return value;
  } else if (const auto count = count_from(text)) {  // 1e4, 10k
    if (std::cmp_greater_equal(*count, least) && std::cmp_less_equal(*count, most))
      return static_cast<Number>(*count);
  }
  reject(name, text, fmt::format("a whole number from {} to {} is needed", least, most));
}

template <class Text, class Request>
struct Field {
  /// Fills the request's part from the field's text. Throws Error that names the field.
  using Read = std::function<void(std::string_view name, const std::string& text, Request& out)>;

  std::string name;         ///< "load", as in --load
  std::string Text::*text;  ///< its default is the struct's
  std::string help;         ///< what it is, in which unit
  Read read{};              ///< none: what it means depends on the fabric, so resolve() reads it
};

/// A whole number in a range.
template <class Request, class Number>
auto whole_number(Number Request::*value, Number least, Number most) {
  return [=](std::string_view name, const std::string& text, Request& out) {
    out.*value = whole<Number>(name, text, least, most);
  };
}

/// What `parse` makes of the text.
template <class Request, class Value, class Parse>
auto value_by(Value Request::*value, Parse parse) {
  return [=](std::string_view name, const std::string& text, Request& out) {
    out.*value = parsed(name, text, parse);
  };
}

/// The request of a text: every field is read once, in the order of the table.
template <class Text, class Request>
void read_fields(const Text& text, const std::vector<Field<Text, Request>>& fields, Request& out) {
  for (const Field<Text, Request>& field : fields)
    if (field.read) field.read(field.name, text.*field.text, out);
}

/// The options of a shell command that gives the fields their values, as far as they differ from
/// the defaults: " --load 0.3 --seed 2". Positional ones are left out.
template <class Text, class Request>
std::string options_of(const Text& text, const std::vector<Field<Text, Request>>& fields,
                       std::initializer_list<std::string Text::*> positional) {
  const Text usual;
  std::string out;
  for (const Field<Text, Request>& field : fields)
    if (std::find(positional.begin(), positional.end(), field.text) == positional.end() &&
        text.*field.text != usual.*field.text)
      out += fmt::format(" --{} {}", field.name, shell_word(text.*field.text));
  return out;
}

}  // namespace weft
