// SPDX-License-Identifier: Apache-2.0
// gm: a Myrinet NIC with a LANai processor and the GM control program (Gulati 2001, section 4.1).
// Four state machines share the LANai. SDMA turns send descriptors into send tokens, picks the next
// packet and has the one host DMA engine bring it to the NIC's memory; SEND puts it on the link;
// RECV takes packets from the link; RDMA has the same engine bring them to the host. The LANai sets
// the engine up for every page, and loses time when it turns to another flow, or from sending to
// receiving. Ports have send and receive tokens, two priorities, reliable and ordered delivery.
//
// Packets of several tokens take turns (stock GM), or go at the rate of their flow, in which case
// messages are cut into full packets instead of equal ones.
#include "base/error.hpp"
#include "sim/nics/nics.hpp"
#include "sim/nics/shared_parameters.hpp"

namespace weft::sim {
namespace {

/// GM sends every message eagerly, however long it is.
constexpr Bytes any_size{std::int64_t{1} << 50U};

Schedule schedule_of(const Params& params) {
  if (params.is("schedule", "message")) return Schedule::by_message;
  return params.is("schedule", "packet") ? Schedule::by_packet : Schedule::by_rate;
}

/// The host DMA engine: set up for every page, then as fast as the host's bus.
NicStage host_dma(const Params& params, std::string_view rate) {
  NicStage stage(Part::bus, params.duration("dma"), params.bandwidth(rate));
  stage.per_page = true;
  stage.turns = true;
  return stage;
}

bool equal_chunks(const Params& params, Schedule schedule) {
  if (params.is("chunks", "default")) return schedule != Schedule::by_rate;
  return params.is("chunks", "equal");
}

}  // namespace

std::vector<Param> gm_params() {
  return {{"schedule", OneOf({"message", "packet", "rate"}, "it is message, packet or rate"),
           "packet", "message or packet: tokens take turns; rate: each flow at its own"},
          {"chunks", OneOf({"default", "equal", "full"}, "it is default, equal or full"), "default",
           "equal: packets of one size; full; default: full with rates"},
          {"mhz", clock_rate, "33", "clock of the LANai"},
          {"tick", DurationText{.least = Duration{1}, .below = "a counter counts in time"}, "500ns",
           "of the LANai's real-time counter"},
          {"post", DurationText{}, "1us", "processor: write a send descriptor to the NIC"},
          {"token", cycle_count, "60", "LANai cycles: SDMA makes a send token of a descriptor"},
          {"sdma", cycle_count, "120", "LANai cycles: SDMA prepares a packet"},
          {"pace", cycle_count, "8", "LANai cycles: SDMA finds the next flow by its rate"},
          {"send", cycle_count, "60", "LANai cycles: SEND puts a packet on the link"},
          {"recv", cycle_count, "80", "LANai cycles: RECV takes a packet"},
          {"rdma", cycle_count, "60", "LANai cycles: RDMA prepares a packet"},
          {"ack", cycle_count, "40", "LANai cycles: an acknowledgment"},
          {"dma", DurationText{}, "2us", "host DMA engine: set-up for a page"},
          {"read", BandwidthText{}, "97MB/s", "host DMA engine: from the host's memory"},
          {"write", BandwidthText{}, "95MB/s", "host DMA engine: to the host's memory"},
          {"flow_change", DurationText{}, "2us", "host DMA engine: turn to another flow"},
          {"direction_change", DurationText{}, "4us",
           "host DMA engine: turn from sending to receiving, or back"},
          {"event", DurationText{}, "1us", "to notify the host"},
          {"mtu", packet_data, "4KiB", "data in a packet"},
          {"header", BytesText{}, "16B", "of a packet, with its route and check sum"},
          {"send_buffers", one_or_more, "2", "packets in the NIC's memory, on their way out"},
          {"receive_buffers", one_or_more, "4", "packets in the NIC's memory, on their way in"},
          {"send_tokens", one_or_more, "16", "messages of a port and priority under way"},
          {"poll", DurationText{}, "1us", "processor: see an event or a changed word"},
          {"copy", BandwidthText{}, "150MB/s",
           "processor: memory to memory, between the ranks of a host"},
          {"expose", DurationText{}, "20us", "register memory"},
          {"store", DurationText{}, "200ns", "hand a cache line to another processor"},
          {"retries", few_retries, "1000",
           "of a packet that was lost, or a message that found no receive token"},
          {"retry_after", DurationText{}, "200us", "until it is sent again"}};
}

NicModel gm(const Params& params) {
  const std::int64_t megahertz = params.whole("mhz");
  const auto time = [&](std::int64_t count) { return Duration(count * 1'000'000 / megahertz); };
  const auto lanai = [&](std::string_view name) {
    return NicStage(Part::nic, time(params.whole(name)));
  };
  NicModel model;
  model.schedule = schedule_of(params);

  TransferStages message;
  message.post = {{Part::processor, params.duration("post")}};
  message.submit = {lanai("token")};
  // SDMA finds the next flow while it prepares the packet.
  const std::int64_t pace = model.schedule == Schedule::by_rate ? params.whole("pace") : 0;
  message.packet_out = {{Part::nic, time(params.whole("sdma") + pace)}, host_dma(params, "read")};
  message.packet_send = {lanai("send")};
  message.packet_in = {lanai("recv"), lanai("rdma"), host_dma(params, "write")};
  message.deliver = {{Part::latency, params.duration("event")},
                     {Part::processor, params.duration("poll")}};
  message.ack_out = {lanai("ack")};
  message.ack_in = {lanai("ack"), {Part::latency, params.duration("event")}};
  TransferStages write = message;
  write.deliver = {};
  model.paths[at(Move::message)] = {message};
  model.paths[at(Move::write)] = {write};
  model.paths[at(Move::notice)] = {message};

  TransferStages within_host;
  within_host.post = {{Part::processor, params.duration("post"), params.bandwidth("copy")}};
  within_host.deliver = {{Part::processor, params.duration("poll")}};
  model.local.fill(within_host);

  set_packets(model, params);
  set_host(model, params);
  model.copy = {};  // straight into the receiver's memory
  model.eager = any_size;
  model.reads = false;
  model.insists_on_descriptors = true;
  model.patient = true;
  model.tick = params.duration("tick");
  model.send_buffers = params.whole<std::uint32_t>("send_buffers");
  model.receive_buffers = params.whole<std::uint32_t>("receive_buffers");
  model.send_tokens = params.whole<std::uint32_t>("send_tokens");
  model.equal_chunks = equal_chunks(params, model.schedule);
  model.flow_change = params.duration("flow_change");
  model.direction_change = params.duration("direction_change");
  return model;
}

}  // namespace weft::sim
