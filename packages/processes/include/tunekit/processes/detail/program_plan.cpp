// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/program_plan.hpp"

#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/run_failure.hpp"

namespace tunekit::measure::detail {

program_plan::program_plan(std::span<const std::string> names, program_options options)
    : options_(std::move(options)), texts_(names, options_)
{
}

program_options::filled program_plan::filled(std::vector<std::string> values, std::string scratch,
                                             std::string build) const
{
    values.push_back(std::move(scratch));
    values.push_back(std::move(build));
    command_line run = texts_.command(values);
    return {.arguments = std::move(run.arguments),
            .environment = std::move(run.environment),
            .directory = std::move(run.directory),
            .build = texts_.build(values).arguments};
}

measurement program_plan::measure(command_runner& run, std::vector<std::string> values, const limits& within,
                                  const std::string& scratch, double repeat_until, taken_up& what) const
{
    measurement out;
    double built = 0;
    const wall_clock now;
    double begun = now();
    try {
        const std::string key = builds_.place(texts_, values, scratch);
        if (texts_.builds() || texts_.builds_apart()) builds_.build(run, texts_, values, key, within);
        if (texts_.builds()) out.build_seconds = now() - begun;
        begun = now();
        texts_.write_files(values, false);
        built = out.build_seconds;
        program_runs(run, options_, texts_, values, within, begun, repeat_until).measure(out, what);
    } catch (const candidate_error& e) {
        out.failed = e.why;
        out.checked = check_state::unchecked;
        const bool late = e.why.kind == failure_kind::run_timeout || e.why.kind == failure_kind::build_timeout;
        if (!late) empty_folder(scratch, &e.why);
    }
    if (out.failed &&
        (out.failed->kind == failure_kind::build_error || out.failed->kind == failure_kind::build_timeout))
        out.build_seconds = now() - begun;
    else out.run_seconds = now() - begun - (out.build_seconds - built);
    return out;
}

measurement program_plan::build_ahead(command_runner& run, std::vector<std::string> values, const limits& within,
                                      const std::string& scratch) const
{
    measurement out;
    const wall_clock now;
    const double begun = now();
    try {
        const std::string key = builds_.place(texts_, values, scratch);
        builds_.build(run, texts_, values, key, within);
    } catch (const candidate_error& e) {
        out.failed = e.why;
    }
    out.build_seconds = now() - begun;
    return out;
}

}  // namespace tunekit::measure::detail
