// SPDX-License-Identifier: Apache-2.0
// Parsing and checking of parameters.
#include "base/params.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"

namespace weft {
namespace {

bool parse_whole(std::string_view text, std::int64_t& value) {
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  return problem == std::errc() && rest == end && !text.empty();
}

std::string_view take_until(std::string_view& rest, char stop) {
  const std::size_t at = std::min(rest.find(stop), rest.size());
  const std::string_view head = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return head;
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
    const std::string key(part.substr(0, equals));
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
  for (const Param& param : declared) values_.emplace(param.name, param.fallback);
  for (const auto& [key, value] : spec.values) {
    const auto found = values_.find(key);
    if (found == values_.end()) {
      std::string known;
      for (const Param& param : declared) known += " " + std::string(param.name);
      throw Error("{}: unknown parameter {}; it takes{}", spec.name, key,
                  known.empty() ? " none" : known);
    }
    found->second = value;
  }
}

const std::string& Params::text(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end())
    invariant(false, fmt::format("{} reads the parameter \"{}\", which its row does not declare",
                                 spec_.name, name)
                         .c_str());
  return found->second;
}

bool Params::given(std::string_view name) const {
  return spec_.values.count(std::string(name)) != 0;
}

void Params::reject(std::string_view name, std::string_view what_would_be_right) const {
  throw Error("{}: {}={}: {}", spec_.name, name, text(name).substr(0, 60), what_would_be_right);
}

std::int64_t Params::integer(std::string_view name, std::int64_t least, std::int64_t most) const {
  std::int64_t value = 0;
  if (!parse_whole(text(name), value) || value < least || value > most)
    reject(name, fmt::format("a whole number from {} to {} is needed", least, most));
  return value;
}

bool Params::flag(std::string_view name) const { return choice(name, {"no", "yes"}) == 1; }

Bandwidth Params::bandwidth(std::string_view name) const {
  try {
    const Bandwidth value = bandwidth_from(text(name));
    if (value.bits_per_second > 0) return value;
  } catch (const Error& error) {
    reject(name, error.what());
  }
  reject(name, "a link needs a speed above zero");
}

Duration Params::duration(std::string_view name) const {
  try {
    return duration_from(text(name));
  } catch (const Error& error) {
    reject(name, error.what());
  }
}

std::vector<int> Params::dims(std::string_view name, int least) const {
  std::vector<int> out;
  std::string_view rest = text(name);
  if (rest.empty()) reject(name, "write whole numbers joined by x, as in 4x4x2");
  while (!rest.empty()) {
    const bool more = rest.find('x') != std::string_view::npos;
    std::int64_t value = 0;
    if (!parse_whole(take_until(rest, 'x'), value) || (more && rest.empty()))
      reject(name, "write whole numbers joined by x, as in 4x4x2");
    if (value > 1'000'000) reject(name, "a dimension can be 1000000 at most");
    if (value < least) reject(name, fmt::format("a dimension needs {} or more", least));
    out.push_back(static_cast<int>(value));
  }
  return out;
}

std::size_t Params::choice(std::string_view name,
                           std::initializer_list<std::string_view> allowed) const {
  const auto found = std::find(allowed.begin(), allowed.end(), text(name));
  if (found != allowed.end()) return static_cast<std::size_t>(found - allowed.begin());
  std::string list;
  for (std::string_view option : allowed) list += (list.empty() ? "" : ", ") + std::string(option);
  reject(name, "it can be " + list);
}

}  // namespace weft
