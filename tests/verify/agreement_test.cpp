// SPDX-License-Identifier: Apache-2.0
// Two verifiers agree: the one of src/verify and tests/verify/verify.py, which was written from
// docs/certificate.md, on random fabrics, routes and groups, with honest and spoilt certificates,
// tables and texts. What holds is also free of cycles for weft's own check, if weft can read it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>

#include "base/rng.hpp"
#include "fabric/format/format.hpp"
#include "fuzz/verified_kind.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "plan/verify/verify_text.hpp"
#include "support/choices.hpp"
#include "support/fabrics.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"
#include "support/routes.hpp"
#include "verify/verify.hpp"

namespace weft::test::agreement {
namespace {

using VerifierCase = std::array<std::string, 3>;  // fabric, tables, certificate

template <class Items>
const auto& any_of(const Items& items, Rng& rng) {
  return items[rng.below(items.size())];
}

Fabric any_fabric(Rng& rng) {
  static constexpr std::array specs{
      "ring:switches=4,hosts=2",         "torus:dims=3x3",       "tree:k=2,n=2", "tree:k=2,n=3",
      "clos2:leaves=3,spines=2,links=2", "mesh:dims=2x3,hosts=2"};
  switch (rng.below(4)) {
    case 0:
      return make_fabric(any_of(specs, rng));
    case 1:
      return random_box(rng.next() % 1000);
    case 2:
      return damaged_tree(rng.next() % 1000);
    default:
      return random_fabric(rng.next() % 1000, 7);
  }
}

/// The lanes of random tables: levels, with or without a map, or turns.
void randomise_lanes(const Fabric& fabric, Tables& tables, Rng& rng) {
  const int lanes = 1 + static_cast<int>(rng.below(3));
  const bool named = std::holds_alternative<ChoiceTables>(tables.paths);  // by choices
  tables.lane_count = named ? std::max(tables.lane_count, lanes) : lanes;
  const auto lane = [&] {
    return static_cast<Lane>(rng.below(static_cast<std::uint64_t>(tables.lane_count)));
  };
  if (rng.below(3) == 0) {
    constexpr std::array marks{LaneOp::keep(), LaneOp::plus_one(), LaneOp::minus_one(), LaneOp()};
    TurnLanes turns(fabric, LaneOp::set(lane()), LaneOp::keep());
    for (SwitchId s : fabric.switches())
      for (unsigned in = 1; in <= fabric[s].ports; ++in)
        for (unsigned out = 1; out <= fabric[s].ports && rng.below(4) == 0; ++out)
          turns.at(s, static_cast<PortNumber>(in), static_cast<PortNumber>(out)) =
              rng.below(2) == 0 ? LaneOp::set(lane()) : any_of(marks, rng);
    tables.lanes = turns;
    return;
  }
  const bool by_host = rng.below(2) == 0;
  const std::size_t sources = by_host ? fabric.host_count() : fabric.switch_count();
  ServiceLanes service{Grid<std::uint8_t>(column_count(tables), sources, 0)};
  service.by_host = by_host;
  const bool map = rng.below(2) == 0;
  const std::size_t levels = map ? 1 + rng.below(3) : static_cast<std::size_t>(tables.lane_count);
  for (ColumnId c : service.level.ids())
    for (std::uint8_t& level : service.level[c])
      level = static_cast<std::uint8_t>(rng.below(levels));
  if (map) {
    service.map = ServiceLanes::Map{{}, static_cast<int>(levels)};
    for (SwitchId s : fabric.switches()) {
      const std::size_t width = fabric[s].ports + std::size_t{1};
      auto& lanes = service.map->lane.emplace_back(width * width * levels, lane());
      for (Lane& entry : lanes)
        if (rng.below(4) == 0) entry = lane();
    }
  }
  tables.lanes = service;
}

void add_groups(const Fabric& fabric, Tables& tables, Rng& rng) {
  if (fabric.host_count() < 2) return;
  const bool rooted = rng.below(2) == 0;
  const auto any_switch = [&] { return fabric[SwitchId(rng.below(fabric.switch_count()))].name; };
  const std::string root = any_switch();
  const bool small = rng.below(2) == 0;  // small groups of several roots may get along
  if (rng.below(2) == 0) tables.lane_count += 1;
  for (std::uint64_t i = rng.below(4); i > 0; --i) {
    GroupRequest request{fmt::format("g{}", i), {}};
    for (HostId h : fabric.hosts())
      if (rng.below(small ? fabric.host_count() / 2 + 1 : 2) == 0) request.members.push_back(h);
    if (request.members.size() < 2) continue;
    request.lane = rng.below(3) == 0 ? Lane{0} : static_cast<Lane>(tables.lane_count - 1);
    const bool source = rng.below(2) == 0;
    if (source) request.source = any_of(request.members, rng);
    const std::string scheme = rng.below(5) == 0 ? "shared"
                               : rooted          ? "rooted:root=" + (small ? any_switch() : root)
                               : source          ? "union"
                                                 : "oriented";
    try {
      const Grouped made = make_group({fabric, tables, request}, scheme);
      if (const auto* group = std::get_if<Group>(&made)) {
        tables.groups.push_back(*group);
        test::give_level(tables, tables.groups.back(), rng);
      }
    } catch (const Error&) {  // not a scheme for these routes
    }
  }
}

/// Hosts are also reached by the columns of others on their switch, or by any.
void add_further_lids(const Fabric& fabric, Tables& tables, Rng& rng) {
  if (!std::holds_alternative<DestinationTables>(tables.paths)) return;
  for (HostId h : fabric.hosts()) {
    const std::span on_switch = fabric.hosts_on(fabric[h].on);
    const HostId other = rng.below(4) == 0 ? HostId(rng.below(fabric.host_count()))
                                           : on_switch[rng.below(on_switch.size())];
    if (rng.below(2) == 0 && tables.to_host[other].valid())
      tables.further.push_back({h, 1, tables.to_host[other]});
  }
}

Tables any_tables(const Fabric& fabric, Rng& rng) {
  static constexpr std::array specs{
      "minhop", "updown", "updown:columns=switch", "dl",  "sbp",   "lash",
      "dfsssp", "dor",    "dor:lanes=service",     "nca", "dmodk", "nca"};
  static constexpr std::array adaptive{"min_adaptive",
                                       "min_adaptive:escape=nue",
                                       "min_adaptive:escape=updown",
                                       "valiant",
                                       "romm",
                                       "min_adaptive",
                                       "min_adaptive:escape=nue",
                                       "updown_adaptive",
                                       "ugal",
                                       "par"};
  const bool choices = rng.below(2) == 0;
  bool linked = true;
  for (const SwitchId s : fabric.switches()) linked &= !fabric.out(s).empty();
  if (choices && linked && rng.below(3) == 0) return random_choices(fabric, rng);
  for (;;) {
    const std::string spec = choices ? any_of(adaptive, rng) : any_of(specs, rng);
    const Routed routed = route(fabric, spec);
    if (!std::holds_alternative<Tables>(routed)) continue;
    Tables tables = std::get<Tables>(routed);
    if (rng.below(4) == 0) tables = as_source_routes(fabric, tables);
    if (rng.below(6) == 0) randomise_lanes(fabric, tables, rng);
    if (rng.below(6) == 0) add_further_lids(fabric, tables, rng);
    if (rng.below(3) != 0) add_groups(fabric, tables, rng);
    return tables;
  }
}

/// A candidate more, one less, or another one, at some switch.
void spoil_choices(const Fabric& fabric, ChoiceTables& choices, int lanes, Rng& rng) {
  const ColumnId column(rng.below(choices.size()));
  const SwitchId s(rng.below(fabric.switch_count()));
  ChoiceTables::Entry& entry = choices.next[column][s.index()];
  std::vector<Candidate> all;
  if (entry < choices.set_count())
    all.assign(choices.candidates(entry).begin(), choices.candidates(entry).end());
  const Candidate more{
      static_cast<PortNumber>(1 + rng.below(std::max<PortNumber>(1, fabric[s].ports))),
      rng.below(4) == 0 ? Candidate::by_lanes
                        : static_cast<Lane>(rng.below(static_cast<std::uint64_t>(lanes))),
      static_cast<PhaseId>(rng.below(choices.phases.size())),
      static_cast<std::uint8_t>(rng.below(2))};
  if (all.empty() || rng.below(2) == 0)
    all.push_back(more);
  else if (all.size() > 1 && rng.below(2) == 0)
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(rng.below(all.size())));
  else
    all[rng.below(all.size())] = more;
  entry = rng.below(8) == 0   ? ChoiceTables::at_end
          : rng.below(8) == 0 ? ChoiceTables::no_route
                              : choices.add(all);
}

/// Tables with entries of their own mind.
void spoil_tables(const Fabric& fabric, Tables& tables, Rng& rng) {
  const SwitchId s(rng.below(fabric.switch_count()));
  const auto port = [&] {
    return static_cast<PortNumber>(fabric[s].ports == 0 ? 0 : 1 + rng.below(fabric[s].ports));
  };
  if (auto* choices = std::get_if<ChoiceTables>(&tables.paths);
      choices != nullptr && choices->size() > 0 && rng.below(4) != 0) {
    const ChoiceTables before = *choices;
    spoil_choices(fabric, *choices, tables.lane_count, rng);
    try {
      require_fit(fabric, tables);
    } catch (const Error&) {  // as it may detour twice now
      *choices = before;
    }
    return;
  }
  auto* next = std::get_if<DestinationTables>(&tables.paths);
  if (next != nullptr && next->size() > 0 && rng.below(2) == 0) {
    (*next)[ColumnId(rng.below(next->size()))][s.index()] = rng.below(6) == 0   ? no_port
                                                            : rng.below(6) == 0 ? here
                                                                                : port();
  } else if (!tables.groups.empty() && port() != 0) {
    Group& group = tables.groups[rng.below(tables.groups.size())];
    const auto set = std::find_if(group.out.begin(), group.out.end(),
                                  [&](const PortSet& p) { return p.on == s; });
    if (set == group.out.end())
      group.out.push_back({s, {port()}});
    else if (rng.below(2) == 0)
      group.out.erase(set);
    else if (const PortNumber p = port(); !std::count(set->ports.begin(), set->ports.end(), p))
      set->ports.push_back(p);
    const auto same = [&](const UpPort& up) { return up.on == s; };
    if (group.root && std::none_of(group.up.begin(), group.up.end(), same) && rng.below(2) == 0)
      group.up.push_back({s, port()});
    if (rng.below(6) == 0) group.source = HostId(rng.below(fabric.host_count()));
  }
}

/// Equal, swapped, removed, by one more or less; or said to prove something else.
void spoil_numbers(Certificate& certificate, Rng& rng) {
  auto& numbers = certificate.number;
  if (numbers.empty()) return;
  std::uint32_t& a = numbers[rng.below(numbers.size())];
  std::uint32_t& b = numbers[rng.below(numbers.size())];
  switch (rng.below(7)) {
    case 6:
      certificate.proof = static_cast<Proof>(rng.below(3));
      break;
    case 0:
      a = b;
      break;
    case 1:
      std::swap(a, b);
      break;
    case 2:
      a = Certificate::unused;
      break;
    case 3:
      a += a == Certificate::unused ? 0 : 1;
      break;
    case 4:
      a -= a == Certificate::unused || a == 0 ? 0 : 1;
      break;
    default:
      std::fill(numbers.begin(), numbers.end(), 1);
  }
}

/// A letter, a word or a line is changed, removed or doubled.
void spoil_text(std::string& text, Rng& rng) {
  static constexpr std::string_view letters = "0123456789 \n\":,.-=+x[]{}|#g\\\tsh\r\x01";
  if (text.empty()) return;
  const std::size_t at = rng.below(text.size());
  const char* stops = rng.below(2) == 0 ? "\n" : " \n";
  const std::size_t begin = text.find_last_of(stops, at) + 1;
  const std::size_t end = std::min(text.find_first_of(stops, begin), text.size());
  switch (rng.below(5)) {
    case 0:
      text[at] = letters[rng.below(letters.size())];
      break;
    case 1:
      text.insert(at, 1, letters[rng.below(letters.size())]);
      break;
    case 2:
      text.erase(begin, end - begin);
      break;
    case 3:
      text.insert(begin, text.substr(begin, end - begin + 1));
      break;
    default:
      text.erase(at, 1);
  }
}

verifier::Judgment judgment(const VerifierCase& texts) {
  return verifier::judge({"fabric", texts[0]}, {"tables", texts[1]}, {"certificate", texts[2]});
}

/// One of "holds", "fails" and "refused".
std::string library_verdict(const VerifierCase& texts) {
  try {
    return judgment(texts).wrong ? "fails" : "holds";
  } catch (const verifier::UnreadableInput&) {
    return "refused";
  }
}

/// Whether weft can read the texts, and contradicts the certificate.
bool weft_objects(const VerifierCase& texts, verifier::ProofKind proof) {
  try {
    const Fabric fabric = read_fabric({"fabric", texts[0]}, "weft");
    const Tables tables = read_tables({"tables", texts[1]}, fabric, "weft");
    return fuzz::contradicts(fabric, tables, proof);
  } catch (const Error&) {
    return false;
  }
}

class CaseMaker {
 public:
  /// An honest case, where there is one, and spoilt ones.
  void make(std::uint64_t seed, std::vector<VerifierCase>& cases) {
    Rng rng(seed);
    const Fabric fabric = any_fabric(rng);
    Tables tables = any_tables(fabric, rng);
    if (rng.below(3) == 0) spoil_tables(fabric, tables, rng);
    const DeadlockVerdict verdict = deadlock(fabric, tables, static_cast<WaitKind>(rng.below(3)));
    const auto* honest = std::get_if<Certificate>(&verdict);
    Certificate certificate = honest != nullptr ? *honest : guess(fabric, tables, rng);
    add(cases, fabric, tables, certificate);
    EXPECT_TRUE(honest == nullptr || library_verdict(cases.back()) == "holds") << seed;
    for (int i = 0; i < 4; ++i) {
      Certificate spoilt = certificate;
      for (std::uint64_t n = 1 + rng.below(2); n > 0; --n) spoil_numbers(spoilt, rng);
      add(cases, fabric, tables, spoilt);
    }
    for (int i = 0; i < 2; ++i) {
      Tables spoilt = tables;
      spoil_tables(fabric, spoilt, rng);
      add(cases, fabric, spoilt, certificate);
    }
    const VerifierCase sound = cases[cases.size() - 7];
    for (int i = 0; i < 3; ++i) {
      spoil_text(cases.emplace_back(sound)[rng.below(3)], rng);
    }
  }

 private:
  /// Random numbers, or those of the routes without groups.
  static Certificate guess(const Fabric& fabric, const Tables& tables, Rng& rng) {
    Tables alone = tables;
    alone.groups.clear();
    const DeadlockVerdict verdict = deadlock(fabric, alone);
    Certificate out{tables.lane_count, {}};
    if (const auto* found = std::get_if<Certificate>(&verdict)) out = *found;
    const std::size_t links = fabric.channel_count() + fabric.host_count();
    out.number.resize(links * static_cast<std::size_t>(out.lanes), Certificate::unused);
    for (std::size_t i = 0; i < out.number.size(); ++i) {
      const bool to_host = i >= fabric.channel_count() * static_cast<std::size_t>(out.lanes);
      if (to_host && i % static_cast<std::size_t>(out.lanes) != 0) continue;
      if (out.number[i] == Certificate::unused)
        out.number[i] = static_cast<std::uint32_t>(rng.below(20) + (to_host ? 20 : 0));
    }
    return out;
  }
  static void add(std::vector<VerifierCase>& cases, const Fabric& fabric, const Tables& tables,
                  const Certificate& certificate) {
    try {
      std::ostringstream numbers;
      write_certificate(numbers, fabric, certificate);
      cases.push_back({weft_text(fabric), weft_text(fabric, tables), numbers.str()});
    } catch (const Error&) {  // tables that weft does not write
      cases.push_back({weft_text(fabric), "", ""});
    }
  }
};

std::vector<std::string> python_verdicts(const std::vector<VerifierCase>& cases) {
  const weft::testing::TemporaryFolder folder;
  {
    std::ofstream file(folder / "batch", std::ios::binary);
    for (const VerifierCase& texts : cases) {
      for (const std::string& text : texts) file << text.size() << ' ';
      file << '\n' << texts[0] << texts[1] << texts[2];
    }
  }
  const std::string script = (weft::testing::source_dir() / "tests/verify/verify.py").string();
  const auto run = weft::testing::run_shell("python3 " + weft::testing::shell_quoted(script) +
                                            " --batch " + (folder / "batch"));
  EXPECT_EQ(run.status, 0) << run.output;
  return weft::testing::split_lines(run.output);
}

TEST(Agreement, TwoVerifiersComeToTheSameVerdict) {
  std::vector<VerifierCase> cases;
  CaseMaker maker;
  for (int seed = 1; seed <= tries(50, 1000); ++seed)
    maker.make(static_cast<std::uint64_t>(seed), cases);
  const std::vector<std::string> expected = python_verdicts(cases);
  ASSERT_EQ(expected.size(), cases.size());
  std::map<std::string, int> counts;
  std::array<int, 3> kinds{};  // that hold, by proof
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string got = library_verdict(cases[i]);
    ++counts[got];
    EXPECT_EQ(got, expected[i]) << i << "\n" << cases[i][0] << cases[i][1] << cases[i][2];
    if (got == "holds") {
      const verifier::ProofKind proof = judgment(cases[i]).proof;
      ++kinds[static_cast<std::size_t>(proof)];
      EXPECT_FALSE(weft_objects(cases[i], proof)) << i << "\n" << cases[i][0] << cases[i][1];
    }
    if (HasFailure()) break;
  }
  for (const char* verdict : {"holds", "fails", "refused"})
    EXPECT_GE(counts[verdict], static_cast<int>(cases.size() / 12)) << verdict;
  if (tries(100) == 100) {  // slow builds have too few cases
    for (const int held : kinds) EXPECT_GE(held, static_cast<int>(cases.size() / 100));
  }
  RecordProperty("cases", static_cast<int>(cases.size()));
  fmt::print(
      "campaign: {} mutants of certificates: {} hold ({} by every choice, {} by some, {} "
      "for worms), {} fail, {} are refused, by both verifiers\n",
      cases.size(), counts["holds"], kinds[0], kinds[1], kinds[2], counts["fails"],
      counts["refused"]);
}

}  // namespace
}  // namespace weft::test::agreement
