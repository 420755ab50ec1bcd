// SPDX-License-Identifier: Apache-2.0
// The keys of TOML files, read one by one. Every complaint names the file, the line, the key and
// what would be right.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file_key.hpp"
#include "fabric/format/parsing/toml.hpp"

namespace weft {

class TomlReader {
 public:
  struct WholeRange {
    std::int64_t least = 0, most = 0;
  };

  explicit TomlReader(const Source& source) : source_(source) {}

  [[noreturn]] void fail(const toml::node& at, const std::string& what) const;
  /// Complains about the first key that is not one of these.
  void known(const toml::table& table, std::span<const FileKey> keys) const;

  /// The table of a key, or null.
  const toml::table* table(const toml::table& in, std::string_view key) const;
  std::string text(const toml::table& in, std::string_view key, const std::string& fallback) const;
  /// A list of one or more texts, which must be there.
  std::vector<std::string> texts(const toml::table& in, std::string_view key) const;
  std::int64_t whole(const toml::table& in, std::string_view key, std::int64_t fallback,
                     const WholeRange& range) const;
  bool yes(const toml::table& in, std::string_view key) const;
  /// A text, a whole number, or true or false, as text.
  std::string plain(std::string_view key, const toml::node& node) const;
  /// A text, "via:mhz=700", or a table with the same, a line for each: name = "via", mhz = 700.
  std::string spec(const toml::table& in, std::string_view key) const;

  /// What `parse` makes of a key's value; its Error becomes a complaint about the key.
  template <class Parse>
  auto parsed(const toml::table& in, std::string_view key, const std::string& value,
              Parse parse) const {
    try {
      return parse(value);
    } catch (const Error& error) {
      fail(*in.get(key), fmt::format("{}: {}", key, error.what()));
    }
  }

 private:
  const Source& source_;
};

}  // namespace weft
