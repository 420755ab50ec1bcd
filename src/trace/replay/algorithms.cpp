// SPDX-License-Identifier: Apache-2.0
// Chosen and usual algorithms.
#include "trace/replay/algorithms.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/error.hpp"

namespace weft::trace {
namespace {

constexpr std::array collective_calls{
    CallKind::barrier,   CallKind::bcast,          CallKind::reduce,
    CallKind::allreduce, CallKind::scan,           CallKind::gather,
    CallKind::scatter,   CallKind::allgather,      CallKind::alltoall,
    CallKind::gatherv,   CallKind::scatterv,       CallKind::allgatherv,
    CallKind::alltoallv, CallKind::reduce_scatter, CallKind::reduce_scatter_block};

template <class AnyCollective>
void require_algorithm(const std::string& text) {
  const Spec spec = Spec::parse(text);
  const auto& row = find_row(comm::algorithms<AnyCollective>(), AnyCollective::kind, spec.name);
  const Params params(spec, row.params);
}

/// Why an algorithm cannot carry out the collective of a trace; empty where it can.
std::string_view obstacle(CallKind kind, std::string_view algorithm) {
  const bool by_root = kind == CallKind::gatherv || kind == CallKind::scatterv;
  if (algorithm == "hardware") return "it needs a multicast group, and a replay has none";
  if (algorithm == "schedule") return "it needs a visiting order, and a replay has none";
  if (by_root && algorithm != "linear") return "only the root knows all sizes; linear is possible";
  if (kind == CallKind::alltoallv && algorithm == "bruck") return "it needs blocks of one size";
  return {};
}

/// Throws Error when the collective has no such algorithm.
void require_algorithm(CallKind kind, const std::string& text) {
  switch (kind) {
    case CallKind::barrier:
      return require_algorithm<comm::Barrier>(text);
    case CallKind::bcast:
      return require_algorithm<comm::Broadcast>(text);
    case CallKind::reduce:
      return require_algorithm<comm::Reduce>(text);
    case CallKind::allreduce:
      return require_algorithm<comm::Allreduce>(text);
    case CallKind::scan:
      return require_algorithm<comm::Scan>(text);
    case CallKind::gather:
    case CallKind::gatherv:
      return require_algorithm<comm::Gather>(text);
    case CallKind::scatter:
    case CallKind::scatterv:
      return require_algorithm<comm::Scatter>(text);
    case CallKind::allgather:
    case CallKind::allgatherv:
      return require_algorithm<comm::Allgather>(text);
    case CallKind::alltoall:
    case CallKind::alltoallv:
      return require_algorithm<comm::Alltoall>(text);
    default:
      return require_algorithm<comm::ReduceScatter>(text);
  }
}

constexpr std::size_t kibi = 1024;

std::string_view usual_allgather(std::size_t bytes, int members) {
  const bool power = std::has_single_bit(static_cast<unsigned>(members));
  if (power && bytes < 512 * kibi) return "recursive_doubling";
  return bytes < 80 * kibi ? "bruck" : "ring";
}

std::string_view usual_alltoall(std::size_t bytes, int members) {
  if (bytes <= 256 && members >= 8) return "bruck";
  return bytes <= 32 * kibi ? "linear" : "pairwise";
}

/// All that there are in usual_algorithm().
constexpr std::array usual_algorithms{
    "binomial", "bruck",        "dissemination",      "halving", "linear",
    "pairwise", "rabenseifner", "recursive_doubling", "ring",    "scatter_allgather"};

std::string_view usual_algorithm(CallKind kind, std::size_t bytes, int members) {
  switch (kind) {
    case CallKind::barrier:
      return "dissemination";
    case CallKind::bcast:
      return bytes < 12 * kibi || members < 8 ? "binomial" : "scatter_allgather";
    case CallKind::reduce:
      return bytes <= 2 * kibi ? "binomial" : "rabenseifner";
    case CallKind::allreduce:
      return bytes <= 2 * kibi ? "recursive_doubling" : "rabenseifner";
    case CallKind::scan:
      return "recursive_doubling";
    case CallKind::gather:
    case CallKind::scatter:
      return "binomial";
    case CallKind::gatherv:
    case CallKind::scatterv:
    case CallKind::alltoallv:
      return "linear";
    case CallKind::allgather:
    case CallKind::allgatherv:
      return usual_allgather(bytes, members);
    case CallKind::alltoall:
      return usual_alltoall(bytes, members);
    default:
      return bytes < 512 * kibi ? "halving" : "pairwise";
  }
}

/// By the name of MPI's call, or of the catalogue.
CallKind collective_named(std::string_view name) {
  if (name == comm::Broadcast::kind) return CallKind::bcast;
  if (name == comm::ReduceScatter::kind) return CallKind::reduce_scatter;
  std::vector<std::string_view> names = CollectiveAlgorithms::names();
  for (const CallKind kind : collective_calls)
    if (to_text(kind) == name) return kind;
  names.insert(names.end(), {comm::Broadcast::kind, comm::ReduceScatter::kind});
  throw Error("no collective is called \"{}\"; there are: {}{}", name.substr(0, 60),
              fmt::join(names, " "), suggestion(name, names));
}

}  // namespace

std::vector<std::string_view> CollectiveAlgorithms::names() {
  std::vector<std::string_view> out;
  for (const CallKind kind : collective_calls) out.push_back(to_text(kind));
  return out;
}

CollectiveAlgorithms::CollectiveAlgorithms(std::span<const std::string> chosen) {
  for (const CallKind kind : collective_calls)
    for (const std::string_view text : usual_algorithms)
      usual_.emplace(std::pair(kind, text), comm::CollectiveSpec{std::string(text)});
  for (const std::string& text : chosen) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw Error("collective: \"{}\": allreduce=ring, say, is needed", text);
    const CallKind kind = collective_named(std::string_view(text).substr(0, equals));
    const std::string algorithm = text.substr(equals + 1);
    require_algorithm(kind, algorithm);
    if (const auto why = obstacle(kind, Spec::parse(algorithm).name); !why.empty())
      throw Error("collective: {}: {}", text, why);
    if (!chosen_.emplace(kind, comm::CollectiveSpec{algorithm}).second)
      throw Error("collective: {} is given twice", to_text(kind));
  }
}

const comm::CollectiveSpec& CollectiveAlgorithms::of(CallKind kind, std::size_t bytes,
                                                     int members) const {
  const auto found = chosen_.find(kind);
  if (found != chosen_.end()) return found->second;
  return usual_.at({kind, usual_algorithm(kind, bytes, members)});
}

}  // namespace weft::trace
