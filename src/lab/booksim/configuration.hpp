// SPDX-License-Identifier: Apache-2.0
// BookSim 2's configuration files: "key = value;", comments behind //, lists in braces. Keys that
// are not given have BookSim's defaults.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/format/format.hpp"

namespace weft::booksim {

/// What weft does with a parameter.
enum class Meaning {
  translated,  ///< into words of a command
  only,        ///< weft has nothing else than what the default says
  output,      ///< of files and messages; results stay the same
};

struct Parameter {
  std::string_view name, otherwise;
  Meaning meaning;
};
/// All that BookSim 2 knows, but for those of its technology file.
std::span<const Parameter> parameters();

/// All of `text` as a number.
std::optional<double> real_from(std::string_view text);

/// A list in braces, or a single value.
std::vector<std::string> list_of(std::string_view text);

class Configuration {
 public:
  /// Throws Error for text that is no configuration, and for parameters that BookSim has not.
  explicit Configuration(const Source& source);

  /// The value, or BookSim's default.
  const std::string& text(std::string_view key) const;
  bool is(std::string_view key, std::string_view value) const { return text(key) == value; }
  double real(std::string_view key) const;
  long whole(std::string_view key) const;
  /// A list in braces, or a single value.
  std::vector<std::string> list(std::string_view key) const;
  /// Of the line that gives the parameter; the first one if none does.
  std::size_t line(std::string_view key) const;
  bool gives(std::string_view key) const { return given_.contains(std::string(key)); }
  const Source& source() const { return source_; }

 private:
  struct Given {
    std::string value;
    std::size_t line = 1;
  };
  const Source& source_;
  std::map<std::string, Given> given_{};
  std::map<std::string, std::string, std::less<>> defaults_{};
};

}  // namespace weft::booksim
