// SPDX-License-Identifier: Apache-2.0
// Fuzzes brackets: what they expand to has none left, and expands to itself.
#include "lab/sweep/brackets.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  constexpr std::size_t enough = 200;  // longer ones are the same, but slower
  if (size > enough) return 0;
  const std::string text = fuzz::source_of(data, size).text;
  std::vector<std::string> all;
  try {
    all = expand(text);
  } catch (const Error&) {
    return 0;
  }
  invariant(!all.empty() && all.size() <= most_points, "as many values as there cannot be");
  for (const std::string& one : {all.front(), all.back()})
    invariant(expand(one) == std::vector{one}, "a value with brackets left");
  return 0;
}
