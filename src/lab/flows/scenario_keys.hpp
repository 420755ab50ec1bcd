// SPDX-License-Identifier: Apache-2.0
// The keys of scenario files.
#pragma once
#include <array>

#include "base/file_key.hpp"

namespace weft {

inline constexpr std::array scenario_root_keys{
    FileKey{"about", "text", "a line about it"},
    FileKey{"cluster", "text", "cluster file, also beside this one, or one of weft list clusters"},
    FileKey{"policy", "equal | max-min",
            "how best-effort flows share what promises leave; "
            "otherwise equal"},
    FileKey{"capacity", "bandwidth", "of a host that managers hand out; otherwise measured"},
    FileKey{"link_percent", "1 to 100",
            "of links between switches that they hand out; otherwise 40, "
            "or 60 where buffers hold two packets"},
    FileKey{"bin", "time", "of the bandwidth over time; otherwise 100 to 200 bins"},
    FileKey{"length", "time", "flows without a stop end here; otherwise the last stop"},
    FileKey{"flow", "tables", "one [[flow]] each, one or more"},
};
inline constexpr std::array scenario_flow_keys{
    FileKey{"name", "text", "1 to 60 characters, each once; otherwise flow 1, …"},
    FileKey{"from", "text or number", "host that sends: name, or number from 0"},
    FileKey{"to", "text or number", "host that receives"},
    FileKey{"promise", "bandwidth", "service: this bandwidth, if the managers grant it"},
    FileKey{"best_effort", "true", "service: a share of what promises leave; the default"},
    FileKey{"interval", "time", "service: a packet per interval, without admission control"},
    FileKey{"free", "true", "service: as much as it can send, without admission control"},
    FileKey{"message", "size, 1B to 64MiB", "of a message; otherwise 64KiB"},
    FileKey{"start", "time", "otherwise 0s"},
    FileKey{"stop", "time", "otherwise the scenario's length"},
    FileKey{"priority", "low | high", "of its packets; otherwise low"},
    FileKey{"window", "1 to 1024", "messages in flight; otherwise 4"},
};
inline constexpr std::array scenario_key_tables{
    KeyTable{"Scenario file (TOML)", "flows with promised bandwidth: weft qos", scenario_root_keys},
    KeyTable{"[[flow]] of a scenario file", "A flow has one service.", scenario_flow_keys},
};

}  // namespace weft
