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
#include "sim/nics/parts/common.hpp"
#include "sim/nics/rows.hpp"

namespace weft::sim {
namespace {

/// GM asks nobody before it sends, however long the message is.
constexpr Bytes any_size{std::int64_t{1} << 50U};

Schedule schedule_of(const Params& params) {
  const std::string_view name = params.text("schedule");
  if (name == "message") return Schedule::by_message;
  if (name == "packet") return Schedule::by_packet;
  if (name == "rate") return Schedule::by_rate;
  params.reject("schedule", "it is message, packet or rate");
}

/// The host DMA engine: set up for every page, then as fast as the host's bus.
NicStage host_dma(const Params& params, std::string_view rate) {
  NicStage stage(Part::bus, params.duration("dma"), params.bandwidth(rate));
  stage.per_page = true;
  stage.turns = true;
  return stage;
}

bool equal_chunks(const Params& params, Schedule schedule) {
  const std::string_view chunks = params.text("chunks");
  if (chunks == "default") return schedule != Schedule::by_rate;
  if (chunks != "equal" && chunks != "full")
    params.reject("chunks", "it is default, equal or full");
  return chunks == "equal";
}

}  // namespace

NicModel gm(const Params& params) {
  const std::int64_t megahertz = params.integer("mhz", 1, 100'000);
  const auto cycles = [&](std::string_view name) { return params.integer(name, 0, 1'000'000); };
  const auto time = [&](std::int64_t count) { return Duration(count * 1'000'000 / megahertz); };
  const auto lanai = [&](std::string_view name) { return NicStage(Part::nic, time(cycles(name))); };
  NicModel model;
  model.schedule = schedule_of(params);

  Path message;
  message.post = {{Part::processor, params.duration("post")}};
  message.submit = {lanai("token")};
  // Whose turn it is, is found out in the same go.
  const std::int64_t pace = model.schedule == Schedule::by_rate ? cycles("pace") : 0;
  message.packet_out = {{Part::nic, time(cycles("sdma") + pace)}, host_dma(params, "read")};
  message.packet_send = {lanai("send")};
  message.packet_in = {lanai("recv"), lanai("rdma"), host_dma(params, "write")};
  message.deliver = {{Part::latency, params.duration("event")},
                     {Part::processor, params.duration("poll")}};
  message.ack_out = {lanai("ack")};
  message.ack_in = {lanai("ack"), {Part::latency, params.duration("event")}};
  Path write = message;
  write.deliver = {};
  model.paths[at(Move::message)] = {message};
  model.paths[at(Move::write)] = {write};
  model.paths[at(Move::notice)] = {message};

  Path within_host;
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
  if (model.tick.count() < 1) params.reject("tick", "a counter counts in time");
  const auto count = [&](std::string_view name, std::int64_t least) {
    return static_cast<std::uint32_t>(params.integer(name, least, 1'000'000));
  };
  model.send_buffers = count("send_buffers", 1);
  model.receive_buffers = count("receive_buffers", 1);
  model.send_tokens = count("send_tokens", 1);
  model.equal_chunks = equal_chunks(params, model.schedule);
  model.flow_change = params.duration("flow_change");
  model.direction_change = params.duration("direction_change");
  return model;
}

}  // namespace weft::sim
