// SPDX-License-Identifier: Apache-2.0
// The InfiniBand mesh paper: its worked examples exactly.
#include <gtest/gtest.h>

#include "papers/paper.hpp"

namespace weft::papers {
namespace {

Page page_of(const std::string& request) { return reproduce(request, {.quick = true}); }

void expect_all_hold(const std::string& request, std::size_t count) {
  const Page page = page_of(request);
  ASSERT_EQ(page.sections.size(), 1U);
  EXPECT_EQ(page.sections[0].answers.size(), count);
  EXPECT_FALSE(page.sections[0].about.empty());
  for (const Answer& answer : page.sections[0].answers)
    EXPECT_TRUE(answer.holds) << answer.stated.id << ": paper " << answer.stated.paper << ", ours "
                              << answer.ours << ' ' << answer.because;
}

TEST(IbaMeshPaper, WorkedExamples) {
  expect_all_hold("ibamesh/lids", 2);
  expect_all_hold("ibamesh/lft", 8);
  expect_all_hold("ibamesh/mft", 9);
}

}  // namespace
}  // namespace weft::papers
