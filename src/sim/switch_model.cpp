// SPDX-License-Identifier: Apache-2.0
// Reads switch models from their specs.
#include "sim/switch_model.hpp"

#include <array>

#include "base/error.hpp"
#include "fabric/format/parsing/text.hpp"
#include "fabric/tables.hpp"

namespace weft::sim {
namespace {

constexpr std::uint32_t most_flits = 65'535;

constexpr Whole any_cycles{0, 10'000}, at_least_one{1, 10'000};
constexpr WholeUpTo up_to_buffer{0, "buffer"};
constexpr BytesText flit_size{.least = Bytes{1},
                              .most = Bytes{65'536},
                              .below = "1 to 65536 bytes",
                              .above = "1 to 65536 bytes"};

[[noreturn]] void reject_length() {
  throw Error("a length is 1 to {} flits, or as many bytes with a unit, as in 64B", most_flits);
}

std::uint32_t checked(std::uint64_t flits) {
  if (flits < 1 || flits > most_flits) reject_length();
  return static_cast<std::uint32_t>(flits);
}

/// A number without a unit is no size, and here no whole number either.
Bytes bytes_with_unit(std::string_view text) {
  if (text.find_first_not_of("0123456789.+-") == std::string_view::npos) reject_length();
  return bytes_from(text);
}

/// A buffer of so many bytes holds whole flits only.
std::uint32_t buffer_of(const Params& params, Bytes flit) {
  try {
    const auto count = number_from<std::uint64_t>(params.text("buffer"));
    return checked(count ? *count
                         : static_cast<std::uint64_t>(bytes_with_unit(params.text("buffer")).count /
                                                      flit.count));
  } catch (const Error& error) {
    params.reject("buffer", error.what());
  }
}

}  // namespace

std::uint32_t flits_from(std::string_view text, Bytes flit) {
  if (const auto count = number_from<std::uint64_t>(text)) return checked(*count);
  const Bytes size = bytes_with_unit(text);
  return checked(static_cast<std::uint64_t>((size.count + flit.count - 1) / flit.count));
}

std::span<const Param> switch_params() {
  static constexpr std::array rows{
      Param{"lanes", Whole{0, most_lanes}, "0",
            "lanes of every link; 0: as many as the tables use. More than those are "
            "shared out evenly, and a packet takes any idle one of its share"},
      Param{"buffer", FreeText{}, "8",
            "of every lane of an input port: flits, or bytes with a unit (4KiB)"},
      Param{"flit", flit_size, "8B", "size of a flit"},
      Param{"route", any_cycles, "1", "cycles to route a head flit"},
      Param{"allocate_lane", at_least_one, "1", "cycles to allocate a lane of the next link"},
      Param{"allocate", at_least_one, "1", "cycles to allocate the crossbar"},
      Param{"cross", any_cycles, "1", "cycles to cross it"},
      Param{"link", any_cycles, "1",
            "cycles on a link, besides the delay that the fabric gives it"},
      Param{"credit", any_cycles, "0", "cycles before a credit (or stop, go) is sent back"},
      Param{"switching", OneOf{"wormhole", "cut_through", "store_and_forward"}, "wormhole",
            "how packets are forwarded"},
      Param{"flow", OneOf{"credit", "stop_go"}, "credit", "flow control of links"},
      Param{"stop", up_to_buffer, "0",
            "stop_go: flits in a buffer that send stop; 0: as late as is safe"},
      Param{"go", up_to_buffer, "0", "stop_go: flits left in it that send go; 0: half of stop"},
      Param{"multiplex", OneOf{"flit", "packet"}, "flit",
            "what lanes of a link take turns by: flit, or (whole) packet"},
      Param{"inputs", OneOf{"port", "lane"}, "port",
            "of the crossbar: every port, or every lane, so that lanes of a port send at once"},
      Param{"host_lanes", OneOf{"any", "tables"}, "any",
            "on links of hosts: any lane, or those of the first hop (tables)"},
      Param{"control", YesNo{}, "no", "yes: as many lanes again, for acknowledgments of NICs"},
      Param{"priorities", YesNo{}, "no", "yes: urgent packets go first"},
      Param{"aging", any_cycles, "0",
            "cycles after which a waiting packet counts as urgent; 0: never"},
  };
  return rows;
}

SwitchModel model_from(std::string_view text) {
  const Spec spec = Spec::parse(text);
  if (spec.name != "iq")
    throw Error("no switch is called \"{}\"; there is: iq (input-queued), as in iq:lanes=4",
                spec.name.substr(0, 60));
  const Params params(spec, switch_params());
  SwitchModel out;
  out.spec = params.spec();
  out.lanes = params.whole<int>("lanes");
  out.flit = params.bytes("flit");
  out.buffer = buffer_of(params, out.flit);
  out.route = params.whole<int>("route");
  out.lane = params.whole<int>("allocate_lane");
  out.allocate = params.whole<int>("allocate");
  out.cross = params.whole<int>("cross");
  out.link = params.whole<int>("link");
  out.credit = params.whole<int>("credit");
  out.switching = params.choice<Switching>("switching");
  out.flow = params.choice<FlowControl>("flow");
  out.multiplex = params.choice<Multiplex>("multiplex");
  out.lane_inputs = params.is("inputs", "lane");
  out.host_lanes = params.is("host_lanes", "any");
  out.control = params.flag("control");
  out.priorities = params.flag("priorities");
  out.aging = params.whole<int>("aging");
  if (out.aging > 0 && !out.priorities)
    throw Error("{}: aging is for priorities=yes", params.owner());
  if (out.flow == FlowControl::stop_go) {
    out.stop = params.whole_up_to<std::uint32_t>("stop", out.buffer);
    out.go = params.whole_up_to<std::uint32_t>("go", out.buffer);
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
