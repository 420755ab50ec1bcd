// SPDX-License-Identifier: Apache-2.0
// Every parameter of every catalogue: its default is one of its values, the ends of its range are
// taken, and what is just outside is rejected by name.
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "comm/coll/coll.hpp"
#include "comm/library.hpp"
#include "lab/programs/program.hpp"
#include "papers/gmqos/experiments.hpp"
#include "papers/ibamesh/study.hpp"
#include "papers/qsnet/experiments.hpp"
#include "papers/rhinet2/study.hpp"
#include "papers/viabarrier/experiments.hpp"
#include "plan/check/check.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "sim/nics/nic.hpp"
#include "sim/switch_model.hpp"
#include "sim/traffic/traffic.hpp"

namespace weft::testing {
namespace {

struct Declared {
  std::string row;
  std::vector<Param> params;
};

template <class Rows>
void add_rows(std::vector<Declared>& out, const Rows& rows) {
  for (const auto& row : rows) out.push_back({std::string(row.name), row.params});
}

template <class Params>
void add_params(std::vector<Declared>& out, std::string row, const Params& params) {
  out.push_back({std::move(row), {params.begin(), params.end()}});
}

std::vector<Declared> everything_declared() {
  std::vector<Declared> out;
  add_rows(out, topologies());
  add_rows(out, engines());
  add_rows(out, group_schemes());
  add_rows(out, orders());
  add_rows(out, checks());
  add_rows(out, sim::patterns());
  add_rows(out, sim::switch_kinds());
  add_rows(out, sim::nics());
  add_rows(out, comm::libraries());
  comm::for_each_collective(
      [&]<class AnyCollective>() { add_rows(out, comm::algorithms<AnyCollective>()); });
  add_rows(out, programs());
  add_params(out, "gmqos", papers::gmqos::study_params());
  add_params(out, "ibamesh", papers::ibamesh::study_params());
  add_params(out, "qsnet", papers::qsnet::study_params());
  add_params(out, "rhinet2", papers::rhinet2::study_params());
  add_params(out, "viabarrier", papers::viabarrier::study_params());
  return out;
}

/// Values that a declaration takes, and the nearest that it does not.
struct Edges {
  std::vector<std::string> inside, outside;
};

Edges edges(const FreeText&) { return {}; }
Edges edges(const WholeUpTo&) { return {}; }  // the end is known to the reader, whose tests try it

Edges edges(const Whole& type) {
  Edges out{{std::to_string(type.least), std::to_string(type.most)}, {"@", "", "1.5"}};
  out.outside.push_back(std::to_string(type.least - 1));
  out.outside.push_back(type.most == Whole{}.most ? "9223372036854775808"
                                                  : std::to_string(type.most + 1));
  if (type.word) out.inside.emplace_back(*type.word);
  return out;
}

Edges edges(const Dims& type) {
  const std::string least = std::to_string(type.least), less = std::to_string(type.least - 1);
  return {{least, least + "x1000000"}, {less, least + "x" + less, "1000001", "@", ""}};
}

Edges edges(const OneOf& type) { return {{type.begin(), type.end()}, {"@", ""}}; }
Edges edges(const YesNo&) { return {{"yes", "no"}, {"@", "", "true"}}; }
Edges edges(const BandwidthText&) { return {{"1b/s"}, {"0b/s", "1", "@", ""}}; }

Edges edges(const DurationText& type) {
  Edges out{{to_text(type.least)}, {"-1ps", "1", "@", ""}};
  if (type.least > Duration{0}) out.outside.push_back(to_text(type.least - Duration{1}));
  return out;
}

Edges edges(const DelayText& type) {
  const std::string unit = type.plain ? "" : "cycles";
  Edges out{
      {std::to_string(type.least) + unit, std::to_string(type.most) + unit, to_text(type.longest)},
      {"-1", "-1ns", "@", "", "1.5"}};
  if (!type.plain) out.outside.emplace_back("5");
  out.outside.push_back(std::to_string(type.least - 1) + unit);
  out.outside.push_back(std::to_string(type.most + 1) + unit);
  out.outside.push_back(to_text(type.longest + Duration{1}));
  if (type.word) out.inside.emplace_back(*type.word);
  return out;
}

Edges edges(const BytesText& type) {
  Edges out{{to_text(type.least)}, {"-1B", "@"}};
  if (type.least > Bytes{0}) out.outside.push_back(to_text(Bytes{type.least.count - 1}));
  if (type.most < BytesText{}.most) {
    out.inside.push_back(to_text(type.most));
    out.outside.push_back(to_text(Bytes{type.most.count + 1}));
  }
  (type.plain ? out.inside : out.outside).push_back(std::to_string(type.least.count));
  return out;
}

/// The error of the row for this value alone, or nothing.
std::string complaint_about(const Declared& declared, const Param& param,
                            const std::string& value) {
  try {
    const Params params({declared.row, {{std::string(param.name), value}}}, declared.params);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(DeclaredParams, DefaultsAreAmongTheirValues) {
  for (const Declared& declared : everything_declared())
    for (const Param& param : declared.params)
      EXPECT_EQ(complaint(param.type, param.fallback), "") << declared.row << ": " << param.name;
}

TEST(DeclaredParams, RangesEndWhereTheySay) {
  for (const Declared& declared : everything_declared())
    for (const Param& param : declared.params) {
      const Edges values = std::visit([](const auto& type) { return edges(type); }, param.type);
      for (const std::string& value : values.inside)
        EXPECT_EQ(complaint_about(declared, param, value), "")
            << declared.row << ": " << param.name;
      for (const std::string& value : values.outside) {
        const std::string start = fmt::format("{}: {}={}: ", declared.row, param.name, value);
        const std::string text = complaint_about(declared, param, value);
        EXPECT_TRUE(text.starts_with(start) && text.size() > start.size()) << start << text;
      }
    }
}

TEST(DeclaredParams, HaveOneNameEachAndHelp) {
  for (const Declared& declared : everything_declared()) {
    std::set<std::string_view> names;
    for (const Param& param : declared.params) {
      EXPECT_TRUE(names.insert(param.name).second) << declared.row << ": " << param.name;
      EXPECT_FALSE(param.help.empty()) << declared.row << ": " << param.name;
    }
  }
}

}  // namespace
}  // namespace weft::testing
