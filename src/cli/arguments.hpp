// SPDX-License-Identifier: Apache-2.0
// The words of a verb: where each goes and what its help says. Keeps the parsing library in one
// source file.
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

  /// A word by its place; without it the variable keeps its value.
  void required(const std::string& name, std::string& value, const std::string& help);
  void optional(const std::string& name, std::string& value, const std::string& help);
  /// "--json", or "-o,--output".
  void option(const std::string& names, std::string& value, const std::string& help);
  void option(const std::string& names, std::uint64_t& value, const std::string& help);
  /// Several words after the option.
  void words(const std::string& names, std::vector<std::string>& values, const std::string& help);
  /// One word with commas in it.
  void list(const std::string& names, std::vector<std::string>& values, const std::string& help);
  void flag(const std::string& names, bool& value, const std::string& help);
  /// Two options that only make sense together.
  void together(const std::string& one, const std::string& other);

  /// All options as they are typed, "--json --csv …".
  std::vector<std::string> option_names() const;

 private:
  CLI::App& app_;
};

}  // namespace weft::cli
