// SPDX-License-Identifier: Apache-2.0
// The times of accesses to memory, through MMU, cache and internal bus.
#include "sim/elan/units/board.hpp"

#include <algorithm>
#include <variant>

namespace weft::sim::elan {

Memory& Board::memory() {
  if (!memory_) memory_ = std::make_unique<Memory>(model_->memory);
  return *memory_;
}

Duration Board::cross_bus() {
  const Duration now = kernel_->now();
  return std::max(now, bus_.enter(now - model_->bus, model_->bus));
}

Duration Board::hand_over(Duration from, std::uint64_t bytes) {
  Duration time = model_->pci_time(event_bytes);  // the notice
  for (std::uint64_t at = 0; at < bytes; at += block_bytes())
    time += model_->pci_time(std::min(block_bytes(), bytes - at));
  return pci_.slip_in(from + model_->microcode, time);
}

Duration Board::touch(std::uint64_t sdram, bool write) {
  if (memory().cache().touch(sdram, write)) return Duration{0};
  return bus_.enter(kernel_->now(), model_->fill) - kernel_->now();
}

Duration Board::translation_time(const VirtualAccess& access) {
  const auto found = memory().translate(access.context, access.address, access.access, access.by);
  const auto* translation = std::get_if<Translation>(&found);
  if (translation == nullptr)
    return Duration{0};  // the inputter refuses the packet once it is whole
  Duration time{0};
  for (std::uint32_t i = 0; i < translation->reads; ++i)
    time = std::max(time, touch(translation->read_at[i], false));
  // Pages of SDRAM need no system software: the Elan's own tables are enough.
  if (translation->mapped_now && translation->physical.kind == MemoryKind::main)
    time += model_->map_page;
  return time;
}

}  // namespace weft::sim::elan
