// SPDX-License-Identifier: Apache-2.0
// The topology that comes from a file.
#include <gtest/gtest.h>

#include <fstream>

#include "fabric/format/format.hpp"
#include "plan/topo_support.hpp"
#include "support/files.hpp"

namespace weft::testing {
namespace {

TEST(FileTopology, IsTheFabricInTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder / "ring.toml";
  const Fabric fabric = make_fabric("ring:switches=3,delay=5ns");
  {
    std::ofstream out(path);
    find_row(fabric_formats(), "fabric format", "weft").write(out, fabric);
  }
  EXPECT_EQ(make_fabric("file:path=" + path), fabric);
}

TEST(FileTopology, NeedsAFileThatIsThere) {
  EXPECT_EQ(error_of("file"), "file: path=: the name of a fabric file is needed");
  EXPECT_EQ(error_of("file:path=/no/such/fabric"), "/no/such/fabric: No such file or directory");
}

TEST(FileTopology, TakesNoSpeed) {
  EXPECT_EQ(error_of("file:path=x,speed=8Gb/s"),
            "file: unknown parameter \"speed\"; it takes path");
}

}  // namespace
}  // namespace weft::testing
