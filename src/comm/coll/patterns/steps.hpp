// SPDX-License-Identifier: Apache-2.0
// The steps of a collective by messages. Receives name their sender, and messages of two members
// keep their order, so one tag does for all steps of all runs.
#pragma once
#include <array>
#include <span>

#include "comm/op.hpp"
#include "comm/team.hpp"

namespace weft::comm {

inline constexpr Tag step_tag = 1;

/// A message to one member while another's comes: `co_await SendRecv(…)` is the status of both.
class SendRecv {
 public:
  SendRecv(const Team& team, Rank to, std::span<const std::byte> out, Rank from,
           std::span<std::byte> in)
      : sent_(team.send(to, step_tag, out)), got_(team.recv(from, step_tag, in)) {}

  bool await_ready() { return both_.await_ready(); }
  void await_suspend(std::coroutine_handle<> handle) { both_.await_suspend(handle); }
  Status await_resume() const {
    return sent_.result().ok() ? got_.result().status : sent_.result().status;
  }

 private:
  Op sent_, got_;
  Several<std::array<Op*, 2>> both_{{&sent_, &got_}, true};
};

/// The status of the first that failed, of operations that have ended.
inline Status status_of(Ops& ops) {
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (!ops[i].result().ok()) return ops[i].result().status;
  return Status::ok;
}

}  // namespace weft::comm
