# SPDX-License-Identifier: Apache-2.0
# The rooms of src as libraries: a line "plan/mcast: base fabric" of src/rooms.txt becomes the library
# weft_plan_mcast of the files below src/plan/mcast (but for those of rooms of their own), which
# links weft_base and weft_fabric only, with what these link. Sets `rooms`, the names of the
# libraries in this order.

# read_rooms(ROOMS): sets the names, in order, and uses_<room>, the rooms that a room may use.
function(read_rooms result)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/rooms.txt")
  file(STRINGS "${PROJECT_SOURCE_DIR}/src/rooms.txt" lines REGEX "^[^#]")
  set(rooms "")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z0-9/]+):(.*)$" all "${line}")
    set(room "${CMAKE_MATCH_1}")
    string(REGEX MATCHALL "[a-z0-9/]+" uses "${CMAKE_MATCH_2}")
    list(APPEND rooms "${room}")
    set("uses_${room}" "${uses}" PARENT_SCOPE)
  endforeach()
  set(${result} "${rooms}" PARENT_SCOPE)
endfunction()

# files_of(ROOM ROOMS RESULT)
function(files_of room rooms result)
  file(GLOB_RECURSE files RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/src/${room}/*.cpp")
  foreach(other IN LISTS rooms)
    if(other MATCHES "^${room}/")
      list(FILTER files EXCLUDE REGEX "^src/${other}/")
    endif()
  endforeach()
  set(${result} "${files}" PARENT_SCOPE)
endfunction()

function(library_of room result)
  string(REPLACE / _ name "weft_${room}")
  set(${result} "${name}" PARENT_SCOPE)
endfunction()

read_rooms(room_names)
set(rooms "")
foreach(room IN LISTS room_names)
  if(room STREQUAL live/plugin)  # a library that OpenSM loads: plugin.cmake
    continue()
  endif()
  library_of("${room}" name)
  files_of("${room}" "${room_names}" files)
  list(REMOVE_ITEM files ${main})
  join(files APART ${hot_sources})
  if(room STREQUAL lab)
    list(APPEND files "${generated}/embedded.cpp" "${generated}/bytes.cpp"
      "${generated}/revision.cpp")
  endif()
  foreach(file IN LISTS files)
    if(unhardened AND file MATCHES "${unhardened_sources}")
      set_property(SOURCE "${file}" APPEND PROPERTY COMPILE_OPTIONS "${unhardened}")
      set_source_files_properties("${file}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  add_library(${name} STATIC ${files})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}/src"
    PRIVATE "${PROJECT_SOURCE_DIR}")
  foreach(other IN LISTS "uses_${room}")
    library_of("${other}" used)
    target_link_libraries(${name} PUBLIC ${used})
  endforeach()
  # Precompiled headers for all rooms, and a second set for those compiled with -O1.
  set(first weft_base)
  if(room MATCHES "^(lab$|lab/(cluster|study|simulate|program|flows|report)$|papers|cli)")
    # These rooms arrange what the others compute: -O1 is fast enough and compiles faster.
    target_compile_options(${name} PRIVATE "$<$<CONFIG:Release>:-O1>")
    set(first weft_lab)
  endif()
  if(room MATCHES "^(verify|live)$")
    # They include nothing but the standard library, not even precompiled.
  elseif(name STREQUAL first)
    target_precompile_headers(${name} PRIVATE ${headers})
  else()
    target_precompile_headers(${name} REUSE_FROM ${first})
  endif()
  if(room STREQUAL base)
    target_link_libraries(${name} PUBLIC weft_libraries)
  elseif(room STREQUAL trace)
    target_link_libraries(${name} PRIVATE weft_chakra)
  endif()
  if(WEFT_FUZZ)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  list(APPEND rooms ${name})
endforeach()
