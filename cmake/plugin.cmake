# SPDX-License-Identifier: Apache-2.0
# The plugin of OpenSM, lib/libweft.so, where OpenSM's headers are (libopensm-dev, libibumad-dev).
find_path(opensm_headers opensm/osm_opensm.h PATH_SUFFIXES infiniband)
find_path(umad_headers infiniband/umad.h)
if(NOT opensm_headers OR NOT umad_headers)
  message(STATUS "OpenSM's headers are not installed: no plugin for it")
  return()
elseif(WEFT_STATIC OR WEFT_FUZZ)
  return()
endif()
file(GLOB plugin_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/live/plugin/*.cpp")
add_library(weft_plugin MODULE ${plugin_files} src/live/frames.cpp)
set_target_properties(weft_plugin PROPERTIES
  OUTPUT_NAME weft LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
target_compile_options(weft_plugin PRIVATE -fPIC -fvisibility=hidden)
target_include_directories(weft_plugin PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_include_directories(weft_plugin SYSTEM PRIVATE "${opensm_headers}" "${umad_headers}")
target_link_libraries(weft_plugin PRIVATE ${CMAKE_DL_LIBS})
add_dependencies(weft weft_plugin)  # they are installed together
