// SPDX-License-Identifier: Apache-2.0
// Fuzzes the translation of BookSim 2's configurations: a command or an error, of one line each.
#include "lab/booksim/translation.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  const Source source = fuzz::source_of(data, size);
  for (const auto likeness : {booksim::Likeness::exact, booksim::Likeness::nearest}) {
    std::string line;
    try {
      line = booksim::command_of(booksim::translated(booksim::Configuration(source), likeness));
    } catch (const Error& error) {
      line = error.what();
    }
    invariant(line.find('\n') == std::string::npos, "a command or an error of more than one line");
  }
  return 0;
}
