# SPDX-License-Identifier: MIT
# Headers, find_package(tunekit), pkg-config, the pages and the examples: all of it independent of the architecture, so under share/.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)

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
install(DIRECTORY docs examples programs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN CMakeLists.txt EXCLUDE)

# tunekit_readable(FOLDER...): what root installs or packs can be read by all, whatever the umask: CMake gives files their permissions, and
# folders what is left of them. To be called when all that is in them is installed.
function(tunekit_readable)
    install(CODE "
foreach(folder IN ITEMS ${ARGN})
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${folder}\")
    if(EXISTS \"\${folder}\")
        file(CHMOD_RECURSE \"\${folder}\" DIRECTORY_PERMISSIONS
            OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    endif()
endforeach()")
endfunction()
tunekit_readable(${CMAKE_INSTALL_INCLUDEDIR}/tunekit ${tunekit_config_dir} ${CMAKE_INSTALL_DOCDIR})
