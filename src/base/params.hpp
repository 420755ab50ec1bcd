// SPDX-License-Identifier: Apache-2.0
// The values of a catalogue row's declared parameters, given as "name:key=value,key=value".
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/param.hpp"
#include "base/units.hpp"

namespace weft {

/// A parsed "torus:dims=4x4,hosts=4"; nothing is checked against a catalogue yet.
struct Spec {
  std::string name;
  std::map<std::string, std::string> values;

  /// Throws Error for a part without "=" or a key given twice. "vcs" (virtual channels) and "vls"
  /// (virtual lanes) mean "lanes".
  static Spec parse(std::string_view text);
  std::string text() const;
};

/// The values of one row's declared parameters. A getter names a parameter and reads it as what it
/// is declared to be; an undeclared one, or another type, is a bug of the row.
class Params {
 public:
  /// Throws Error when `spec` names a parameter that is not declared, or gives one a value that its
  /// declaration does not allow: "torus: dims=4x0: a dimension needs 2 or more".
  Params(const Spec& spec, std::span<const Param> declared);

  /// The value of a FreeText.
  const std::string& text(std::string_view name) const;
  /// The value of a Whole, where it is not the word instead.
  template <class Number = std::int64_t>
  Number whole(std::string_view name) const {
    return static_cast<Number>(read_whole(name));
  }
  /// The value of a WholeUpTo, where it is not the word instead. Throws Error for more than `most`.
  template <class Number = std::int64_t>
  Number whole_up_to(std::string_view name, std::int64_t most) const {
    return static_cast<Number>(read_whole_up_to(name, most));
  }
  /// Whether a OneOf, Whole, WholeUpTo or DelayText has this word, which must be declared.
  bool is(std::string_view name, std::string_view word) const;
  /// The value of a YesNo.
  bool flag(std::string_view name) const;
  /// The value of a OneOf as a position among the declared words; an enum lists them in that order.
  template <class Position = std::size_t>
  Position choice(std::string_view name) const {
    return static_cast<Position>(read_choice(name));
  }
  Bandwidth bandwidth(std::string_view name) const;
  Duration duration(std::string_view name) const;
  /// The value of a DelayText, where it is not the word instead.
  Delay delay(std::string_view name) const;
  Bytes bytes(std::string_view name) const;
  std::vector<int> dims(std::string_view name) const;

  /// A parameter of any type, as it is written.
  const std::string& written(std::string_view name) const;
  bool given(std::string_view name) const;
  /// The spec with only the parameters that were given, in one fixed order.
  std::string spec() const { return spec_.text(); }
  const std::string& owner() const { return spec_.name; }
  /// Throws Error about a value that is wrong for reasons its declaration cannot express.
  [[noreturn]] void reject(std::string_view name, std::string_view what_would_be_right) const;

 private:
  struct Value {
    ParamType type;
    std::string text;
  };
  const Value& value(std::string_view name) const;
  template <class Type>
  std::pair<const Type&, const std::string&> read(std::string_view name) const;
  std::int64_t read_whole(std::string_view name) const;
  std::int64_t read_whole_up_to(std::string_view name, std::int64_t most) const;
  std::size_t read_choice(std::string_view name) const;

  Spec spec_;
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace weft
