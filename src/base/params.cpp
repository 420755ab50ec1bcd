// SPDX-License-Identifier: Apache-2.0
// Parsing of specs, and checks of values against their declarations.
#include "base/params.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/suggestion.hpp"

namespace weft {
namespace {

bool allows_word(const ParamType& type, std::string_view word) {
  if (const auto* whole = std::get_if<Whole>(&type)) return whole->word == word;
  if (const auto* whole = std::get_if<WholeUpTo>(&type)) return whole->word == word;
  if (const auto* time = std::get_if<DelayText>(&type)) return time->word == word;
  const auto* words = std::get_if<OneOf>(&type);
  return words != nullptr && std::find(words->begin(), words->end(), word) != words->end();
}

[[noreturn]] void report_bug(const std::string& what) {
  invariant(false, what.c_str());
  std::abort();
}

/// The name that a parameter has here, for a name that it has elsewhere.
std::string our_word(std::string_view name) {
  return std::string(name == "vcs" || name == "vls" ? "lanes" : name);
}

}  // namespace

Spec Spec::parse(std::string_view text) {
  Spec spec;
  std::string_view rest = text;
  spec.name = take_until(rest, ':');
  if (text.empty()) throw Error("a name is missing: nothing is given");
  if (spec.name.empty()) throw Error("\"{}\": a name is missing before the colon", text);
  for (bool more = !rest.empty(); more;) {
    more = rest.find(',') != std::string_view::npos;
    const std::string_view part = take_until(rest, ',');
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0)
      throw Error("{}: \"{}\" is not a parameter: write key=value, separated by commas", spec.name,
                  part);
    const std::string key = our_word(part.substr(0, equals));
    if (!spec.values.emplace(key, part.substr(equals + 1)).second)
      throw Error("{}: {} is given twice", spec.name, key);
  }
  return spec;
}

std::string Spec::text() const {
  std::string out = name;
  char separator = ':';
  for (const auto& [key, value] : values) {
    out += fmt::format("{}{}={}", separator, key, value);
    separator = ',';
  }
  return out;
}

Params::Params(const Spec& spec, std::span<const Param> declared) : spec_(spec) {
  for (const Param& param : declared)
    values_.emplace(param.name, Value{param.type, std::string(param.fallback)});
  for (const auto& [key, text] : spec.values) {
    const auto found = values_.find(key);
    if (found == values_.end()) {
      std::vector<std::string_view> known;
      for (const Param& param : declared) known.push_back(param.name);
      throw Error("{}: unknown parameter \"{}\"; it takes {}{}", spec.name, key.substr(0, 60),
                  known.empty() ? "none" : fmt::format("{}", fmt::join(known, " ")),
                  suggestion(key, known));
    }
    found->second.text = text;
  }
  for (const Param& param : declared) {
    if (!given(param.name)) continue;
    const std::string wrong = complaint(param.type, written(param.name));
    if (!wrong.empty()) reject(param.name, wrong);
  }
}

const Params::Value& Params::value(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end())
    report_bug(fmt::format("{} reads the parameter \"{}\", which its row does not declare",
                           spec_.name, name));
  return found->second;
}

template <class Type>
std::pair<const Type&, const std::string&> Params::read(std::string_view name) const {
  const Value& found = value(name);
  const auto* type = std::get_if<Type>(&found.type);
  if (type == nullptr)
    report_bug(fmt::format("{} reads the parameter \"{}\" as another type than its row declares",
                           spec_.name, name));
  return {*type, found.text};
}

const std::string& Params::written(std::string_view name) const { return value(name).text; }

bool Params::given(std::string_view name) const {
  return spec_.values.count(std::string(name)) != 0;
}

void Params::reject(std::string_view name, std::string_view what_would_be_right) const {
  throw Error("{}: {}={}: {}", spec_.name, name, written(name).substr(0, 60), what_would_be_right);
}

const std::string& Params::text(std::string_view name) const { return read<FreeText>(name).second; }

std::int64_t Params::read_whole(std::string_view name) const {
  const auto [type, text] = read<Whole>(name);
  return whole_from(text, type.least, type.most);
}

std::int64_t Params::read_whole_up_to(std::string_view name, std::int64_t most) const {
  const auto [type, text] = read<WholeUpTo>(name);
  try {
    return whole_from(text, type.least, most);
  } catch (const Error& error) {
    reject(name, error.what());
  }
}

bool Params::is(std::string_view name, std::string_view word) const {
  const Value& found = value(name);
  if (!allows_word(found.type, word))
    report_bug(
        fmt::format("{} compares the parameter \"{}\" with \"{}\", which is none of its words",
                    spec_.name, name, word));
  return found.text == word;
}

bool Params::flag(std::string_view name) const { return read<YesNo>(name).second == "yes"; }

std::size_t Params::read_choice(std::string_view name) const {
  const auto [type, text] = read<OneOf>(name);
  return static_cast<std::size_t>(std::find(type.begin(), type.end(), text) - type.begin());
}

Bandwidth Params::bandwidth(std::string_view name) const {
  return bandwidth_from(read<BandwidthText>(name).second);
}

Duration Params::duration(std::string_view name) const {
  return duration_from(read<DurationText>(name).second);
}

Delay Params::delay(std::string_view name) const {
  return delay_or_cycles_from(read<DelayText>(name).second);
}

Bytes Params::bytes(std::string_view name) const {
  const auto [type, text] = read<BytesText>(name);
  return size_from(text, type.plain);
}

std::vector<int> Params::dims(std::string_view name) const {
  const auto [type, text] = read<Dims>(name);
  return dims_from(text, type.least);
}

}  // namespace weft
