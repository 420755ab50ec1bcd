// SPDX-License-Identifier: Apache-2.0
// The functions behind the rows of catalog.cpp; each namespace is one file.
#pragma once
#include "trace/formats/format.hpp"

namespace weft::trace {

namespace weft_calls {
Trace read(TraceInput input, const ReadOptions& options);
void write(std::ostream& stream, const Trace& trace);
bool recognises(std::string_view front);
}  // namespace weft_calls

namespace goal {
Trace read(TraceInput input, const ReadOptions& options);
void write(std::ostream& stream, const Trace& trace);
bool recognises(std::string_view front);
}  // namespace goal

}  // namespace weft::trace
