# SPDX-License-Identifier: MIT
# cpack -G DEB: libtunekit-dev, headers and static libraries, and tunekit-tools where the tools are built. The preset `package` does it.
set(CPACK_PACKAGE_NAME tunekit)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Auto-tuning of kernels and programs")
set(CPACK_PACKAGE_CONTACT "The tunekit authors")
set(CPACK_PACKAGE_VENDOR "The tunekit authors")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libtunekit-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libeigen3-dev, nlohmann-json3-dev, zlib1g-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers for C++20: surrogates, acquisition criteria, explorers, bandits, ensemble
MCMC, forecasts of tuning curves and measurers, to be used alone or composed at
compile time; and libraries that measure in child processes and keep logs.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME tunekit-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/packages/kernels/levels)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "g++, bash-completion")  # kernels that tune_network generates are compiled where they run
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "tune_command finds the fastest settings of any program by its command line,
tune_kernel those of a kernel in CUDA, OpenCL or C; tune_network those of a
network's operators on this processor; tune_shapes makes
a header that chooses kernels by shape, and merges results; tune_report shows a
run as a page, score_strategy compares search strategies, and
libtunekit_kokkos.so tunes applications that use Kokkos.")
include(CPack)
