// SPDX-License-Identifier: Apache-2.0
// Reads Chakra execution traces (MLCommons): a file for each rank, of nodes that depend on others.
// docs/reference/traces.md says which meaning of their sizes is assumed.
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/compressed.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "trace/formats/chakra.pb.h"
#include "trace/formats/formats.hpp"
#include "trace/graph_rank.hpp"

namespace weft::trace {
namespace {

namespace fs = std::filesystem;

/// Messages behind their lengths.
class MessageFile {
 public:
  MessageFile(std::unique_ptr<ByteStream> stream, const std::string& path)
      : stream_(decompressed(std::move(stream), path)), path_(path) {}

  /// False at the end of the file.
  template <class Message>
  bool next(Message& message) {
    ++number_;
    std::uint64_t length = 0;
    if (!read_length(length)) return false;
    if (length > longest) fail("is longer than 64 MiB: this is no trace");
    bytes_.resize(length);
    if (!read(bytes_.data(), length)) fail("is cut off");
    if (!message.ParseFromString(bytes_)) fail("is damaged");
    return true;
  }

 private:
  static constexpr std::uint64_t longest = std::uint64_t{64} << 20;

  [[noreturn]] void fail(const char* what) const {
    throw Error("{}: message {} of the file {}", path_, number_, what);
  }
  bool read(char* into, std::size_t count) {
    while (count > 0) {
      if (at_ == end_) {
        at_ = 0;
        end_ = stream_->read(buffer_.data(), buffer_.size());
        if (end_ == 0) return false;
      }
      const std::size_t copied = buffer_.copy(into, std::min(count, end_ - at_), at_);
      at_ += copied;
      into += copied;
      count -= copied;
    }
    return true;
  }
  /// Seven bits a byte, the low ones first.
  bool read_length(std::uint64_t& length) {
    char byte = 0;
    if (!read(&byte, 1)) return false;
    for (unsigned shift = 0;; shift += 7) {
      length |= static_cast<std::uint64_t>(byte & 127) << shift;
      if ((byte & 128) == 0) return true;
      if (shift == 28) fail("is damaged");
      if (!read(&byte, 1)) fail("is cut off");
    }
  }

  std::unique_ptr<ByteStream> stream_;
  std::string path_;
  std::string buffer_ = std::string(1 << 16, '\0'), bytes_;
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t number_ = 0;
};

/// Throws Error unless the schema is one that chakra.proto describes: 0.0.4, or a later one
/// before 2.
void require_version(std::string_view text) {
  std::array<int, 3> numbers{};
  const char* at = text.data();
  const char* const end = at + text.size();
  bool valid = true;
  for (int& number : numbers) {
    const auto [rest, problem] = std::from_chars(at, end, number);
    valid = valid && problem == std::errc() && (rest == end || *rest == '.');
    at = rest == end ? end : rest + 1;
  }
  if (!valid || numbers < std::array{0, 0, 4} || numbers[0] > 1)
    throw Error("version \"{}\" of the schema is not known; weft reads 0.0.4 and later",
                shown(text));
}

/// A value of any type for integers.
std::optional<std::int64_t> integer_of(const chakra_schema::Attribute& attribute) {
  using Attribute = chakra_schema::Attribute;
  switch (attribute.value_case()) {
    case Attribute::kInt32Value:
      return attribute.int32_value();
    case Attribute::kInt64Value:
      return attribute.int64_value();
    case Attribute::kUint32Value:
      return attribute.uint32_value();
    case Attribute::kUint64Value:
      return static_cast<std::int64_t>(attribute.uint64_value());
    case Attribute::kSint32Value:
      return attribute.sint32_value();
    case Attribute::kSint64Value:
      return attribute.sint64_value();
    case Attribute::kFixed32Value:
      return attribute.fixed32_value();
    case Attribute::kFixed64Value:
      return static_cast<std::int64_t>(attribute.fixed64_value());
    case Attribute::kSfixed32Value:
      return attribute.sfixed32_value();
    case Attribute::kSfixed64Value:
      return attribute.sfixed64_value();
    case Attribute::kBoolValue:
      return attribute.bool_value() ? 1 : 0;
    default:
      return std::nullopt;
  }
}

/// The process groups of a JSON file, which become communicators from 1 on.
std::vector<Communicator> groups_from(const std::string& path, int ranks) {
  std::vector<Communicator> out;
  if (path.empty()) return out;
  const auto json = nlohmann::ordered_json::parse(read_file(path), nullptr, false);
  if (!json.is_object()) throw Error("{}: an object of JSON is needed: {{\"name\": [0, 1]}}", path);
  for (const auto& item : json.items()) {
    Communicator& group = out.emplace_back();
    group.id = static_cast<std::int32_t>(out.size());
    group.name = item.key();
    for (const auto& member : item.value()) {
      const std::int64_t rank = member.is_number_integer() ? member.get<std::int64_t>() : -1;
      if (rank < 0 || rank >= ranks)
        throw Error("{}: group {}: {} is none of the ranks, which are 0 to {}", path,
                    shown(group.name), shown(member.dump()), ranks - 1);
      group.members.push_back(static_cast<Rank>(rank));
    }
    if (std::set(group.members.begin(), group.members.end()).size() < group.members.size())
      throw Error("{}: group {} has a rank twice", path, shown(group.name));
    if (group.members.empty()) throw Error("{}: group {} has no ranks", path, shown(group.name));
  }
  return out;
}

/// Makes operations of the nodes of one rank.
class NodeReader {
 public:
  explicit NodeReader(const TraceHead& head) : head_(head) {
    for (const Communicator& group : head.communicators) groups_.emplace(group.name, &group);
  }

  void add(const chakra_schema::Node& node, GraphRank& graph) {
    node_ = &node;
    const auto index = static_cast<std::uint32_t>(graph.size());
    if (!indices_.emplace(node.id(), index).second) throw Error("another node has the same id");
    graph.add(operation());
    std::set<std::uint64_t> others(node.ctrl_deps().begin(), node.ctrl_deps().end());
    others.insert(node.data_deps().begin(), node.data_deps().end());
    for (const std::uint64_t other : others) waits_.push_back({index, node.id(), other});
  }

  /// All nodes are read: dependencies on those that came later are known, too.
  void end(GraphRank& graph) const {
    for (const NodeWait& wait : waits_) {
      const auto found = indices_.find(wait.on);
      if (found == indices_.end())
        throw Error("node {} depends on node {}, which never comes", wait.id, wait.on);
      graph.add_edge({wait.operation, found->second});
    }
  }

 private:
  struct NodeWait {
    std::uint32_t operation;
    std::uint64_t id, on;
  };
  enum NodeType { metadata = 1, load, store, computing, sending, receiving, collective };

  const chakra_schema::Attribute* find(std::string_view name) const {
    for (const chakra_schema::Attribute& one : node_->attr())
      if (one.name() == name) return &one;
    return nullptr;
  }
  std::optional<std::int64_t> integer(std::string_view name) const {
    const auto* found = find(name);
    if (found == nullptr) return std::nullopt;
    const auto number = integer_of(*found);
    if (!number) throw Error("{} is no whole number", name);
    return number;
  }
  std::int64_t needed(std::string_view name, std::int64_t most, std::string_view why) const {
    const auto number = integer(name);
    if (!number) throw Error("{} is missing: {}", name, why);
    if (*number < 0 || *number > most) throw Error("{} is {}, not 0 to {}", name, *number, most);
    return *number;
  }
  std::uint64_t bytes() const {
    constexpr std::int64_t most = std::int64_t{1} << 60;
    return static_cast<std::uint64_t>(needed("comm_size", most, "bytes are not known"));
  }

  GraphOperation operation() const {
    GraphOperation out;
    out.line = node_->id();
    out.stream = integer("is_cpu_op").value_or(1) != 0 ? 0 : 1;
    switch (node_->type()) {
      case metadata:
      case load:
      case store:
      case computing:
        out.kind = CallKind::compute;
        out.amount = picoseconds();
        return out;
      case sending:
        return message(out, CallKind::send, "comm_dst", "the trace does not say who receives it");
      case receiving:
        return message(out, CallKind::recv, "comm_src", "the trace does not say who sends it");
      case collective:
        return collective_call(out);
      default:
        throw Error("type {} of a node is not known", node_->type());
    }
  }

  std::uint64_t picoseconds() const {
    constexpr std::uint64_t longest = 9'000'000'000'000;  // us that are counted in ps
    if (node_->duration_micros() > longest)
      throw Error("{} us are longer than weft counts", node_->duration_micros());
    return node_->duration_micros() * 1'000'000;
  }

  GraphOperation message(GraphOperation out, CallKind kind, std::string_view peer,
                         std::string_view why) const {
    out.kind = kind;
    out.peer = static_cast<Rank>(needed(peer, head_.ranks - 1, why));
    out.tag = integer("comm_tag").value_or(0);
    if (out.tag < 0) throw Error("comm_tag is {}, not 0 or more", out.tag);
    out.amount = bytes();
    return out;
  }

  /// Its group; null for all ranks.
  const Communicator* group() const {
    const auto* name = find("pg_name");
    if (name == nullptr || name->string_value().empty()) return nullptr;
    const auto found = groups_.find(name->string_value());
    if (found != groups_.end()) return found->second;
    throw Error("the ranks of process group {} are not known; --groups names a file that has them",
                shown(name->string_value()));
  }

  /// comm_size is what a rank hands in; weft counts shares of members where there are some.
  GraphOperation collective_call(GraphOperation out) const {
    static constexpr std::array kinds{CallKind::allreduce,
                                      CallKind::reduce,
                                      CallKind::allgather,
                                      CallKind::gather,
                                      CallKind::scatter,
                                      CallKind::bcast,
                                      CallKind::alltoall,
                                      CallKind::reduce_scatter_block,
                                      CallKind::reduce_scatter_block,
                                      CallKind::barrier};
    const auto type = needed("comm_type", kinds.size() - 1, "the kind of collective is not known");
    out.kind = kinds[static_cast<std::size_t>(type)];
    const Communicator* members = group();
    const std::uint64_t count =
        members == nullptr ? static_cast<std::uint64_t>(head_.ranks) : members->members.size();
    if (members != nullptr) out.communicator = members->id;
    if (has_root(out.kind)) out.peer = members == nullptr ? 0 : members->members.front();
    if (out.kind == CallKind::barrier) return out;
    const bool has_shares = out.kind == CallKind::scatter || out.kind == CallKind::alltoall ||
                            out.kind == CallKind::reduce_scatter_block;
    out.amount = has_shares ? (bytes() + count - 1) / count : bytes();
    return out;
  }

  const TraceHead& head_;
  std::unordered_map<std::string, const Communicator*> groups_;
  const chakra_schema::Node* node_ = nullptr;
  std::unordered_map<std::uint64_t, std::uint32_t> indices_;  ///< by id
  std::vector<NodeWait> waits_;
};

/// Runs it; its errors begin with the place.
template <class Action>
void at_place(const std::string& place, Action action) {
  try {
    action();
  } catch (const Error& error) {
    throw Error("{}: {}", place, error.what());
  }
}

void read_rank(TraceInput input, TraceBuilder& builder, Rank rank) {
  MessageFile file(std::move(input.bytes), input.path);
  chakra_schema::Metadata metadata;
  if (!file.next(metadata)) throw Error("{}: cut off: it is empty", input.path);
  at_place(input.path, [&] { require_version(metadata.version()); });
  NodeReader nodes(builder.head());
  GraphRank graph;
  for (chakra_schema::Node node; file.next(node);)
    at_place(fmt::format("{}: node {} (rank {})", input.path, node.id(), rank),
             [&] { nodes.add(node, graph); });
  at_place(input.path, [&] {
    nodes.end(graph);
    graph.append_to(builder, rank);
  });
}

/// The part of "x.3.et" before ".3.et", and 3.
std::optional<std::pair<std::string, int>> name_and_rank(const std::string& path) {
  constexpr std::string_view ending = ".et";
  if (!path.ends_with(ending)) return std::nullopt;
  const std::string front = path.substr(0, path.size() - ending.size());
  const std::size_t point = front.rfind('.');
  if (point == std::string::npos) return std::nullopt;
  const auto rank = number_from<int>(std::string_view(front).substr(point + 1));
  if (!rank || *rank < 0 || *rank >= most_ranks) return std::nullopt;
  return std::pair(front.substr(0, point), *rank);
}

/// The files of all ranks of which `path` names one.
std::vector<std::string> files_of_ranks(const std::string& path) {
  const auto named = name_and_rank(path);
  if (!named) return {path};
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
  const std::string name = fs::path(named->first).filename().string();
  int ranks = 0;
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, problem))
    if (const auto other = name_and_rank(entry.path().filename().string());
        other && other->first == name)
      ranks = std::max(ranks, other->second + 1);
  std::vector<std::string> out;
  for (int rank = 0; rank < ranks; ++rank) {
    out.push_back(fmt::format("{}.{}.et", named->first, rank));
    if (!fs::exists(out.back(), problem))
      throw Error("{}: the file of rank {} is missing; there is one of rank {}", out.back(), rank,
                  ranks - 1);
  }
  return out;
}

}  // namespace

namespace chakra {

Trace read_ranks(TraceHead head, const OpenRank& open, const ReadOptions& options) {
  head.ranks = static_cast<int>(head.files.size());
  head.is_graph = true;
  head.place = "node";
  head.communicators = groups_from(options.groups, head.ranks);
  TraceBuilder builder(head, options.memory);
  for (Rank rank = 0; rank < head.ranks; ++rank) {
    const std::string& file = head.files[static_cast<std::size_t>(rank)];
    read_rank({file, open(file)}, builder, rank);
  }
  return builder.finish();
}

Trace read(TraceInput input, const ReadOptions& options) {
  return read_ranks({.source = input.path, .files = files_of_ranks(first_file(input.path))},
                    open_stream, options);
}

std::string first_file(const std::string& path) {
  std::error_code problem;
  std::string with_end = path + ".0.et";
  return !fs::exists(path, problem) && fs::exists(with_end, problem) ? with_end : path;
}

/// A short message that begins with a version.
bool recognises(std::string_view front) {
  if (front.size() < 4 || front[1] != '\x0a') return false;
  const auto length = static_cast<unsigned char>(front[2]);
  const std::string_view version = front.substr(3, length);
  return length > 0 && version.size() == length &&
         version.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace chakra
}  // namespace weft::trace
