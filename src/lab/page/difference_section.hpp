// SPDX-License-Identifier: Apache-2.0
// The entries that differ in two tables of a fabric as a section of a page; each is shown in the
// section of the fabric when it is chosen.
#pragma once
#include "fabric/tables.hpp"
#include "lab/page/html_page.hpp"

namespace weft {

/// Entries beyond are left out of pages.
inline constexpr std::size_t most_changed_entries = 20'000;

PageSection changed_entries_section(const Fabric& fabric, const Tables& before,
                                    const Tables& after);

}  // namespace weft
