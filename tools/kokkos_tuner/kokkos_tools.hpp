// SPDX-License-Identifier: MIT
#pragma once

// The Kokkos Tools C interface, version 20240906 and those before it that tune: layouts alone, declared by ourselves, so that nothing of Kokkos is needed to build a tool.

#include <cstddef>
#include <cstdint>

extern "C" {

enum kt_value_type { kt_double, kt_int64, kt_string };
enum kt_category { kt_categorical, kt_ordinal, kt_interval, kt_ratio };
enum kt_quantity { kt_set, kt_range, kt_unbounded };

union kt_value {
    std::int64_t int_value;
    double double_value;
    char string_value[64];
};

struct kt_set_of_values {
    std::size_t size;
    union {
        std::int64_t* int_value;
        double* double_value;
        char (*string_value)[64];
    } values;
};

struct kt_range_of_values {
    kt_value lower, upper, step;
    bool open_lower, open_upper;
};

struct kt_variable {
    kt_value_type type;
    kt_category category;
    kt_quantity quantity;
    union {
        kt_set_of_values set;
        kt_range_of_values range;
    } candidates;
    void* ours;  // the tool's, handed back with every value
};

struct kt_variable_value {
    std::size_t id;
    kt_value value;
    kt_variable* declared;
};

enum kt_direction { kt_minimize, kt_maximize };

struct kt_goal {
    std::size_t id;  // of the input whose value at the end of a context is to be small or large
    kt_direction direction;
};

struct kt_actions {
    void (*fence)(std::uint32_t device);
    void (*padding[31])();
};

struct kt_settings {
    bool requires_global_fencing;
    bool padding[255];
};

struct kt_space {
    char name[64];
};

void kokkosp_init_library(int sequence, std::uint64_t interface_version, std::uint32_t devices, void* infos);
void kokkosp_finalize_library();
void kokkosp_parse_args(int argc, char** argv);
void kokkosp_print_help(char* program);
void kokkosp_request_tool_settings(std::uint32_t, kt_settings* settings);
void kokkosp_provide_tool_programming_interface(std::uint32_t, kt_actions actions);
void kokkosp_declare_output_type(const char* name, std::size_t id, kt_variable* info);
void kokkosp_declare_input_type(const char* name, std::size_t id, kt_variable* info);
void kokkosp_begin_context(std::size_t context);
void kokkosp_request_values(std::size_t context, std::size_t inputs, const kt_variable_value* in, std::size_t outputs,
                            kt_variable_value* out);
void kokkosp_declare_optimization_goal(std::size_t context, kt_goal goal);
void kokkosp_end_context(std::size_t context, kt_variable_value reached);
void kokkosp_begin_parallel_for(const char* name, std::uint32_t device, std::uint64_t* kernel);
void kokkosp_begin_parallel_reduce(const char* name, std::uint32_t device, std::uint64_t* kernel);
void kokkosp_begin_parallel_scan(const char* name, std::uint32_t device, std::uint64_t* kernel);
void kokkosp_end_parallel_for(std::uint64_t kernel);
void kokkosp_end_parallel_reduce(std::uint64_t kernel);
void kokkosp_end_parallel_scan(std::uint64_t kernel);

void kokkosp_push_profile_region(const char* name);
void kokkosp_pop_profile_region();
void kokkosp_allocate_data(kt_space in, const char* name, const void* at, std::uint64_t bytes);
void kokkosp_deallocate_data(kt_space in, const char* name, const void* at, std::uint64_t bytes);
void kokkosp_begin_deep_copy(kt_space to, const char* to_name, const void* to_at, kt_space from, const char* from_name,
                             const void* from_at, std::uint64_t bytes);
void kokkosp_end_deep_copy();
void kokkosp_begin_fence(const char* name, std::uint32_t device, std::uint64_t* fence);
void kokkosp_end_fence(std::uint64_t fence);
void kokkosp_dual_view_sync(const char* name, const void* at, bool is_device);
void kokkosp_dual_view_modify(const char* name, const void* at, bool is_device);
void kokkosp_declare_metadata(const char* key, const char* value);
void kokkosp_create_profile_section(const char* name, std::uint32_t* section);
void kokkosp_start_profile_section(std::uint32_t section);
void kokkosp_stop_profile_section(std::uint32_t section);
void kokkosp_destroy_profile_section(std::uint32_t section);
void kokkosp_profile_event(const char* name);

}  // extern "C"
