// SPDX-License-Identifier: Apache-2.0
// The lines of weft's own format of traces.
#pragma once
#include <array>

#include "base/file_key.hpp"

namespace weft::trace {

inline constexpr std::array call_lines{
    FileKey{"ranks", "N", "how many ranks there are; the first line"},
    FileKey{"rank", "RANK", "what follows are calls of this rank; ranks come in order, from 0"},
    FileKey{"init", "", "MPI_Init"},
    FileKey{"finalize", "", "MPI_Finalize; the last call of a rank"},
    FileKey{"compute", "NS", "time of the processor between two calls, up to 3 decimals"},
    FileKey{"send, ssend", "DEST TAG BYTES", "blocking; ssend waits for its receive"},
    FileKey{"recv", "SOURCE TAG CAPACITY [CAME]", "blocking"},
    FileKey{"isend", "REQUEST DEST TAG BYTES", "does not block; a wait names the request"},
    FileKey{"irecv", "REQUEST SOURCE TAG CAPACITY", "does not block"},
    FileKey{"wait", "REQUEST [CAME]", "until the request is done; CAME: of a receive"},
    FileKey{"waitall", "REQUEST… [; REQUEST CAME]…", "until all are done; CAME: of each receive"},
    FileKey{"sendrecv", "DEST TAG BYTES SOURCE TAG CAPACITY [CAME]", "both at once"},
    FileKey{"barrier", "", "as all that follow, a call of all members of a communicator"},
    FileKey{"bcast, reduce", "ROOT BYTES", "bytes of the whole buffer"},
    FileKey{"allreduce, scan", "BYTES", "bytes of the whole buffer"},
    FileKey{"gather, scatter", "ROOT BYTES", "bytes of each member"},
    FileKey{"allgather, alltoall, reducescatterblock", "BYTES", "bytes of each member"},
    FileKey{"gatherv, scatterv", "ROOT BYTES…",
            "at the root bytes of each member, at others their own"},
    FileKey{"allgatherv, reducescatter", "BYTES…", "bytes of each member"},
    FileKey{"alltoallv", "BYTES… ; BYTES…", "to each member, and from each member"},
    FileKey{"comm", "ID split|dup|create PARENT MEMBER…",
            "a new communicator, made by all members of its parent; ID is used once. -1 without "
            "members: this rank gets none"},
    FileKey{"commfree", "ID", "frees a communicator"},
    FileKey{"wtime", "begin|end|other SECONDS",
            "MPI_Wtime; begin and end enclose the section whose time the program reports. SECONDS: "
            "clock of the recorded run"},
};

inline constexpr KeyTable call_key_table{
    "Trace of an MPI program (text)",
    "A line for each call: weft trace. Ranks, also of members and roots, are those of the world; "
    "-1 "
    "is any source or tag, -2 nobody. A last word @ID names the communicator: 0 or none is the "
    "world, -1 the rank alone. CAME is the message that the recorded run received: SOURCE BYTES, "
    "and TAG where the receive is for any. Requests are numbers of a rank, each used once. Empty "
    "lines and lines that begin with # are skipped.",
    call_lines};

}  // namespace weft::trace
