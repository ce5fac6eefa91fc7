// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tunekit/scoring/json.hpp"
#include "tunekit/scoring/page.hpp"
#include "tunekit/scoring/score.hpp"
#include "tunekit/scoring/text.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;

namespace {

tk::scoring::scoreboard board()
{
    const tk::space::product space{tk::space::integers<"x">(0, 19), tk::space::integers<"y">(0, 19)};
    const std::vector<tk::scoring::recording> spaces{tk::scoring::computed("sl<o>pe", space, [&](tk::index i) {
        const auto p = space.at(i);
        return 1e-3 * (1 + 0.1 * (tk::get<"x">(p) + tk::get<"y">(p)));
    })};
    return tk::scoring::score({{"climb & co", tk::search::hill_climb{}}, {"random", tk::search::random{}}}, spaces,
                              {.repeats = 6, .judged = 100, .evaluations = 100});
}

std::size_t count_in(const std::string& text, const std::string& what)
{
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
}

}  // namespace

TEST_CASE("as text: a line for every standing, difference and outcome")
{
    auto all = board();
    all.incomplete.push_back("half");
    const std::string text = tk::scoring::to_text(all);
    CHECK(count_in(text, "\n") == 1 + 2 + 1 + 1 + 2 + 2);
    CHECK(text.find("random - climb & co: S100 -") != std::string::npos);
    CHECK(text.find("half: not on every space") != std::string::npos);
}

TEST_CASE("as JSON: what is infinite is null, and all numbers are there")
{
    auto all = board();
    all.outcomes[0].evaluations_to_1 = all.standings[0].regret = std::numeric_limits<double>::infinity();
    all.outcomes[1].failed_share.reset();
    const auto j = nlohmann::json::parse(tk::scoring::to_json(all));
    CHECK(j.at("judged") == 100);
    CHECK(j.at("spaces")[0].at("name") == "sl<o>pe");
    CHECK(j.at("standings").size() == 2);
    CHECK(j.at("standings")[0].at("regret").is_null());
    CHECK(j.at("standings")[1].at("s").at("mean").get<double>() == all.standings[1].s.mean);
    CHECK(j.at("differences")[0].at("s").at("low").get<double>() == all.differences[0].s.within.low);
    CHECK(j.at("outcomes")[0].at("evaluations_to_1").is_null());
    CHECK(j.at("outcomes")[1].at("failed_share").is_null());
    CHECK(j.at("outcomes")[0].at("repeats") == 6);
}

TEST_CASE("as a page: names are escaped, pictures have words, the verdict names the best")
{
    auto all = board();
    const std::string page = tk::scoring::to_page(all, "<b>title</b>");
    CHECK(page.find("<b>title") == std::string::npos);
    CHECK(page.find("sl<o>pe") == std::string::npos);
    CHECK(page.find("climb &amp; co scores highest: S100 ") != std::string::npos);
    CHECK(page.find("random is worse than climb &amp; co by S100: ") != std::string::npos);
    CHECK(page.find("climb &amp; co by S100: -") == std::string::npos);  // not worse by -0.3
    CHECK(page.find("S100 is the share of the way from random search (0) to the optimum (1)") != std::string::npos);
    CHECK(count_in(page, "<svg") == 2);
    CHECK(count_in(page, "role=\"img\" aria-label=\"Share of the way") == 2);
    CHECK(page.find("src=") == std::string::npos);
    CHECK(count_in(page, "<script") == 1);

    all.standings.clear();
    all.differences.clear();
    CHECK(tk::scoring::to_page(all).find("No strategy ran on every space") != std::string::npos);
}
