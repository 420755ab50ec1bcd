// SPDX-License-Identifier: Apache-2.0
// What can stand at every place of a command line.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/catalog.hpp"
#include "cli/completion/completion.hpp"
#include "cli/reference/catalogues.hpp"
#include "cli/reference/topics.hpp"

namespace weft::cli {
namespace {

struct PlaceCandidates {
  std::string_view verb;   ///< empty: of any verb
  std::string_view place;  ///< "fabric", "--format", or the word for a value: "FILE"
  std::string_view candidates;
};

constexpr std::array known_places{
    PlaceCandidates{"make", "--format", "fabric-formats"},
    PlaceCandidates{"route", "--format", "tables-formats"},
    PlaceCandidates{"show", "--switch", ""},
    PlaceCandidates{"sim", "tables", "engines+files"},
    PlaceCandidates{"sweep", "tables", "engines+files"},
    PlaceCandidates{"cluster", "action", "=copy,new"},
    PlaceCandidates{"trace", "action", "=show,check,convert"},
    PlaceCandidates{"trace", "file", "+files"},
    PlaceCandidates{"trace", "out", "+files"},
    PlaceCandidates{"trace", "--format", "trace-formats"},
    PlaceCandidates{"trace", "--read-as", "trace-formats"},
    PlaceCandidates{"diff", "other", "engines+files"},
    PlaceCandidates{"diff", "tables", "engines+files"},
    PlaceCandidates{"export", "program", "=slurm,opensm,far"},
    PlaceCandidates{"export", "--format", "=conf,yaml"},
    PlaceCandidates{"", "fabric", "topologies+files"},
    PlaceCandidates{"", "FABRICS", "topologies+files"},
    PlaceCandidates{"", "TOPOLOGY", "topologies+files"},
    PlaceCandidates{"", "cluster", "clusters+files"},
    PlaceCandidates{"", "CLUSTER", "clusters+files"},
    PlaceCandidates{"reproduce", "--cluster", "clusters+files"},
    PlaceCandidates{"", "engine", "engines"},
    PlaceCandidates{"", "ENGINES", "engines"},
    PlaceCandidates{"", "ENGINE", "engines+files"},
    PlaceCandidates{"", "paper", "papers"},
    PlaceCandidates{"", "scheme", "groups"},
    PlaceCandidates{"", "order", "orders"},
    PlaceCandidates{"", "TRAFFIC", "traffic"},
    PlaceCandidates{"", "SWITCH", "switches"},
    PlaceCandidates{"", "NIC", "nics"},
    PlaceCandidates{"", "LIBRARY", "libraries"},
    PlaceCandidates{"", "program", "programs"},
    PlaceCandidates{"", "scenario", "scenarios+files"},
    PlaceCandidates{"", "POLICY", "=equal,max-min"},
    PlaceCandidates{"", "RATE-CONTROL", "=yes,no"},
    PlaceCandidates{"", "row", "row"},
    PlaceCandidates{"", "shell", "=bash,zsh,fish"},
    PlaceCandidates{"", "tables", "+files"},
    PlaceCandidates{"", "certificate", "+files"},
    PlaceCandidates{"", "FILE", "+files"},
    PlaceCandidates{"", "DIR", "+folders"},
};

std::string names_of_kinds() { return fmt::format("={}", fmt::join(names_of(listings()), ",")); }

std::string names_of_help() {
  return fmt::format("={},{}", fmt::join(names_of(verbs()), ","),
                     fmt::join(names_of(topics()), ","));
}

}  // namespace

std::string candidates_of(std::string_view verb, std::string_view place, std::string_view value) {
  if (verb == "list" && place == "kind") return names_of_kinds();
  if (verb == "help" && place == "topic") return names_of_help();
  const auto found =
      std::find_if(known_places.begin(), known_places.end(), [&](const PlaceCandidates& known) {
        return (known.verb.empty() || known.verb == verb) &&
               (known.place == place || known.place == value);
      });
  return found == known_places.end() ? "" : std::string(found->candidates);
}

}  // namespace weft::cli
