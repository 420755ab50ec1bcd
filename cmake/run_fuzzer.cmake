# SPDX-License-Identifier: Apache-2.0
# Runs one fuzzer for a short while on a copy of its corpus, so that the source tree stays clean.
# WEFT_LONG in the environment makes it search for minutes and from a fresh seed.
# Usage: cmake -DFUZZER=program -DCORPUS=folder (may be missing) -DSCRATCH=folder -P run_fuzzer.cmake
cmake_minimum_required(VERSION 3.25)

set(limits -max_total_time=3 -seed=1)
if(DEFINED ENV{WEFT_LONG})
  set(limits -max_total_time=120)
endif()

file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}/corpus")
if(IS_DIRECTORY "${CORPUS}")
  file(COPY "${CORPUS}/" DESTINATION "${SCRATCH}/corpus")
endif()

execute_process(
  COMMAND "${FUZZER}" ${limits} -rss_limit_mb=2048 -timeout=10 -print_final_stats=1
          "-artifact_prefix=${SCRATCH}/" "${SCRATCH}/corpus"
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "fuzzer failed (${result}); the input is kept in ${SCRATCH}")
endif()
