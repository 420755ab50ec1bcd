// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of journals, with lines as they are and with corrected checksums, so that it
// gets past them; what is read survives being written.
#include "fabric/format/parsing/text.hpp"
#include "lab/simulate/sweep.hpp"
#include "round_trip.hpp"

namespace {

using namespace weft;

const SweepIdentity identity{{"weft", "fuzz"}};

void try_text(const std::string& text) {
  JournalText<SimulationResult> read;
  try {
    read = read_journal<SimulationResult>("fuzz", text, identity);
  } catch (const Error&) {
    return;
  }
  invariant(read.whole <= text.size(), "more was read than there is");
  std::string again = journal_heading(identity);
  for (const auto& [simulation, result] : read.finished) again += journal_entry(result);
  const JournalText<SimulationResult> back =
      read_journal<SimulationResult>("fuzz", again, identity);
  invariant(back.whole == again.size(), "a journal is torn by writing");
  std::string third = journal_heading(identity);
  for (const auto& [simulation, result] : back.finished) third += journal_entry(result);
  invariant(third == again, "a journal changed by writing and reading");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::source_of(data, size).text;
  try_text(text);
  std::string signed_text = journal_heading(identity);
  for (Lines lines(text); lines.next();) signed_text += journal_line(lines.text);
  try_text(signed_text);
  return 0;
}
