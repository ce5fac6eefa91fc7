// SPDX-License-Identifier: MIT
#include "tunekit/processes/program/program_options.hpp"

#include "tunekit/core/error.hpp"
#include "tunekit/measure/measurement.hpp"

namespace tunekit::measure {

void program_options::validate() const
{
    require(!command.empty() && !command.front().empty(),
            "program: command is empty, want a program and its arguments");
    require(cpu_seconds > 0, "program: cpu_seconds is not positive, want > 0");
    require(aside_seconds > 0, "program: aside_seconds is not positive, want > 0");
    require(output_bytes >= 1, "program: output_bytes is 0, want >= 1");
    require(workers >= 1, "program: workers is 0, want >= 1");
    for (const auto& [name, value] : environment)
        require(!name.empty() && name.find('=') == std::string::npos,
                "program: environment has a name that is empty or has '=' in it, want a variable's name");
    require(numbers.size() <= measured_values::most, "program: numbers are more than 8, want at most 8");
    repetition.validate();
}

}  // namespace tunekit::measure
