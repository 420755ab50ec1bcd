// SPDX-License-Identifier: Apache-2.0
// The load of every link over time. Samples are so long that there are some hundred of them,
// however long the run is.
#pragma once
#include <cstdint>
#include <vector>

#include "fabric/fabric.hpp"
#include "sim/hosts/host_model.hpp"

namespace weft {

/// A direction of a link: between switches, or of a host.
struct LinkDirection {
  ChannelId channel{};  ///< none for the link of a host
  HostId host{};
  bool to_host = false;
};

struct LinkTimes {
  Duration sample{};                         ///< length of one
  std::vector<LinkDirection> links{};        ///< that carried anything
  std::vector<std::vector<double>> loads{};  ///< by link and sample: 0 to 1
};

class LinkSampler final : private sim::Kernel::Handler {
 public:
  /// Begins at time 0.
  explicit LinkSampler(sim::HostModel& hosts);
  LinkTimes result();

 private:
  void fire(std::uint64_t what) override;
  void take();
  bool has_work() const;

  sim::HostModel& hosts_;
  Duration sample_;
  Duration last_{};
  std::vector<std::uint64_t> flits_;                 ///< by link, until the last sample
  std::vector<std::vector<std::uint64_t>> samples_;  ///< by sample and link
};

}  // namespace weft
