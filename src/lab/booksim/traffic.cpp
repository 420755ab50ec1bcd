// SPDX-License-Identifier: Apache-2.0
// Traffic, lengths of packets, load and bursts of a configuration of BookSim 2.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/suggestion.hpp"
#include "fabric/format/parsing/text.hpp"
#include "lab/booksim/translation.hpp"

namespace weft::booksim {
namespace {

struct TrafficPattern {
  std::string_view name, here;
};
constexpr std::array traffic_patterns{
    TrafficPattern{"uniform", "uniform:self=yes"}, TrafficPattern{"bitcomp", "complement"},
    TrafficPattern{"bitrev", "bit_reversal"},      TrafficPattern{"shuffle", "shuffle"},
    TrafficPattern{"transpose", "transpose"},      TrafficPattern{"tornado", "tornado"},
    TrafficPattern{"neighbor", "neighbour"},       TrafficPattern{"bad_dragon", "adversarial"},
};

std::string traffic_of(const Configuration& from, Objections& objections) {
  const std::string& traffic = from.text("traffic");
  for (const TrafficPattern& each : traffic_patterns)
    if (each.name == traffic) return std::string(each.here);
  if (traffic == "randperm") {
    objections.similar("traffic", "a permutation drawn by weft's random numbers is another one");
    return fmt::format("permutation:seed={},self=yes", from.whole("perm_seed"));
  }
  std::string_view host = traffic;
  if (take_prefix(host, "hotspot({{") && host.ends_with("}})")) {
    host.remove_suffix(3);
    if (number_from<unsigned>(host)) return fmt::format("hot_spot:share=1,host={}", host);
    objections.impossible("traffic", "several hot spots need a traffic matrix");
    return {};
  }
  static constexpr std::array<std::string_view, 15> all{
      "uniform",  "bitcomp",    "bitrev",     "shuffle",      "transpose",
      "tornado",  "neighbor",   "bad_dragon", "randperm",     "hotspot",
      "diagonal", "asymmetric", "taper64",    "badperm_yarc", "background"};
  const std::string_view name = std::string_view(traffic).substr(0, traffic.find('('));
  objections.impossible("traffic", std::find(all.begin(), all.end(), name) != all.end()
                                       ? "there is no such pattern; weft reads traffic matrices"
                                       : "BookSim 2 has no such pattern" + suggestion(name, all));
  return {};
}

/// Lengths with their weights: "1*0.8+16*0.2", and the mean.
struct PacketLengths {
  std::string text;
  double mean = 1;
};

PacketLengths lengths_of(const Configuration& from, Objections& objections) {
  const auto sizes = from.list("packet_size"), rates = from.list("packet_size_rate");
  if (sizes.size() == 1) {
    const auto size = number_from<unsigned>(sizes.front());
    if (!size || *size == 0) objections.impossible("packet_size", "a number of flits is needed");
    return {sizes.front(), size ? *size : 1.0};
  }
  const bool weighted = rates.size() == sizes.size();
  double sum = 0, flits = 0;
  std::vector<std::pair<unsigned, unsigned>> both;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto size = number_from<unsigned>(sizes[i]);
    const auto rate = number_from<unsigned>(weighted ? rates[i] : "1");
    if (!size || !rate || *size == 0 || *rate == 0) {
      objections.impossible("packet_size", "one list of lengths is needed, of one class");
      return {"1", 1};
    }
    both.emplace_back(*size, *rate);
    sum += *rate;
    flits += double{1} * *size * *rate;
  }
  PacketLengths out{{}, flits / sum};
  for (const auto& [size, rate] : both)
    out.text += fmt::format("{}{}*{:.6g}", out.text.empty() ? "" : "+", size, rate / sum);
  return out;
}

/// The numbers of on_off, of which one follows from the load: the chances per cycle that a pause
/// and a burst end, and packets per cycle of a burst.
struct OnOff {
  double alpha = 0, beta = 0, rate = 0;
};

/// `packets` are the load, per cycle. Nullopt after an objection.
std::optional<OnOff> on_off_of(const Configuration& from, double packets, Objections& objections) {
  std::string_view arguments = from.text("injection_process");
  arguments.remove_prefix(std::string_view("on_off").size());
  if (take_prefix(arguments, "(") && arguments.ends_with(')')) arguments.remove_suffix(1);
  const std::vector<std::string> given = list_of(arguments);
  const auto number = [&](std::size_t place, std::string_view key) -> double {
    if (place >= given.size()) return from.real(key);
    const auto value = real_from(given[place]);
    if (!value)
      objections.impossible("injection_process",
                            fmt::format("\"{}\" is no number", shown(given[place])));
    return value.value_or(0);
  };
  OnOff out{number(0, "burst_alpha"), number(1, "burst_beta"), number(2, "burst_r1")};
  if ((out.alpha < 0) + (out.beta < 0) + (out.rate < 0) != 1 || given.size() > 3) {
    objections.impossible("injection_process",
                          "of burst_alpha, burst_beta and burst_r1, two are needed, and -1 for the "
                          "one that follows from the load");
    return std::nullopt;
  }
  if (out.alpha < 0) out.alpha = out.beta * packets / (out.rate - packets);
  if (out.beta < 0) out.beta = out.alpha * (out.rate - packets) / packets;
  if (out.rate < 0) out.rate = packets * (out.alpha + out.beta) / out.alpha;
  return out;
}

std::string bursts_of(const Configuration& from, const PacketLengths& lengths, double packets,
                      Objections& objections) {
  const auto found = on_off_of(from, packets, objections);
  if (!found) return {};
  const double peak = found->rate * lengths.mean;
  constexpr double rounding = 1e-9;
  const bool offered = found->alpha > 0 && found->alpha <= 1 && found->rate >= packets;
  if (!offered || found->beta <= 0 || found->beta > 1 || peak > 1 + rounding) {
    objections.impossible(
        "injection_process",
        fmt::format("bursts would end with a chance of {:.6g} a cycle, pauses of {:.6g}, and hosts "
                    "send {:.6g} flits a cycle in a burst; more than 0 and up to 1 are possible",
                    found->beta, found->alpha, peak));
    return {};
  }
  const double cycles = 1 / found->beta;
  const auto on = static_cast<std::uint64_t>(std::llround(cycles));
  if (std::abs(cycles - static_cast<double>(on)) > 1e-6 * cycles)
    objections.similar("injection_process",
                       fmt::format("bursts last for {:.6g} cycles on average; a whole number is "
                                   "possible, such as {}",
                                   cycles, on));
  return fmt::format("onoff:on={},peak={:.6g}", on, peak);
}

std::string source_of(const Configuration& from, const PacketLengths& lengths, double load,
                      Objections& objections) {
  const std::string& process = from.text("injection_process");
  const std::string_view name = std::string_view(process).substr(0, process.find('('));
  if (name == "bernoulli") return "bernoulli";
  if (name == "on_off") return bursts_of(from, lengths, load / lengths.mean, objections);
  static constexpr std::array<std::string_view, 2> all{"bernoulli", "on_off"};
  objections.impossible("injection_process",
                        "BookSim 2 has no such process" + suggestion(name, all));
  return {};
}

}  // namespace

void translate_traffic(const Configuration& from, Objections& objections, SimulationSpec& to) {
  to.traffic = traffic_of(from, objections);
  const PacketLengths lengths = lengths_of(from, objections);
  to.packet = lengths.text;
  const double rate = from.real("injection_rate");
  const double load = from.is("injection_rate_uses_flits", "0") ? rate * lengths.mean : rate;
  if (!(load > 0) || load > 1)
    objections.impossible(
        "injection_rate",
        fmt::format("hosts would send {:.6g} flits a cycle; more than 0 and up to "
                    "1 are possible",
                    load));
  else
    to.source = source_of(from, lengths, load, objections);
  to.load = fmt::format("{:.6g}", load);
}

}  // namespace weft::booksim
