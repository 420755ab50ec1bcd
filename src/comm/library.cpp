// SPDX-License-Identifier: Apache-2.0
// The table of libraries.
#include "comm/library.hpp"

#include <vector>

namespace weft::comm {
namespace {

Library none(const Params&) { return {}; }

constexpr Whole clock_rate{1, 100'000, "MHz"};
constexpr Whole work{0, 1'000'000};  ///< cycles of that clock

/// The time of a parameter that counts cycles of the processor's clock.
Duration cycles(const Params& params, std::string_view name) {
  return Duration(params.whole(name) * 1'000'000 / params.whole("mhz"));
}

std::vector<Param> mvich_params() {
  return {{"mhz", clock_rate, "1000", "clock of the processor"},
          {"send", work, "1000", "cycles: the layers of a send"},
          {"recv", work, "1000", "cycles: the layers of a receive, its envelope matched"},
          {"unexpected", work, "300", "cycles: to put an unexpected message aside"},
          {"check", work, "50", "cycles: to look at one connection"},
          {"copy", BandwidthText{}, "300MB/s", "memory to memory"},
          {"eager", BytesText{}, "8KiB", "messages up to this size go without asking"}};
}

/// Layers whose work takes cycles.
Library layered(const Params& params) {
  return {.buffers = true,
          .send = cycles(params, "send"),
          .recv = cycles(params, "recv"),
          .unexpected = cycles(params, "unexpected"),
          .check = cycles(params, "check"),
          .copy = params.bandwidth("copy"),
          .eager = params.bytes("eager")};
}

std::vector<Param> mpich_gm_params() {
  return {{"mhz", clock_rate, "300", "clock of the processor"},
          {"send", work, "1500", "cycles: the layers of a send"},
          {"recv", work, "1500", "cycles: the layers of a receive, its envelope matched"},
          {"unexpected", work, "300", "cycles: to put an unexpected message aside"},
          {"check", work, "0", "cycles: GM has one queue of events for all connections"},
          {"copy", BandwidthText{}, "52MB/s", "memory to memory"},
          {"eager", BytesText{}, "1GiB", "messages up to this size go without asking"},
          {"buffered", BytesText{}, "16KiB",
           "sends up to this size end when copied, longer ones when delivered"}};
}

Library mpich_gm(const Params& params) {
  Library library = layered(params);
  library.buffered = params.bytes("buffered");
  return library;
}

std::vector<Param> tports_params() {
  return {{"match", DurationText{}, "2us", "thread processor: to match an envelope"},
          {"eager", BytesText{}, "287B", "messages up to this size travel with their envelopes"}};
}

/// Messages under 288 bytes travel with their envelopes, longer ones by rendezvous.
Library tports(const Params& params) {
  return {.buffers = true, .match = params.duration("match"), .eager = params.bytes("eager")};
}

std::vector<Param> mpich_qsnet_params() {
  return {{"mhz", clock_rate, "733", "clock of the processor"},
          {"send", work, "220", "cycles: the layers of a send"},
          {"recv", work, "220", "cycles: the layers of a receive"},
          {"match", DurationText{}, "2us", "thread processor: to match an envelope"},
          {"eager", BytesText{}, "287B", "messages up to this size travel with their envelopes"}};
}

Library mpich_qsnet(const Params& params) {
  Library library = tports(params);
  library.send = cycles(params, "send");
  library.recv = cycles(params, "recv");
  return library;
}

}  // namespace

Duration Library::copying(std::uint64_t bytes) const {
  constexpr std::uint64_t cache_line = 64;
  if (bytes <= cache_line || copy.bits_per_second == 0) return Duration{0};
  return Bytes{static_cast<std::int64_t>(bytes)} / copy;
}

std::span<const LibraryRow> libraries() {
  static const std::vector<LibraryRow> rows{
      {"none", none, "programs use what the NIC offers, at the NIC's cost", {}},
      {"mvich", layered,
       "MVICH 1.0, MPI over VIA: copies, layers, and a progress engine that polls all connections",
       mvich_params()},
      {"mpich_gm", mpich_gm,
       "MPICH-GM, MPI over GM: copies through registered buffers, overlapped with the NIC's work",
       mpich_gm_params()},
      {"tports", tports,
       "Tports of Elanlib (QsNet): the thread processor of the NIC matches envelopes",
       tports_params()},
      {"mpich_qsnet", mpich_qsnet,
       "MPI-2 over Tports (a port of MPICH): the same, and layers on the main processor",
       mpich_qsnet_params()},
  };
  return rows;
}

Library library_from(std::string_view text) {
  const Spec spec = Spec::parse(text);
  const LibraryRow& row = find_row(libraries(), "library", spec.name);
  const Params params(spec, row.params);
  Library library = row.make(params);
  library.spec = params.spec();
  return library;
}

}  // namespace weft::comm
