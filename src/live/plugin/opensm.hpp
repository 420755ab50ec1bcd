// SPDX-License-Identifier: Apache-2.0
// OpenSM's headers, which are C: one field of theirs has a name that C++ keeps for itself. The
// first one decides on the layout of what the others declare, though they do not include it.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define delete delete_plugin  // NOLINT(cppcoreguidelines-macro-usage)
// clang-format off
#include <opensm/osm_config.h>
// clang-format on
#include <opensm/osm_log.h>
#include <opensm/osm_mcm_port.h>
#include <opensm/osm_multicast.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_version.h>
#undef delete
