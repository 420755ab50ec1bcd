// SPDX-License-Identifier: Apache-2.0
// Where the bytes of calls are: in chunks of whole calls, in memory or in a temporary file.
#include "trace/trace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "base/files.hpp"
#include "trace/packing.hpp"

namespace weft::trace {
namespace {

/// As many bytes of each rank are in memory at once when the calls are in a file.
constexpr std::size_t chunk_bytes = 1 << 14;

/// A file that nobody else sees.
int open_temporary() {
  const char* named = std::getenv("TMPDIR");
  const std::string folder = named == nullptr || *named == '\0' ? "/tmp" : named;
  std::string path = folder + "/weft.XXXXXX";
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0)
    throw Error("{}: no temporary file for the trace can be made here: {}; TMPDIR names the folder",
                folder, std::strerror(errno));
  unlink(path.c_str());
  return file;
}

}  // namespace

/// Whole calls, in memory until they are in the file.
struct CallChunk {
  std::string bytes{};
  std::uint64_t offset = 0, length = 0;  ///< in the file
};

struct StoredRank {
  std::vector<CallChunk> chunks{};
  std::size_t in_file = 0;  ///< of the chunks
  LastCall last{};
};

class StoredCalls {
 public:
  StoredCalls(TraceHead given, std::uint64_t memory) : head(std::move(given)), memory_(memory) {}

  void append(StoredRank& rank, const std::string& packed) {
    const bool has_room = !rank.chunks.empty() && rank.in_file < rank.chunks.size() &&
                          rank.chunks.back().bytes.size() + packed.size() <= chunk_bytes;
    if (!has_room) {
      rank.chunks.emplace_back();
      if (rank.chunks.size() > 1) rank.chunks.back().bytes.reserve(chunk_bytes);
    }
    rank.chunks.back().bytes += packed;
    in_memory_ += packed.size();
    if (in_memory_ > memory_) move_to_file();
  }

  void read(const CallChunk& chunk, char* into) const {
    for (std::uint64_t done = 0; done < chunk.length;) {
      const ssize_t count =
          pread(*file_, into + done, chunk.length - done, static_cast<off_t>(chunk.offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) throw Error("a temporary file cannot be read: {}", std::strerror(errno));
      done += static_cast<std::uint64_t>(count);
    }
  }

  const TraceHead head;
  std::vector<StoredRank> ranks;  ///< those that have calls, until the trace is finished

 private:
  void move_to_file() {
    if (!file_) file_.emplace(open_temporary());
    for (StoredRank& rank : ranks)
      for (; rank.in_file < rank.chunks.size(); ++rank.in_file) {
        CallChunk& chunk = rank.chunks[rank.in_file];
        if (const int why = write_all(*file_, chunk.bytes); why != 0)
          cannot_write("a temporary file for the trace", why);
        chunk.offset = written_;
        chunk.length = chunk.bytes.size();
        written_ += chunk.length;
        std::string().swap(chunk.bytes);  // an assignment would keep its memory
      }
    in_memory_ = 0;
  }

  std::uint64_t memory_, in_memory_ = 0, written_ = 0;
  std::optional<OpenFile> file_;
};

CallCursor::CallCursor(std::shared_ptr<const StoredCalls> calls, Rank rank)
    : calls_(std::move(calls)), rank_(&calls_->ranks.at(static_cast<std::size_t>(rank))) {}

bool CallCursor::open_chunk() {
  if (chunk_ == rank_->chunks.size()) return false;
  const CallChunk& chunk = rank_->chunks[chunk_++];
  if (chunk.length == 0) {
    at_ = chunk.bytes.data();
    end_ = at_ + chunk.bytes.size();
    return true;
  }
  if (chunk.length > buffer_size_) {
    buffer_ = std::make_unique<char[]>(chunk.length);
    buffer_size_ = chunk.length;
  }
  calls_->read(chunk, buffer_.get());
  at_ = buffer_.get();
  end_ = at_ + chunk.length;
  return true;
}

bool CallCursor::next(Call& into) {
  if (at_ == end_ && !open_chunk()) return false;
  unpack(at_, last_, into);
  return true;
}

const TraceHead& Trace::head() const { return calls_->head; }

std::uint64_t Trace::call_count(Rank rank) const {
  return calls_->ranks.at(static_cast<std::size_t>(rank)).last.index;
}

std::string Trace::place_of(Rank rank, const Call& call) const {
  const std::string& file =
      head().files.empty() ? source() : head().files[static_cast<std::size_t>(rank)];
  return fmt::format("{}: {} {} (rank {}, {})", file, head().place, call.line, rank,
                     to_text(call.kind));
}

TraceBuilder::TraceBuilder(TraceHead head, std::uint64_t memory)
    : calls_(std::make_shared<StoredCalls>(std::move(head), memory)) {}
TraceBuilder::~TraceBuilder() = default;

void TraceBuilder::append(Rank rank, const Call& call) {
  const auto index = static_cast<std::size_t>(rank);
  if (index >= calls_->ranks.size()) calls_->ranks.resize(index + 1);
  StoredRank& stored = calls_->ranks[index];
  packed_.clear();
  pack(call, stored.last, packed_);
  calls_->append(stored, packed_);
}

const TraceHead& TraceBuilder::head() const { return calls_->head; }

Trace TraceBuilder::finish() {
  calls_->ranks.resize(static_cast<std::size_t>(calls_->head.ranks));
  return Trace(std::move(calls_));
}

}  // namespace weft::trace
