// SPDX-License-Identifier: Apache-2.0
// Files, the check that they are text, and recognition of their format.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fabric/format/parsing/text.hpp"
#include "format_support.hpp"
#include "support/files.hpp"

namespace weft::test::format_catalog {
namespace {

using testing::TemporaryFolder;

TEST(ReadSource, ReadsWholeFiles) {
  const Source source = read_source(recorded("mesh4x4/ibnetdiscover.txt"));
  EXPECT_EQ(source.text.size(), std::filesystem::file_size(source.name));
}

TEST(ReadSource, SaysWhyNot) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of([&] { read_source(folder / "none"); }),
            folder / "none" + ": No such file or directory");
  EXPECT_EQ(message_of([&] { read_source(folder / ""); }), folder / "" + ": Is a directory");
}

TEST(ReadSource, RefusesMoreThanFourGiB) {
  const TemporaryFolder folder;
  const std::string path = folder / "large";
  std::ofstream(path).put('x');
  std::filesystem::resize_file(path, (std::uintmax_t{4} << 30) + 1);  // takes no space
  EXPECT_EQ(message_of([&] { read_source(path); }), path + ": larger than 4 GiB");
}

TEST(RequireText, NamesTheLineOfABadByte) {
  const auto message = [](const std::string& text) {
    return message_of([&] { read_fabric({"file", text}); });
  };
  EXPECT_EQ(message(std::string("weft\n\0", 6)), "file:2: byte 0x00 is not text; UTF-8 is needed");
  for (const std::string bytes :
       {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80",
        "\xf0\x80\x80\x80", "\x80", "\xe2\x82", "\xf5\x80\x80\x80", "\xc1\xbf"})
    EXPECT_NE(message("\n\n" + bytes).find("file:3: byte 0x"), std::string::npos) << bytes;
  EXPECT_NO_THROW(require_text({"file", "Zürich 5 € 𝄞"}));
}

TEST(Shown, IsShortAndOneLine) {
  EXPECT_EQ(shown("a\nb\x7f"), "a?b?");
  EXPECT_EQ(shown(std::string(41, 'a')), std::string(40, 'a') + "…");
  EXPECT_EQ(shown(std::string(39, 'a') + "üü"), std::string(39, 'a') + "…");
}

TEST(Stem, IsTheFileNameAlone) {
  EXPECT_EQ(stem({"a.b/net.toml", ""}), "net");
  EXPECT_EQ(stem({"net", ""}), "net");
  EXPECT_EQ(stem({".net", ""}), ".net");
  EXPECT_EQ(stem({"a/", ""}), "");
}

TEST(ReadFabric, RecognisesEveryFormatThatItReads) {
  const Fabric mesh = read_fabric(read_source(recorded("mesh4x4/mesh4x4.topo")));
  for (const FabricFormat& row : fabric_formats()) {
    if (row.read == nullptr || row.write == nullptr) continue;
    EXPECT_EQ(read_fabric({"file", written(mesh, row.name)}).link_count(), 24) << row.name;
  }
}

TEST(ReadFabric, SaysWhatThereIs) {
  EXPECT_EQ(fabric_message("hello", ""),
            "file:1: this looks like no fabric format; there are: weft ibnetdiscover subnet_lst "
            "db_csv anynet "
            "graphml");
  EXPECT_EQ(fabric_message("", ""),
            "file:1: this looks like no fabric format; there are: weft ibnetdiscover subnet_lst "
            "db_csv anynet "
            "graphml");
  EXPECT_EQ(fabric_message("", "xml"),
            "no fabric format is called \"xml\"; there are: weft ibnetdiscover subnet_lst db_csv "
            "anynet graphml dot");
  EXPECT_EQ(fabric_message("graph {}", "dot"), "file: dot is only written, not read");
}

TEST(ReadTables, SaysWhatThereIs) {
  const Fabric mesh = read_fabric(read_source(recorded("mesh4x4/mesh4x4.topo")));
  EXPECT_EQ(tables_message("hello", mesh, ""),
            "file:1: this looks like no tables format; there are: weft opensm fdbs");
}

TEST(ReadTables, TablesMustFit) {
  const Fabric mesh = read_fabric(read_source(recorded("mesh4x4/mesh4x4.topo")));
  std::string text = "weft tables 1\npaths source\nswitches";
  for (SwitchId s : mesh.switches()) text += " " + mesh[s].name;
  text += "\nto h_0_0: .";
  for (int i = 0; i < 65; ++i) text += i == 0 ? ", 1" : " 1";
  for (int i = 0; i < 14; ++i) text += ", -";
  EXPECT_EQ(tables_message(text, mesh, ""),
            "file: a source route from switch \"sw_0_1\" is 65 ports long");
}

}  // namespace
}  // namespace weft::test::format_catalog
