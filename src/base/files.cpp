// SPDX-License-Identifier: Apache-2.0
// Reading files to their end, and writing them whole or not at all.
#include "base/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <random>
#include <streambuf>

#include "base/error.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;

/// What a stream writes goes to a file; the first failure is kept, and nothing is written after it.
class FileBuffer : public std::streambuf {
 public:
  explicit FileBuffer(int file) : file_(file) { empty(); }
  int problem() const { return problem_; }

 protected:
  int overflow(int c) override {
    if (sync() != 0) return traits_type::eof();
    if (c != traits_type::eof()) sputc(static_cast<char>(c));
    return 0;
  }
  int sync() override {
    const std::string_view bytes(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    empty();
    if (problem_ == 0) problem_ = write_all(file_, bytes);
    return problem_ == 0 ? 0 : -1;
  }

 private:
  void empty() { setp(bytes_.data(), bytes_.data() + bytes_.size()); }
  int file_, problem_ = 0;
  std::array<char, 1 << 16> bytes_{};
};

/// The file that a path leads to, over symbolic links, whether it exists or not.
fs::path target_of(fs::path path) {
  std::error_code none;
  for (int links = 0; links < 40 && fs::is_symlink(path, none); ++links)
    path = path.parent_path() / fs::read_symlink(path, none);
  return path;
}

/// Hands a file to `write` as a stream; throws Error named `name` where that fails.
void write_stream(int file, const std::string& name,
                  const std::function<void(std::ostream&)>& write) {
  FileBuffer buffer(file);
  std::ostream out(&buffer);
  errno = 0;
  write(out);
  out.flush();
  if (!out) cannot_write(name, buffer.problem() != 0 ? buffer.problem() : errno);
}

/// Brings a file to the disk; some file systems cannot, and need not.
bool brought_to_disk(int file) { return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP; }

/// A file beside the one that it is to replace. Its name is new: it is nobody's, and no link.
class FileDraft {
 public:
  /// `before` is what it replaces, if anything; `name` is what messages call it.
  FileDraft(const fs::path& place, std::optional<struct stat> before, const std::string& name)
      : place_(place),
        folder_(place.has_parent_path() ? place.parent_path() : "."),
        before_(before),
        file_(create(before ? 0600 : 0666)),
        name_(name) {
    if (file_ < 0) cannot_write(name_, errno);
  }
  ~FileDraft() {
    if (!kept_) unlink(path_.c_str());
  }
  FileDraft(const FileDraft&) = delete;
  FileDraft& operator=(const FileDraft&) = delete;
  int file() const { return file_; }

  void replace() {
    if (before_) {
      // Only root can give a file away; for others it is theirs already, or becomes theirs.
      [[maybe_unused]] const int given = fchown(file_, before_->st_uid, before_->st_gid);
      if (fchmod(file_, before_->st_mode & 0777) != 0) cannot_write(name_, errno);
    }
    if (!brought_to_disk(file_) || rename(path_.c_str(), place_.c_str()) != 0)
      cannot_write(name_, errno);
    kept_ = true;
    // Whatever happens to the name now, there is a whole file behind it.
    const OpenFile names(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (names >= 0) fsync(names);
  }

 private:
  int create(mode_t mode) {
    std::random_device chance;
    for (int tries = 0; tries < 100; ++tries) {
      const std::string name = place_.filename().string().substr(0, 200);
      path_ = folder_ / fmt::format(".{}.{:08x}{:08x}", name, chance(), chance());
      const int file =
          open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
      if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
  }

  fs::path place_, folder_, path_;
  std::optional<struct stat> before_;
  OpenFile file_;
  const std::string& name_;
  bool kept_ = false;
};

}  // namespace

void cannot_write(const std::string& name, int why) {
  throw Error("{}: cannot be written: {}", name, std::strerror(why));
}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (path == "-") {
    write(std::cout);
    std::cout.flush();
    if (!std::cout) throw Error("standard output cannot be written");
    return;
  }
  // A symbolic link stays one; a device or a pipe cannot be replaced by a file.
  const fs::path place = target_of(path);
  struct stat now = {};
  const bool exists = stat(place.c_str(), &now) == 0;
  if (exists && !S_ISREG(now.st_mode)) {
    const OpenFile file(open(place.c_str(), O_WRONLY | O_CLOEXEC));
    if (file < 0) cannot_write(path, errno);
    write_stream(file, path, write);
    return;
  }
  FileDraft draft(place, exists ? std::optional(now) : std::nullopt, path);
  write_stream(draft.file(), path, write);
  draft.replace();
}

OpenFile::~OpenFile() {
  if (file_ >= 0) close(file_);
}

std::string read_file(const std::string& path) {
  const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file < 0) throw Error("{}: {}", path, std::strerror(errno));
  return read_to_end(file, path);
}

std::string read_to_end(int file, const std::string& name) {
  struct stat now = {};  // a pipe has no size
  if (fstat(file, &now) == 0 && now.st_size > static_cast<off_t>(largest_file))
    throw Error("{}: larger than 4 GiB", name);
  std::string out;
  std::array<char, 1 << 16> piece;
  for (;;) {
    const ssize_t count = read(file, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error("{}: {}", name, std::strerror(errno));
    if (count == 0) return out;
    out.append(piece.data(), static_cast<std::size_t>(count));
    if (out.size() > largest_file) throw Error("{}: larger than 4 GiB", name);
  }
}

int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

}  // namespace weft
