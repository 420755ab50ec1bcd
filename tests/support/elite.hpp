// SPDX-License-Identifier: Apache-2.0
// The switches of QsNet for tests: two lanes, 35 ns a switch where links have 400 MB/s.
#pragma once

namespace weft::test {

inline constexpr const char* elite =
    "iq:flit=2B,lanes=2,buffer=128,route=3,allocate_lane=1,allocate=1,cross=1,link=1";

}  // namespace weft::test
