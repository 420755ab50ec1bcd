# SPDX-License-Identifier: Apache-2.0
# The library weft_chakra: what protoc makes of src/trace/formats/chakra.proto, which the room trace
# includes as "trace/formats/chakra.pb.h".
set(Protobuf_USE_STATIC_LIBS ${WEFT_STATIC})
find_package(Protobuf REQUIRED)
file(MAKE_DIRECTORY "${generated}/protobuf")
protobuf_generate(LANGUAGE cpp OUT_VAR chakra_files PROTOC_OUT_DIR "${generated}/protobuf"
  PROTOS "${PROJECT_SOURCE_DIR}/src/trace/formats/chakra.proto")
add_library(weft_chakra STATIC ${chakra_files})
target_include_directories(weft_chakra SYSTEM PUBLIC
  "${generated}/protobuf" "${generated}/protobuf/src")
target_link_libraries(weft_chakra PUBLIC protobuf::libprotobuf-lite)
set_target_properties(weft_chakra PROPERTIES COMPILE_WARNING_AS_ERROR OFF)
target_compile_options(weft_chakra PRIVATE -w)  # not our code
