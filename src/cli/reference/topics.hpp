// SPDX-License-Identifier: Apache-2.0
// The pages of the reference: one for weft, one for every verb, and one for every topic.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/reference/page.hpp"
#include "cli/verbs.hpp"

namespace weft::cli {

/// What people ask `weft help` for, besides verbs; docs/reference has a page of this name.
struct Topic {
  std::string_view name;  ///< "results"
  int manual_section;
  std::string_view summary, about;
  std::vector<ReferenceSection> (*sections)();
};
std::span<const Topic> topics();

std::vector<ReferenceSection> catalogue_sections();
std::vector<ReferenceSection> input_sections();
std::vector<ReferenceSection> result_sections();
std::vector<ReferenceSection> option_sections();

ReferencePage page_of_program();
ReferencePage page_of(const Verb& verb);
ReferencePage page_of(const Topic& topic);
/// The pages for man(1): of the program, its verbs and the topics.
std::vector<ReferencePage> manual_pages();

}  // namespace weft::cli
