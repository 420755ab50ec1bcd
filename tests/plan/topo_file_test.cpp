// SPDX-License-Identifier: Apache-2.0
// The topology that comes from a file.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fabric/format/format.hpp"
#include "plan/topo_support.hpp"

namespace weft::testing {
namespace {

TEST(FileTopology, IsTheFabricInTheFile) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "weft_topo_file_test.toml";
  const Fabric fabric = make_fabric("ring:switches=3,delay=5ns");
  {
    std::ofstream out(path);
    find_row(fabric_formats(), "fabric format", "weft").write(out, fabric);
  }
  EXPECT_EQ(make_fabric("file:path=" + path.string()), fabric);
  std::filesystem::remove(path);
}

TEST(FileTopology, NeedsAFileThatIsThere) {
  EXPECT_EQ(error_of("file"), "file: path=: the name of a fabric file is needed");
  EXPECT_EQ(error_of("file:path=/no/such/fabric"), "/no/such/fabric: No such file or directory");
}

TEST(FileTopology, TakesNoSpeed) {
  EXPECT_EQ(error_of("file:path=x,speed=8Gb/s"), "file: unknown parameter speed; it takes path");
}

}  // namespace
}  // namespace weft::testing
