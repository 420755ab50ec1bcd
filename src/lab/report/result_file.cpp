// SPDX-License-Identifier: Apache-2.0
// Descriptions of result files: what several kinds have in common.
#include "lab/report/result_file.hpp"

#include <fmt/format.h>

namespace weft {

std::string csv_heading(const ResultFile& file) {
  std::string out;
  for (const ResultColumn& column : file.columns) out += (out.empty() ? "" : ",") + column.name;
  return out;
}

std::vector<ResultColumn> json_keys(const std::string& kind, std::vector<ResultColumn> more) {
  std::vector<ResultColumn> out{{"weft", fmt::format("kind and version of the file: {}", kind)},
                                {"revision", "of weft"}};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace weft
