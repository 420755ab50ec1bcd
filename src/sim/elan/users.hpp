// SPDX-License-Identifier: Apache-2.0
// Users: whom the units notify of the outcome of operations: the user of the host model, and the
// user of virtual addresses.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "sim/elan/descriptors.hpp"
#include "sim/hosts/host_model.hpp"

namespace weft::sim {

/// The user of virtual addresses; called from within HostModel::run.
class ElanUser {
 public:
  virtual ~ElanUser() = default;
  /// A DMA or a broadcast has ended.
  virtual void done(std::uint64_t cookie, TransferStatus outcome,
                    const std::optional<elan::Trap>& trap) = 0;
  /// An event was set, for the `count`th time.
  virtual void event(const elan::ProcessLocation& of, elan::Address event, std::uint64_t count) = 0;
  /// Main memory of this host was written.
  virtual void written(HostId host, std::span<const std::byte> memory) = 0;
};

namespace elan {

class Users {
 public:
  /// The host model names its user when it runs; the variable must outlive this.
  explicit Users(HostUser* const& host) : host_(host) {}
  void listen(ElanUser& user) { elan_ = &user; }

  HostUser& host() const { return *host_; }
  /// Nobody listens unless programs use virtual addresses.
  bool listening() const { return elan_ != nullptr; }
  void done(std::uint64_t cookie, TransferStatus outcome, const std::optional<Trap>& trap) const {
    if (elan_ != nullptr) elan_->done(cookie, outcome, trap);
  }
  void event(const ProcessLocation& of, Address event, std::uint64_t count) const {
    if (elan_ != nullptr) elan_->event(of, event, count);
  }
  void written(HostId host, std::span<const std::byte> memory) const {
    if (elan_ != nullptr) elan_->written(host, memory);
  }

 private:
  HostUser* const& host_;
  ElanUser* elan_ = nullptr;
};

}  // namespace elan
}  // namespace weft::sim
