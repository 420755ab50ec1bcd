// SPDX-License-Identifier: Apache-2.0
// Transfers that take no time.
#include "sim/hosts/ideal_hosts.hpp"

namespace weft::sim {

HostFactory ideal_hosts() {
  return [](const NicModel& model, const HostSetup& setup) -> std::unique_ptr<HostModel> {
    return std::make_unique<IdealHosts>(model, setup);
  };
}

/// It happens in an event of the same time, not within the call of its user.
void IdealHosts::begin(const Transfer& transfer) {
  ++begun_;
  kernel_.at(processor(transfer.from, transfer.from_processor).free_at(kernel_.now()), *this,
             transfers_.insert(Transfer(transfer)));
}

void IdealHosts::fire(std::uint64_t what) {
  const Transfer transfer = transfers_.extract(static_cast<std::uint32_t>(what));
  user_->posted(transfer.cookie);
  user_->sent(transfer.cookie);
  if (transfer.group != no_group) {
    for (const HostId member : tables_.groups[transfer.group].members)
      if (member != transfer.from) user_->landed(transfer.cookie, member);
    user_->finished(transfer.cookie, TransferStatus::ok);
    return;
  }
  const TransferStatus status = user_->admit(transfer.cookie);
  if (status == TransferStatus::ok)
    user_->landed(transfer.cookie, transfer.move == Move::read ? transfer.from : transfer.to);
  user_->finished(transfer.cookie, status);
}

}  // namespace weft::sim
