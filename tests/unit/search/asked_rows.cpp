// SPDX-License-Identifier: MIT
// Predictions that are asked for again are those of the model, and are not made twice.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/detail/asked_rows.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace tk = tunekit;

namespace {

using floats = tk::core::plain_vector<float>;
using predictions = tk::core::plain_vector<tk::stats::prediction>;

/// Configuration i has the features i % 7 and i / 7 % 5.
floats features_of(const std::vector<tk::index>& which)
{
    floats out;
    for (const tk::index i : which) {
        out.push_back(static_cast<float>(i % 7));
        out.push_back(static_cast<float>(i / 7 % 5));
    }
    return out;
}

template <class Model>
predictions plain(const Model& model, const tk::surrogate::state_of<Model>& fitted, const std::vector<tk::index>& which)
{
    const floats rows = features_of(which);
    predictions out(which.size());
    model.predict(fitted, tk::surrogate::features(rows, 2), std::span<tk::stats::prediction>(out));
    return out;
}

/// A model that is fitted to ever more rows, and what it predicts of some candidates each time.
template <class Model>
void ask_again(const Model& model, bool keeps)
{
    tk::random::philox gen(3);
    auto fitted = model.start(2);
    tk::search::detail::asked_rows<Model> asked;
    std::vector<tk::index> measured, before;
    std::vector<double> y;
    std::size_t made = 0;  // rows whose features were asked for
    const auto rows_of = [&](const std::vector<tk::index>& some) {
        made += some.size();
        return features_of(some);
    };
    for (std::size_t round = 0; round < 20; ++round) {
        for (std::size_t k = 0; k < 1 + round % 3; ++k) {
            measured.push_back(tk::random::uniform_index(35, gen));
            y.push_back(std::sin(static_cast<double>(measured.back())) + 0.1 * static_cast<double>(round));
        }
        const floats rows = features_of(measured);
        model.fit(fitted, tk::surrogate::features(rows, 2), y, gen);
        asked.refresh(model, fitted);
        CHECK((asked.size() > 0) == (keeps && round > 0));
        std::vector<tk::index> which;  // 3 new ones, and some of those before
        for (std::size_t k = 0; k < 3; ++k) which.push_back(100 * (round + 1) + k);
        for (std::size_t k = 0; k < before.size(); k += 2) which.push_back(before[k]);
        made = 0;
        CHECK(asked.predict(model, fitted, which, rows_of) == plain(model, fitted, which));
        CHECK(made == (keeps ? 3 : which.size()));
        made = 0;
        CHECK(asked.predict(model, fitted, which, rows_of) == plain(model, fitted, which));
        CHECK(made == 0);  // once per fit
        if (round % 4 == 3) {
            asked.only(which);
            CHECK(asked.size() == which.size());
            CHECK(asked.predict(model, fitted, which, rows_of) == plain(model, fitted, which));
            CHECK(made == 0);
        }
        before = which;
    }
}

}  // namespace

TEST_CASE("what is asked again is predicted as at first, and its features are not made again while a model keeps them")
{
    ask_again(tk::surrogate::gaussian_process{.evaluations = 4}, true);
    ask_again(tk::surrogate::random_forest{.trees = 5}, false);
}
