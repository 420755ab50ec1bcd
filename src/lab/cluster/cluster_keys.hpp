// SPDX-License-Identifier: Apache-2.0
// The keys of cluster files.
#pragma once
#include <array>

#include "base/file_key.hpp"

namespace weft {

inline constexpr std::array cluster_root_keys{
    FileKey{"name", "text", "what reports call it; otherwise the name of the file"},
    FileKey{"about", "text", "a line about it"},
    FileKey{"topologies", "list of texts",
            "topologies or fabric files, one or more; the first is "
            "the default of weft run, sim, sweep and qos"},
    FileKey{"engines", "list of texts", "routing engines, one or more; the first is the default"},
    FileKey{"links", "table", "see [links]"},
    FileKey{"switches", "table", "see [switches]"},
    FileKey{"hosts", "table", "see [hosts]"},
    FileKey{"paper", "table", "declarations of the experiments of a paper"},
};
inline constexpr std::array cluster_link_keys{
    FileKey{"speed", "bandwidth", "of every link, unless the topology gives its own"},
    FileKey{"delay", "time", "of every link; fibre delays by 5 ns a metre"},
    FileKey{"host_delay", "time", "of the cables of hosts, where it differs"},
    FileKey{"global_delay", "time",
            "of cables between the groups of a dragonfly, where it differs"},
};
inline constexpr std::array cluster_switch_keys{
    FileKey{"lanes", "1 to 64", "that tables may use (virtual channels); otherwise 64"},
    FileKey{"latency", "time or cycles", "of a head from port to port, as in data sheets"},
    FileKey{"buffer", "auto, flits or size",
            "of every lane of an input port; otherwise as much as keeps the longest link busy"},
    FileKey{"model", "spec",
            "everything else: a model of weft list switches; otherwise infiniband"},
};
inline constexpr std::array cluster_host_keys{
    FileKey{"nic", "spec or table",
            "a model of weft list nics; a table has its name and parameters"},
    FileKey{"overhead", "time",
            "of a processor for a message, on either side: o_s and o_r of the NIC loggp, which is "
            "then the default"},
    FileKey{"library", "spec or table", "an entry of weft list libraries"},
};
inline constexpr std::array cluster_key_tables{
    KeyTable{"Cluster file (TOML)", "a machine, and what to study on it: weft study, --cluster",
             cluster_root_keys},
    KeyTable{"[links] of a cluster file", "", cluster_link_keys},
    KeyTable{"[switches] of a cluster file", "", cluster_switch_keys},
    KeyTable{"[hosts] of a cluster file", "", cluster_host_keys},
};

}  // namespace weft
