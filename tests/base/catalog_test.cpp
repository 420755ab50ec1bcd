// SPDX-License-Identifier: Apache-2.0
// Finding a row of a catalogue.
#include "base/catalog.hpp"

#include <gtest/gtest.h>

#include "message.hpp"

namespace weft::test {
namespace {

int one() { return 1; }
int two() { return 2; }

std::span<const Row<int()>> rows() {
  static const std::vector<Row<int()>> all{
      {"one", one, "the first", {}}, {"two", two, "the second", {{"by", Whole{}, "1", "steps"}}}};
  return all;
}

TEST(Catalog, FindsARow) {
  EXPECT_EQ(find_row(rows(), "number", "one").make(), 1);
  EXPECT_EQ(find_row(rows(), "number", "two").make(), 2);
  EXPECT_EQ(find_row(rows(), "number", "two").params.front().name, "by");
}

TEST(Catalog, NamesOfOtherTools) {
  static const std::vector<Row<int()>> engines{{"updown", one, "", {}}, {"minhop", two, "", {}}};
  const std::span<const Row<int()>> all(engines);
  take_notes_of_names();
  EXPECT_EQ(find_row(all, "engine", "updn").make(), 1);
  EXPECT_EQ(find_row(all, "engine", "updn").make(), 1);
  EXPECT_EQ(take_notes_of_names(),
            std::vector<std::string>{"updn: taken as updown, the nearest that weft has"});
  EXPECT_EQ(find_row(all, "engine", "updown").make(), 1);
  EXPECT_TRUE(take_notes_of_names().empty());
  EXPECT_EQ(message_of([&] { find_row(all, "engine", "ftree"); }),
            "no engine is called \"ftree\"; there are: updown minhop");
}

TEST(Catalog, SaysWhatThereIs) {
  const auto message = [](const std::string& name) {
    return message_of([&] { find_row(rows(), "number", name); });
  };
  EXPECT_EQ(message("three"), "no number is called \"three\"; there are: one two");
  EXPECT_EQ(message("On"), "no number is called \"On\"; there are: one two; did you mean one?");
  EXPECT_EQ(message(""), "no number is called \"\"; there are: one two");
  EXPECT_EQ(message(std::string(99, 'a')),
            "no number is called \"" + std::string(60, 'a') + "\"; there are: one two");
}

}  // namespace
}  // namespace weft::test
