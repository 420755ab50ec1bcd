// SPDX-License-Identifier: Apache-2.0
// What can go wrong, in three kinds: wrong input throws Error, an expected outcome is a returned
// value (Refused; RefusedError where nothing can be done without it), a broken invariant ends the
// program.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

namespace weft {

/// Wrong input. The text says to the user what was read, where, and what would be right.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& text) : std::runtime_error(text) {}
  template <class First, class... Rest>
  Error(fmt::format_string<First, Rest...> form, First&& first, Rest&&... rest)
      : std::runtime_error(
            fmt::format(form, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

/// An outcome, not an error: an algorithm says why it cannot serve this input.
struct Refused {
  std::string why;
};

/// A refusal that ends the work: the input is understood, and the job cannot be done with it.
class RefusedError : public Error {
 public:
  using Error::Error;
};

/// (Not inlined, so that what calls invariant() stays small.)
[[noreturn, gnu::noinline, gnu::cold]] inline void abort_for_bug(const char* what) {
  std::fprintf(stderr, "weft: bug: %s\n", what);
  std::abort();
}

/// Aborts unless a condition holds that only a bug can break; checked in every build.
inline void invariant(bool holds, const char* what) {
  if (!holds) [[unlikely]]
    abort_for_bug(what);
}

}  // namespace weft
