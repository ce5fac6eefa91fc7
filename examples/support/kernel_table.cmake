# tunekit_kernel_table: the one object that is compiled for the machine it is built on. No compiler launcher touches it: what
# -march=native means differs between machines, and a cache may be shared by several.
include_guard(GLOBAL)
add_library(tunekit_kernel_table STATIC ${CMAKE_CURRENT_LIST_DIR}/kernel_table.cpp)
target_include_directories(tunekit_kernel_table PUBLIC ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(tunekit_kernel_table PUBLIC tunekit)
target_compile_options(tunekit_kernel_table PRIVATE -Wall -Wextra -O3 -march=native -ffp-contract=fast
    $<$<CXX_COMPILER_ID:GNU>:-mprefer-vector-width=512>)
set_target_properties(tunekit_kernel_table PROPERTIES CXX_COMPILER_LAUNCHER "")
