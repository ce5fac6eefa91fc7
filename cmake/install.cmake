# SPDX-License-Identifier: MIT
# The core and the packages as one tree of headers, with the packages' libraries, find_package(tunekit), pkg-config, the pages and the examples.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)

set(tunekit_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tunekit)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE up)  # from pkg-config's files
install(TARGETS tunekit EXPORT tunekit FILE_SET HEADERS)
install(FILES include/tunekit/compiled.cpp include/tunekit/compiled_strategies.cpp include/tunekit/compiled_combined.cpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tunekit)
install(FILES cmake/tunekit-compiled.cmake DESTINATION ${tunekit_config_dir})
install(EXPORT tunekit NAMESPACE tunekit:: FILE tunekit-targets.cmake DESTINATION ${tunekit_config_dir})
configure_file(${CMAKE_CURRENT_LIST_DIR}/tunekit.pc.in ${PROJECT_BINARY_DIR}/tunekit.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tunekit.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# A package is a component of find_package, which looks for what it needs when it is asked for: tunekit-NAME.cmake; and tunekit-NAME.pc.
# Its library is installed with its sources, for programs that compile them by hand. Headers alone would link nowhere, so a library that was
# not built ends the installation.
foreach(name IN LISTS tunekit_packages)
    get_target_property(type tunekit_${name} TYPE)
    get_target_property(sources tunekit_${name} TUNEKIT_SOURCES)
    get_target_property(missing tunekit_${name} TUNEKIT_MISSING)
    set(links)
    set(unbuilt FALSE)
    if(sources)
        install(DIRECTORY packages/${name}/include/tunekit/${name} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tunekit FILES_MATCHING PATTERN *.cpp)
    endif()
    if(type STREQUAL STATIC_LIBRARY)
        set(links " -L\${libdir} -ltunekit_${name}")
        install(CODE "if(NOT EXISTS \"$<TARGET_FILE:tunekit_${name}>\")
            message(FATAL_ERROR \"tunekit: the library of ${name} is not built: first run cmake --build ${PROJECT_BINARY_DIR} --target tunekit_libraries\")
        endif()")
    elseif(sources)
        set(unbuilt TRUE)
    endif()
    install(TARGETS tunekit_${name} EXPORT tunekit-${name} ARCHIVE FILE_SET HEADERS)
    install(EXPORT tunekit-${name} NAMESPACE tunekit:: FILE tunekit-${name}-targets.cmake DESTINATION ${tunekit_config_dir})
    get_target_property(packages tunekit_${name} TUNEKIT_PACKAGES)
    get_target_property(libraries tunekit_${name} TUNEKIT_LIBRARIES)
    get_target_property(where_found tunekit_${name} TUNEKIT_WHERE_FOUND)
    set(requires tunekit)
    foreach(package IN LISTS packages)
        string(APPEND requires " tunekit-${package}")
    endforeach()
    foreach(library IN LISTS libraries)
        if(library MATCHES "^(.*)::")
            string(TOLOWER ${CMAKE_MATCH_1} library)
            string(APPEND requires " ${library}")
        else()
            string(APPEND links " -l${library}")
        endif()
    endforeach()
    configure_file(${CMAKE_CURRENT_LIST_DIR}/tunekit-package.pc.in ${PROJECT_BINARY_DIR}/tunekit-${name}.pc @ONLY)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/tunekit-package.cmake.in ${PROJECT_BINARY_DIR}/tunekit-${name}.cmake @ONLY)
    if(NOT unbuilt)
        install(FILES ${PROJECT_BINARY_DIR}/tunekit-${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    endif()
    install(FILES ${PROJECT_BINARY_DIR}/tunekit-${name}.cmake DESTINATION ${tunekit_config_dir})
endforeach()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tunekit-config.cmake.in ${PROJECT_BINARY_DIR}/tunekit-config.cmake
    INSTALL_DESTINATION ${tunekit_config_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tunekit-config-version.cmake
    COMPATIBILITY SameMajorVersion)  # a minor version only adds: docs/architecture.md
install(FILES ${PROJECT_BINARY_DIR}/tunekit-config.cmake ${PROJECT_BINARY_DIR}/tunekit-config-version.cmake
    DESTINATION ${tunekit_config_dir})

# Pages and examples, each where the pages' links look for it.
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples tools packages DESTINATION ${CMAKE_INSTALL_DOCDIR}
    PATTERN CMakeLists.txt EXCLUDE PATTERN include EXCLUDE PATTERN tests EXCLUDE PATTERN recordings EXCLUDE)

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
