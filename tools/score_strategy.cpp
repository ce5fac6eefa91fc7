// SPDX-License-Identifier: MIT

// Says how good search strategies are on recorded spaces: ours, yours, and the trajectories of other tuners.
//
//     score_strategy --spaces packages/scoring/recordings --strategy combined,hill-climb --html scores.html
//     score_strategy --spaces packages/scoring/recordings --strategy combined --trajectories kernel_tuner/genetic,my_tuner

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tools/support/names.hpp"
#include "tools/support/program.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/scoring/json.hpp"
#include "tunekit/scoring/page.hpp"
#include "tunekit/scoring/read_recordings.hpp"
#include "tunekit/scoring/score.hpp"
#include "tunekit/scoring/text.hpp"
#include "tunekit/scoring/trajectory_file.hpp"

namespace tk = tunekit;

namespace {

struct settings {
    std::vector<std::string> spaces, strategies, trajectories;
    std::string only, out, html, json;
    tk::scoring::score_options how;
    bool list = false;
};

/// The trajectories of a tuner on a space: FOLDER/SPACE.csv, or the same packed; none where there is no such file.
std::vector<tk::scoring::trajectory> trajectories_of(const std::string& folder, const std::string& space)
{
    for (const char* ending : {".csv.gz", ".csv"})
        if (const std::string path = folder + '/' + space + ending; ::access(path.c_str(), F_OK) == 0)
            return tk::scoring::read_trajectories(path);
    return {};
}

/// One line on the terminal that is rewritten; else nothing.
void say(const std::string& text)
{
    if (::isatty(2) != 0) std::fprintf(stderr, "\r\033[K%s", text.c_str());
}

void run(const settings& s)
{
    const auto known = programs::strategies();
    if (s.list) {
        for (const auto& [name, strategy] : known) std::printf("%s\n", name.c_str());
        return;
    }
    if (s.strategies.empty() && s.trajectories.empty())
        tk::invalid("there is nothing to score, want --strategy NAME,... or --trajectories FOLDER,...");
    std::vector<tk::scoring::entrant> entrants;
    for (const auto& name : s.strategies) {
        if (name == "all")
            for (const auto& [each, strategy] : known) entrants.push_back({each, strategy});
        else entrants.push_back({name, programs::find(known, "strategy", name)});
    }
    programs::check_file("--html", s.html);
    programs::check_file("--json", s.json);
    std::vector<tk::scoring::recording> spaces;
    auto folders = s.spaces;
    if (folders.empty()) folders.push_back(tk::scoring::recordings_folder(TUNEKIT_RECORDINGS));
    for (const auto& path : folders) {
        for (auto& on : tk::scoring::read_recordings(path, s.only)) {
            for (const auto& p : on.problems) std::fprintf(stderr, "score_strategy: %s\n", p.text().c_str());
            spaces.push_back(std::move(on));
        }
    }
    if (!s.out.empty()) programs::make_folder("--out", s.out);
    const auto by = tk::scoring::yardsticks_of(spaces, s.how.judged);
    std::vector<tk::scoring::outcome> outcomes;
    for (const auto& e : entrants)
        for (std::size_t i = 0; i < spaces.size(); ++i) {
            say(e.name + " on " + spaces[i].name);
            const auto runs = tk::scoring::play_all(e.strategy, spaces[i], by[i], s.how);
            if (!s.out.empty()) {
                programs::make_folder("--out", s.out + '/' + e.name);
                tk::scoring::write_trajectories(s.out + '/' + e.name + '/' + spaces[i].name + ".csv", runs);
            }
            outcomes.push_back(tk::scoring::outcome_of(e.name, spaces[i], by[i], runs, s.how.judged));
        }
    for (std::string folder : s.trajectories) {
        while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
        const std::string name = folder.substr(folder.rfind('/') + 1);
        std::size_t found = 0;
        for (std::size_t i = 0; i < spaces.size(); ++i) {
            say(name + " on " + spaces[i].name);
            const auto runs = trajectories_of(folder, spaces[i].name);
            if (runs.empty()) continue;
            ++found;
            outcomes.push_back(tk::scoring::outcome_of(name, spaces[i], by[i], runs, s.how.judged));
        }
        if (found == 0)
            tk::invalid("--trajectories \"" + folder +
                        "\" has none of the spaces, want SPACE.csv or SPACE.csv.gz in it");
    }
    say("");
    const auto all = tk::scoring::scoreboard_of(spaces, by, std::move(outcomes), s.how.judged);
    if (s.json == "-") std::fputs(tk::scoring::to_json(all).c_str(), stdout);
    else std::fputs(tk::scoring::to_text(all).c_str(), stdout);
    programs::check_output();
    if (!s.html.empty()) tk::io::write_text(s.html, tk::scoring::to_page(all));
    if (!s.json.empty() && s.json != "-") tk::io::write_text(s.json, tk::scoring::to_json(all));
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    CLI::App app("Scores search strategies, and anybody's trajectories, on recorded spaces.", "score_strategy");
    app.add_option("--spaces", s.spaces,
                   "folders of recorded spaces, or single ones [packages/scoring/recordings of tunekit's sources]")
        ->delimiter(',')
        ->type_name("FOLDER[,FOLDER]");
    app.add_option("--only", s.only, "spaces of the folders whose name contains this");
    app.add_option("--strategy", s.strategies,
                   "names, or all; --list prints them. The first is what the others are compared with")
        ->delimiter(',')
        ->type_name("NAME[,NAME]");
    app.add_option("--trajectories", s.trajectories,
                   "folders of a tuner's trajectories, SPACE.csv or SPACE.csv.gz; the folder names it")
        ->delimiter(',')
        ->type_name("FOLDER[,FOLDER]");
    const auto number = [&app](const char* name, auto& to, const char* text) {
        app.add_option(name, to, text)->capture_default_str()->check(programs::whole_number());
    };
    number("--repeats", s.how.repeats, "runs with different seeds");
    number("--seed", s.how.seed, "of the repeats' streams");
    number("--batch", s.how.batch, "configurations asked for at a time");
    number("--judged", s.how.judged, "evaluations that S and the regret look at");
    number("--evaluations", s.how.evaluations, "a run ends after this many, and not before its time has passed");
    app.add_option("--budgets", s.how.budgets, "that time, in times of what random search needs")
        ->capture_default_str();
    app.add_option("--out", s.out, "folder for the trajectories, STRATEGY/SPACE.csv")->type_name("FOLDER");
    app.add_option("--html", s.html, "the scores as a page")->type_name("FILE");
    app.add_option("--json", s.json, "the scores as JSON; -: to standard output instead of the tables")
        ->type_name("FILE");
    app.add_flag("--list", s.list, "print the names of the strategies");
    return programs::run_program(app, argc, argv, [&] { run(s); });
}
