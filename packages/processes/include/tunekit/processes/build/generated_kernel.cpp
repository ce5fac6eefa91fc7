// SPDX-License-Identifier: MIT
#include "tunekit/processes/build/generated_kernel.hpp"

#include <dlfcn.h>

#include "tunekit/core/error.hpp"

namespace tunekit::measure {

namespace {

std::string reason_of_loader()
{
    const char* const why = ::dlerror();
    return why != nullptr ? why : "no reason given";
}

}  // namespace

loaded_code::loaded_code(const std::string& path) : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
{
    if (handle_ == nullptr) throw error("loaded_code: " + reason_of_loader());
}

loaded_code::loaded_code(loaded_code&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

loaded_code::~loaded_code()
{
    if (handle_ != nullptr) ::dlclose(handle_);
}

void* loaded_code::entry_of(const std::string& name) const
{
    void* const found = ::dlsym(handle_, name.c_str());
    if (found == nullptr) throw error("loaded_code: the source does not define its entry point: " + reason_of_loader());
    return found;
}

}  // namespace tunekit::measure
