// SPDX-License-Identifier: Apache-2.0
// The host programs, one file of this folder each, with their parameters; catalog.cpp lists them.
#pragma once
#include "lab/programs/program.hpp"

namespace weft {

Prepared barrier_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> barrier_params();
Prepared broadcast_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> broadcast_params();
Prepared reduce_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> reduce_params();
Prepared allreduce_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> allreduce_params();
Prepared scan_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> scan_params();
Prepared reduce_scatter_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> reduce_scatter_params();
Prepared allgather_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> allgather_params();
Prepared gather_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> gather_params();
Prepared scatter_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> scatter_params();
Prepared alltoall_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> alltoall_params();
Prepared flood_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> flood_params();
Prepared pingpong_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> pingpong_params();
Prepared put_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> put_params();
Prepared notify_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> notify_params();
Prepared overlap_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> overlap_params();
Prepared elan_ping_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> elan_ping_params();
Prepared hot_spot_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> hot_spot_params();
Prepared orphan_program(const Params&, const ProgramSetting&, Laps&);
std::vector<Param> orphan_params();

}  // namespace weft
