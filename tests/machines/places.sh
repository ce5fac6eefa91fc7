#!/bin/sh
# SPDX-License-Identifier: MIT
# places.sh BUILD [PLACE...]: goes through the places where a user's machine differs from a developer's, all of them or those named. In each one it
# builds a small program, or runs programs of BUILD, and compares exit status and lasting lines with those of the normal place. A place that
# cannot be made here is "not run". Leaves nothing behind: what is mounted is mounted in a namespace of its own. `places.sh --list` names them.
# Exit status 1 where a place failed, 77 where none could be run.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
self=$root/tests/machines/places.sh

# --- What is run in a place: places.sh --inside BUILD FOLDER PROGRAM...
# It writes to FOLDER/said.PROGRAM what must be the same everywhere, and to FOLDER/err.PROGRAM what was said on standard error.

# ran PROGRAM COMMAND...: runs it, with out.PROGRAM and err.PROGRAM; begins said.PROGRAM with its exit status. `closed` names streams to close.
ran() {
    program=$1 status=0
    shift
    case ${closed-} in
    in) "$@" >"out.$program" 2>"err.$program" <&- || status=$? ;;
    err) "$@" >"out.$program" 2>&- </dev/null || status=$? ;;
    *) "$@" >"out.$program" 2>"err.$program" </dev/null || status=$? ;;
    esac
    echo "status $status" >"said.$program"
}
inside() {
    examples=$1/examples tools=$1/tools
    cd "$2"
    shift 2
    for what in "$@"; do
        case $what in
        tune) # a script whose costs have a decimal point, built by a compiler of sorts, with a log
            cat >space.json <<'END'
{"parameters": [{"name": "tile", "values": [1, 2, 4, 8, 16]}, {"name": "mode", "values": ["slow", "fast"]}], "default": {"tile": 1, "mode": "slow"}}
END
            cat >cost.sh <<'END'
#!/bin/sh
t=$(($1 > 4 ? $1 - 3 : 5 - $1))
[ "$2" = slow ] && t=$((3 * t))
echo "cost: $t.5"
END
            chmod +x cost.sh
            rm -f run.jsonl
            ran tune "$tools/tune_command" --space space.json --strategy random --repeat 1 --trials 10 --cost 'regex:cost:.([0-9.]+)' --log run.jsonl \
                --build /bin/cp cost.sh '{build}/made' -- '{build}/made' '{tile}' '{mode}'
            sed -n 's/^\([0-9]* configurations measured, [0-9]* failed\).*/\1/p; s/^\(best *[0-9.]*\) .*\(tile = .*\)/\1 \2/p' out.tune >>said.tune
            grep -vc '^{' run.jsonl >>said.tune || true
            ;;
        report)
            rm -f page.html
            ran report "$tools/tune_report" run.jsonl -o page.html
            grep -c '<svg' page.html >>said.report
            ;;
        score)
            ran score "$tools/score_strategy" --strategy random --only gemm_Out --repeats 2
            awk '/gemm_Out/ { print $1, $2, $3, $4, $5, $6, $7 }' out.score >>said.score
            ;;
        header)
            ran header "$examples/make_header" "$root/examples/tuned_library/gemm_shapes.results" choice.hpp choice 8
            cksum <choice.hpp >>said.header
            ;;
        tutorial) # candidates in processes of their own, a log, and the log alone
            rm -f tutorial.jsonl
            ran tutorial "$examples/tutorial" tutorial.jsonl
            "$examples/tutorial" tutorial.jsonl >again 2>/dev/null || echo "status $? when taken up" >>said.tutorial
            sed -n 1p again >>said.tutorial
            grep -c '"tell"' tutorial.jsonl >>said.tutorial
            ;;
        generated) # code that is compiled and loaded while it runs
            ran generated "$examples/generated_kernel"
            sed -n '1s/; .*//p' out.generated >>said.generated
            ;;
        network)
            ran network "$tools/tune_network" --network alexnet --seconds 2 --seed 1 --json
            grep -c '"verified": true' out.network >>said.network
            ;;
        numbers*) # a program that sets the user's locale; its point follows
            rm -rf written
            mkdir written
            ran numbers ../normal/consumer/numbers "${what#numbers}" "$root/examples/tuned_library/gemm_shapes.results" written
            (cd written && for file in *; do echo "$file $(cksum <"$file")"; done) >>said.numbers
            ;;
        esac
    done
}
if [ "${1-}" = --inside ]; then
    shift
    inside "$@"
    exit 0
fi

# --- The places. Each sets `wrap` to what stands before a command there, and calls what is worth running.
places='locale_c locale_utf8 locale_turkish locale_german umask blanks letters refused_path read_only noexec no_network one_core memory
 no_home empty_environment plain_user cmake_oldest cmake_newest make no_stdin no_stderr no_stdout no_proc zone no_cache'

usage() {
    echo "usage: tests/machines/places.sh BUILD [PLACE...] | --list"
    exit 2
}
[ $# -gt 0 ] || usage
if [ "$1" = --list ]; then
    # shellcheck disable=SC2086 # words of a list
    printf '%s\n' $places
    exit 0
fi
[ -d "$1" ] || { echo "places: $1 is not a folder, want a build such as build/release"; exit 2; }
build=$(cd "$1" && pwd)
shift
for place in "$@"; do
    case " $(echo $places) " in *" $place "*) ;; *) echo "places: no place '$place'; --list names them"; exit 2 ;; esac
done
for program in tools/tune_command tools/tune_report tools/score_strategy examples/make_header examples/tutorial examples/generated_kernel tools/tune_network; do
    [ -x "$build/$program" ] || { echo "places: $build/$program is not built; cmake --build $build --target tools examples"; exit 2; }
done
CXX=${CXX:-c++}
command -v "$CXX" >/dev/null || CXX=g++
export CXX
unset CMAKE_CXX_COMPILER_LAUNCHER CCACHE_DISABLE TUNEKIT_RECORDINGS || true
work=$(mktemp -d "$build/places.XXXXXX") # not in /tmp, over which a place mounts something else
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
chmod 755 "$work"
bad=0 failed_places='' not_run=''
fail() {
    echo "  FAILED: $1"
    bad=1
}
# skip WHY: this place cannot be made here.
skip() {
    echo "  not run: $1"
    skipped=1
}
here() { echo "$work/$place"; }

# reference PROGRAM: runs it in the normal place, once, and sees to it that it did its work there.
reference() {
    [ ! -e "$work/normal/said.${1%[.,]}" ] || return 0
    mkdir -p "$work/normal"
    case $1 in
    numbers*)
        { cmake -S "$root/tests/machines/places" -B "$work/normal/consumer" -DTUNEKIT_AT="$root" -G Ninja && cmake --build "$work/normal/consumer" --target numbers; } \
            >"$work/normal/built" 2>&1 || fail "numbers is not built: $(tail -n 3 "$work/normal/built")"
        env LC_ALL=C sh "$self" --inside "$build" "$work/normal" numbers.
        ;;
    *) sh "$self" --inside "$build" "$work/normal" "$1" ;;
    esac
    case $1 in
    tune) want='best  *1.5 tile = 4, mode = fast' ;;
    report) want='[1-9][0-9]*' ;;
    score) want='random gemm_Out .*' ;;
    tutorial) want='64 of 540 configurations measured, 0 failed' ;;
    generated) want='16 of [0-9]* configurations tried, 0 failed' ;;
    network) want=5 ;;
    *) want='.*[0-9][0-9][0-9][0-9].*' ;; # a sum
    esac
    said=$work/normal/said.${1%[.,]}
    sed -n 1p "$said" | grep -q '^status 0$' && sed -n '2,$p' "$said" | grep -q "^$want\$" ||
        fail "in the normal place $1 says $(tr '\n' ' ' <"$said") $(tail -n 1 "$work/normal/err.${1%[.,]}" 2>/dev/null)"
}
# alike PROGRAM...: runs them here and compares with the normal place.
alike() {
    for what in "$@"; do reference "$what"; done
    # shellcheck disable=SC2086 # words of a command
    ${wrap-} sh "$self" --inside "$build" "$(here)" "$@" || fail "$*: status $?"
    for what in "$@"; do
        what=${what%[.,]}
        cmp -s "$(here)/said.$what" "$work/normal/said.$what" || {
            fail "$what is not as in the normal place"
            diff "$work/normal/said.$what" "$(here)/said.$what" | sed 's/^/    /' || true
            tail -n 2 "$(here)/err.$what" 2>/dev/null | sed 's/^/    said: /' || true
        }
    done
}
# refuses WORDS COMMAND...: ends with status 1 or 2 and one line that holds WORDS.
refuses() {
    words=$1 status=0
    shift
    # shellcheck disable=SC2086 # words of a command
    ${wrap-} "$@" >"$(here)/out" 2>"$(here)/err" || status=$?
    [ "$status" = 1 ] || [ "$status" = 2 ] || fail "$1: exit status $status, want 1 or 2"
    [ "$(wc -l <"$(here)/err")" = 1 ] || fail "$1: $(wc -l <"$(here)/err") lines, want 1: $(head -n 3 "$(here)/err")"
    grep -qF -- "$words" "$(here)/err" || fail "$1: said '$(head -n 3 "$(here)/err")', want '$words'"
}
# consumes [SOURCE [CMAKE [ARGUMENT...]]]: the smallest user's program, by CMake, with the library at SOURCE.
consumes() {
    source=${1:-$root} cmake=${2:-cmake}
    [ $# -le 1 ] || shift
    [ $# -eq 0 ] || shift
    [ $# -gt 0 ] || set -- -G Ninja
    # shellcheck disable=SC2086 # words of a command
    ${wrap-} "$cmake" -S "$root/tests/machines/places" -B "$(here)/consumer" -DTUNEKIT_AT="$source" "$@" >"$(here)/configured" 2>&1 &&
        ${wrap-} "$cmake" --build "$(here)/consumer" >"$(here)/built" 2>&1 ||
        { fail "the consumer is not built"; tail -n 5 "$(here)/configured" "$(here)/built" 2>/dev/null | sed 's/^/    /'; return 0; }
    [ "$("$(here)/consumer/consumer")" = '100 trials, best 1.5' ] || fail "the consumer says $("$(here)/consumer/consumer")"
}
# configures SOURCE CMAKE ARGUMENT...: the project itself with all that it has, without a warning of CMake's; then builds the target bandit.
configures() {
    source=$1 cmake=$2
    shift 2
    # shellcheck disable=SC2086 # words of a command
    ${wrap-} "$cmake" -S "$source" -B "$(here)/tree" --log-level=STATUS "$@" >"$(here)/configured" 2>&1 ||
        { fail "cmake: $(grep -A3 -m1 'CMake Error' "$(here)/configured" | tr '\n' ' ')"; return 0; }
    ! grep -A4 -m1 -E 'CMake (Deprecation )?Warning' "$(here)/configured" || fail 'CMake warns'
    # shellcheck disable=SC2086 # words of a command
    ${wrap-} "$cmake" --build "$(here)/tree" --target bandit >"$(here)/built" 2>&1 ||
        { fail 'bandit is not built'; grep -m2 -i error "$(here)/built" | cut -c1-300 | sed 's/^/    /' || true; return 0; }
    "$(here)/tree/examples/bandit" >/dev/null || fail 'bandit does not run'
}
# copy_of_tree TO: as a checkout.
copy_of_tree() {
    mkdir -p "$1"
    (cd "$root" && tar --exclude=./build --exclude=./.git --exclude="${build#"$root/"}" -cf - .) | (cd "$1" && tar -xf -)
}
# apart OPTION: whether a namespace of our own can be had (-m: mounts, -n: network); sets `apart`.
apart() {
    for apart in "unshare $1" "unshare -r $1"; do
        # shellcheck disable=SC2086 # words of a command
        if $apart true 2>/dev/null; then return 0; fi
    done
    skip "unshare $1 gives no namespace here: want root, or user namespaces"
    return 1
}
# set_up COMMANDS: a wrapper that runs COMMANDS, then its arguments; sets `wrap`.
set_up() {
    printf '#!/bin/sh\nset -eu\n%s\nexec "$@"\n' "$1" >"$(here)/wrap"
    chmod +x "$(here)/wrap"
    wrap="${apart-} $(here)/wrap"
}
outside_tmp() {
    case $root/:$build/ in
    /tmp/* | *:/tmp/*) skip 'the tree or the build lies in /tmp'; return 1 ;;
    esac
}

# in_locale NAME POINT SOURCE: with the locale, made where the system lacks it.
in_locale() {
    if [ -n "$3" ]; then
        command -v localedef >/dev/null || { skip 'no localedef'; return; }
        localedef -i "$3" -f UTF-8 "$(here)/$1" >/dev/null 2>&1 || [ -d "$(here)/$1" ] || { skip "localedef makes no $1 (scripts/needs places installs what it is made from)"; return; }
        wrap="env LOCPATH=$(here) LC_ALL=$1"
    else
        wrap="env LC_ALL=$1"
    fi
    alike tune report score header "numbers$2"
}
in_locale_c() { in_locale C . ''; }
in_locale_utf8() { in_locale C.UTF-8 . ''; }
in_locale_turkish() { in_locale tr_TR.UTF-8 , tr_TR; }
in_locale_german() {
    in_locale de_DE.UTF-8 , de_DE
    [ -n "$skipped" ] || alike generated # the compiler's messages, too
}
in_umask() {
    set_up 'umask 077'
    alike tune report header generated
    # What is installed and packed can be read by all, whoever builds it.
    ${wrap} cmake -S "$root" -B "$(here)/tree" -G Ninja -DTUNEKIT_BUILD_TESTS=OFF -DTUNEKIT_BUILD_EXAMPLES=OFF -DTUNEKIT_BUILD_BENCH=OFF >"$(here)/configured" 2>&1 || fail 'cmake'
    ${wrap} cmake --build "$(here)/tree" --target tunekit_libraries >"$(here)/built" 2>&1 || fail 'the libraries'
    ${wrap} cmake --install "$(here)/tree" --prefix "$(here)/prefix" >"$(here)/installed" 2>&1 || fail 'cmake --install'
    ${wrap} sh -c 'cd "$1" && cpack -G TGZ' sh "$(here)/tree" >"$(here)/packed" 2>&1 || fail 'cpack'
    # Folders that are there already are the system's.
    find "$(here)/prefix" -path '*/tunekit*' ! -perm -a=r | head -n 1 | grep . && fail 'installed and unreadable'
    tar -tvzf "$(here)"/tree/*.tar.gz | grep '/tunekit/' | grep -v '^.r..r..r..' | head -n 1 | grep . && fail 'packed and unreadable'
    return 0
}
in_blanks() {
    copy_of_tree "$(here)/my tune kit"
    configures "$(here)/my tune kit" cmake -G Ninja -DCMAKE_BUILD_TYPE=Debug
    cmake --build "$(here)/tree" --target examples/generated/gemm_choice.hpp >"$(here)/built" 2>&1 || fail "no header is generated: $(tail -n 1 "$(here)/built")"
    mkdir "$(here)/tmp of mine"
    set_up "export TMPDIR='$(here)/tmp of mine'"
    alike tune generated
}
in_letters() {
    name="Müller's kit (\$1)"
    copy_of_tree "$(here)/$name"
    mkdir "$(here)/$name/tmp"
    consumes "$(here)/$name"
    place_was=$place
    configures "$(here)/$name" cmake -G Ninja
    TMPDIR="$(here)/$name/tmp"
    export TMPDIR
    place="$place/$name"
    mkdir -p "$work/$place"
    alike tune report header generated
    place=$place_was
    unset TMPDIR
}
in_refused_path() {
    for name in 'a"b' 'a#b' 'a;b'; do
        mkdir -p "$(here)/$name/cmake"
        cp "$root/CMakeLists.txt" "$(here)/$name"
        ! cmake -S "$(here)/$name" -B "$(here)/$name/tree" -G Ninja >"$(here)/configured" 2>&1 || fail "$name: is taken"
        grep -q 'no build in a path with one of' "$(here)/configured" || fail "$name: $(head -n 3 "$(here)/configured")"
    done
}
in_read_only() {
    apart -m || return 0
    set_up "mount --bind '$build' '$build' && mount --rbind '$root' '$root' && mount -o remount,bind,ro '$root'"
    # shellcheck disable=SC2086 # words of a command
    $wrap sh -c "! touch '$root/VERSION' 2>/dev/null && touch '$(here)/there'" || { skip 'the tree cannot be mounted read-only'; return; }
    configures "$root" cmake -G Ninja
    alike tune report score header
}
in_noexec() {
    apart -m && outside_tmp || return 0
    set_up 'mount -t tmpfs -o noexec tmpfs /tmp; unset TMPDIR'
    refuses 'noexec' "$build/examples/generated_kernel"
    grep -q TMPDIR "$(here)/err" || fail 'generated_kernel does not name TMPDIR'
    reference tune
    cp "$work/normal/space.json" "$work/normal/cost.sh" "$(here)"
    # shellcheck disable=SC2086 # words of a command
    (cd "$(here)" && $wrap "$build/tools/tune_command" --space space.json --repeat 1 --trials 2 --build /bin/cp cost.sh '{build}/made' -- '{build}/made' '{tile}' '{mode}' >out 2>err) || true
    cat "$(here)/out" "$(here)/err" | grep -q 'TMPDIR' || fail "tune_command does not name TMPDIR: $(cat "$(here)/err" "$(here)/out" | grep -v '^$' | head -n 3)"
    set_up "mount -t tmpfs -o noexec tmpfs /tmp; export TMPDIR='$(here)'"
    alike tune report header generated
    consumes
}
in_no_network() {
    apart -n || return 0
    wrap=$apart
    consumes
    # shellcheck disable=SC2086 # words of a command
    $wrap "$root/scripts/needs" build demo >"$(here)/out" 2>&1 || fail "scripts/needs: $(tail -n 1 "$(here)/out")"
    alike tune report generated network
}
in_one_core() {
    command -v taskset >/dev/null || { skip 'no taskset'; return; }
    wrap="taskset -c $(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')"
    alike tune generated network tutorial
    refuses 'processors that this process may use' "$build/tools/tune_network" --network alexnet --workers 2
}
in_memory() {
    set_up 'ulimit -v 1048576' # KiB
    alike tune report score header generated network tutorial
    consumes
}
in_no_home() {
    wrap='env -u HOME'
    alike tune report header
    wrap='env HOME=/nowhere/at/all'
    alike tune generated
}
in_empty_environment() {
    wrap="env -i PATH=$PATH"
    alike tune report score generated
}
in_plain_user() {
    [ "$(id -u)" = 0 ] || { skip 'whoever runs this is a plain user'; return; }
    command -v setpriv >/dev/null || { skip 'no setpriv'; return; }
    wrap='setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nowhere/at/all'
    $wrap test -r "$root/VERSION" && $wrap test -x "$build/tools/tune_command" || { skip 'others may not read the tree'; return; }
    chown 65534 "$(here)"
    configures "$root" cmake -G Ninja
    alike tune report generated tutorial
}
# cmake_of VERSION...: CMake from PyPI; sets `cmake`, empty where it cannot be had.
cmake_of() {
    cmake=''
    python3 -m venv "$(here)/venv" >"$(here)/out" 2>&1 && "$(here)/venv/bin/pip" install --quiet "$@" >"$(here)/out" 2>&1 &&
        cmake=$(here)/venv/bin/cmake || skip "no cmake by pip: $(tail -n 1 "$(here)/out")"
}
in_cmake_oldest() {
    case $(cmake --version | head -n 1) in *' 3.25.'*) cmake=cmake ;; *) cmake_of 'cmake==3.25.*' ;; esac
    [ -n "$cmake" ] || return 0
    configures "$root" "$cmake" -G Ninja
    consumes "$root" "$cmake"
}
in_cmake_newest() {
    if [ -n "${TUNEKIT_NEWEST_CMAKE-}" ]; then cmake=$TUNEKIT_NEWEST_CMAKE; else cmake_of cmake; fi
    [ -n "$cmake" ] || return 0
    echo "  $("$cmake" --version | head -n 1)"
    configures "$root" "$cmake" -G Ninja
    consumes "$root" "$cmake"
}
in_make() {
    command -v make >/dev/null || { skip 'no make'; return; }
    configures "$root" cmake -G 'Unix Makefiles'
    consumes "$root" cmake -G 'Unix Makefiles'
}
in_no_stdin() {
    closed=in
    export closed
    alike tune report generated
    unset closed
}
in_no_stderr() { # what is opened next must not take its place
    closed=err
    export closed
    alike tune report tutorial
    unset closed
}
in_no_stdout() {
    reference tune
    cp "$work/normal/space.json" "$work/normal/cost.sh" "$(here)"
    for where in closed full; do
        if [ $where = closed ]; then set_up 'exec >&-'; else set_up 'exec >/dev/full'; fi
        status=0
        (cd "$(here)" && rm -f run.jsonl && $wrap "$build/tools/tune_command" --space space.json --strategy random --repeat 1 --trials 10 \
            --cost 'regex:cost:.([0-9.]+)' --log run.jsonl -- ./cost.sh '{tile}' '{mode}' 2>err) || status=$?
        [ "$status" = 2 ] || fail "$where: exit status $status, want 2"
        grep -q 'standard output cannot be written in full' "$(here)/err" || fail "$where: said $(tail -n 1 "$(here)/err")"
        ! grep -v '^{' "$(here)/run.jsonl" || fail "$where: the table is in the log"
        "$build/tools/tune_report" "$(here)/run.jsonl" --text >"$(here)/out" || fail "$where: the log cannot be read"
    done
}
in_no_proc() {
    apart -m || return 0
    set_up 'mount -t tmpfs tmpfs /proc'
    alike tune report generated tutorial
}
in_zone() {
    wrap='env TZ=FAR-13:45'
    alike tune report score header
}
in_no_cache() {
    wrap='env XDG_CACHE_HOME=/proc/none CCACHE_DIR=/proc/none'
    configures "$root" cmake -G Ninja
}

# shellcheck disable=SC2086 # words of a list
[ $# -gt 0 ] || set -- $places
passed=0
for place in "$@"; do
    echo "$place"
    mkdir -p "$(here)"
    wrap='' apart='' skipped='' before=$bad bad=0
    "in_$place"
    if [ "$bad" = 1 ]; then failed_places="$failed_places $place"
    elif [ -n "$skipped" ]; then not_run="$not_run $place"
    else passed=$((passed + 1)); fi
    [ "$before" = 0 ] || bad=1
    rm -rf "$(here)"
done
echo "$passed passed, $(echo $failed_places | wc -w) failed$failed_places, $(echo $not_run | wc -w) not run$not_run"
[ -z "$failed_places" ] || exit 1
[ "$passed" -gt 0 ] || exit 77
