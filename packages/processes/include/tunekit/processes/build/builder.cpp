// SPDX-License-Identifier: MIT
#include "tunekit/processes/build/builder.hpp"

#include <utility>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/build/child_process.hpp"
#include "tunekit/processes/build/compiler.hpp"
#include "tunekit/processes/build/source_template.hpp"
#include "tunekit/processes/system/own_files.hpp"

namespace tunekit::measure {

namespace detail {

bool host_toolchain::alike(const source& a, const source& b) { return a.compiler == b.compiler && a.flags == b.flags; }

child_process host_toolchain::start(const std::vector<build_job>& unit, const std::string& stem,
                                    const std::string& scratch) const
{
    const source& first = unit.front().what;
    if (whole_) {
        write_file(stem + ".cpp", first.text);
        return child_process(command_of(first, stem), scratch, cores_);
    }
    std::string text;
    for (std::size_t i = 0; i < unit.size(); ++i) {
        const build_job& j = unit[i];
        const std::string symbol = build_cache::symbol(j.key);
        text += "#define " + j.entry + ' ' + symbol + "\nnamespace in_" + symbol + " {\n#line 1 \"generated\"\n" +
                j.what.text + "\n}\n#undef " + j.entry + '\n';
    }
    write_file(stem + ".cpp", text);
    std::vector<std::string> command{cache_.compiler_of(first).path};
    for (std::string& flag : cache_.flags_of(first)) command.push_back(std::move(flag));
    for (const char* const fixed : {"-w", "-shared", "-fPIC", "-nostdlib", "-Wl,-z,defs", "-o"})
        command.emplace_back(fixed);
    command.push_back(stem + ".so");
    command.push_back(stem + ".cpp");
    for (const char* const library : {"-lm", "-lc", "-lgcc"}) command.emplace_back(library);
    return child_process(command, scratch, cores_);
}

/// The command that compiles a source as it is. Libraries stand behind the file, as linkers want it.
std::vector<std::string> host_toolchain::command_of(const source& what, const std::string& stem) const
{
    std::vector<std::string> command{cache_.compiler_of(what).path};
    const std::vector<std::string> flags = cache_.flags_of(what);
    command.insert(command.end(), flags.begin(), flags.end());
    const bool nvcc = command.front().substr(command.front().rfind('/') + 1) == "nvcc";
    for (const char* const fixed : {"-w", "-shared"}) command.emplace_back(fixed);
    if (nvcc) command.insert(command.end(), {"-Xcompiler", "-fPIC", "-x", "cu"});
    else command.emplace_back("-fPIC");
    command.insert(command.end(), {"-o", stem + ".so", stem + ".cpp"});
    for (const std::string& flag : flags)
        if (flag.starts_with("-l")) command.push_back(flag);
    return command;
}

bool host_toolchain::blames_machine(const child_process& process)
{
    const std::string text = process.text();
    return text.find("generated:") == std::string::npos && text.find("undefined reference") == std::string::npos;
}

source host_toolchain::harmless(const source& like)
{
    return {.text = "extern \"C\" void kernel() {}", .compiler = like.compiler};
}

failure host_toolchain::refused(const child_process& process)
{
    const std::string text = process.text();
    const std::size_t at = (std::min)(text.find("error:"), text.find("undefined reference"));
    return refusal(process, at == std::string::npos ? 0 : text.rfind('\n', at) + 1);  // npos + 1 is 0
}

std::vector<compiler> host_toolchain::find_all(const std::vector<std::string>& names)
{
    std::vector<compiler> out;
    for (const std::string& name : names) out.push_back(find_compiler(name));
    return out;
}

}  // namespace detail

builder::builder() : builder(options{}) {}

builder::builder(const options& how) : build_pool(how.directory, how.processes, how) {}

}  // namespace tunekit::measure
