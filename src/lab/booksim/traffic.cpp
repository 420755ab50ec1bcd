// SPDX-License-Identifier: Apache-2.0
// Traffic, lengths of packets and load of a configuration of BookSim 2.
#include <algorithm>
#include <array>

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
  to.load = fmt::format("{:.6g}", load);
}

}  // namespace weft::booksim
