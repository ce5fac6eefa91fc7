// SPDX-License-Identifier: MIT

// What Kokkos tells a tool and ours does not listen to: handed on to the tool behind it.

#include "tools/kokkos_tuner/kokkos_tools.hpp"
#include "tools/kokkos_tuner/next_tool.hpp"

extern "C" {

void kokkosp_push_profile_region(const char* name) { TUNEKIT_HAND_ON(kokkosp_push_profile_region, name); }
void kokkosp_pop_profile_region() { TUNEKIT_HAND_ON(kokkosp_pop_profile_region); }
void kokkosp_allocate_data(kt_space in, const char* name, const void* at, std::uint64_t bytes)
{
    TUNEKIT_HAND_ON(kokkosp_allocate_data, in, name, at, bytes);
}
void kokkosp_deallocate_data(kt_space in, const char* name, const void* at, std::uint64_t bytes)
{
    TUNEKIT_HAND_ON(kokkosp_deallocate_data, in, name, at, bytes);
}
void kokkosp_begin_deep_copy(kt_space to, const char* to_name, const void* to_at, kt_space from, const char* from_name,
                             const void* from_at, std::uint64_t bytes)
{
    TUNEKIT_HAND_ON(kokkosp_begin_deep_copy, to, to_name, to_at, from, from_name, from_at, bytes);
}
void kokkosp_end_deep_copy() { TUNEKIT_HAND_ON(kokkosp_end_deep_copy); }
void kokkosp_begin_fence(const char* name, std::uint32_t device, std::uint64_t* fence)
{
    TUNEKIT_HAND_ON(kokkosp_begin_fence, name, device, fence);
}
void kokkosp_end_fence(std::uint64_t fence) { TUNEKIT_HAND_ON(kokkosp_end_fence, fence); }
void kokkosp_dual_view_sync(const char* name, const void* at, bool is_device)
{
    TUNEKIT_HAND_ON(kokkosp_dual_view_sync, name, at, is_device);
}
void kokkosp_dual_view_modify(const char* name, const void* at, bool is_device)
{
    TUNEKIT_HAND_ON(kokkosp_dual_view_modify, name, at, is_device);
}
void kokkosp_declare_metadata(const char* key, const char* value)
{
    TUNEKIT_HAND_ON(kokkosp_declare_metadata, key, value);
}
void kokkosp_create_profile_section(const char* name, std::uint32_t* section)
{
    TUNEKIT_HAND_ON(kokkosp_create_profile_section, name, section);
}
void kokkosp_start_profile_section(std::uint32_t section) { TUNEKIT_HAND_ON(kokkosp_start_profile_section, section); }
void kokkosp_stop_profile_section(std::uint32_t section) { TUNEKIT_HAND_ON(kokkosp_stop_profile_section, section); }
void kokkosp_destroy_profile_section(std::uint32_t section)
{
    TUNEKIT_HAND_ON(kokkosp_destroy_profile_section, section);
}
void kokkosp_profile_event(const char* name) { TUNEKIT_HAND_ON(kokkosp_profile_event, name); }

}  // extern "C"
