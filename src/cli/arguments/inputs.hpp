// SPDX-License-Identifier: Apache-2.0
// What several verbs read and write: tables, hosts by name, formats by name; files that can be
// written, tried before the work.
#pragma once
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "cli/arguments/arguments.hpp"
#include "fabric/format/format.hpp"
#include "lab/cluster/cluster.hpp"
#include "lab/cluster/host_names.hpp"

namespace weft::cli {

template <class Format>
const Format& find_format(std::span<const Format> formats, const std::string& name) {
  const Format& format = find_row(formats, "format", name);
  if (format.write == nullptr) throw Error("the format {} is only read, not written", name);
  return format;
}

/// Throws Error for a picture that is not to be called x.svg, or "-".
void require_svg(const std::string& path);

/// Throws Error when one of the files cannot be written, or is one that the texts of `inputs` name
/// (whole, or as in file:path=trace.csv), before any work is done for it; an empty path is no file.
/// Returns where human-readable output goes: standard output, or standard error when a file is "-".
std::ostream& prepare_outputs(std::initializer_list<std::string> paths,
                              const std::vector<std::string>& inputs);

/// Adds the option --without of the verbs that take a fabric.
void add_without(Arguments& arguments, std::string& text);

/// Adds a cluster, by path or name, and the fabrics that it names; nothing for an empty name.
void add_inputs_of_cluster(const std::string& path_or_name, std::vector<std::string>& inputs);

/// The texts of all fields.
template <class Text, class Fields>
std::vector<std::string> texts_of(const Text& spec, const Fields& fields) {
  std::vector<std::string> out;
  for (const auto& field : fields) out.push_back(spec.*field.text);
  return out;
}

}  // namespace weft::cli
