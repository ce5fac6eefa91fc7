# SPDX-License-Identifier: MIT
# tunekit_kernel_table: the bundled micro-kernels, compiled for the machine that builds them. Whatever includes
# <kernel_table.hpp> is linked to it.
add_library(tunekit_kernel_table STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/kernel_table.cpp)
target_include_directories(tunekit_kernel_table PUBLIC ${CMAKE_CURRENT_LIST_DIR} ${PROJECT_SOURCE_DIR}/examples)
target_link_libraries(tunekit_kernel_table PUBLIC tunekit PRIVATE tunekit_checks)
tunekit_kernels(tunekit_kernel_table)
