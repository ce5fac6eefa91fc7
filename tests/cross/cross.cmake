# SPDX-License-Identifier: MIT
# Other processors than the one that builds: compiled by a cross compiler, run in an emulator.
add_test(NAME study/aarch64 COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cross/aarch64.sh ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/cross)
set_tests_properties(study/aarch64 PROPERTIES LABELS study TIMEOUT 3600 SKIP_RETURN_CODE 77)
