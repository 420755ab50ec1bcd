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

TEST(FileTopology, HostsWhereTheFileHasNone) {
  const TemporaryFolder folder;
  const std::string path = folder / "bare.graphml";
  std::ofstream(path) << "<graphml><graph><node id=\"a\"/><node id=\"b\"/>"
                         "<edge source=\"a\" target=\"b\"/></graph></graphml>";
  EXPECT_EQ(make_fabric("file:path=" + path).host_count(), 0U);
  const Fabric fabric = make_fabric("file:path=" + path + ",hosts=3");
  EXPECT_EQ(fabric.link_count(), 1U);
  EXPECT_EQ(fabric.host_count(), 6U);
  EXPECT_EQ(fabric.hosts_on(*fabric.find_switch("b")).size(), 3U);
  EXPECT_EQ(fabric[HostId(5)].name, "h5");
  {
    std::ofstream out(path);
    find_row(fabric_formats(), "fabric format", "weft").write(out, fabric);
  }
  EXPECT_EQ(error_of("file:path=" + path + ",hosts=1"),
            "file: hosts=1: the file has hosts of its own");
}

TEST(FileTopology, NeedsAFileThatIsThere) {
  EXPECT_EQ(error_of("file"), "file: path=: the name of a fabric file is needed");
  EXPECT_EQ(error_of("file:path=/no/such/fabric"), "/no/such/fabric: No such file or directory");
}

TEST(FileTopology, TakesNoSpeed) {
  EXPECT_EQ(error_of("file:path=x,speed=8Gb/s"),
            "file: unknown parameter \"speed\"; it takes path hosts");
}

}  // namespace
}  // namespace weft::testing
