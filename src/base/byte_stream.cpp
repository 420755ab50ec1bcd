// SPDX-License-Identifier: Apache-2.0
// Streams of files and of memory.
#include "base/byte_stream.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/files.hpp"

namespace weft {
namespace {

class FileStream : public ByteStream {
 public:
  explicit FileStream(const std::string& path)
      : name_(path), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) throw Error("{}: {}", path, std::strerror(errno));
  }
  std::size_t read(char* into, std::size_t most) override {
    for (;;) {
      const ssize_t count = ::read(file_, into, most);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) throw Error("{}: {}", name_, std::strerror(errno));
    }
  }

 private:
  std::string name_;
  OpenFile file_;
};

class MemoryStream : public ByteStream {
 public:
  MemoryStream(std::string bytes, std::unique_ptr<ByteStream> rest)
      : bytes_(std::move(bytes)), rest_(std::move(rest)) {}
  std::size_t read(char* into, std::size_t most) override {
    const std::size_t count = std::min(most, bytes_.size() - done_);
    if (count == 0) return rest_ ? rest_->read(into, most) : 0;
    std::memcpy(into, bytes_.data() + done_, count);
    done_ += count;
    return count;
  }

 private:
  std::string bytes_;
  std::size_t done_ = 0;
  std::unique_ptr<ByteStream> rest_;
};

}  // namespace

std::unique_ptr<ByteStream> open_stream(const std::string& path) {
  return std::make_unique<FileStream>(path);
}

std::unique_ptr<ByteStream> stream_of(std::string bytes, std::unique_ptr<ByteStream> rest) {
  return std::make_unique<MemoryStream>(std::move(bytes), std::move(rest));
}

std::string take_front(ByteStream& stream, std::size_t most) {
  std::string front(most, '\0');
  std::size_t done = 0;
  while (done < most) {
    const std::size_t count = stream.read(front.data() + done, most - done);
    if (count == 0) break;
    done += count;
  }
  front.resize(done);
  return front;
}

}  // namespace weft
