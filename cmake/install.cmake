# SPDX-License-Identifier: MIT
# Headers, find_package(tunekit) and pkg-config: all of it independent of the architecture, so under share/.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(tunekit_config_dir ${CMAKE_INSTALL_DATADIR}/cmake/tunekit)
install(TARGETS tunekit EXPORT tunekit FILE_SET HEADERS)
install(EXPORT tunekit NAMESPACE tunekit:: FILE tunekit-targets.cmake DESTINATION ${tunekit_config_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tunekit-config.cmake.in ${PROJECT_BINARY_DIR}/tunekit-config.cmake
    INSTALL_DESTINATION ${tunekit_config_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tunekit-config-version.cmake
    COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/tunekit-config.cmake ${PROJECT_BINARY_DIR}/tunekit-config-version.cmake
    DESTINATION ${tunekit_config_dir})

configure_file(${CMAKE_CURRENT_LIST_DIR}/tunekit.pc.in ${PROJECT_BINARY_DIR}/tunekit.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tunekit.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
