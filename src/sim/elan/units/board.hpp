// SPDX-License-Identifier: Apache-2.0
// Board: what the units of one Elan share: the PCI bus, the internal data bus, the microcode
// processor whose threads run the units, and memory behind MMU and cache. Each serves one request
// at a time; the functions return the time at which a request made now is done.
#pragma once
#include <array>
#include <cstdint>
#include <memory>

#include "base/ids.hpp"
#include "fabric/fabric.hpp"
#include "sim/elan/memory/memory.hpp"
#include "sim/elan/model.hpp"
#include "sim/kernel.hpp"
#include "sim/resource.hpp"

namespace weft::sim::elan {

class Board {
 public:
  /// Model and kernel must outlive the board.
  Board(const Model& model, const Kernel& kernel) : model_(&model), kernel_(&kernel) {}

  Memory& memory();
  /// Null where no unit has used the memory.
  const MmuCounters* mmu_counters() const { return memory_ ? &memory_->counters() : nullptr; }

  /// A burst over PCI.
  Duration cross_pci(std::uint64_t bytes) {
    return pci_.enter(kernel_->now(), model_->pci_time(bytes));
  }
  /// A burst over PCI that begins later and does not delay earlier ones.
  Duration slip_over_pci(Duration from, std::uint64_t bytes) {
    return pci_.slip_in(from, model_->pci_time(bytes));
  }
  /// The Elan writes `bytes` and a notice into main memory, from `from` on.
  Duration hand_over(Duration from, std::uint64_t bytes);
  /// A block of main memory comes over PCI.
  Duration fetch_block() { return cross_pci(block_bytes()) + model_->pci_latency; }
  /// A block of SDRAM comes over the internal bus.
  Duration read_sdram() {
    return bus_.enter(kernel_->now(), model_->bus + model_->block / model_->sdram);
  }
  /// A block that has just come, over PCI or the link, crosses the internal bus, which took its
  /// words as they came.
  Duration cross_bus();
  /// A thread of the microcode processor wakes, works for its usual time and `more`, and sleeps.
  Duration run_microcode(Duration more = Duration{0}) {
    return microcode_.enter(kernel_->now(), model_->microcode + more);
  }

  /// How long until a line of SDRAM is in the cache. Several fills go one after another.
  Duration touch(std::uint64_t sdram, bool write);
  /// How long the MMU takes to translate an address; nothing on a TLB hit.
  Duration translation_time(const VirtualAccess& access);

  std::array<const Resource*, 3> parts() const { return {&pci_, &bus_, &microcode_}; }

 private:
  std::uint64_t block_bytes() const { return static_cast<std::uint64_t>(model_->block.count); }

  const Model* model_;
  const Kernel* kernel_;
  Resource pci_{}, bus_{}, microcode_{};
  std::unique_ptr<Memory> memory_{};  ///< made when a unit first uses it
};

using Boards = IdVector<HostId, Board>;

}  // namespace weft::sim::elan
