// SPDX-License-Identifier: Apache-2.0
// Starts the program with one end of a socket as its input and output.
#include "live/plugin/weft_process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace weft::live {
namespace {

/// The program that WEFT_PROGRAM names, the one that was built with this plugin, or that of PATH.
std::string program() {
  if (const char* named = std::getenv("WEFT_PROGRAM"); named != nullptr && *named != '\0')
    return named;
  Dl_info plugin{};
  if (dladdr(reinterpret_cast<void*>(&program), &plugin) != 0 && plugin.dli_fname != nullptr) {
    std::string path = plugin.dli_fname;
    path = path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
    path += "../bin/weft";
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return "weft";
}

/// OpenSM's environment, less what was loaded into OpenSM by force.
std::vector<char*> environment() {
  std::vector<char*> out;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::strncmp(*entry, "LD_PRELOAD=", 11) != 0) out.push_back(*entry);
  out.push_back(nullptr);
  return out;
}

/// posix_spawn's wishes: the socket as input and output, no other files, and signals as usual.
class SpawnSettings {
 public:
  SpawnSettings(int socket, int words) {
    posix_spawn_file_actions_init(&files_);
    if (words >= 0) posix_spawn_file_actions_adddup2(&files_, words, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&files_, socket, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files_, socket, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    // A group of its own: what the terminal sends to OpenSM is not for weft.
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

WeftProcess::WeftProcess(const std::vector<std::string>& words, long patience) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw WeftEnded(std::string("no socket: ") + std::strerror(errno));
  std::string path = program();
  std::vector<std::string> texts{"weft", "live"};
  texts.insert(texts.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  words_ = memfd_create("weft", MFD_CLOEXEC);
  const SpawnSettings settings(ends[1], words_);
  const int failed = posix_spawnp(&child_, path.c_str(), settings.files(), settings.attributes(),
                                  arguments.data(), environment().data());
  close(ends[1]);
  if (failed != 0) {
    close(ends[0]);
    if (words_ >= 0) close(words_);
    throw WeftEnded(path + " cannot be run: " + std::strerror(failed));
  }
  socket_ = ends[0];
  const timeval limit{patience, 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

WeftProcess::~WeftProcess() {
  end();
  if (words_ >= 0) close(words_);
}

/// The end of what it has written to its standard error, on one line.
std::string WeftProcess::last_words() const {
  std::array<char, 1000> text{};
  const off_t size = words_ < 0 ? 0 : lseek(words_, 0, SEEK_END);
  const auto most = static_cast<off_t>(text.size());
  const ssize_t count =
      size <= 0 ? 0 : pread(words_, text.data(), text.size(), std::max<off_t>(0, size - most));
  std::string out(text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  while (!out.empty() && out.back() == '\n') out.pop_back();
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out.empty() ? out : ": " + out;
}

/// Without its socket it ends by itself; if not, it is killed.
void WeftProcess::end() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  constexpr int most_waits = 100;
  constexpr useconds_t wait_us = 20'000;
  for (int i = 0; child_ != 0; ++i) {
    if (i == most_waits) killed_ = kill(child_, SIGKILL) == 0;
    const pid_t ended = waitpid(child_, &status_, i < most_waits ? WNOHANG : 0);
    if (ended == child_ || (ended < 0 && errno != EINTR)) child_ = 0;
    if (ended == 0) usleep(wait_us);
  }
}

void WeftProcess::report_end() {
  end();
  if (killed_) throw WeftEnded("it does not answer, and was killed");
  if (WIFSIGNALED(status_) && WTERMSIG(status_) == SIGALRM)
    throw WeftEnded("it took longer than its patience (weft live --patience)");
  if (WIFSIGNALED(status_))
    throw WeftEnded(std::string("it was ended by a signal: ") + strsignal(WTERMSIG(status_)) +
                    last_words());
  if (WIFEXITED(status_) && WEXITSTATUS(status_) == 127)
    throw WeftEnded("the program weft is not there (WEFT_PROGRAM can name it)");
  throw WeftEnded("it ended with status " + std::to_string(WEXITSTATUS(status_)) + last_words());
}

void WeftProcess::send(const Frame& frame) {
  if (!live::send(socket_, frame)) report_end();
}

Frame WeftProcess::receive() {
  Frame out;
  if (!live::receive(socket_, out)) report_end();
  has_answered_ = true;
  return out;
}

}  // namespace weft::live
