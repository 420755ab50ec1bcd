// SPDX-License-Identifier: Apache-2.0
// Parameters of a catalogue row, declared once with default and help, given as
// "name:key=value,key=value".
#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace weft {

struct Param {
  std::string_view name;
  std::string_view fallback;
  std::string_view help;
};

/// "torus:dims=4x4,hosts=4" taken apart; nothing is checked against a catalogue yet.
struct Spec {
  std::string name;
  std::map<std::string, std::string> values;

  /// Throws Error for a part without "=" or a key given twice.
  static Spec parse(std::string_view text);
  std::string text() const;
};

/// The values of one row's declared parameters. Every getter throws Error in the form
/// "torus: dims=4x0: what would be right".
class Params {
 public:
  /// Throws Error when `spec` names a parameter that is not declared.
  Params(const Spec& spec, std::span<const Param> declared);

  const std::string& text(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t most) const;
  bool flag(std::string_view name) const;
  Bandwidth bandwidth(std::string_view name) const;
  Duration duration(std::string_view name) const;
  /// "4x4x2": whole numbers of at least `least` joined by "x".
  std::vector<int> dims(std::string_view name, int least) const;
  /// One of `allowed`; the value's position in it.
  std::size_t choice(std::string_view name, std::initializer_list<std::string_view> allowed) const;

  bool given(std::string_view name) const;
  /// The spec with only the parameters that were given, in one fixed order.
  std::string spec() const { return spec_.text(); }
  const std::string& owner() const { return spec_.name; }
  [[noreturn]] void reject(std::string_view name, std::string_view what_would_be_right) const;

 private:
  Spec spec_;
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace weft
