// SPDX-License-Identifier: Apache-2.0
// The papers, one file each; catalog.cpp lists them.
#pragma once
#include "papers/paper.hpp"

namespace weft::papers {

Page ibamesh(const Lab&);
std::vector<Experiment> ibamesh_experiments();
Page viabarrier(const Lab&);
std::vector<Experiment> viabarrier_experiments();
Page rhinet2(const Lab&);
std::vector<Experiment> rhinet2_experiments();
Page gmqos(const Lab&);
std::vector<Experiment> gmqos_experiments();
Page qsnet(const Lab&);
std::vector<Experiment> qsnet_experiments();

}  // namespace weft::papers
