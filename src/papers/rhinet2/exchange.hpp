// SPDX-License-Identifier: Apache-2.0
// An exchange: hosts write to each other's memory, or send each other messages, as fast as they
// may, each one to a different host. The bandwidth of a flow is what arrives in the measured time.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "comm/library.hpp"
#include "fabric/tables.hpp"

namespace weft::papers::rhinet2 {

struct ExchangeFlow {
  HostId from{}, to{};
};

struct ExchangeSetup {
  const Fabric& fabric;
  const Tables& tables;
  std::string switches;             ///< spec of sim/switch_model.hpp
  std::string nic;                  ///< spec of sim/nics/nic.hpp
  std::vector<ExchangeFlow> flows;  ///< one per source
  Bytes size{};                     ///< of a write
  int window = 1;                   ///< writes of a source that are not acknowledged; 1: ack-wait
  comm::Library library{};          ///< with one, hosts send messages and receive theirs
  std::uint64_t seed = 0;           ///< of the moments at which hosts begin; 0: all at once
  Duration warm_up{};
  Duration measured{};
};

struct ExchangeResult {
  std::vector<double> megabytes_per_second{};  ///< by flow
  std::uint64_t flit_hops = 0;
  double mean() const;
  double least() const;
  double most() const;
};

/// Throws Error when the parts do not fit together.
ExchangeResult run_exchange(const ExchangeSetup& exchange);

}  // namespace weft::papers::rhinet2
