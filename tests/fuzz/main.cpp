// SPDX-License-Identifier: MIT
// fuzz: mutates a kept corpus and reads what comes of it, for a number of seconds or of bytes. Everything follows from the seed.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/targets.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace {

namespace tk = tunekit;
using philox = tk::random::philox;

constexpr std::size_t longest = 8192;          // of an input
constexpr double most_seconds = 10;            // of one input, on the processor
constexpr long most_kibibytes = 1024L * 1024;  // of the process

std::string current;  // what is being read

std::size_t below(std::size_t n, philox& gen) { return static_cast<std::size_t>(tk::random::uniform_index(n, gen)); }

/// One change: a byte, a word, a piece taken out, doubled or taken from another text.
void change(std::string& text, const std::vector<std::string>& corpus, const fuzz::target& t, philox& gen)
{
    const std::size_t at = below(text.size() + 1, gen);
    const std::size_t length = 1 + below((std::min)(std::size_t{64}, text.size() + 1), gen);
    switch (below(8, gen)) {
        case 0:
            if (at < text.size())
                text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << below(8, gen)));
            break;
        case 1:
            if (at < text.size()) text[at] = static_cast<char>(below(256, gen));
            break;
        case 2:
            text.insert(at, t.words[below(t.words.size(), gen)]);
            break;
        case 3:
            text.replace(at, (std::min)(length, text.size() - at), t.words[below(t.words.size(), gen)]);
            break;
        case 4:
            text.erase(at, length);
            break;
        case 5: {
            const std::string piece = text.substr(at, length);
            const std::size_t to = below(text.size() + 1, gen);
            for (std::size_t k = 1 + below(8, gen); k > 0; --k) text.insert(to, piece);
            break;
        }
        case 6: {
            const std::string& other = corpus[below(corpus.size(), gen)];
            text.insert(at, other, below(other.size() + 1, gen), 4 * length);
            break;
        }
        default: {  // a number by another
            const std::size_t from = text.find_first_of("0123456789", at);
            if (from == std::string::npos) break;
            const std::size_t end = (std::min)(text.find_first_not_of("0123456789.e+-", from), text.size());
            text.replace(from, end - from, t.words[below(t.words.size(), gen)]);
        }
    }
    if (text.size() > longest) text.resize(longest);
}

/// Keeps what was being read: async-signal-safe.
void keep()
{
    const int fd = ::open("fuzz-failed", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0) return;
    const auto done = ::write(fd, current.data(), current.size());
    ::close(fd);
    constexpr char said[] = "the input is in the file fuzz-failed\n";
    if (done >= 0) (void)!::write(STDERR_FILENO, said, sizeof said - 1);
}

extern "C" void died(int signal)
{
    keep();
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

double processor_seconds()
{
    timespec t;
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct settings {
    std::string target, corpus;
    double seconds = 3;
    std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t seed = 1;
};

int usage()
{
    std::fputs(
        "usage: fuzz TARGET CORPUS [--seconds S] [--bytes N] [--seed K]\n"
        "       fuzz TARGET FILE        reads one input\n"
        "targets:",
        stderr);
    for (const auto& t : fuzz::targets()) std::fprintf(stderr, " %s", std::string(t.name).c_str());
    std::fputs("\n", stderr);
    return 2;
}

std::optional<settings> settings_of(int argc, char** argv)
{
    if (argc < 3 || argc % 2 == 0) return std::nullopt;
    settings out{argv[1], argv[2]};
    for (int k = 3; k < argc; k += 2) {
        const std::string_view option = argv[k];
        const auto seconds = tk::core::number<double>(argv[k + 1]);
        const auto n = tk::core::number<std::uint64_t>(argv[k + 1]);
        if (option == "--seconds" && seconds) out.seconds = *seconds;
        else if (option == "--bytes" && n) out.bytes = *n, out.seconds = std::numeric_limits<double>::infinity();
        else if (option == "--seed" && n) out.seed = *n;
        else return std::nullopt;
    }
    return out;
}

void read(const fuzz::target& t)
{
    const double begun = processor_seconds();
    try {
        t.read(current);
    } catch (const tk::error&) {  // refused, with a line
    } catch (const std::invalid_argument&) {
    }
    if (processor_seconds() - begun > most_seconds) {
        std::fprintf(stderr, "takes more than %g s\n", most_seconds);
        std::abort();
    }
}

}  // namespace

int main(int argc, char** argv)
{
    const auto set = settings_of(argc, argv);
    if (!set) return usage();
    const auto all = fuzz::targets();
    const auto t = std::find_if(all.begin(), all.end(), [&](const auto& x) { return x.name == set->target; });
    if (t == all.end()) return usage();
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::signal(signal, died);
    current.reserve(2 * longest);

    std::vector<std::string> names;
    if (std::filesystem::is_directory(set->corpus)) {
        for (const auto& entry : std::filesystem::directory_iterator(set->corpus))
            names.push_back(entry.path().string());
        std::sort(names.begin(), names.end());
    } else {
        names.push_back(set->corpus);
    }
    std::vector<std::string> corpus;
    for (const std::string& name : names) {
        corpus.push_back(tk::io::read_text(name));
        current = corpus.back();
        read(*t);
    }
    if (corpus.empty()) return usage();
    if (!std::filesystem::is_directory(set->corpus)) return 0;

    philox gen(set->seed);
    std::uint64_t inputs = 0, bytes = 0;
    const double begun = processor_seconds();
    while (bytes < set->bytes && (inputs % 16 != 0 || processor_seconds() - begun < set->seconds)) {
        current = corpus[below(corpus.size(), gen)];
        if (current.size() > longest) current.resize(longest);
        for (std::size_t k = 1 + below(6, gen); k > 0; --k) change(current, corpus, *t, gen);
        read(*t);
        ++inputs;
        bytes += current.size();
    }
    rusage used;
    ::getrusage(RUSAGE_SELF, &used);
    std::printf("%s: %llu inputs, %llu bytes, %.1f s, at most %ld MiB\n", set->target.c_str(),
                static_cast<unsigned long long>(inputs), static_cast<unsigned long long>(bytes),
                processor_seconds() - begun, used.ru_maxrss / 1024);
    if (used.ru_maxrss > most_kibibytes) {
        std::fputs("more than 1 GiB of memory\n", stderr);
        return 1;
    }
    return 0;
}
