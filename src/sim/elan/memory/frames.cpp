// SPDX-License-Identifier: Apache-2.0
// Hands out physical pages: those given back first, then new ones.
#include "sim/elan/memory/frames.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace weft::sim::elan {

Frames::Frames(const char* name, Bytes size, std::uint64_t page)
    : name_(name), page_(page), limit_(static_cast<std::uint64_t>(size.count) / page) {}

void Frames::need(std::uint64_t frames) const {
  if (frames > left())
    throw Error("{} is full: {} pages wanted, {} of {} are free", name_, frames, left(), limit_);
}

std::vector<FrameNumber> Frames::take(std::span<std::byte> bytes) {
  const std::uint64_t count = (bytes.size() + page_ - 1) / page_;
  need(count);
  std::vector<FrameNumber> frames;
  frames.reserve(count);
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(page_, bytes.size())))
    frames.push_back(used_.insert(bytes.first(std::min(page_, bytes.size()))));
  return frames;
}

FrameNumber Frames::take_bare() {
  need(1);
  return used_.insert({});
}

void Frames::give_back(std::span<const FrameNumber> frames) {
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    used_[*frame] = {};
    used_.release(*frame);
  }
}

std::span<std::byte> Frames::rest(std::uint64_t address) const {
  const std::uint64_t number = address / page_;
  if (number >= used_.size()) return {};
  const std::span<std::byte> bytes = used_[number];
  return bytes.subspan(std::min<std::uint64_t>(address % page_, bytes.size()));
}

}  // namespace weft::sim::elan
