# SPDX-License-Identifier: Apache-2.0
# Tests and fuzzers: tests/<name>/*_test.cpp become <name>_tests, tests/fuzz/fuzz_*.cpp fuzzers.

enable_testing()
if(GTest_FOUND AND rapidcheck_FOUND)
  file(GLOB support RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/tests/support/*.cpp")
  # One has the path of the checkout, the other replaces operator new.
  set(apart tests/support/paths.cpp tests/support/allocations.cpp)
  list(REMOVE_ITEM support ${apart})
  join(support)
  # The code blocks of docs/guides/add-a-routing-engine.md, which tests/plan/tutorial_test.cpp includes.
  set(tutorial "${PROJECT_SOURCE_DIR}/docs/guides/add-a-routing-engine.md")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${tutorial}")
  file(READ "${tutorial}" text)
  foreach(block engine row)
    string(FIND "${text}" "```cpp" begin)
    math(EXPR begin "${begin} + 6")
    string(SUBSTRING "${text}" ${begin} -1 text)
    string(FIND "${text}" "```" end)
    string(SUBSTRING "${text}" 0 ${end} code)
    math(EXPR end "${end} + 3")
    string(SUBSTRING "${text}" ${end} -1 text)
    file(CONFIGURE OUTPUT "${generated}/tutorial/${block}.inc" CONTENT "${code}\n" @ONLY)
  endforeach()

  file(GLOB test_files RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/tests/*/*_test.cpp")
  set(names "")
  foreach(file IN LISTS test_files)
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET folder FILENAME name)
    list(APPEND names ${name})
    list(APPEND ${name}_test_files "${file}")
  endforeach()
  list(REMOVE_DUPLICATES names)
  # A library before the C library needs a program that loads it, and no sanitizer before it.
  if(WEFT_SANITIZE OR WEFT_STATIC OR CMAKE_CROSSCOMPILING)
    list(REMOVE_ITEM names faults)
  else()
    add_library(failing_disk MODULE tests/faults/failing_disk.cpp)
    set_target_properties(failing_disk PROPERTIES PREFIX ""
      LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    target_compile_options(failing_disk PRIVATE -fPIC)
    target_link_libraries(failing_disk PRIVATE ${CMAKE_DL_LIBS})
  endif()

  # Under an emulator (CMAKE_CROSSCOMPILING_EMULATOR) tests run the programs through scripts.
  set(program "$<TARGET_FILE:weft>")
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR "' '" emulator)
    set(program "${CMAKE_BINARY_DIR}/emulated/weft")
    foreach(emulated weft weft-verify)
      file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/emulated/${emulated}"
        CONTENT "#!/bin/sh\nexec '${emulator}' '$<TARGET_FILE:${emulated}>' \"$@\"\n"
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    endforeach()
  endif()

  add_library(test_support STATIC ${support} ${apart})
  target_include_directories(test_support PUBLIC "${PROJECT_SOURCE_DIR}/tests"
    PRIVATE "${PROJECT_SOURCE_DIR}")
  set_source_files_properties(tests/support/paths.cpp PROPERTIES
    COMPILE_DEFINITIONS
      "WEFT_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\";WEFT_BINARY=\"${program}\""
    SKIP_PRECOMPILE_HEADERS ON)
  target_link_libraries(test_support PUBLIC weft_lab_report weft_plan_export GTest::gtest_main rapidcheck)
  # g++ 12 sees out-of-bounds copies where literals are joined to strings (as in GCC bug 105329).
  # Test code need not be fast: the code under test is. Not -O0, though: the linker may take
  # inline functions of what they test from here.
  target_compile_options(test_support PUBLIC "$<$<CONFIG:Release>:-O1>"
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread>")
  target_precompile_headers(test_support PRIVATE
    <algorithm> <fmt/format.h> <gtest/gtest.h> <map> <string> <vector>)

  # Sanitized builds run these: the tests of the libraries, and the fuzzers.
  add_custom_target(parts)
  foreach(name IN LISTS names)
    join(${name}_test_files)
    add_executable(${name}_tests ${${name}_test_files})
    set_target_properties(${name}_tests PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    target_include_directories(${name}_tests PRIVATE "${PROJECT_SOURCE_DIR}" "${generated}")
    target_link_libraries(${name}_tests PRIVATE test_support)
    target_precompile_headers(${name}_tests REUSE_FROM test_support)
    if(name STREQUAL live)
      target_link_libraries(live_tests PRIVATE weft_live_router)
    elseif(name STREQUAL trace)
      target_link_libraries(trace_tests PRIVATE weft_chakra)
    endif()
    if(name MATCHES "^(base|verify|fabric|plan|sim|comm|run|live|trace)$")
      add_dependencies(parts ${name}_tests)
    else()
      target_link_libraries(${name}_tests PRIVATE weft_cli weft_papers)
      add_dependencies(${name}_tests weft)
    endif()
    if(name STREQUAL faults)
      add_dependencies(${name}_tests failing_disk)
    endif()
    # So many processes that several cores are busy, and none of them for long. (A sanitized one
    # looks for leaks at its end, which takes three seconds on aarch64. Tests of papers share the pages
    # of quick studies, which every process makes anew.)
    set(shards 2)
    if(WEFT_SANITIZE)
      set(shards 1)
    endif()
    if(name MATCHES "^(cli|lab|plan|run|sim)$")
      set(shards 8)
    endif()
    if(WEFT_SANITIZE AND name STREQUAL sim)
      set(shards 10)
    endif()
    foreach(shard RANGE 1 ${shards})
      math(EXPR index "${shard} - 1")
      add_test(NAME ${name}_${shard} COMMAND ${name}_tests --gtest_brief=1)
      set_tests_properties(${name}_${shard} PROPERTIES
        LABELS ${name} ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
    endforeach()
  endforeach()
else()
  message(STATUS "GoogleTest or RapidCheck is not installed: no tests")
endif()

# --- rooms: each links alone with the rooms that its line in src/rooms.txt names ---------------------
foreach(room IN LISTS rooms)
  add_executable(${room}_alone tests/project/room_alone.cpp)
  set_target_properties(${room}_alone PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/rooms")
  target_link_libraries(${room}_alone PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${room}>")
endforeach()

# --- fuzzers: tests/fuzz/fuzz_*.cpp ------------------------------------------------------------------
if(WEFT_FUZZ)
  file(GLOB fuzzers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.cpp")
  foreach(file IN LISTS fuzzers)
    cmake_path(GET file STEM name)
    string(REPLACE "fuzz_" "" topic "${name}")
    add_executable(${name} "${file}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
    target_link_libraries(${name} PRIVATE weft_lab_report weft_lab_booksim)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
    target_precompile_headers(${name} REUSE_FROM weft_base)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME ${name}
      COMMAND "${PROJECT_SOURCE_DIR}/tests/fuzz/run.sh" "$<TARGET_FILE:${name}>"
              "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${topic}"
              "${CMAKE_BINARY_DIR}/fuzz/${name}.scratch")
    set_tests_properties(${name} PROPERTIES LABELS fuzz)
    add_dependencies(parts ${name})
  endforeach()
endif()
