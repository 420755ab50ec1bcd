// SPDX-License-Identifier: Apache-2.0
// The arguments of a verb: the variable that each fills, and its help. Keeps the parsing library in
// one source file.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace weft::cli {

/// The variables must live as long as the parser does.
class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}

  /// A positional argument; without an optional one the variable keeps its value.
  void required(const std::string& name, std::string& value, const std::string& help);
  void optional(const std::string& name, std::string& value, const std::string& help);
  /// All further positional arguments.
  void rest(const std::string& name, std::vector<std::string>& values, const std::string& help);
  /// "--json FILE", or "-o,--output FILE": the last word names the value.
  void option(const std::string& form, std::string& value, const std::string& help);
  void option(const std::string& form, std::uint64_t& value, const std::string& help);
  /// "--hosts HOSTS".
  void named(const std::string& name, std::string& value, const std::string& help);
  /// Several words after the option.
  void words(const std::string& form, std::vector<std::string>& values, const std::string& help);
  /// One word after the option; it may be given again.
  void repeated(const std::string& form, std::vector<std::string>& values, const std::string& help);
  /// One text after the option; given again, the texts are joined by commas.
  void joined(const std::string& form, std::string& value, const std::string& help);
  void flag(const std::string& names, bool& value, const std::string& help);
  /// Two options that only make sense together.
  void together(const std::string& one, const std::string& other);

 private:
  CLI::App& app_;
};

/// What a verb takes, for completion and documentation.
struct Takes {
  struct Positional {
    std::string name;  ///< "fabric"
    std::string fallback, help;
    bool required = false;
    bool many = false;
  };
  struct Option {
    std::vector<std::string> names;  ///< "-o", "--output"
    std::string value;               ///< "FILE"; empty for a flag
    std::string fallback, help;
    bool many = false;  ///< several words after it
  };
  std::vector<Positional> places;
  std::vector<Option> options;
};

}  // namespace weft::cli
