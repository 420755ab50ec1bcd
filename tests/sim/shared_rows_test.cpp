// SPDX-License-Identifier: Apache-2.0
// Equal rows of a table are kept once.
#include "sim/flit/shared_rows.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft::sim {
namespace {

TEST(SharedRows, WhatIsThereAlreadyIsNotAdded) {
  HugeVector<int> values;
  SharedRows<int> rows(values);
  const auto add = [&](const std::vector<int>& row) { return rows.add(row); };
  EXPECT_EQ(add({1, 2, 3}), 0U);
  EXPECT_EQ(add({4, 5, 6}), 3U);
  EXPECT_EQ(add({4, 5}), 3U);  // the last row begins like this
  EXPECT_EQ(add({1, 2, 3}), 0U);
  EXPECT_EQ(add({4, 5, 6}), 3U);
  EXPECT_EQ(values.size(), 6U);
}

}  // namespace
}  // namespace weft::sim
