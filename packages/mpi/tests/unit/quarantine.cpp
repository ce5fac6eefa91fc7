// SPDX-License-Identifier: MIT
#include "tunekit/mpi/detail/quarantine.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

using tunekit::mpi::detail::quarantine;

TEST_CASE("a failure counts once a trusted worker agrees, or enough of them")
{
    quarantine q(5);
    CHECK_FALSE(q.counts(std::vector<std::size_t>{0, 1, 2}));
    CHECK(q.counts(std::vector<std::size_t>{0, 1, 2, 3}));
    q.measured(1);
    CHECK(q.counts(std::vector<std::size_t>{0, 1}));
    CHECK_FALSE(q.counts(std::vector<std::size_t>{0}));
    CHECK_FALSE(q.counts(std::vector<std::size_t>{1}));  // it may have fallen sick
    q.failed_alone(1);                                   // it is trusted again when it has measured something
    CHECK_FALSE(q.counts(std::vector<std::size_t>{0, 1}));
    CHECK(q.alone(1) == 1);
}

TEST_CASE("k of k fail alone where one other measured all of them: sick from the fifth on, as the bound says")
{
    quarantine q(3);
    for (int k = 1; k <= 5; ++k) {  // p^k with p = 1 / (k + 2): 1/6^4 is above 1e-4, 1/7^5 below
        q.failed_alone(0);
        if (k == 1) CHECK_FALSE(q.sick(0));  // nobody is trusted yet to compare with
        q.measured(1);
        CHECK(q.sick(0) == (k == 5));
    }
    CHECK_FALSE(q.sick(1));
    CHECK_FALSE(q.sick(2));
}

TEST_CASE("workers on which one run in ten fails by chance are no sick ones; one on which three in four do is")
{
    tunekit::random::philox gen(1);
    quarantine q(8);
    std::size_t alarms = 0, noticed = 0;
    for (int k = 0; k < 8000; ++k) {
        const auto w = static_cast<std::size_t>(k % 8);
        const bool fails = tunekit::random::uniform_01(gen) < (w == 7 ? 0.75 : 0.1);
        if (fails) q.failed_alone(w);
        else q.measured(w);
        if (w == 7) noticed += q.sick(w) ? 1U : 0U;
        else alarms += q.sick(w) ? 1U : 0U;
    }
    CHECK(alarms == 0);
    CHECK(noticed >= 950);
}
