// SPDX-License-Identifier: Apache-2.0
// What the results of a sweep depend on beside its fields: the revision, and files that they name.
#pragma once
#include <set>
#include <string>

#include "lab/fields.hpp"
#include "lab/sweep/journal.hpp"

namespace weft {

/// The heading of every journal; `verb` is the one of the command line that runs the sweep.
SweepIdentity begin_identity(const std::string& verb);
/// Adds the content of every file among the values: "torus.weft", "file:path=trace.csv".
void add_contents(SweepIdentity& out, const std::set<std::string>& values);

/// Throws Error for a heading without it.
const std::string& value_in(const SweepIdentity& identity, const std::string& name);

/// Adds the values of the fields of a spec.
template <class Text, class Request>
void add_fields(SweepIdentity& out, const Text& spec,
                const std::vector<Field<Text, Request>>& fields) {
  for (const Field<Text, Request>& field : fields) out[field.name] = spec.*field.text;
}

/// The other direction: fills the fields of a spec. Throws Error for a heading that lacks one.
template <class Text, class Request>
void fill_fields(const SweepIdentity& identity, Text& spec,
                 const std::vector<Field<Text, Request>>& fields) {
  for (const Field<Text, Request>& field : fields)
    spec.*field.text = value_in(identity, field.name);
}

/// The values that fields of the points have.
template <class Point, class Text, class Request>
std::set<std::string> values_of_points(const std::vector<Point>& points,
                                       const std::vector<Field<Text, Request>>& fields) {
  std::set<std::string> out;
  for (const Point& one : points)
    for (const Field<Text, Request>& field : fields) out.insert(one.spec.*field.text);
  return out;
}

}  // namespace weft
