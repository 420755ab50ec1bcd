// SPDX-License-Identifier: Apache-2.0
// The keys of TOML files.
#include "lab/cluster/toml_reader.hpp"

#include <algorithm>

#include "base/params.hpp"
#include "base/suggestion.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft {

void TomlReader::fail(const toml::node& at, const std::string& what) const {
  weft::fail(source_, at.source().begin.line, "{}", what);
}

void TomlReader::known(const toml::table& table, std::span<const FileKey> keys) const {
  for (const auto& [key, value] : table) {
    if (has_key(keys, key.str())) continue;
    const std::vector<std::string_view> names = names_of_keys(keys);
    fail(value, fmt::format("unknown key {}; there are: {}{}", std::string_view(key.str()),
                            fmt::join(names, " "), suggestion(key.str(), names)));
  }
}

const toml::table* TomlReader::table(const toml::table& in, std::string_view key) const {
  const toml::node* node = in.get(key);
  if (node == nullptr) return nullptr;
  if (!node->is_table()) fail(*node, fmt::format("{} is a table: [{}]", key, key));
  return node->as_table();
}

std::string TomlReader::text(const toml::table& in, std::string_view key,
                             const std::string& fallback) const {
  const toml::node* node = in.get(key);
  if (node == nullptr) return fallback;
  const auto value = node->value_exact<std::string>();
  if (!value) fail(*node, fmt::format("{} is a text in quotes", key));
  return *value;
}

std::vector<std::string> TomlReader::texts(const toml::table& in, std::string_view key) const {
  const toml::node* node = in.get(key);
  if (node == nullptr)
    throw Error("{}: {} is missing: a list of texts, [\"…\", \"…\"]", source_.name, key);
  const toml::array* array = node->as_array();
  std::vector<std::string> out;
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i)
    if (const auto value = (*array)[i].value_exact<std::string>()) out.push_back(*value);
  if (out.empty() || out.size() != array->size())
    fail(*node, fmt::format("{} is a list of texts, [\"…\", \"…\"]", key));
  return out;
}

std::int64_t TomlReader::whole(const toml::table& in, std::string_view key, std::int64_t fallback,
                               const WholeRange& range) const {
  const toml::node* node = in.get(key);
  if (node == nullptr) return fallback;
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value < range.least || *value > range.most)
    fail(*node, fmt::format("{} is a whole number from {} to {}", key, range.least, range.most));
  return *value;
}

bool TomlReader::yes(const toml::table& in, std::string_view key) const {
  const toml::node* node = in.get(key);
  if (node == nullptr) return false;
  const auto value = node->value_exact<bool>();
  if (!value) fail(*node, fmt::format("{} is true or false", key));
  return *value;
}

std::string TomlReader::plain(std::string_view key, const toml::node& node) const {
  if (const auto value = node.value_exact<std::string>()) return *value;
  if (const auto value = node.value_exact<std::int64_t>()) return fmt::format("{}", *value);
  if (const auto value = node.value_exact<bool>()) return *value ? "yes" : "no";
  fail(node, fmt::format("{} is a text in quotes, a whole number, true or false", key));
}

std::string TomlReader::spec(const toml::table& in, std::string_view key) const {
  const toml::table* lines = in.get_as<toml::table>(key);
  if (lines == nullptr) return text(in, key, "");
  Spec out;
  for (const auto& [name, value] : *lines) out.values.emplace(name.str(), plain(name.str(), value));
  const auto name = out.values.extract("name");
  if (name.empty()) fail(*lines, fmt::format("{} needs a name: name = \"…\"", key));
  out.name = name.mapped();
  return out.text();
}

}  // namespace weft
