// SPDX-License-Identifier: Apache-2.0
// What the results of a sweep depend on beside its fields.
#include "lab/sweep/identity.hpp"

#include <filesystem>

#include "fabric/format/format.hpp"
#include "lab/revision.hpp"

namespace weft {

SweepIdentity begin_identity(const std::string& verb) {
  return {{"weft", "sweep journal 1"}, {"verb", verb}, {"revision", std::string(revision())}};
}

const std::string& value_in(const SweepIdentity& identity, const std::string& name) {
  const auto found = identity.find(name);
  if (found == identity.end()) throw Error("the heading of the journal has no {}", name);
  return found->second;
}

void add_contents(SweepIdentity& out, const std::set<std::string>& values) {
  for (const std::string& value : values) {
    constexpr std::string_view key = "path=";  // as in file:path=trace.csv
    const std::size_t at = value.find(key);
    const std::string rest = at == std::string::npos ? "" : value.substr(at + key.size());
    const std::string file = rest.empty() ? value : rest.substr(0, rest.find(','));
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored))
      out["the content of " + file] = fmt::format("{:016x}", checksum(read_source(file).text));
  }
}

}  // namespace weft
