// SPDX-License-Identifier: Apache-2.0
// The functions behind the rows of catalog.cpp; each namespace is one file.
#pragma once
#include <functional>

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

namespace chakra {
Trace read(TraceInput input, const ReadOptions& options);
/// The same for the files of all ranks, and how they are opened.
using OpenRank = std::function<std::unique_ptr<ByteStream>(const std::string& file)>;
Trace read_ranks(TraceHead head, const OpenRank& open, const ReadOptions& options);
bool recognises(std::string_view front);
/// The file of rank 0 where users leave out how it ends: "x" is "x.0.et". Otherwise the path
/// itself.
std::string first_file(const std::string& path);
}  // namespace chakra

}  // namespace weft::trace
