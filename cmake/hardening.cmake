# SPDX-License-Identifier: Apache-2.0
# Debian's hardening flags (dpkg-buildflags with hardening=+all) for optimised builds without
# sanitizers, where the compiler knows them. Debian sets its own for the build type None.
# docs/design/performance.md has what they cost.
option(WEFT_HARDEN "compile and link optimised builds with Debian's hardening flags" ON)
if(NOT WEFT_HARDEN OR WEFT_SANITIZE OR CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  return()
endif()
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)

# Bounds of arrays on the stack and of calls of the C library; formats; addresses that change from
# run to run. A format is an error only where warnings are.
set(hardening -fstack-protector-strong -fPIE -Wformat -Wformat-security)
set(CMAKE_REQUIRED_FLAGS -Werror)  # clang warns of flags that do nothing on its target
check_cxx_compiler_flag(-fstack-clash-protection WEFT_KNOWS_STACK_CLASH)
if(WEFT_KNOWS_STACK_CLASH)
  list(APPEND hardening -fstack-clash-protection)
endif()
# Jumps only to where jumps may go: the first is of x86_64, the second of aarch64.
check_cxx_compiler_flag(-fcf-protection WEFT_KNOWS_CF_PROTECTION)
check_cxx_compiler_flag(-mbranch-protection=standard WEFT_KNOWS_BRANCH_PROTECTION)
if(WEFT_KNOWS_CF_PROTECTION)
  list(APPEND hardening -fcf-protection)
elseif(WEFT_KNOWS_BRANCH_PROTECTION)
  list(APPEND hardening -mbranch-protection=standard)
endif()
# Some compilers define it themselves, and users may.
set(CMAKE_REQUIRED_FLAGS -O2)
check_cxx_source_compiles("
#ifdef _FORTIFY_SOURCE
#error has a value
#endif
int main() {}" WEFT_SETS_FORTIFY_SOURCE)
if(WEFT_SETS_FORTIFY_SOURCE AND NOT CMAKE_CXX_FLAGS MATCHES "_FORTIFY_SOURCE")
  list(APPEND hardening -D_FORTIFY_SOURCE=2)
endif()
set(optimised "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")
set(hardening_links -Wl,-z,relro -Wl,-z,now)
if(NOT WEFT_STATIC)
  list(APPEND hardening_links "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>")
else()
  set(CMAKE_REQUIRED_LINK_OPTIONS -static-pie)
  check_cxx_source_compiles("int main() {}" WEFT_KNOWS_STATIC_PIE)
  if(WEFT_KNOWS_STATIC_PIE)
    set(static_link "$<IF:${optimised},-static-pie,-static>")
  endif()
endif()
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_LINK_OPTIONS)

add_compile_options("$<${optimised}:${hardening}>")
add_link_options("$<${optimised}:${hardening_links}>")
# Together they cost the loops of the simulator over 2 %, mostly by these two: checks of the stack,
# and signed return addresses. These files read no input: others have checked all that reaches them.
# (Jumps still land only where they may: one file without that would lose it for the program.)
set(unhardened_sources "src[/_](sim[/_](flit|hosts)|run|comm)[/_]")
set(unhardened_flags -fno-stack-protector)
if(WEFT_KNOWS_BRANCH_PROTECTION AND NOT WEFT_KNOWS_CF_PROTECTION)
  list(APPEND unhardened_flags -mbranch-protection=bti)
endif()
set(unhardened "$<${optimised}:${unhardened_flags}>")
