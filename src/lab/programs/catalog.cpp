// SPDX-License-Identifier: Apache-2.0
// The table of host programs.
#include "lab/programs/rows.hpp"

namespace weft {
namespace {

const Param iterations{"iterations", "1000", "that are measured"};
const Param warmup{"warmup", "10", "iterations before them"};
const Param scheme{
    "scheme", "",
    "hardware: the group's (weft list groups); otherwise rooted over Elans, oriented "
    "over other NICs"};
const Param wait{"wait", "busy_wait", "for events: poll, busy_wait or block"};
const Param by{"by", "", "of the algorithm: messages or puts"};

}  // namespace

std::span<const ProgramRow> programs() {
  static const std::vector<ProgramRow> rows{
      {"barrier",
       barrier_program,
       "everyone meets, again and again",
       {{"algorithm", "dissemination", "one of weft list collectives, or of weft list orders"},
        iterations,
        warmup,
        {"every", "0ns", "all enter at multiples of this time; 0ns: back to back"},
        {"root", "", "an order's first rank; otherwise the order's own"},
        by,
        {"degree", "", "of the algorithm: children in a tree"},
        {"between", "", "of the algorithm: smp's barrier between hosts"},
        scheme}},
      {"broadcast",
       broadcast_program,
       "one rank's data come to everyone; a time is from the root's start",
       {{"algorithm", "binomial", "one of weft list collectives, or of weft list orders"},
        {"bytes", "512B", "of data"},
        iterations,
        warmup,
        {"root", "", "the rank that has the data; otherwise the order's own, or 0"},
        by,
        {"buffer", "", "of the algorithm: registered for data"},
        scheme}},
      {"pingpong",
       pingpong_program,
       "a message there and back, or both ways at once",
       {{"bytes", "8B", "of data"},
        iterations,
        warmup,
        {"from", "0", "the rank that begins"},
        {"to", "1", "the rank that answers"},
        {"both", "no", "yes: one each way at once"}}},
      {"flood",
       flood_program,
       "all others send messages to rank 0, which takes them as they come",
       {{"bytes", "0B", "of data"}, iterations}},
      {"put",
       put_program,
       "one-sided writes from one rank to another",
       {{"bytes", "4KiB", "of data"},
        iterations,
        warmup,
        {"from", "0", "the rank that writes"},
        {"to", "1", "the rank that is written to"},
        {"window", "1", "writes under way at once"}}},
      {"notify",
       notify_program,
       "one-sided writes there and back, and how their target learns of them",
       {{"bytes", "1B", "of data, the last of which is the special value"},
        iterations,
        warmup,
        {"from", "0", "the rank that begins"},
        {"to", "1", "the rank that answers"},
        {"by", "value", "value: memory is polled; immediate: a receive descriptor; interrupt"},
        {"interrupt", "15us", "interrupt: the processor's time until the program runs"},
        {"registration", "once", "once, or always: before every write, and the address is sent"}}},
      {"overlap",
       overlap_program,
       "barriers in a row by writes of their number; a rank is slow between telling and looking",
       {iterations,
        {"slow", "0", "the rank that is slow"},
        {"pause", "100us", "how slow, in every other barrier"},
        {"test", "at_least", "of the number that was written: at_least, or equal"}}},
      {"elan_ping",
       elan_ping_program,
       "DMAs of Elan3lib between two ranks; the NIC is an Elan",
       {{"bytes", "0B", "of data"},
        {"from", "main", "where they are: main or elan"},
        {"to", "main", "where they go: main or elan"},
        {"both", "no", "yes: both ways at once"},
        {"window", "0", "DMAs under way at once in a stream; 0: there and back"},
        wait,
        iterations,
        warmup,
        {"first", "0", "the rank that begins"},
        {"second", "1", "the other rank"}}},
      {"hot_spot",
       hot_spot_program,
       "all others write to, or read from, the same memory of rank 0 by DMAs of Elan3lib",
       {{"bytes", "64KiB", "of data"},
        {"by", "write", "write or read"},
        {"from", "main", "where the data are: main or elan"},
        {"to", "main", "where they go: main or elan"},
        {"window", "2", "DMAs of a rank under way at once"},
        wait,
        {"iterations", "100", "that are measured"},
        {"warmup", "2", "iterations before them"}}},
      {"orphan",
       orphan_program,
       "waits for a message that nobody sends, to see how that is told",
       {{"rank", "0", "the rank that waits; the others wait for it"}}},
  };
  return rows;
}

}  // namespace weft
