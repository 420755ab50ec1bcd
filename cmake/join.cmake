# SPDX-License-Identifier: Apache-2.0
# Joins files of a folder into one translation unit. They share what they include and instantiate,
# which halves the time of a build. Names in their unnamed namespaces must therefore differ.

set(WEFT_JOIN 18 CACHE STRING "how many files of a folder are compiled as one; 1: each by itself")

# join(LIST [APART FILE...]): replaces files in LIST, whose paths are relative to the project, by
# generated ones that include up to WEFT_JOIN files of a folder each, by paths that are the same in
# every checkout, so that ccache finds them. Files of APART stay as they are. A folder of few files
# is joined with the folder above it if that has files in LIST, too.
function(join list)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" APART)
  set(out "")
  set(folders "")
  foreach(file IN LISTS ${list})
    cmake_path(GET file PARENT_PATH folder)
    if(WEFT_JOIN LESS_EQUAL 1 OR file IN_LIST arg_APART)
      list(APPEND out "${file}")
    else()
      list(APPEND folders "${folder}")
      list(APPEND "files of ${folder}" "${file}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    cmake_path(GET folder PARENT_PATH above)
    list(LENGTH "files of ${folder}" count)
    # How the flit simulator is cut into units decides what is inlined in its loops.
    if(count LESS_EQUAL 8 AND above IN_LIST folders AND NOT above MATCHES "^src/sim/flit")
      list(APPEND "files of ${above}" ${files\ of\ ${folder}})
      list(REMOVE_ITEM folders "${folder}")
    endif()
  endforeach()
  foreach(folder IN LISTS folders)
    set(rest ${files\ of\ ${folder}})
    list(LENGTH rest count)
    math(EXPR parts "(${count} + ${WEFT_JOIN} - 1) / ${WEFT_JOIN}")
    math(EXPR size "(${count} + ${parts} - 1) / ${parts}")
    string(REPLACE / _ name "${folder}")
    foreach(number RANGE 1 ${parts})
      list(SUBLIST rest 0 ${size} part)
      list(REMOVE_ITEM rest ${part})
      list(TRANSFORM part REPLACE "(.+)" "#include \"\\1\"")
      list(JOIN part "\n" text)
      set(file "${CMAKE_BINARY_DIR}/joined/${name}_${number}.cpp")
      file(CONFIGURE OUTPUT "${file}" CONTENT "${text}\n" @ONLY)
      # g++ warns of types without linkage in headers; these files are no headers.
      set_source_files_properties("${file}" PROPERTIES
        COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>")
      list(APPEND out "${file}")
    endforeach()
  endforeach()
  set(${list} ${out} PARENT_SCOPE)
endfunction()
