# SPDX-License-Identifier: Apache-2.0
# The files that `cmake --install` installs, and the packages that `cpack` makes of them: a .deb, or
# with WEFT_STATIC an archive with a static program, to unpack anywhere.
include(GNUInstallDirs)

# The program writes its own completion and manual pages. Without an emulator a program for another
# machine cannot: it is installed without them.
set(written "${generated}/written")
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  file(MAKE_DIRECTORY "${written}/completions")
  add_custom_command(TARGET weft POST_BUILD
    COMMAND weft completion bash > "${written}/completions/weft"
    COMMAND weft completion zsh > "${written}/completions/_weft"
    COMMAND weft completion fish > "${written}/completions/weft.fish"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${written}/man"
    COMMAND weft help --man-pages "${written}/man"
    BYPRODUCTS "${written}/completions/weft" VERBATIM)
endif()

install(TARGETS weft weft-verify)
if(TARGET weft_plugin)
  install(TARGETS weft_plugin DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS opensm)
endif()
foreach(shell bash-completion/completions/weft zsh/vendor-completions/_weft
        fish/vendor_completions.d/weft.fish)
  cmake_path(GET shell PARENT_PATH folder)
  cmake_path(GET shell FILENAME file)
  install(FILES "${written}/completions/${file}"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}" OPTIONAL)
endforeach()
install(DIRECTORY "${written}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}" OPTIONAL)
install(FILES ${clusters} DESTINATION "${CMAKE_INSTALL_DATADIR}/weft/clusters")
install(FILES ${scenarios} DESTINATION "${CMAKE_INSTALL_DATADIR}/weft/scenarios")
install(FILES README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright)
# Libraries compiled into the program have licenses of their own, where Debian keeps them; these ask
# that copies of the program come with them. docs/dependencies.md names the same packages.
set(inside libfmt-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libpugixml-dev
  zlib1g-dev libzstd-dev libmetis-dev libprotobuf-dev libopensm-dev libibumad-dev)
if(WEFT_STATIC)
  list(APPEND inside libc6-dev "libstdc++-*-dev")
  # The text that the license of the C library refers to.
  install(FILES /usr/share/common-licenses/LGPL-2.1
    DESTINATION "${CMAKE_INSTALL_DOCDIR}/licenses" COMPONENT licenses OPTIONAL)
endif()
foreach(package IN LISTS inside)
  file(GLOB licenses "/usr/share/doc/${package}/copyright")
  if(NOT licenses)
    install(CODE "message(WARNING \"the license of ${package} is not on this machine\")"
      COMPONENT licenses)
  endif()
  foreach(license IN LISTS licenses)
    cmake_path(GET license PARENT_PATH folder)
    cmake_path(GET folder FILENAME name)
    file(REAL_PATH "${license}" license)
    install(FILES "${license}" DESTINATION "${CMAKE_INSTALL_DOCDIR}/licenses" RENAME "${name}"
      COMPONENT licenses)
  endforeach()
endforeach()
install(FILES page/licenses.txt DESTINATION "${CMAKE_INSTALL_DOCDIR}/licenses" RENAME page
  COMPONENT licenses)
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(CPACK_PACKAGE_VENDOR "weft")
set(CPACK_PACKAGE_CONTACT "the developers of weft <weft@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "laboratory for cluster interconnects")
set(CPACK_PACKAGE_DESCRIPTION
  "Describes or imports a fabric, routes it, proves it free of deadlock or names the cycle,
simulates it flit by flit and runs communication programs on it in virtual time.")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME
  "weft-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
if(WEFT_STATIC)
  set(CPACK_GENERATOR TGZ)
else()
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
endif()
include(CPack)
