// SPDX-License-Identifier: Apache-2.0
// Arrows between the rooms of src go one way: every #include obeys src/rooms.txt.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using Rooms = std::map<std::string, std::set<std::string>>;  // room → rooms it may include
using Complaints = std::vector<std::string>;

// Reads "room: earlier rooms" lines; a room may name only rooms listed before it.
Rooms read_rooms(const std::string& text, Complaints& complaints) {
  Rooms rooms;
  int number = 0;
  for (const auto& line : split_lines(text)) {
    const auto at = "src/rooms.txt:" + std::to_string(++number) + ": ";
    std::istringstream words(line.substr(0, line.find('#')));
    std::string room;
    if (!(words >> room)) continue;
    if (!room.ends_with(':')) complaints.push_back(at + "expected \"room:\", got " + room);
    room = room.substr(0, room.find(':'));
    std::set<std::string> allowed;
    for (std::string other; words >> other; allowed.insert(other))
      if (!rooms.contains(other)) complaints.push_back(at + other + " is no earlier room");
    if (!rooms.emplace(room, allowed).second) complaints.push_back(at + room + " is listed twice");
  }
  return rooms;
}

// Checks the includes of one file, whose path begins with src.
void check_includes(const Rooms& rooms, const fs::path& path, const std::string& text,
                    Complaints& complaints) {
  static const std::regex include(R"re(^\s*#\s*include\s*(["<])([^">/]+)/)re");
  const auto inside = path.lexically_relative("src");
  const auto room = inside.has_parent_path() ? inside.begin()->string() : "";
  if (!rooms.contains(room)) {
    complaints.push_back(path.string() + ":1: not in a room that rooms.txt lists");
    return;
  }
  int number = 0;
  for (const auto& line : split_lines(text)) {
    ++number;
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    const std::string other = match[2];
    const bool known = rooms.contains(other);
    if (!known && match[1] == "<") continue;  // another library's header
    if (other == room || rooms.at(room).contains(other)) continue;
    complaints.push_back(path.string() + ":" + std::to_string(number) + ": " + room +
                         (known ? " may not include " : " includes the unlisted room ") + other);
  }
}

std::string joined(const Complaints& complaints) {
  std::string text;
  for (const auto& complaint : complaints) text += complaint + "\n";
  return text;
}

TEST(Rooms, EveryIncludeIsAllowed) {
  const fs::path src = weft::testing::source_dir() / "src";
  Complaints complaints;
  const Rooms rooms = read_rooms(read_file(src / "rooms.txt"), complaints);
  EXPECT_FALSE(rooms.empty());
  const auto files = files_below("src", {".cpp", ".hpp"});
  EXPECT_FALSE(files.empty());
  for (const auto& file : files)
    check_includes(rooms, file, read_file(weft::testing::source_dir() / file), complaints);
  EXPECT_TRUE(complaints.empty()) << joined(complaints);
}

TEST(Rooms, RoomsMayNameOnlyEarlierOnes) {
  Complaints complaints;
  read_rooms("# comment\nbase:\nsim: base plan  # later\nplan: base\nbase:\n", complaints);
  EXPECT_EQ(joined(complaints),
            "src/rooms.txt:3: plan is no earlier room\nsrc/rooms.txt:5: base is listed twice\n");
}

TEST(Rooms, ForbiddenArrowsAreFound) {
  Complaints complaints;
  const Rooms rooms = read_rooms("base:\nfabric: base\nsim: base fabric\n", complaints);
  check_includes(rooms, "src/sim/good.cpp", "#include \"sim/x.hpp\"\n#include <sys/wait.h>\n",
                 complaints);
  EXPECT_EQ(joined(complaints), "");
  check_includes(rooms, "src/fabric/format/bad.cpp",
                 "// text\n#include \"base/ids.hpp\"\n  # include \"sim/engine.hpp\"\n"
                 "#include <sim/engine.hpp>\n#include \"../plan/topo.hpp\"\n",
                 complaints);
  check_includes(rooms, "src/plan/topo.cpp", "", complaints);
  check_includes(rooms, "src/stray.cpp", "", complaints);
  EXPECT_EQ(joined(complaints),
            "src/fabric/format/bad.cpp:3: fabric may not include sim\n"
            "src/fabric/format/bad.cpp:4: fabric may not include sim\n"
            "src/fabric/format/bad.cpp:5: fabric includes the unlisted room ..\n"
            "src/plan/topo.cpp:1: not in a room that rooms.txt lists\n"
            "src/stray.cpp:1: not in a room that rooms.txt lists\n");
}

}  // namespace
}  // namespace weft::testing
