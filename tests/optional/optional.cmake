# SPDX-License-Identifier: MIT
# Each library that some of our programs stand on, missing once: label `slow`, since CMake configures everything for each.
# tunekit_without(NAME HEADERS LIBRARY WORDS [CMAKE_ARGUMENT...]): as without.sh wants them; by default find_package(NAME) is switched off.
function(tunekit_without name headers library words)
    if(NOT ARGN)
        set(ARGN -DCMAKE_DISABLE_FIND_PACKAGE_${name}=ON)
    endif()
    add_test(NAME without/${name} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/optional/without.sh ${PROJECT_SOURCE_DIR}
        ${CMAKE_CURRENT_BINARY_DIR}/without/${name} ${CMAKE_CXX_COMPILER} ${headers} ${library} ${words} ${ARGN})
    set_tests_properties(without/${name} PROPERTIES LABELS "slow" TIMEOUT 300)
endfunction()
tunekit_without(Boost         ^boost/     none              Boost::headers)
tunekit_without(CLI11         ^CLI/       none              CLI11::CLI11)
tunekit_without(Eigen3        ^Eigen/     eigen3            Eigen)
tunekit_without(MPI           ^mpi        libmpi            MPI)
tunekit_without(OpenBLAS      ^cblas      libopenblas       OpenBLAS)
tunekit_without(OpenMP        ^omp[.]h    "fopenmp|libgomp" OpenMP)
tunekit_without(Threads       NONE        none              Threads)
tunekit_without(ZLIB          ^zlib       "libz[.]"         ZLIB)
tunekit_without(benchmark     ^benchmark/ libbenchmark      benchmark)
tunekit_without(doctest       ^doctest/   none              doctest)
tunekit_without(nlohmann_json ^nlohmann/  none              nlohmann_json)
tunekit_without(rapidcheck    ^rapidcheck librapidcheck     rapidcheck)
# Those that find_package does not know; and an MPI that is looked for and not found, where FindMPI leaves a target behind.
tunekit_without(oneDNN dnnl libdnnl DNNL -DTUNEKIT_DNNL=OFF)
tunekit_without(OpenCL ^CL/ none OpenCL -DTUNEKIT_OPENCL_HEADERS=OFF)
tunekit_without(MPI_anywhere ^mpi libmpi MPI -DMPI_SKIP_GUESSING=ON -DMPI_SKIP_COMPILER_WRAPPER=ON)
set_tests_properties(without/MPI_anywhere PROPERTIES ENVIRONMENT "PKG_CONFIG_LIBDIR=${CMAKE_CURRENT_SOURCE_DIR}/optional;PKG_CONFIG_PATH=")
