// SPDX-License-Identifier: Apache-2.0
// Reading files to their end, and writing them whole or not at all.
#pragma once
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace weft {

/// Writes a new file beside `path`, brings it to the disk and lets it replace what is there, whose
/// mode it keeps; "-" is standard output, and devices and pipes are written as they are. Throws
/// Error when it cannot; the file is then unchanged, as it is when `write` throws. Of several
/// writers to one path the last one wins.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

/// An open file that closes itself; negative where it could not be opened.
class OpenFile {
 public:
  explicit OpenFile(int file) : file_(file) {}
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  operator int() const { return file_; }

 private:
  int file_;
};

/// Files larger than this are not read.
inline constexpr std::size_t largest_file = std::size_t{4} << 30;

/// What a file or pipe holds; throws Error.
std::string read_file(const std::string& path);
/// All that can be read from an open file; throws Error when reading fails or does not end after
/// 4 GiB.
std::string read_to_end(int file, const std::string& name);

/// Writes all of it; returns 0, or the errno of what went wrong.
int write_all(int file, std::string_view bytes);

/// Throws Error: "results.csv: cannot be written: No space left on device".
[[noreturn]] void cannot_write(const std::string& name, int why);

}  // namespace weft
