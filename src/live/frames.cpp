// SPDX-License-Identifier: Apache-2.0
// Values to bytes and back, as they lie in memory: both sides are on one machine.
#include "live/frames.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace weft::live {
namespace {

/// A size beyond this is a misunderstanding.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 31U;
/// Of what is said: both sides must have the same, though they may be installed apart.
constexpr std::uint32_t frames_version = 1;

class Packer {
 public:
  template <class T>
  Packer& operator<<(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  template <class T>
  Packer& operator<<(const std::vector<T>& values) {
    *this << std::uint64_t{values.size()};
    if constexpr (std::is_trivially_copyable_v<T>)
      bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    else
      for (const T& value : values) *this << value;
    return *this;
  }
  Packer& operator<<(const std::string& text) {
    *this << std::uint64_t{text.size()};
    bytes_ += text;
    return *this;
  }
  Packer& operator<<(const SwitchTables& tables) {
    return *this << tables.guid << tables.ports << tables.port_by_lid << tables.lanes;
  }
  Frame frame(FrameKind kind) && { return {kind, std::move(bytes_)}; }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : bytes_(bytes) {}

  template <class T>
  Unpacker& operator>>(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&value, take(1, sizeof value), sizeof value);
    return *this;
  }
  template <class T>
  Unpacker& operator>>(std::vector<T>& values) {
    const std::uint64_t count = number();
    if constexpr (std::is_trivially_copyable_v<T>) {
      const char* begin = take(count, sizeof(T));
      values.resize(count);
      if (count > 0) std::memcpy(values.data(), begin, count * sizeof(T));
    } else {
      values.clear();
      for (std::uint64_t i = 0; i < count; ++i) *this >> values.emplace_back();
    }
    return *this;
  }
  Unpacker& operator>>(std::string& text) {
    const std::uint64_t size = number();
    text.assign(take(size, 1), size);
    return *this;
  }
  Unpacker& operator>>(SwitchTables& tables) {
    return *this >> tables.guid >> tables.ports >> tables.port_by_lid >> tables.lanes;
  }
  void end() const {
    if (at_ != bytes_.size()) throw std::runtime_error("a message is longer than it should be");
  }

 private:
  std::uint64_t number() {
    std::uint64_t out = 0;
    *this >> out;
    return out;
  }
  const char* take(std::uint64_t count, std::size_t size) {
    if (count > (bytes_.size() - at_) / size)
      throw std::runtime_error("a message is shorter than it should be");
    const char* begin = bytes_.data() + at_;
    at_ += count * size;
    return begin;
  }
  const std::string& bytes_;
  std::size_t at_ = 0;
};

/// Writes to a socket must not end the process where the reader is gone.
bool write_all(int file, const char* bytes, std::size_t size) {
  while (size > 0) {
    ssize_t written = ::send(file, bytes, size, MSG_NOSIGNAL);
    if (written < 0 && errno == ENOTSOCK) written = ::write(file, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_all(int file, char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t count = ::read(file, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

struct FrameHeader {
  std::uint32_t kind = 0, version = 0;
  std::uint64_t size = 0;
};

}  // namespace

Frame frame_of(const RouteRequest& request) {
  Packer out;
  out << request.lanes << request.multicast_levels << request.subnet;
  return std::move(out).frame(FrameKind::route);
}

RouteRequest route_request(const std::string& bytes) {
  RouteRequest out;
  Unpacker in(bytes);
  in >> out.lanes >> out.multicast_levels >> out.subnet;
  in.end();
  return out;
}

Frame frame_of(const TreeRequest& request) {
  Packer out;
  out << request.lid << request.levels << request.members;
  return std::move(out).frame(FrameKind::tree);
}

TreeRequest tree_request(const std::string& bytes) {
  TreeRequest out;
  Unpacker in(bytes);
  in >> out.lid >> out.levels >> out.members;
  in.end();
  return out;
}

Frame frame_of(const SubnetTables& tables) {
  Packer out;
  out << tables.switches << tables.adapters << tables.levels << tables.row << tables.source;
  return std::move(out).frame(FrameKind::tables);
}

SubnetTables subnet_tables(const std::string& bytes) {
  SubnetTables out;
  Unpacker in(bytes);
  in >> out.switches >> out.adapters >> out.levels >> out.row >> out.source;
  in.end();
  return out;
}

Frame frame_of(const TreeTables& tree) {
  Packer out;
  out << tree;
  return std::move(out).frame(FrameKind::branches);
}

TreeTables tree_tables(const std::string& bytes) {
  TreeTables out;
  Unpacker in(bytes);
  in >> out;
  in.end();
  return out;
}

bool send(int file, const Frame& frame) {
  const FrameHeader header{static_cast<std::uint32_t>(frame.kind), frames_version,
                           frame.bytes.size()};
  return write_all(file, reinterpret_cast<const char*>(&header), sizeof header) &&
         write_all(file, frame.bytes.data(), frame.bytes.size());
}

bool receive(int file, Frame& frame) {
  FrameHeader header;
  if (!read_all(file, reinterpret_cast<char*>(&header), sizeof header)) return false;
  if (header.version != frames_version || header.size > most_bytes) return false;
  frame.kind = static_cast<FrameKind>(header.kind);
  frame.bytes.resize(header.size);
  return read_all(file, frame.bytes.data(), frame.bytes.size());
}

}  // namespace weft::live
