// SPDX-License-Identifier: Apache-2.0
// One name, one type: no struct, class, enum or union of src has the name of another, nested ones
// and those of unnamed namespaces included, so that a name says by itself what is meant.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using Places = std::map<std::string, std::vector<std::string>>;  // name → "file:line" of each type

/// The name of the type whose definition begins in a line; declarations define none.
std::optional<std::string> type_defined_in(const std::string& line) {
  static const std::regex definition(
      R"re(^\s*(?:template <.*> )?(?:struct|class|enum class|enum|union) )re"
      R"re((?:\[\[\w+\]\] |alignas\(\w+\) )?(?:\w+::)*(\w+)(?: final)?(?: ?:[^:;].*| \{.*)?$)re");
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos ||
      std::string_view("tsceu").find(line[begin]) == std::string::npos)
    return std::nullopt;
  std::smatch match;
  if (!std::regex_match(line, match, definition)) return std::nullopt;
  return match[1].str();
}

void add_types(const fs::path& path, const std::string& text, Places& places) {
  int number = 0;
  for (const auto& line : split_lines(text)) {
    ++number;
    if (const auto name = type_defined_in(line))
      places[*name].push_back(path.generic_string() + ":" + std::to_string(number));
  }
}

/// A line for each name that several types have: where they are.
std::string homonyms(const Places& places) {
  std::string out;
  for (const auto& [name, where] : places) {
    if (where.size() < 2) continue;
    out += name + ":";
    for (const auto& place : where) out += " " + place;
    out += "\n";
  }
  return out;
}

TEST(TypeNames, EveryTypeHasItsOwn) {
  Places places;
  for (const auto& file : files_below("src", {".cpp", ".hpp"}))
    add_types(file, read_file(source_dir() / file), places);
  EXPECT_GT(places.size(), 100U);
  EXPECT_EQ(homonyms(places), "");
}

TEST(TypeNames, DefinitionsAreFound) {
  EXPECT_EQ(type_defined_in("struct Hop {"), "Hop");
  EXPECT_EQ(type_defined_in("  enum class Kind : std::uint8_t { one, two };"), "Kind");
  EXPECT_EQ(type_defined_in("class Network final : public Driver {"), "Network");
  EXPECT_EQ(type_defined_in("template <class T> struct AtLine {"), "AtLine");
  EXPECT_EQ(type_defined_in("class StagedHosts"), "StagedHosts");
  EXPECT_EQ(type_defined_in("struct Batches::Spread {"), "Spread");
  EXPECT_EQ(type_defined_in("struct alignas(64) Word {"), "Word");
  EXPECT_EQ(type_defined_in("class Network;"), std::nullopt);
  EXPECT_EQ(type_defined_in("using SwitchId = Id<struct SwitchTag>;"), std::nullopt);
  EXPECT_EQ(type_defined_in("/// struct Hop {"), std::nullopt);
  EXPECT_EQ(type_defined_in("  friend class World;"), std::nullopt);
}

TEST(TypeNames, BothPlacesAreNamed) {
  Places places;
  add_types("src/a.hpp", "struct Hop {\n};\nstruct Way {\n};\n", places);
  add_types("src/b.cpp", "namespace {\nclass Hop {\n};\n", places);
  EXPECT_EQ(homonyms(places), "Hop: src/a.hpp:1 src/b.cpp:2\n");
}

}  // namespace
}  // namespace weft::testing
