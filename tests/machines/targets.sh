#!/bin/sh
# SPDX-License-Identifier: MIT
# targets.sh [--alone] [TARGET...]: compiles every public header, library and example for other compilers, libraries and systems, each at the level that
# is promised there (tests/machines/targets/levels.txt), and runs golden proposals and unit tests where that can be done. Without a name: all of them.
# --alone compiles each header alone for every target; else that is done for libc++, and the others have all of them in one unit, which costs
# a hundredth of it: what a header forgets to include is no matter of the system.
# Exit status: 1 if something failed, 77 if nothing did and a target could not be tried. `scripts/needs build test targets` installs
# what it takes. Everything is left in build/targets; object files come from ccache or from zig's own cache.
set -eu
cd "$(dirname "$0")/../.."
all='libstdc++ libc++ musl aarch64 aarch64-musl macos windows'
alone='libc++'
targets=''
for word in "$@"; do
    case " $all --alone " in
    *" $word "*) ;;
    *)
        echo "targets: no target '$word', want $all" >&2
        exit 2
        ;;
    esac
    if [ "$word" = --alone ]; then alone=$all; else targets="$targets $word"; fi
done
targets=${targets:-$all}
work=build/targets
# Those of packages, each as one file: they compile on every system, to what it has.
libraries=$(for package in packages/*; do ls "$package/include/tunekit/${package#*/}/${package#*/}.cpp" 2>/dev/null; done)
levels=tests/machines/targets/levels.txt
jobs=$(nproc 2>/dev/null || echo 2)
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
flags="-std=c++20 -g0 -ffp-contract=off -Iinclude $(printf -- '-I%s ' packages/*/include)-iquote . -isystem build/targets/foreign"
flags="$flags -DTUNEKIT_RECORDINGS=\"packages/scoring/recordings\""
warnings='-Wall -Wextra -Werror'
mkdir -p "$work"

# What our headers, examples and tests want from outside, in a folder of its own: never all of /usr/include, which belongs to this system.
foreign() {
    mkdir -p "$work/foreign"
    for header in Eigen/Core nlohmann/json.hpp CLI/CLI.hpp doctest/doctest.h zlib.h zconf.h; do
        found=$(echo "#include <$header>" | "${CXX:-c++}" -E -I/usr/include/eigen3 -I/usr/local/include/eigen3 -x c++ - 2>/dev/null |
            sed -n "s,^# [0-9]* \"\(/.*/$header\)\".*,\1,p" | head -n 1)
        if [ -z "$found" ]; then
            echo "targets: no <$header> on this machine: run scripts/needs build test" >&2
            exit 1
        fi
        case $header in
        */*) ln -sfn "$(dirname "$found")" "$work/foreign/${header%%/*}" ;;
        *) ln -sf "$found" "$work/foreign/" ;;
        esac
    done
}

# describe TARGET: sets its level (core, most or full), the words of its compiler and of what runs a program of it (none: nothing), which text
# has its golden proposals, and in `missing` the programs that are wanted and are not there.
describe() {
    zig=$(find build/ziglang/lib -path '*/ziglang/zig' -type f 2>/dev/null | head -n 1)
    cache=$(command -v ccache || true)
    level=full compile='' link='' runs=none mathematics='' missing=''
    case $1 in
    # clang 18 and newer report a deprecation inside the stable_sort of libstdc++ 12 (llvm/llvm-project issue 76515)
    libstdc++) compile='clang++-19 -Wno-deprecated-declarations' runs='' ;;
    libc++) compile='clang++-19 -stdlib=libc++' runs='' ;;
    musl) compile="$zig c++ -target x86_64-linux-musl" runs='' mathematics=musl ;;
    aarch64) compile='aarch64-linux-gnu-g++' link=-static runs=qemu-aarch64-static mathematics=aarch64 ;;
    aarch64-musl) compile="$zig c++ -target aarch64-linux-musl" runs=qemu-aarch64-static mathematics=musl ;;
    macos) level=most compile="$zig c++ -target aarch64-macos" ;;
    windows) level=core compile="$zig c++ -target x86_64-windows-gnu" runs=wine mathematics=musl ;;
    esac
    case $compile in
    ' c++'*) missing=' ziglang' ;;
    "$zig "*) compile="$compile -fno-sanitize=undefined" ;;  # which it would add; it has a cache of its own
    *)
        command -v "${compile%% *}" >/dev/null || missing=" ${compile%% *}"
        compile="$cache $compile"
        ;;
    esac
    case $runs in '' | none) ;; *) command -v "$runs" >/dev/null || missing="$missing $runs" ;; esac
    if [ "$1" = libc++ ] && ! echo '#include <version>' | clang++-19 -stdlib=libc++ -E -x c++ - >/dev/null 2>&1; then
        missing="$missing libc++-19-dev"
    fi
}

# at_level FILE: whether $level is enough for it by tests/machines/targets/levels.txt: yes, no, or elsewhere.
at_level() {
    awk -v file="$1:" -v level="$level" '
        $2 == file { needs = $1 }
        END {
            rank["core"] = 0; rank["most"] = 1; rank["full"] = 2
            if (needs == "elsewhere") print needs
            else print(needs == "" || rank[needs] <= rank[level] ? "yes" : "no")
        }' "$levels"
}

# write_units FOLDER: a translation unit for each public header and example, in alone/, examples/ or, if it must not compile, in refused/;
# with one of all those headers in together/.
write_units() {
    rm -rf "$1"
    mkdir -p "$1/alone" "$1/examples" "$1/refused" "$1/together"
    for source in $libraries; do echo "#include \"${source#*include/}\"" >"$1/examples/library.$(basename "$source")"; done
    {
        find include packages/*/include -name '*.hpp' ! -path '*/detail/*'
        find examples tools packages/*/examples -name '*.cpp' ! -path '*/tests/*' ! -path '*/support/*'
    } | LC_ALL=C sort | while read -r file; do
        name=$(echo "${file#*include/tunekit/}" | tr / .)
        case $(at_level "$file") in
        elsewhere) continue ;;
        no) echo "#include \"$file\"" >"$1/refused/$name.cpp" ;;
        *)
            case $file in
            *include/tunekit/*)
                echo "#include \"${file#*include/}\"" >"$1/alone/$name.cpp"
                cat "$1/alone/$name.cpp" >>"$1/together/headers.cpp"
                ;;
            *) echo "#include \"$file\"" >"$1/examples/$name.cpp" ;;
            esac
            ;;
        esac
    done
}

# compile_units FOLDER: compiles each of its units that is not yet; what the compiler says of one is left in NAME.said, and NAME.failed if it refuses.
compile_units() {
    find "$1" -name '*.cpp' | LC_ALL=C sort | while read -r unit; do [ -e "${unit%.cpp}.o" ] || echo "$unit"; done |
        xargs -P "$jobs" -n 1 sh -c '
            [ -n "${2-}" ] || exit 0  # nothing is left: xargs calls it once
            unit=${2%.cpp}
            # shellcheck disable=SC2086 # words of a command
            $1 -c "$2" -o "$unit.o" >"$unit.said" 2>&1 || mv "$unit.said" "$unit.failed"' - "$compile $flags $warnings -O0"
}

# complain FOLDER: prints the first error of each unit that failed, with the headers that led there, and fails if there is one.
complain() {
    bad=0
    for said in "$1"/*.failed; do
        [ -e "$said" ] || continue
        bad=1
        echo "FAILED: $target: $(basename "$said" .failed):"
        sed '/error/q' "$said" | head -n 12
    done
    return $bad
}

# compile_all: headers and examples of the target.
compile_all() {
    units=$work/$target/units
    write_units "$units"
    case " $alone " in *" $target "*) form=alone ;; *) form=together ;; esac
    result=0
    for kind in $form examples; do
        compile_units "$units/$kind"
        complain "$units/$kind" || result=1
    done
    compile_units "$units/refused"
    for unit in "$units"/refused/*.cpp; do
        if [ -e "$unit" ] && [ ! -e "${unit%.cpp}.failed" ]; then
            echo "FAILED: $target: $(sed 's/#include "\(.*\)"/\1/' "$unit") compiles, $levels says that it does not"
            result=1
        fi
    done
    return $result
}

# build PROGRAM LEVEL SOURCE...: compiles and links at -LEVEL. What fails is said.
build() {
    program=$1 optimised=$2
    shift 2
    rm -rf "$program.parts"
    mkdir "$program.parts"
    # shellcheck disable=SC2016 # for the inner shell
    for source in "$@"; do printf '%s\n%s\n' "$source" "$program.parts/$(echo "$source" | tr / .).o"; done |
        xargs -P "$jobs" -n 2 sh -c '$0 -c "$1" -o "$2"' "$compile $flags $optimised" || return 1
    # shellcheck disable=SC2086 # words of a list
    ${compile#"$cache "} $link "$program.parts"/*.o -o "$program"
}

# run PROGRAM: runs it, by the emulator that the target has; its output goes to PROGRAM.txt, with this system's ends of lines.
run() {
    # shellcheck disable=SC2086 # one word or none
    timeout -k 10 900 $runs "$1" >"$1.raw" 2>"$1.said" </dev/null || {
        status=$?
        echo "exit status $status; the last it said:"
        cat "$1.raw" "$1.said" | grep -v '^$' | tail -n 40
        return 1
    }
    tr -d '\r' <"$1.raw" >"$1.txt"
}

# golden: what the algorithms propose is what tests/golden/proposals.txt says. The lines of proposals.MATHEMATICS.txt stand for those with the
# same first two words: they hang on the last bits of exp, log, pow, tanh or erfc, which are not the same in every C library.
golden() {
    # shellcheck disable=SC2086 # words of a list
    build "$work/$target/proposals" -O1 tools/support/names.cpp tests/golden/proposals.cpp $libraries || return 1
    other=tests/golden/proposals.$mathematics.txt
    [ -e "$other" ] || other=/dev/null
    awk 'FILENAME == ARGV[1] { line[$1 " " $2] = $0; next } { print $1 " " $2 in line ? line[$1 " " $2] : $0 }' "$other" \
        tests/golden/proposals.txt >"$work/$target/expected.txt"
    run "$work/$target/proposals" || return 1
    if ! diff -u "$work/$target/expected.txt" "$work/$target/proposals.txt" >"$work/$target/proposals.diff"; then
        echo "FAILED: $target: proposals differ:"
        head -n 20 "$work/$target/proposals.diff"
        return 1
    fi
}

# unit_tests: those of tests/machines/targets/tests.txt that are for this target.
unit_tests() {
    case $level:$runs in
    full:) wanted='core|full|native' ;;
    full:*) wanted='core|full' ;;
    *) wanted='core' ;;
    esac
    sources=$(sed -n -E "s/^($wanted) ([^:]*):.*/\2/p" tests/machines/targets/tests.txt)
    # shellcheck disable=SC2086 # words of a list
    build "$work/$target/unit" -O0 $sources $libraries || return 1
    run "$work/$target/unit" || return 1
    grep 'test cases: *[1-9]' "$work/$target/unit.txt" || { echo 'no test ran'; return 1; }
}

# kernels: bundled kernels, default and sampled configurations, against their definitions between pages without access.
kernels() {
    kept=$flags
    flags="$flags -ffp-contract=fast"
    # shellcheck disable=SC2086 # words of a list
    build "$work/$target/kernels" -O3 tests/machines/targets/kernels.cpp packages/kernels/table/*.cpp $libraries || { flags=$kept; return 1; }
    flags=$kept
    run "$work/$target/kernels" && cat "$work/$target/kernels.txt"
}

# spend: sets `spent` to the seconds of a core that what this script started has taken so far.
spend() {
    times >"$work/times"  # in no pipe: a subshell has times of its own
    spent=$(awk 'NR == 2 { for (i = 1; i <= 2; ++i) { split($i, part, /[ms]/); sum += 60 * part[1] + part[2] } printf "%d", sum }' "$work/times")
}

# step NAME: runs it, and notes in `row` what became of it.
step() {
    name=$1
    if "$name" >"$work/$target/$name.said" 2>&1; then
        state=ok
    else
        state=FAILED
        failed="$failed $target:$name"
    fi
    sed "s/^/    /" "$work/$target/$name.said"
    row="$row $state"
    echo "--- $target: $name: $state"
}

foreign
# Wine, headless, with a system folder of its own that is gone afterwards.
WINEPREFIX=$(mktemp -d) WINEDEBUG=-all WINEDLLOVERRIDES='mscoree=;mshtml='
export WINEPREFIX WINEDEBUG WINEDLLOVERRIDES
unset DISPLAY
trap 'rm -rf "$WINEPREFIX"' EXIT
failed='' left_out='' table=''
for target in $targets; do
    describe "$target"
    if [ -n "$missing" ]; then
        left_out="$left_out
$target: not run: no$missing (scripts/needs targets installs it)"
        continue
    fi
    mkdir -p "$work/$target"
    spend
    began=$spent row="$target $level"
    echo "=== $target: level $level"
    step compile_all
    headers=$(find "$work/$target/units/alone" -name '*.cpp' | wc -l)
    examples=$(find "$work/$target/units/examples" -name '*.cpp' | wc -l)
    refused=$(find "$work/$target/units/refused" -name '*.cpp' | wc -l)
    if [ "$runs" = none ]; then
        row="$row - - -"
    else
        step golden
        step unit_tests
        if [ "$target" = aarch64 ]; then step kernels; else row="$row -"; fi
    fi
    spend
    table="$table
$row $headers $examples $refused $((spent - began))"
done
echo "=== target, level, compiled, golden proposals, unit tests, kernels; headers, examples, below the level; seconds of a core"
echo "$table" | awk 'NF { printf "%-14s %-5s %-7s %-7s %-7s %-7s %4d %3d %3d %5d s\n", $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 }'
sed -n 's/^elsewhere \(.*\)/not compiled here: \1/p' "$levels"
[ -z "$left_out" ] || echo "=== not run, neither passed nor failed:$left_out"
if [ -n "$failed" ]; then
    echo "=== failed:$failed"
    exit 1
fi
[ -z "$left_out" ] || exit 77
