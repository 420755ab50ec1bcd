// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of scenario files; what it reads fits a fabric or is refused.
#include "lab/flows/scenario.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  static const Fabric fabric = fuzz::small_fabric();
  try {
    const Scenario scenario = read_scenario(fuzz::source_of(data, size));
    invariant(!scenario.flows.empty() && scenario.bin.count() > 0, "nothing to run");
    for (const FlowPlan& flow : plan_of(scenario, fabric).flows) {
      invariant(flow.start < flow.stop && flow.stop <= scenario.length, "a flow out of its time");
      invariant(flow.from != flow.to, "a flow to its own host");
      invariant(flow.message.count > 0 && flow.window > 0, "a flow of nothing");
    }
  } catch (const Error& error) {
    invariant(std::string_view(error.what()).find('\n') == std::string_view::npos,
              "an error of more than one line");
  }
  return 0;
}
