// SPDX-License-Identifier: Apache-2.0
// Dependencies between the rooms of src have no cycles: every #include obeys src/rooms.txt.
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

/// The room of a file, by its path below src: the longest that is listed; "" for none.
std::string room_of(const Rooms& rooms, fs::path path) {
  for (path = path.parent_path(); !path.empty(); path = path.parent_path())
    if (rooms.contains(path.generic_string())) return path.generic_string();
  return "";
}

// Checks the includes of one file, whose path begins with src.
void check_includes(const Rooms& rooms, const fs::path& path, const std::string& text,
                    Complaints& complaints) {
  static const std::regex include(R"re(^\s*#\s*include\s*(["<])([^">]+/[^">]+)[">])re");
  const std::string room = room_of(rooms, path.lexically_relative("src"));
  if (room.empty()) {
    complaints.push_back(path.string() + ":1: not in a room that rooms.txt lists");
    return;
  }
  int number = 0;
  for (const auto& line : split_lines(text)) {
    ++number;
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    const std::string other = room_of(rooms, match[2].str());
    if (other.empty() && match[1] == "<") continue;  // another library's header
    if (other == room || rooms.at(room).contains(other)) continue;
    complaints.push_back(path.string() + ":" + std::to_string(number) + ": " + room +
                         (other.empty() ? " includes what is in no room: " + match[2].str()
                                        : " may not include " + other));
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
  const Rooms rooms =
      read_rooms("base:\nfabric: base\nsim: base fabric\nsim/nics: base sim\n", complaints);
  check_includes(rooms, "src/sim/good.cpp", "#include \"sim/x.hpp\"\n#include <sys/wait.h>\n",
                 complaints);
  check_includes(rooms, "src/sim/nics/details/good.cpp",
                 "#include \"sim/x.hpp\"\n#include \"sim/hosts/x.hpp\"\n", complaints);
  EXPECT_EQ(joined(complaints), "");
  check_includes(rooms, "src/sim/bad.cpp", "#include \"sim/nics/nic.hpp\"\n", complaints);
  check_includes(rooms, "src/sim/nics/bad.cpp", "#include \"fabric/fabric.hpp\"\n", complaints);
  check_includes(rooms, "src/fabric/format/bad.cpp",
                 "// text\n#include \"base/ids.hpp\"\n  # include \"sim/engine.hpp\"\n"
                 "#include <sim/engine.hpp>\n#include \"../plan/topo.hpp\"\n",
                 complaints);
  check_includes(rooms, "src/plan/topo.cpp", "", complaints);
  check_includes(rooms, "src/stray.cpp", "", complaints);
  EXPECT_EQ(joined(complaints),
            "src/sim/bad.cpp:1: sim may not include sim/nics\n"
            "src/sim/nics/bad.cpp:1: sim/nics may not include fabric\n"
            "src/fabric/format/bad.cpp:3: fabric may not include sim\n"
            "src/fabric/format/bad.cpp:4: fabric may not include sim\n"
            "src/fabric/format/bad.cpp:5: fabric includes what is in no room: ../plan/topo.hpp\n"
            "src/plan/topo.cpp:1: not in a room that rooms.txt lists\n"
            "src/stray.cpp:1: not in a room that rooms.txt lists\n");
}

}  // namespace
}  // namespace weft::testing
