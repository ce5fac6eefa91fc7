# SPDX-License-Identifier: MIT
# Each library that some of our programs stand on, missing once: label `slow`, since CMake configures everything for each.
# tunekit_without(NAME HEADERS LIBRARY WORDS [CMAKE_ARGUMENT...]): as without.sh wants them; by default find_package(NAME) is switched off.
function(tunekit_without name headers library words)
    if(NOT ARGN)
        set(ARGN -DCMAKE_DISABLE_FIND_PACKAGE_${name}=ON)
    endif()
    add_test(NAME without/${name} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/without/without.sh ${PROJECT_SOURCE_DIR}
        ${CMAKE_CURRENT_BINARY_DIR}/without/${name} ${CMAKE_CXX_COMPILER} ${headers} ${library} ${words} ${ARGN})
    set_tests_properties(without/${name} PROPERTIES LABELS slow TIMEOUT 900)
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
set_tests_properties(without/MPI_anywhere PROPERTIES ENVIRONMENT "PKG_CONFIG_LIBDIR=${CMAKE_CURRENT_SOURCE_DIR}/without;PKG_CONFIG_PATH=")
# All of them at once: a compiler alone still builds programs, which run.
set(all Boost CLI11 Eigen3 MPI OpenBLAS OpenMP Threads ZLIB benchmark doctest nlohmann_json rapidcheck)
list(TRANSFORM all REPLACE "(.+)" "-DCMAKE_DISABLE_FIND_PACKAGE_\\1=ON")
tunekit_without(all "^(CL|CLI|Eigen|benchmark|boost|doctest|nlohmann)/|^(cblas|mpi|omp[.]h|rapidcheck|zlib)|dnnl"
    "eigen3|lib(benchmark|dnnl|mpi|openblas|rapidcheck|z[.])|fopenmp" doctest ${all} -DTUNEKIT_DNNL=OFF -DTUNEKIT_OPENCL_HEADERS=OFF)
add_test(NAME without/all_builds COMMAND ${CMAKE_COMMAND} --build ${CMAKE_CURRENT_BINARY_DIR}/without/all/build --parallel ${cores}
    --target bandit own_space stencil)
add_test(NAME without/all_runs COMMAND ${CMAKE_CURRENT_BINARY_DIR}/without/all/build/examples/own_space)
set_tests_properties(without/all PROPERTIES FIXTURES_SETUP without_all)
set_tests_properties(without/all_builds PROPERTIES FIXTURES_REQUIRED without_all FIXTURES_SETUP without_all_built)
set_tests_properties(without/all_runs PROPERTIES FIXTURES_REQUIRED without_all_built)
set_tests_properties(without/all_builds without/all_runs PROPERTIES LABELS slow TIMEOUT 600)
