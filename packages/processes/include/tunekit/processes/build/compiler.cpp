// SPDX-License-Identifier: MIT
#include "tunekit/processes/build/compiler.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/system/files.hpp"

namespace tunekit::measure {

namespace detail {

namespace {

/// The kind of processor, which -march=native depends on; empty where the system does not say.
std::string processor()
{
    const descriptor file(::open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC));
    std::string text(8192, '\0');  // the first processor's part
    const ssize_t got = file ? ::read(file.get(), text.data(), text.size()) : 0;
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    std::string out;
    for (const std::string_view what : {"model name", "flags", "Features", "CPU part"}) {
        const std::size_t at = text.find(what);
        if (at != std::string::npos) out += text.substr(at, text.find('\n', at) - at);
    }
    return out;
}

}  // namespace

std::string find_program(const std::string& name)
{
    const auto runs = [](const std::string& path) {
        struct stat s{};
        return ::stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode) && ::access(path.c_str(), X_OK) == 0;
    };
    if (name.find('/') != std::string::npos) return runs(name) ? name : std::string();
    const char* const path = std::getenv("PATH");
    std::string_view left = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
    while (!left.empty()) {
        const std::size_t end = left.find(':');
        const std::string_view directory = left.substr(0, end);
        std::string candidate = std::string(directory.empty() ? "." : directory) + '/' + name;
        if (runs(candidate)) return candidate;
        left = end == std::string_view::npos ? std::string_view() : left.substr(end + 1);
    }
    return {};
}

compiler find_compiler(const std::string& name)
{
    compiler out{name, find_program(name), {}};
    if (out.path.empty())
        throw error("find_compiler: no program '" + name +
                    "' to compile generated code; install a C++ compiler (Debian: g++) or name one that is there");
    struct stat s{};
    if (::stat(out.path.c_str(), &s) != 0) throw error("find_compiler: '" + out.path + "' cannot be looked at");
    std::string what;
    add_part(what, out.path);
    add_part(what, std::to_string(s.st_size));
    add_part(what, system::detail::time_of_change(s));
    add_part(what, processor());
    out.identity = digest(what);
    return out;
}

}  // namespace detail

}  // namespace tunekit::measure
