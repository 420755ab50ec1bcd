// SPDX-License-Identifier: Apache-2.0
// The host programs, one function per file of this folder; catalog.cpp lists them.
#pragma once
#include "lab/programs/program.hpp"

namespace weft {

Prepared barrier_program(const Params&, const ProgramSetting&, Laps&);
Prepared broadcast_program(const Params&, const ProgramSetting&, Laps&);
Prepared flood_program(const Params&, const ProgramSetting&, Laps&);
Prepared pingpong_program(const Params&, const ProgramSetting&, Laps&);
Prepared put_program(const Params&, const ProgramSetting&, Laps&);
Prepared notify_program(const Params&, const ProgramSetting&, Laps&);
Prepared overlap_program(const Params&, const ProgramSetting&, Laps&);
Prepared elan_ping_program(const Params&, const ProgramSetting&, Laps&);
Prepared hot_spot_program(const Params&, const ProgramSetting&, Laps&);
Prepared orphan_program(const Params&, const ProgramSetting&, Laps&);

}  // namespace weft
