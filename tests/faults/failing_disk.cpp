// SPDX-License-Identifier: Apache-2.0
// A disk that fails: loaded before the C library (LD_PRELOAD), it counts the calls of a program
// that change files, and lets the one go wrong that the environment names.
//   WEFT_FAULT_AT=7          the seventh of these calls
//   WEFT_FAULT=eio           it fails with EIO, once
//             broken         it and all later ones fail with EIO, even those that clean up
//             full           half of a write gets through; what needs room fails with ENOSPC from
//                            now on
//             short          a write writes half, as it may
//             interrupted    a write fails with EINTR, once
//             kill           the process is killed before it
//             kill_half      the process is killed when half of a write is in the file
//   WEFT_FAULT_LOG=FILE      gets a line, "write /path", when that call is reached
// short, interrupted and kill_half count only writes. A second passes between two looks at the
// clock, so that what is due once a second is due always.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

namespace {

enum class Call { open, write, sync, rename, remove, other };

struct Plan {
  long at = 0;
  std::string_view fault;
  const char* log = nullptr;
  bool only_writes() const {
    return fault == "short" || fault == "interrupted" || fault == "kill_half";
  }
};

const Plan& plan() {
  static const Plan out = [] {
    const char* at = std::getenv("WEFT_FAULT_AT");
    const char* fault = std::getenv("WEFT_FAULT");
    return Plan{at == nullptr ? 0 : std::atol(at), fault == nullptr ? "" : fault,
                std::getenv("WEFT_FAULT_LOG")};
  }();
  return out;
}

std::atomic<long> calls = 0;
std::atomic<long> seconds = 0;

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

ssize_t real_write(int file, const void* bytes, size_t size) {
  static auto* const call = real<ssize_t(int, const void*, size_t)>("write");
  return call(file, bytes, size);
}

int real_open(const char* path, int flags, mode_t mode) {
  static auto* const call = real<int(const char*, int, ...)>("open");
  return call(path, flags, mode);
}

std::string path_of(int file) {
  char path[PATH_MAX] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t size = readlink(link.c_str(), path, sizeof path - 1);
  return size < 0 ? "?" : std::string(path, static_cast<std::size_t>(size));
}

void note(const char* name, const std::string& path) {
  if (plan().log == nullptr) return;
  const std::string line = std::string(name) + " " + path + "\n";
  const int file = real_open(plan().log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0 || real_write(file, line.data(), line.size()) < 0) std::abort();
  close(file);
}

enum class Verdict { pass, fail, half };

bool needs_room(Call call) {
  return call == Call::write || call == Call::open || call == Call::sync;
}

/// What becomes of this call; sets errno where it fails.
Verdict judge(Call call, const char* name, const std::string& path) {
  const Plan& now = plan();
  if (now.at == 0 || (now.only_writes() && call != Call::write)) return Verdict::pass;
  const long number = ++calls;
  if (number < now.at) return Verdict::pass;
  const bool first = number == now.at;
  if (first) note(name, path);
  const bool write = call == Call::write;
  if (first && now.fault == "kill") kill(getpid(), SIGKILL);
  if (first && (now.fault == "short" || now.fault == "kill_half")) return Verdict::half;
  if (now.fault == "full") {
    errno = ENOSPC;
    if (first && write) return Verdict::half;
    return needs_room(call) ? Verdict::fail : Verdict::pass;
  }
  errno = now.fault == "interrupted" ? EINTR : EIO;
  const bool fails =
      now.fault == "broken" || (first && (now.fault == "eio" || now.fault == "interrupted"));
  return fails ? Verdict::fail : Verdict::pass;
}

bool may_pass(Call call, const char* name, int file) {
  return judge(call, name, path_of(file)) != Verdict::fail;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  const bool changes = (flags & (O_CREAT | O_WRONLY | O_RDWR | O_DIRECTORY)) != 0;
  if (changes && judge(Call::open, "open", path) == Verdict::fail) return -1;
  return real_open(path, flags, mode);
}

ssize_t write(int file, const void* bytes, size_t size) {
  if (file <= STDERR_FILENO) return real_write(file, bytes, size);
  const Verdict verdict = judge(Call::write, "write", path_of(file));
  if (verdict == Verdict::fail) return -1;
  if (verdict == Verdict::pass) return real_write(file, bytes, size);
  const ssize_t written = real_write(file, bytes, (size + 1) / 2);
  if (plan().fault == "kill_half") kill(getpid(), SIGKILL);
  return written;
}

// Processes end here, machines do not: no test needs what is on the real disk.
int fsync(int file) { return may_pass(Call::sync, "fsync", file) ? 0 : -1; }
int fdatasync(int file) { return may_pass(Call::sync, "fdatasync", file) ? 0 : -1; }

int ftruncate(int file, off_t size) noexcept {
  static auto* const call = real<int(int, off_t)>("ftruncate");
  return may_pass(Call::other, "ftruncate", file) ? call(file, size) : -1;
}

off_t lseek(int file, off_t offset, int whence) noexcept {
  static auto* const call = real<off_t(int, off_t, int)>("lseek");
  return may_pass(Call::other, "lseek", file) ? call(file, offset, whence) : -1;
}

int flock(int file, int how) noexcept {
  static auto* const call = real<int(int, int)>("flock");
  return may_pass(Call::other, "flock", file) ? call(file, how) : -1;
}

int fchmod(int file, mode_t mode) noexcept {
  static auto* const call = real<int(int, mode_t)>("fchmod");
  return may_pass(Call::other, "fchmod", file) ? call(file, mode) : -1;
}

int fchown(int file, uid_t owner, gid_t group) noexcept {
  static auto* const call = real<int(int, uid_t, gid_t)>("fchown");
  return may_pass(Call::other, "fchown", file) ? call(file, owner, group) : -1;
}

int rename(const char* from, const char* to) noexcept {
  static auto* const call = real<int(const char*, const char*)>("rename");
  return judge(Call::rename, "rename", to) == Verdict::fail ? -1 : call(from, to);
}

int unlink(const char* path) noexcept {
  static auto* const call = real<int(const char*)>("unlink");
  return judge(Call::remove, "unlink", path) == Verdict::fail ? -1 : call(path);
}

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  static auto* const call = real<int(clockid_t, timespec*)>("clock_gettime");
  const int result = call(clock, out);
  if (result == 0 && clock == CLOCK_MONOTONIC && plan().at != 0) out->tv_sec += ++seconds;
  return result;
}

}  // extern "C"
