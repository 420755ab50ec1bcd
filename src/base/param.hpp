// SPDX-License-Identifier: Apache-2.0
// The declaration of a parameter: name, type with unit and range, default and help. It is written
// beside the function or struct that the parameter fills; Params (base/params.hpp) checks values
// against it.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/units.hpp"

namespace weft {

/// A whole number from `least` to `most`, or one word instead.
struct Whole {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::string_view unit{};
  std::optional<std::string_view> word{};
};

/// A whole number whose upper end depends on other values; `most` says in words how. The reader
/// knows the end and checks it: Params::whole_up_to.
struct WholeUpTo {
  std::int64_t least = 0;
  std::string_view most{};
  std::optional<std::string_view> word{};
};

/// "4x4x2": whole numbers of at least `least` joined by "x".
struct Dims {
  int least = 1;
};

struct OneOf {
  constexpr OneOf(std::initializer_list<std::string_view> allowed,
                  std::string_view complaint_about_others = {})
      : otherwise(complaint_about_others) {
    for (const std::string_view word : allowed) words.at(count++) = word;
  }
  constexpr const std::string_view* begin() const { return words.data(); }
  constexpr const std::string_view* end() const { return words.data() + count; }

  std::array<std::string_view, 4> words{};
  std::size_t count = 0;
  std::string_view otherwise;  ///< the complaint, where it is not the usual one
};

struct YesNo {};

/// "8Gb/s", above zero.
struct BandwidthText {};

/// "25ns".
struct DurationText {
  Duration least{0};
  std::string_view below{};  ///< the complaint about less
};

/// "130ns" or "3" (cycles of a clock that the reader knows), or one word instead.
struct DelayText {
  std::int64_t least = 0, most = 0;  ///< cycles
  Duration longest{0};
  std::optional<std::string_view> word{};
  bool plain = true;  ///< a number without a unit means cycles
};

/// "4KiB".
struct BytesText {
  Bytes least{0};
  Bytes most{std::numeric_limits<std::int64_t>::max()};
  std::string_view below{}, above{};  ///< complaints about less and more, if not the usual ones
  bool plain = false;                 ///< a number without a unit means bytes
};

/// Names, paths, specs: the reader checks it. `form` says what to write, where it is not obvious.
struct FreeText {
  std::string_view form{};
};

using ParamType = std::variant<FreeText, Whole, WholeUpTo, Dims, OneOf, YesNo, BandwidthText,
                               DurationText, DelayText, BytesText>;

struct Param {
  std::string_view name;
  ParamType type;
  std::string_view fallback;
  std::string_view help;
};

/// What is wrong with this value, in the words that follow "torus: dims=4x0: "; empty when nothing
/// is, or when only the reader can decide.
std::string complaint(const ParamType& type, std::string_view value);
/// The allowed values: "1 to 100000", "packet | message | rate"; empty where a default such as 25ns
/// or 4x4 shows them.
std::string describe(const ParamType& type);
/// The same for a table that has a cell for it, whatever the type: "time, 1ns or more", "yes | no".
std::string allowed_values(const ParamType& type);

// Texts of values; base/units.hpp has those with a unit.

/// Removes and returns the text up to `stop`; `rest` then begins after it.
std::string_view take_until(std::string_view& rest, char stop);

/// Parses a whole number. Throws Error unless it is from `least` to `most`.
std::int64_t whole_from(std::string_view text, std::int64_t least, std::int64_t most);
/// Parses "4x4x2". Throws Error unless all numbers are `least` or more.
std::vector<int> dims_from(std::string_view text, int least);
/// Parses "130ns", "3cycles" and, meaning the same, "3". Throws Error.
Delay delay_or_cycles_from(std::string_view text);
/// Parses "4KiB" and, where `plain` numbers mean bytes, "4096". Throws Error.
Bytes size_from(std::string_view text, bool plain);

}  // namespace weft
