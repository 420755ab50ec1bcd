// SPDX-License-Identifier: Apache-2.0
// The fields of what is to be run (a simulation, a program, a scenario) on the command line.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <string>

#include "cli/arguments/arguments.hpp"

namespace weft::cli {

/// Adds some fields as positional arguments and the others as options with their names.
template <class Text, class Fields>
void add_fields(Arguments& arguments, Text& spec, const Fields& fields,
                std::initializer_list<std::string Text::*> places) {
  for (const auto& field : fields) {
    std::string& value = spec.*field.text;
    if (std::find(places.begin(), places.end(), field.text) != places.end())
      arguments.required(field.name, value, field.help);
    else
      arguments.named(field.name, value, field.help);
  }
}

}  // namespace weft::cli
