# SPDX-License-Identifier: MIT
# Headers, find_package(tunekit), pkg-config, the pages and the examples: all of it independent of the architecture, so under share/.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(tunekit_config_dir ${CMAKE_INSTALL_DATADIR}/cmake/tunekit)
install(TARGETS tunekit EXPORT tunekit FILE_SET HEADERS)
install(FILES ${tunekit_compiled_source} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tunekit)
install(FILES cmake/tunekit-compiled.cmake DESTINATION ${tunekit_config_dir})
install(EXPORT tunekit NAMESPACE tunekit:: FILE tunekit-targets.cmake DESTINATION ${tunekit_config_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tunekit-config.cmake.in ${PROJECT_BINARY_DIR}/tunekit-config.cmake
    INSTALL_DESTINATION ${tunekit_config_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tunekit-config-version.cmake
    COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/tunekit-config.cmake ${PROJECT_BINARY_DIR}/tunekit-config-version.cmake
    DESTINATION ${tunekit_config_dir})

foreach(name tunekit tunekit-io tunekit-mpi tunekit-cuda)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
endforeach()

install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY bench/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tunekit/recordings)
install(DIRECTORY docs examples programs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN CMakeLists.txt EXCLUDE)

# What root installs or packs can be read by all, whatever the umask: CMake gives files their permissions, and folders what is left of them.
install(CODE "
foreach(folder IN ITEMS ${CMAKE_INSTALL_INCLUDEDIR}/tunekit ${tunekit_config_dir} ${CMAKE_INSTALL_DOCDIR} ${CMAKE_INSTALL_DATADIR}/tunekit)
    file(CHMOD_RECURSE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${folder}\" DIRECTORY_PERMISSIONS
        OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()")

# cpack -G DEB, TGZ: the same files as one package.
if(PROJECT_IS_TOP_LEVEL)
    set(CPACK_PACKAGE_NAME tunekit)
    set(CPACK_PACKAGE_CONTACT "The tunekit authors")
    set(CPACK_PACKAGE_VENDOR "The tunekit authors")
    set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
    set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
    set(CPACK_DEBIAN_PACKAGE_NAME libtunekit-dev)
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
    set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
    set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
    set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libeigen3-dev, nlohmann-json3-dev, zlib1g-dev")
    include(CPack)
endif()
