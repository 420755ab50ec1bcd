// SPDX-License-Identifier: Apache-2.0
// TOML from files that may be hostile.
#pragma once
#if __has_include(<toml++/impl/preprocessor.hpp>)
#include <toml++/impl/preprocessor.hpp>  // from version 3.4 on
#else
#include <toml++/impl/preprocessor.h>
#endif

// Wrong text such as "a = [}" breaks an assumption of toml++, which then reports it like any
// other: an assertion would end the program instead.
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expression) static_assert(true)
#include <toml++/toml.h>

#include "fabric/format/format.hpp"

namespace weft {

/// Throws Error "file:line: …" when the text is not TOML, or has keys of more than 16 parts.
toml::table parse_toml(const Source& source);

/// The text between quotes, as TOML writes it.
std::string toml_text(std::string_view text);

}  // namespace weft
