// SPDX-License-Identifier: Apache-2.0
// The functions behind the rows of catalog.cpp; each namespace is one file.
#pragma once
#include "fabric/format/format.hpp"

namespace weft {

namespace weft_fabric {
Fabric read(const Source& source);
void write(std::ostream& stream, const Fabric& fabric);
bool recognises(std::string_view text);
}  // namespace weft_fabric

namespace ibnetdiscover {
Fabric read(const Source& source);
void write(std::ostream& stream, const Fabric& fabric);
bool recognises(std::string_view text);
}  // namespace ibnetdiscover

namespace anynet {
Fabric read(const Source& source);
void write(std::ostream& stream, const Fabric& fabric);
bool recognises(std::string_view text);
}  // namespace anynet

namespace graphml {
Fabric read(const Source& source);
void write(std::ostream& stream, const Fabric& fabric);
bool recognises(std::string_view text);
}  // namespace graphml

namespace subnet_lst {
Fabric read(const Source& source);
bool recognises(std::string_view text);
}  // namespace subnet_lst

namespace db_csv {
Fabric read(const Source& source);
bool recognises(std::string_view text);
}  // namespace db_csv

namespace dot {
void write(std::ostream& stream, const Fabric& fabric);
}  // namespace dot

namespace weft_tables {
NotedTables read(const Source& source, const Fabric& fabric);
void write(std::ostream& stream, const Fabric& fabric, const Tables& tables);
bool recognises(std::string_view text);
}  // namespace weft_tables

namespace opensm {
NotedTables read(const Source& source, const Fabric& fabric);
void write(std::ostream& stream, const Fabric& fabric, const Tables& tables);
bool recognises(std::string_view text);
}  // namespace opensm

namespace fdbs {
NotedTables read(const Source& source, const Fabric& fabric);
bool recognises(std::string_view text);
}  // namespace fdbs

}  // namespace weft
