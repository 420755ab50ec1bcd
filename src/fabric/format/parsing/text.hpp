// SPDX-License-Identifier: Apache-2.0
// What the readers and writers of fabrics and tables share: messages of the form "file:line: what
// is wrong, what would be right", and the check that a source is text.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fabric/format/format.hpp"

namespace weft {

template <class... Values>
[[noreturn]] void fail(const Source& source, std::size_t line, fmt::format_string<Values...> form,
                       Values&&... values) {
  throw Error("{}:{}: {}", source.name, line,
              one_line(fmt::format(form, std::forward<Values>(values)...)));
}

/// The fabric's name where the text has none: the file's, without folder and extension.
std::string stem(const Source& source);

/// Throws Error unless the text is UTF-8 without NUL bytes.
void require_text(const Source& source);

/// "0x0002c90200000001", with or without the prefix.
std::optional<Guid> guid_from(std::string_view text);

}  // namespace weft
