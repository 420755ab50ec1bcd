// SPDX-License-Identifier: Apache-2.0
// docs/guides/add-a-routing-engine.md, followed to the letter: its engine compiles and does what
// its row promises.
#include <gtest/gtest.h>

#include "plan/check/survey.hpp"
#include "plan/topo/topology.hpp"
#include "tutorial/engine.inc"

namespace weft::testing {
namespace {

const RoutingEngineRow tutorial_rows[] = {
#include "tutorial/row.inc"
};

TEST(Tutorial, ItsEngineRoutes) {
  const RoutingEngineRow& row = tutorial_rows[0];
  EXPECT_EQ(row.name, "nearest");
  EXPECT_TRUE(row.promise.minimal);
  for (const char* topology : {"torus:dims=4x4,hosts=2", "rhinet2_a", "tree:k=4,n=2"}) {
    const Fabric fabric = make_fabric(topology);
    const Routed routed = row.make(fabric, Params(Spec::parse(row.name), row.params));
    ASSERT_TRUE(std::holds_alternative<Tables>(routed)) << topology;
    EXPECT_TRUE(survey(fabric, std::get<Tables>(routed)).complete()) << topology;
  }
}

}  // namespace
}  // namespace weft::testing
