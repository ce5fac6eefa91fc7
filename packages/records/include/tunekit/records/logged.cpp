// SPDX-License-Identifier: MIT
#include "tunekit/records/logged.hpp"

namespace tunekit::io {

tuning detail::logged_over(const std::string& path, const space::any_space& space,
                           tunekit::detail::any_measurer& carrier, const recipe<search::any_strategy>& how,
                           const budget& limit, const logged_options& log, const std::vector<index>& first,
                           const tunekit::detail::watched& options)
{
    tuner t(space, how, limit, random::philox(log.seed));
    t.begin_with(first);
    logged run(path, std::move(t), log);
    tunekit::detail::drive(run, carrier, options);
    if (!run.look()) throw error(run.problem());
    return run.record();
}

}  // namespace tunekit::io
