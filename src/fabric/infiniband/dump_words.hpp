// SPDX-License-Identifier: Apache-2.0
// The words and numbers in InfiniBand's dumps.
#pragma once
#include <string_view>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/format/format.hpp"

namespace weft::infiniband {

/// What spaces separate.
std::vector<std::string_view> words_of(std::string_view text);

/// The first line that is neither empty nor a comment.
std::string_view first_line(std::string_view text);

/// The GUID of a word such as "0x0002c90300000001,". Throws Error naming the line.
Guid guid_of(const Source& source, std::size_t line, std::string_view word);

/// A whole number, hexadecimal after 0x. Throws Error naming the line.
unsigned number_of(const Source& source, std::size_t line, std::string_view word, unsigned most,
                   std::string_view what);

}  // namespace weft::infiniband
