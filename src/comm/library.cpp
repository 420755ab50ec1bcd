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
          .copy_in = params.bandwidth("copy"),
          .copy_out = params.bandwidth("copy"),
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

std::vector<Param> mpich_score_params() {
  return {
      {"mpi_send", DurationText{}, "1.5us", "MPI: the layers of a send"},
      {"mpi_recv", DurationText{}, "1.5us", "MPI: the layers of a receive, its envelope matched"},
      {"unexpected", DurationText{}, "300ns", "MPI: to put an unexpected message aside"},
      {"pm_send", DurationText{}, "1us", "PM: a packet, from its buffer to the NIC"},
      {"pm_recv", DurationText{}, "1us", "PM: a packet, from the NIC"},
      {"packet", BytesText{.least = Bytes{64}, .below = "a packet has 64B or more"}, "1792B",
       "data in a packet of PM"},
      {"window", Whole{0, 1'000'000}, "1",
       "packets of a rank that may be unacknowledged before it sends another; 0: any number"},
      {"copy", BandwidthText{}, "400MB/s", "memory to memory"},
      {"combine", BandwidthText{}, "200MB/s", "of the operands of a reduction"}};
}

/// PM keeps buffers for packets at both ends, and waits for the acknowledgment of the last packet
/// before it hands the NIC another.
Library mpich_score(const Params& params) {
  return {.buffers = true,
          .send = params.duration("mpi_send"),
          .recv = params.duration("mpi_recv"),
          .once_per_message = true,
          .lower_send = params.duration("pm_send"),
          .lower_recv = params.duration("pm_recv"),
          .window = params.whole<std::uint32_t>("window"),
          .unexpected = params.duration("unexpected"),
          .copy_in = params.bandwidth("copy"),
          .copy_out = params.bandwidth("copy"),
          .eager = Bytes{std::numeric_limits<std::int64_t>::max()},
          .fragment = params.bytes("packet"),
          .combine = params.bandwidth("combine")};
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

std::vector<Param> ucx_params() {
  return {
      {"send", DurationText{}, "20ns", "the layers of a message or fragment, to the NIC"},
      {"recv", DurationText{}, "140ns", "the layers of a message or fragment, from the NIC"},
      {"unexpected", DurationText{}, "50ns", "to queue an unexpected message"},
      {"copy_in", BandwidthText{}, "25GB/s", "from the program's memory to a buffer"},
      {"copy_out", BandwidthText{}, "14.9GB/s", "from a buffer to the program's memory"},
      {"touch", DurationText{}, "100ns", "cache miss on the buffer of a received message"},
      {"eager", BytesText{}, "256KiB", "messages up to this size go without asking"},
      {"fragment", BytesText{.least = Bytes{64}, .below = "a fragment has 64B or more"}, "8KiB",
       "longer eager messages go in parts of this size"},
      {"rendezvous", DurationText{}, "1.29us", "receiver: prepare its memory for a longer message"},
      {"by", OneOf({"read", "write"}), "read",
       "the receiver reads longer messages, or clears their sender to write them"},
      {"combine", BandwidthText{}, "10GB/s", "of the operands of a reduction"}};
}

/// Blocking sends of Open MPI over UCX: buffered and in fragments up to the eager limit, then RDMA
/// reads (UCX 1.17: tag_send.c, proto_rndv.inl). Times of overheads and copies are those of Azure
/// HBv2 (EPYC, LogGP by Netgauge), less what the `hca` NIC accounts for.
Library ucx(const Params& params) {
  return {.buffers = true,
          .send = params.duration("send"),
          .recv = params.duration("recv"),
          .unexpected = params.duration("unexpected"),
          .keeps_place = true,
          .copy_in = params.bandwidth("copy_in"),
          .copy_out = params.bandwidth("copy_out"),
          .touch = params.duration("touch"),
          .eager = params.bytes("eager"),
          .fragment = params.bytes("fragment"),
          .rendezvous = params.duration("rendezvous"),
          .reads = params.is("by", "read"),
          .copies_requests = true,
          .combine = params.bandwidth("combine")};
}

Duration copying(std::uint64_t bytes, Bandwidth rate) {
  constexpr std::uint64_t cache_line = 64;
  if (bytes <= cache_line || rate.bits_per_second == 0) return Duration{0};
  return Bytes{static_cast<std::int64_t>(bytes)} / rate;
}

}  // namespace

Duration Library::copying_in(std::uint64_t bytes) const { return copying(bytes, copy_in); }
Duration Library::copying_out(std::uint64_t bytes) const { return copying(bytes, copy_out); }
Duration Library::combining(std::uint64_t bytes) const { return copying(bytes, combine); }

std::span<const LibraryRow> libraries() {
  static const std::vector<LibraryRow> rows{
      {"none", none, "programs use what the NIC offers, at the NIC's cost", {}},
      {"mvich", layered,
       "MVICH 1.0, MPI over VIA: copies, layers, and a progress engine that polls all connections",
       mvich_params()},
      {"mpich_gm", mpich_gm,
       "MPICH-GM, MPI over GM: copies through registered buffers, overlapped with the NIC's work",
       mpich_gm_params()},
      {"mpich_score", mpich_score,
       "MPICH-SCore, MPI over PM: packets through buffers, each acknowledged before the next",
       mpich_score_params()},
      {"tports", tports,
       "Tports of Elanlib (QsNet): the thread processor of the NIC matches envelopes",
       tports_params()},
      {"mpich_qsnet", mpich_qsnet,
       "MPI-2 over Tports (a port of MPICH): the same, and layers on the main processor",
       mpich_qsnet_params()},
      {"ucx", ucx,
       "MPI over UCX: eager messages in fragments through buffers, longer ones by RDMA read",
       ucx_params()},
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
