# SPDX-License-Identifier: MIT
# Sourced by the tests of programs, which have set `program`: a folder `work` that ends with the test, `bad`, `fail`,
# `refuses`, `json_rows`.
if [ ! -x "$program" ]; then
    echo "$program is not built here"
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
fail() {
    echo "FAILED: $1"
    bad=1
}

# refuses WORDS ARGUMENT...: one line on standard error that holds WORDS, nothing on standard output, exit status 2.
refuses() {
    words=$1
    shift
    status=0
    "$program" "$@" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" = 2 ] || fail "$*: exit status $status, want 2"
    [ ! -s "$work/out" ] || fail "$*: wrote to standard output"
    [ "$(wc -l <"$work/err")" = 1 ] || fail "$*: $(wc -l <"$work/err") lines, want 1"
    grep -qF -- "$words" "$work/err" || fail "$*: said '$(cat "$work/err")', want '$words'"
}

# json_rows FILE KEY: how many rows KEY has; nothing, and an error, where FILE is not one JSON object. The brackets see
# to it that nothing follows the object.
json_rows() {
    cat >"$work/rows.cmake" <<EOF
file(READ "$1" text)
string(JSON rows LENGTH "[\${text}]" 0 $2)
execute_process(COMMAND \${CMAKE_COMMAND} -E echo \${rows})
EOF
    cmake -P "$work/rows.cmake"
}
