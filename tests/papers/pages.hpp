// SPDX-License-Identifier: Apache-2.0
// Pages of quick studies, for tests.
#pragma once
#include <map>
#include <string>

#include "base/error.hpp"
#include "papers/catalog.hpp"

namespace weft::papers {

inline Page page_of(const std::string& request) {
  return reproduce(request, {.quick = true, .threads = 2});
}

inline std::map<std::string, Comparison> answers(const Page& page) {
  std::map<std::string, Comparison> out;
  for (const Section& section : page.sections)
    for (const Comparison& answer : section.answers) out.emplace(answer.stated.id, answer);
  return out;
}

/// The error of a study on a cluster.
inline std::string complaint_of(const std::string& request, const std::string& cluster) {
  try {
    reproduce(request, {.cluster = cluster, .quick = true});
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace weft::papers
