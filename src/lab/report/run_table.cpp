// SPDX-License-Identifier: Apache-2.0
// Tables of the runs of a sweep.
#include "lab/report/run_table.hpp"

#include <algorithm>
#include <ostream>

namespace weft {
namespace {

bool is_number(const std::string& text) {
  return text.find_first_not_of("0123456789.") == std::string::npos;
}

}  // namespace

void write_lines(std::ostream& out, Columns layout, const std::vector<Cells>& lines) {
  for (const Cells& line : lines) layout.fit(line);
  for (const Cells& line : lines) out << layout.text(line) << '\n';
}

void RunTable::add(const std::vector<VariedValue>& varied) {
  for (const VariedValue& value : varied)
    add(value.name, !std::all_of(value.values.begin(), value.values.end(), is_number),
        [&](std::size_t i) { return value.values[i]; });
}

}  // namespace weft
