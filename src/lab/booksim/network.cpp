// SPDX-License-Identifier: Apache-2.0
// BookSim 2's topologies with their routing functions. A link takes one cycle there and here; what
// it takes beyond that is a delay of the fabric, of which a cycle is 8 ns (a flit of 8 B at 1
// GB/s).
#include <array>
#include <filesystem>

#include "base/suggestion.hpp"
#include "fabric/format/parsing/text.hpp"
#include "lab/booksim/translation.hpp"

namespace weft::booksim {
namespace {

/// A routing function of a topology: the engine, and what the switches need besides.
struct RoutingFunction {
  std::string_view topology, name, engine, switches, similar;
  std::string_view too_few = "";  ///< what BookSim does with fewer lanes than the engine needs
  std::string_view remark = "";   ///< on deadlocks of BookSim's own
};

/// It gives half of the lanes to each phase, order of dimensions, or side of the dateline.
constexpr std::string_view no_half = "BookSim 2 stops there with a failed assertion";
constexpr std::string_view of_valiant =
    "BookSim 2's own can deadlock, for one under transpose at full load: a packet that passes its "
    "destination on the way to the intermediate one may take a lane of the second phase there; "
    "here it may not";
constexpr std::string_view of_ugal =
    "BookSim 2's own has these lanes, and deadlocks under load; ugal:threshold=30, which draws a "
    "group instead of a switch, cannot with as many, and ugal:via=router,threshold=30 takes one "
    "more";

constexpr std::string_view any_direction =
    "it draws between two ways round a ring by chance for every packet; here one of them is fixed";
constexpr std::array routing_functions{
    RoutingFunction{"mesh", "dor", "dor", "", ""},
    RoutingFunction{"mesh", "dim_order", "dor", "", ""},
    RoutingFunction{"mesh", "xy_yx", "xy_yx", "", "", no_half},
    RoutingFunction{"mesh", "adaptive_xy_yx", "xy_yx:start=queue", "", "", no_half},
    RoutingFunction{"mesh", "romm", "romm", "", "", no_half},
    RoutingFunction{"mesh", "valiant", "valiant", "", "", no_half, of_valiant},
    RoutingFunction{"mesh", "min_adapt", "min_adaptive:escape=dor,prefer=none", "", "",
                    "BookSim 2 takes the lane to escape to alone there: routing_function = "
                    "dim_order is the same"},
    RoutingFunction{"torus", "dim_order", "dor", "", any_direction, no_half},
    RoutingFunction{"torus", "valiant", "valiant", "", any_direction, no_half, of_valiant},
    RoutingFunction{"torus", "min_adapt", "min_adaptive:escape=dor,prefer=none", "", ""},
    RoutingFunction{"cmesh", "dor_no_express", "dor", "", ""},
    RoutingFunction{"fly", "dest_tag", "minhop", "", ""},
    RoutingFunction{"fattree", "nca", "nca", ",choice=commit,policy=random", ""},
    RoutingFunction{"fattree", "anca", "nca", ",choice=commit,policy=queue:draws=2", ""},
    RoutingFunction{"flatfly", "ran_min", "dor", "", ""},
    RoutingFunction{"flatfly", "xyyx", "xy_yx", "", "", no_half},
    RoutingFunction{"flatfly", "adaptive_xyyx", "xy_yx:start=queue", "", "", no_half},
    RoutingFunction{"flatfly", "valiant", "valiant:past=no", "", "", no_half},
    RoutingFunction{"flatfly", "ugal", "ugal", "", "", no_half},
    RoutingFunction{"dragonflynew", "min", "min", "", "",
                    "BookSim 2 sends to a lane there that it has not"},
    RoutingFunction{"dragonflynew", "ugal", "ugal:lanes=booksim,threshold=30", "", "",
                    "BookSim 2 stops there with a failed assertion, as with more than 3", of_ugal},
    RoutingFunction{"anynet", "min", "minhop", "",
                    "of several shortest routes weft may take another one"},
};

std::string dimensions(const Configuration& from) {
  constexpr long most_dimensions = 20;
  const long k = from.whole("k"), n = from.whole("n");
  if (n > most_dimensions)
    fail(from.source(), from.line("n"), "n = {}: up to {} dimensions are possible", n,
         most_dimensions);
  std::string out;
  for (long i = 0; i < n; ++i) out += fmt::format("{}{}", i == 0 ? "" : "x", k);
  return out;
}

/// Cycles beyond the first, as a delay.
std::string delay(std::string_view key, long cycles) {
  return fmt::format(",{}={}ns", key, 8 * (cycles - 1));
}

void need_hosts_alone(const Configuration& from, Objections& objections) {
  if (from.whole("c") != 1)
    objections.impossible("c", "BookSim 2's " + from.text("topology") + " has one host a switch");
}

std::string concentrated_mesh(const Configuration& from, Objections& objections) {
  std::string out = fmt::format("mesh:dims={},hosts={}", dimensions(from), from.whole("c"));
  if (!from.is("traffic", "uniform"))
    objections.impossible("traffic",
                          "its hosts have other numbers than weft's: only uniform "
                          "traffic is the same");
  if (!from.is("use_noc_latency", "0") && from.whole("xr") != from.whole("yr"))
    objections.impossible("yr", "links of the two dimensions have unlike delays");
  if (!from.is("use_noc_latency", "0") && from.whole("xr") > 1)
    out += delay("delay", from.whole("xr")) + ",host_delay=0ns";
  return out;
}

std::string dragonfly(const Configuration& from, Objections& objections) {
  const long k = from.whole("k");
  if (from.is("routing_function", "ugal") && from.whole("num_vcs") > 3)
    objections.remark("num_vcs", "BookSim 2's ugal stops unless there are 3");
  if (from.whole("n") != 1) objections.impossible("n", "its dragonflies have n = 1");
  return fmt::format("dragonfly:a={},p={},h={}{}{},host_delay=0ns", 2 * k, k, k, delay("delay", 10),
                     delay("global_delay", 100));
}

std::string network_file(const Configuration& from, Objections& objections) {
  namespace fs = std::filesystem;
  const std::string& name = from.text("network_file");
  if (name.empty()) {
    objections.impossible("topology", "anynet needs a network_file");
    return {};
  }
  const fs::path beside = fs::path(from.source().name).parent_path() / name;
  return fs::exists(name) || !fs::exists(beside) ? name : beside.string();
}

/// Of its sets of candidates one is left for each priority, so that it offers the lanes of one
/// port.
void object_to_min_adapt(const Configuration& from, Objections& objections) {
  objections.similar("routing_function",
                     "its min_adapt offers the adaptive lanes of the first dimension only; here "
                     "packets take any port that leads closer");
  if (!from.is("topology", "torus")) return;
  if (from.whole("num_vcs") > 4)
    objections.similar("num_vcs", "min_adapt takes four lanes on tori, however many there are");
  if (from.whole("num_vcs") < 4)
    objections.impossible("num_vcs", "min_adapt takes the last of four lanes on tori");
  if (from.whole("k") % 2 == 0)
    objections.similar("routing_function",
                       "where both ways round a ring are equally long, it has one of them; here "
                       "packets take either");
}

std::string fabric_of(const Configuration& from, Objections& objections) {
  const std::string& topology = from.text("topology");
  const long k = from.whole("k"), n = from.whole("n");
  if (topology == "mesh" || topology == "torus") {
    need_hosts_alone(from, objections);
    const bool two = topology == "torus" && !from.is("use_noc_latency", "0");
    return fmt::format("{}:dims={}{}", topology, dimensions(from),
                       two ? delay("delay", 2) + ",host_delay=0ns" : "");
  }
  if (topology == "cmesh") return concentrated_mesh(from, objections);
  if (topology == "fly") {
    if (n != 1) objections.impossible("n", "butterflies of more than one stage are not there");
    return fmt::format("crossbar:hosts={}", k);
  }
  if (topology == "fattree") return fmt::format("tree:k={},n={}", k, n);
  if (topology == "flatfly") {
    if (!from.is("use_noc_latency", "0"))
      objections.similar("use_noc_latency",
                         "links have delays by their lengths there; here all take one cycle");
    return fmt::format("hyperx:dims={},hosts={}", dimensions(from), from.whole("c"));
  }
  if (topology == "dragonflynew") return dragonfly(from, objections);
  if (topology == "anynet") return network_file(from, objections);
  const bool tree = topology == "qtree" || topology == "tree4";
  static constexpr std::array<std::string_view, 10> all{
      "mesh",    "torus",        "cmesh",  "fly",   "fattree",
      "flatfly", "dragonflynew", "anynet", "qtree", "tree4"};
  objections.impossible("topology",
                        tree ? "its trees have switches of unlike sizes"
                             : "BookSim 2 has no such topology" + suggestion(topology, all));
  return {};
}

}  // namespace

/// Of the lanes of min_adapt, all that are not needed to escape are adaptive; on tori but one is.
long lanes_of(const Configuration& from) {
  const bool one = from.is("topology", "torus") && from.is("routing_function", "min_adapt");
  return one ? 3 : from.whole("num_vcs");
}

std::string translate_network(const Configuration& from, Objections& objections,
                              SimulationSpec& to) {
  to.fabric = fabric_of(from, objections);
  const std::string& topology = from.text("topology");
  const std::string& function = from.text("routing_function");
  std::vector<std::string_view> known;
  for (const RoutingFunction& each : routing_functions) {
    if (each.topology != topology) continue;
    known.push_back(each.name);
    if (each.name != function) continue;
    to.tables = each.engine;
    if (function == "min_adapt") to.tables += fmt::format(",lanes={}", lanes_of(from));
    if (function == "min_adapt") object_to_min_adapt(from, objections);
    if (!each.similar.empty()) objections.similar("routing_function", std::string(each.similar));
    if (!each.remark.empty()) objections.remark("routing_function", std::string(each.remark));
    return std::string(each.switches);
  }
  if (!known.empty())
    objections.impossible("routing_function",
                          fmt::format("of {}, weft has {}{}", topology, fmt::join(known, ", "),
                                      suggestion(function, known)));
  return {};
}

std::string with_too_few_lanes(const Configuration& from) {
  for (const RoutingFunction& each : routing_functions)
    if (from.is("topology", each.topology) && from.is("routing_function", each.name))
      return std::string(each.too_few);
  return {};
}

}  // namespace weft::booksim
