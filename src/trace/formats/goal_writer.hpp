// SPDX-License-Identifier: Apache-2.0
// Writes schedules in GOAL (Hoefler, Siebert and Lumsdaine 2009), one operation after another, in
// the long form that all its readers take: "l3: send 64b to 1 tag 5" and "l3 requires l2".
#pragma once
#include <cstdint>
#include <iosfwd>

#include "base/text.hpp"
#include "trace/call.hpp"

namespace weft::trace {

class GoalWriter {
 public:
  GoalWriter(std::ostream& stream, int ranks);
  /// Ranks come in their order, from 0, and none is left out.
  void begin_rank();
  /// Writes a send, recv or compute with its dependencies, and returns its number in the rank,
  /// which dependencies name. Times are rounded to ns. An empty message has 1 byte: LogGOPSim takes
  /// 1 from sizes, without a sign. Throws Error for numbers that GOAL cannot hold.
  std::uint64_t add(const Call& call);
  /// Operation `number` waits for another one, too.
  void add_dependency(std::uint64_t number, const Dependency& dependency);
  void end_rank();

 private:
  Printer out_;
  int rank_ = 0;
  std::uint64_t next_ = 0;  ///< number of an operation
};

}  // namespace weft::trace
