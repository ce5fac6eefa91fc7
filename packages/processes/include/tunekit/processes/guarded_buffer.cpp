// SPDX-License-Identifier: MIT
#include "tunekit/processes/guarded_buffer.hpp"

#include <cstring>

#include "tunekit/processes/detail/system/memory.hpp"

namespace tunekit::measure {

std::size_t canary::first_damaged() const noexcept
{
    const volatile unsigned char* const seen = bytes;  // another process writes here
    std::size_t i = 0;
    while (i < size && seen[i] == pattern) ++i;
    return i;
}

void canary::restore() const noexcept { std::memset(bytes, pattern, size); }

namespace detail {

guarded_pages::guarded_pages(std::size_t bytes) : bytes_(bytes)
{
    const std::size_t page = system::detail::page_bytes();
    inner_ = (bytes + page - 1) / page * page;
    void* const at = system::detail::map_pages(inner_ + 2 * page);
    if (at == nullptr) throw error("guarded_buffer: the system gives no memory of this size");
    first_ = static_cast<unsigned char*>(at) + page;
    if (!system::detail::protect_pages(first_, inner_, system::detail::access::write)) {
        system::detail::unmap_pages(at, inner_ + 2 * page);
        throw error("guarded_buffer: the system gives no access to its own pages");
    }
    std::memset(first_, 0, inner_);
    canary().restore();
}

guarded_pages::~guarded_pages()
{
    const std::size_t page = system::detail::page_bytes();
    if (first_ != nullptr) system::detail::unmap_pages(first_ - page, inner_ + 2 * page);
}

void guarded_pages::protect() const
{
    if (!system::detail::protect_pages(first_, inner_, system::detail::access::read))
        throw error("guarded_buffer: the system refuses to protect its pages");
}

}  // namespace detail

}  // namespace tunekit::measure
