// SPDX-License-Identifier: Apache-2.0
// Reads switch models from their specs.
#include "sim/switch_model.hpp"

#include <algorithm>
#include <array>

#include "base/catalog.hpp"
#include "base/error.hpp"
#include "fabric/format/parsing/text.hpp"
#include "fabric/tables.hpp"

namespace weft::sim {
namespace {

constexpr Duration longest_stage = std::chrono::microseconds(100);
constexpr DelayText any_time{0, 10'000, longest_stage}, at_least_one{1, 10'000, longest_stage};
constexpr WholeUpTo up_to_buffer{0, "buffer"};
constexpr BytesText flit_size{.least = Bytes{1},
                              .most = Bytes{65'536},
                              .below = "1 to 65536 bytes",
                              .above = "1 to 65536 bytes"};

[[noreturn]] void reject_length() {
  throw Error("a length is 1 to {} flits, or as many bytes with a unit, as in 64B",
              most_buffer_flits);
}

std::uint32_t checked(std::uint64_t flits) {
  if (flits < 1 || flits > most_buffer_flits) reject_length();
  return static_cast<std::uint32_t>(flits);
}

/// A number without a unit is no size, and here no whole number either.
Bytes bytes_with_unit(std::string_view text) {
  if (text.find_first_not_of("0123456789.+-") == std::string_view::npos) reject_length();
  return bytes_from(text);
}

/// A buffer of so many bytes holds whole flits only; 0: "auto".
std::uint32_t buffer_of(const Params& params, Bytes flit) {
  if (params.text("buffer") == "auto") return 0;
  try {
    const auto count = number_from<std::uint64_t>(params.text("buffer"));
    return checked(count ? *count
                         : static_cast<std::uint64_t>(bytes_with_unit(params.text("buffer")).count /
                                                      flit.count));
  } catch (const Error& error) {
    params.reject("buffer", error.what());
  }
}

PortPolicy policy_of(const Params& params) {
  try {
    return policy_from(params.text("policy"));
  } catch (const Error& error) {
    params.reject("policy", error.what());
  }
}

/// Those of "iq".
std::vector<Param> iq_params() {
  return {
      {"lanes", Whole{0, most_lanes}, "0",
       "lanes of every link; 0: as many as the tables use. More than those are "
       "shared out evenly, and a packet takes any idle one of its share"},
      {"most_lanes", Whole{1, most_lanes}, "64", "that the tables may use"},
      {"buffer", FreeText{"auto | flits | bytes with a unit"}, "auto",
       "of every lane of an input port; auto: what keeps the longest link busy until "
       "credits come back, and 8 flits at least"},
      {"flit", flit_size, "8B", "size of a flit; a cycle is its time on the fastest link"},
      {"latency", DelayText{1, 10'000, longest_stage, "fabric"}, "fabric",
       "of a head flit through an idle switch, without cables. Stages that are not given then "
       "take as little as they can. fabric: what the fabric says, otherwise the sum of the five "
       "stages"},
      {"route", any_time, "1", "stage: route a head flit"},
      {"allocate_lane", any_time, "1",
       "stage: allocate a lane of the next link; 0: together with the crossbar"},
      {"allocate", at_least_one, "1", "stage: allocate the crossbar"},
      {"cross", any_time, "1", "stage: cross it"},
      {"link", any_time, "1", "stage: onto a link, besides the delay that the fabric gives it"},
      {"credit", any_time, "0", "before a credit (or stop, go) is sent back"},
      {"switching", OneOf{"wormhole", "cut_through", "store_and_forward"}, "wormhole",
       "how packets are forwarded"},
      {"flow", OneOf{"credit", "stop_go"}, "credit", "flow control of links"},
      {"stop", up_to_buffer, "0",
       "stop_go: flits in a buffer that send stop; 0: as late as is safe"},
      {"go", up_to_buffer, "0", "stop_go: flits left in it that send go; 0: half of stop"},
      {"multiplex", OneOf{"flit", "packet"}, "flit",
       "what lanes of a link take turns by: flit, or (whole) packet"},
      {"reuse", OneOf{"auto", "sent", "empty"}, "auto",
       "when a lane is given to the next packet: as soon as the last one is sent, or when the "
       "buffer behind it is empty, as adaptive lanes need it in wormhole switches where packets "
       "escape to others (Duato, 1993); auto: empty where the tables need it, else sent"},
      {"choice", OneOf{"any", "commit"}, "any",
       "where tables leave a choice of ports: a packet looks at all of them in every cycle (any), "
       "or waits for the one that it was given when it was routed (commit)"},
      {"policy", FreeText{"policy"}, "round_robin",
       "which of the ports it takes: weft list policies"},
      {"inputs", OneOf{"port", "lane"}, "port",
       "of the crossbar: every port, or every lane, so that lanes of a port send at once"},
      {"host_lanes", OneOf{"any", "tables"}, "any",
       "on links of hosts: any lane, or those of the first hop (tables)"},
      {"control", YesNo{}, "no", "yes: as many lanes again, for acknowledgments of NICs"},
      {"priorities", YesNo{}, "no", "yes: urgent packets go first"},
      {"aging", any_time, "0", "after which a waiting packet counts as urgent; 0: never"},
      {"contention", YesNo{}, "yes",
       "no: every packet takes the time that it would take alone, but for the links of hosts, "
       "which "
       "send and receive one packet after the other; buffers, lanes and priorities then make no "
       "difference. Programs are simulated faster"},
  };
}

std::vector<Param> infiniband_params() {
  std::vector<Param> out = iq_params();
  const auto set = [&](std::string_view name, std::string_view fallback) {
    const auto found = std::find_if(out.begin(), out.end(),
                                    [&](const Param& param) { return param.name == name; });
    found->fallback = fallback;
  };
  set("flit", "64B");
  set("latency", "130ns");
  set("switching", "cut_through");
  set("multiplex", "packet");
  set("choice", "commit");
  return out;
}

void read_stages(const Params& params, SwitchModel& out) {
  const auto given = [&](std::string_view name) {
    return params.given(name) ? std::optional(params.delay(name)) : std::nullopt;
  };
  out.route = given("route");
  out.lane = given("allocate_lane");
  out.allocate = given("allocate");
  out.cross = given("cross");
  out.link = given("link");
  if (params.is("latency", "fabric")) return;
  (params.given("latency") ? out.latency : out.usual_latency) = params.delay("latency");
}

}  // namespace

std::span<const SwitchRow> switch_kinds() {
  static const std::vector<SwitchRow> rows{
      {"iq", "input-queued, with lanes (virtual channels: vcs=4 means lanes=4), a cycle a stage",
       iq_params()},
      {"infiniband",
       "the same as InfiniBand's are: cut-through, links given to whole packets, credits of 64 B",
       infiniband_params()}};
  return rows;
}

std::uint32_t flits_from(std::string_view text, Bytes flit) {
  if (const auto count = number_from<std::uint64_t>(text)) return checked(*count);
  const Bytes size = bytes_with_unit(text);
  return checked(static_cast<std::uint64_t>((size.count + flit.count - 1) / flit.count));
}

SwitchModel model_from(std::string_view text) {
  const Spec spec = Spec::parse(text);
  const Params params(spec, find_row(switch_kinds(), "switch", spec.name).params);
  SwitchModel out;
  out.spec = params.spec();
  out.lanes = params.whole<int>("lanes");
  out.most_lanes = params.whole<int>("most_lanes");
  if (out.lanes > out.most_lanes)
    params.reject("lanes", fmt::format("the switches have {}", out.most_lanes));
  out.flit = params.bytes("flit");
  out.buffer = buffer_of(params, out.flit);
  read_stages(params, out);
  out.credit = params.delay("credit");
  out.switching = params.choice<Switching>("switching");
  out.flow = params.choice<FlowControl>("flow");
  out.multiplex = params.choice<Multiplex>("multiplex");
  out.reuse = params.choice<LaneReuse>("reuse");
  if (out.reuse == LaneReuse::empty && out.flow == FlowControl::stop_go)
    throw Error("{}: reuse=empty counts credits, which flow=stop_go has none of", params.owner());
  out.choice = params.choice<PortChoice>("choice");
  out.policy = policy_of(params);
  if (out.flow == FlowControl::stop_go &&
      (out.policy.takes == Preferred::queue || out.policy.takes == Preferred::credits))
    throw Error("{}: policy={} counts credits, which flow=stop_go has none of", params.owner(),
                params.text("policy"));
  out.lane_inputs = params.is("inputs", "lane");
  out.host_lanes = params.is("host_lanes", "any");
  out.control = params.flag("control");
  out.priorities = params.flag("priorities");
  out.contention = params.flag("contention");
  out.aging = params.delay("aging");
  if (out.aging != Delay{} && !out.priorities)
    throw Error("{}: aging is for priorities=yes", params.owner());
  if (out.flow == FlowControl::stop_go) {
    const std::uint32_t most = out.buffer == 0 ? most_buffer_flits : out.buffer;
    out.stop = params.whole_up_to<std::uint32_t>("stop", most);
    out.go = params.whole_up_to<std::uint32_t>("go", most);
  } else if (params.given("stop") || params.given("go")) {
    throw Error("{}: stop and go are for flow=stop_go", params.owner());
  }
  if (out.multiplex == Multiplex::packet &&
      (out.switching == Switching::wormhole || out.flow == FlowControl::stop_go))
    throw Error(
        "{}: multiplex=packet: a packet that stands still would block all lanes of its "
        "link; it takes switching=cut_through or store_and_forward, and flow=credit",
        params.owner());
  return out;
}

}  // namespace weft::sim
