// SPDX-License-Identifier: Apache-2.0
// Finds lines in a buffer that it fills again and again.
#include "base/line_stream.hpp"

#include <cstring>

#include "base/error.hpp"

namespace weft {

bool LineStream::read_more() {
  constexpr std::size_t longest_line = std::size_t{64} << 20;
  std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
  end_ -= at_;
  at_ = 0;
  if (end_ == buffer_.size()) {
    if (end_ >= longest_line)
      throw Error("{}: line {} is longer than 64 MiB: this is no text", name_, number + 1);
    buffer_.resize(2 * end_);
  }
  const std::size_t count = stream_->read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += count;
  return count > 0;
}

bool LineStream::next() {
  for (std::size_t searched = 0;;) {
    const char* begin = buffer_.data() + at_;
    const void* found = std::memchr(begin + searched, '\n', end_ - at_ - searched);
    searched = end_ - at_;
    ended = found != nullptr;
    if (!ended && read_more()) continue;
    begin = buffer_.data() + at_;
    const std::size_t size =
        ended ? static_cast<std::size_t>(static_cast<const char*>(found) - begin) : end_ - at_;
    if (!ended && size == 0) return false;
    text = std::string_view(begin, size);
    at_ += size + (ended ? 1 : 0);
    if (ended && text.ends_with('\r')) text.remove_suffix(1);
    ++number;
    return true;
  }
}

}  // namespace weft
