// SPDX-License-Identifier: Apache-2.0
// The table of traffic patterns: name, function, summary, parameters.
#include <limits>
#include <vector>

#include "sim/traffic/patterns.hpp"

namespace weft::sim {
namespace {

constexpr Param grid{"by", OneOf{"coordinates", "ids"}, "coordinates",
                     "coordinates: of the switches; ids: hosts in one ring"};
constexpr Param self{"self", YesNo{}, "no", "yes: hosts may send to themselves"};

std::vector<Row<MakePattern>> make_rows() {
  return {
      {"uniform", uniform, "every destination equally likely", {self}},
      {"bit_reversal", bit_reversal, "the bits of a host's number backwards", {}},
      {"transpose", transpose, "matrix transpose of k x k hosts: (x,y) to (y,x)", {}},
      {"rhinet_transpose",
       rhinet_transpose,
       "that of the RHiNET-2 paper: (x,y) to (k-y-1,k-x-1), nobody to itself",
       {}},
      {"complement", complement, "the bits of a host's number inverted", {}},
      {"shuffle", shuffle, "the bits of a host's number rotated by one", {}},
      {"tornado", tornado, "half-way around every dimension", {grid}},
      {"neighbour", neighbour, "one further in every dimension", {grid}},
      {"hot_spot",
       hot_spot,
       "a share to one host, the rest uniform",
       {{"share", FreeText{"0 to 1"}, "0.1", "of all packets"},
        {"host", FreeText{}, "0", "its name or number"}}},
      {"adversarial",
       adversarial,
       "the hosts of a group to any of another group: the worst case of dragonflies",
       {{"shift", Whole{1}, "1", "groups between the two"},
        {"group", Whole{1, std::numeric_limits<std::int64_t>::max(), {}, "fabric"}, "fabric",
         "hosts that are a group, by their numbers; fabric: those whose switches have the same "
         "first coordinate"}}},
      {"permutation",
       permutation,
       "one fixed destination each, drawn at random",
       {{"seed", Whole{}, "1", "the same seed gives the same permutation"}, self}},
      {"all_to_all",
       all_to_all,
       "every host to every other in turn",
       {{"rounds", Whole{}, "0", "how often; 0: without end"}}},
  };
}

}  // namespace

std::span<const Row<MakePattern>> patterns() {
  static const std::vector<Row<MakePattern>> rows = make_rows();
  return rows;
}

std::unique_ptr<Pattern> make_pattern(const Fabric& fabric, std::string_view text) {
  return make_pattern(fabric, Spec::parse(text));
}

std::unique_ptr<Pattern> make_pattern(const Fabric& fabric, const Spec& spec) {
  const auto& row = find_row(patterns(), "traffic pattern", spec.name);
  const Params params(spec, row.params);
  if (fabric.host_count() == 0) throw Error("{}: the fabric has no hosts", spec.name);
  return row.make(fabric, params);
}

}  // namespace weft::sim
