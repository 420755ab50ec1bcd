// SPDX-License-Identifier: Apache-2.0
// weft export opensm: a folder that stock OpenSM loads, read back and judged before it is there.
#pragma once
#include <iosfwd>
#include <string>

namespace weft::cli {

struct ExportRequest {
  std::string fabric, tables;
  std::string out;  ///< a folder for OpenSM
  std::string without;
  bool unsafe = false;  ///< write it even if the proof is lost
};

/// Returns the exit code: that of the verdict. Throws RefusedError, with nothing written, where
/// stock OpenSM cannot do what the tables want.
int export_opensm(const ExportRequest& request, std::ostream& human_output);

}  // namespace weft::cli
