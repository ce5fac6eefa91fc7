// SPDX-License-Identifier: MIT
#pragma once

// Another tool behind this one: KOKKOS_TOOLS_LIBS="libtunekit_kokkos.so;libkp_kernel_timer.so". Kokkos loads the first library of
// the list alone, so we load the next one and hand on every call but those about tuning.

#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace kokkos_tuner {

/// The library behind this one; else null.
inline void* next_library()
{
    static void* const library = []() -> void* {
        const char* const all = std::getenv("KOKKOS_TOOLS_LIBS");
        const std::string_view list = all == nullptr ? "" : all;
        const std::size_t from = list.find(';');
        if (from == std::string_view::npos || from + 1 == list.size()) return nullptr;
        const std::string next(list.substr(from + 1, list.find(';', from + 1) - from - 1));
        void* const there = dlopen(next.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (there == nullptr) std::fprintf(stderr, "tunekit: the tool behind this one is not there: %s\n", dlerror());
        return there;
    }();
    return library;
}

}  // namespace kokkos_tuner

// Hands the call of this very function on; the name is looked up once.
#define TUNEKIT_HAND_ON(name, ...)                                                                                 \
    static auto* const next = kokkos_tuner::next_library() == nullptr                                              \
                                  ? nullptr                                                                        \
                                  : reinterpret_cast<decltype(&name)>(dlsym(kokkos_tuner::next_library(), #name)); \
    if (next != nullptr) next(__VA_ARGS__)
