// SPDX-License-Identifier: Apache-2.0
// Finding and scaling the numbers of a cluster.
#include "papers/runner/constants.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "comm/library.hpp"
#include "fabric/format/parsing/text.hpp"
#include "lab/embedded.hpp"
#include "sim/nics/nic.hpp"
#include "sim/switch_model.hpp"

namespace weft::papers {
namespace {

/// Whether scaling it makes a difference.
bool is_constant(const std::string& value) {
  const std::string twice = scaled(value, 2);
  return !twice.empty() && twice != scaled(value, 1);
}

/// What the parser makes of the text, multiplied and written again; nothing where it fails.
template <class Parse, class Scale>
std::optional<std::string> try_scaling(const std::string& value, Parse parse, Scale scale) {
  try {
    return scale(parse(value));
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::int64_t times(std::int64_t number, double factor) {
  const auto product = std::llround(static_cast<double>(number) * factor);
  return number == 0 ? 0 : std::max<std::int64_t>(1, product);
}

/// The value times the factor, or times a smaller one where the parameter does not allow that.
std::string scaled_within(const Param& param, const std::string& value, double factor) {
  constexpr int attempts = 6;
  for (int i = 0; i < attempts; ++i, factor = std::sqrt(factor))
    if (std::string out = scaled(value, factor); complaint(param.type, out).empty()) return out;
  return value;
}

/// Asks for a factor of every numeric parameter of a spec, given or not, and scales it.
template <class Rows, class FactorOf>
std::string scale_spec(const std::string& text, const std::string& place, const Rows& rows,
                       const char* kind, FactorOf factor_of) {
  if (text.empty()) return text;
  Spec spec = Spec::parse(text);
  for (const Param& param : find_row(rows, kind, spec.name).params) {
    const std::string key(param.name);
    const auto given = spec.values.find(key);
    const std::string value =
        given == spec.values.end() ? std::string(param.fallback) : given->second;
    if (!is_constant(value)) continue;
    const double factor = factor_of(fmt::format("{}.{}", place, key), value);
    if (factor != 1) spec.values[key] = scaled_within(param, value, factor);
  }
  return spec.text();
}

/// Asks for a factor of every constant of a cluster, and scales it.
template <class FactorOf>
void scale_constants(Cluster& cluster, FactorOf factor_of) {
  const auto scale_text = [&](const std::string& name, std::string& value) {
    if (!is_constant(value)) return;
    if (const double factor = factor_of(name, value); factor != 1) value = scaled(value, factor);
  };
  scale_text("links.speed", cluster.links.speed);
  scale_text("links.delay", cluster.links.delay);
  cluster.model =
      scale_spec(cluster.model, "switches", sim::switch_kinds(), "switch model", factor_of);
  cluster.nic = scale_spec(cluster.nic, "nic", sim::nics(), "nic", factor_of);
  cluster.library = scale_spec(cluster.library, "library", comm::libraries(), "library", factor_of);
  for (auto& [key, value] : cluster.paper) {
    if (key == "library")
      value = scale_spec(value, "paper.library", comm::libraries(), "library", factor_of);
    else
      scale_text("paper." + key, value);
  }
}

}  // namespace

std::string scaled(const std::string& value, double factor) {
  const auto whole = [&](std::optional<std::int64_t> number) {
    if (!number) throw Error("no number");
    return std::to_string(times(*number, factor));
  };
  for (const auto& found :
       {try_scaling(value, count_from, whole),
        try_scaling(value, duration_from,
                    [&](Duration time) { return to_text(Duration(times(time.count(), factor))); }),
        try_scaling(value, bandwidth_from,
                    [&](Bandwidth rate) {
                      return to_text(Bandwidth{times(rate.bits_per_second, factor)});
                    }),
        try_scaling(value, bytes_from,
                    [&](Bytes size) { return fmt::format("{}B", times(size.count, factor)); })})
    if (found) return *found;
  return "";
}

ConstantOrigins read_origins(const Source& source) {
  const std::map<std::string_view, ConstantOrigin> words{{"paper", ConstantOrigin::paper},
                                                         {"cal", ConstantOrigin::calibrated},
                                                         {"method", ConstantOrigin::method},
                                                         {"assumption", ConstantOrigin::assumed}};
  ConstantOrigins out;
  for (Lines lines(source.text); lines.next();) {
    if (lines.text.empty() || lines.text.front() == '#' || lines.text == "constant,origin")
      continue;
    const std::size_t comma = lines.text.find(',');
    const auto origin = words.find(lines.text.substr(std::min(comma, lines.text.size() - 1) + 1));
    if (comma == std::string_view::npos || origin == words.end())
      fail(source, lines.number,
           "a line is constant,origin; origins are paper, cal, method and assumption");
    out.emplace(lines.text.substr(0, comma), origin->second);
  }
  return out;
}

ConstantOrigins origins_of(std::string_view paper) {
  for (const EmbeddedFile& file : embedded_constants())
    if (file.name == paper)
      return read_origins(
          {fmt::format("papers/{}/constants.csv", file.name), std::string(file.text)});
  return {};
}

std::vector<MachineConstant> constants_of(const Cluster& cluster) {
  std::vector<MachineConstant> out;
  Cluster copy = cluster;
  scale_constants(copy, [&](const std::string& name, const std::string& value) {
    out.push_back({name, value});
    return 1.0;
  });
  return out;
}

Cluster with_factors(Cluster cluster, const std::map<std::string, double>& factors) {
  scale_constants(cluster, [&](const std::string& name, const std::string&) {
    const auto found = factors.find(name);
    return found == factors.end() ? 1.0 : found->second;
  });
  return cluster;
}

}  // namespace weft::papers
