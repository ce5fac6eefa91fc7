#!/bin/sh
# SPDX-License-Identifier: MIT
# build_ranks.sh PROGRAM MPIRUN: ranks that build and ranks that run, which have neither a compiler nor a folder in common with those;
# without a rank that builds, or without a compiler there, the run ends and says why; nothing stays in the temporary folders.
set -eu
program=$1 mpirun=$2
. "$(dirname "$0")/../support/launched.sh"
mkdir "$work/none"
# A rank with its own temporary folder and, from rank $1 on, without any program.
cat >"$work/rank" <<'END'
#!/bin/sh
first_without=$1 work=$2
shift 2
rank=${OMPI_COMM_WORLD_RANK-$PMI_RANK}
mkdir -p "$work/tmp$rank"
TMPDIR=$work/tmp$rank
export TMPDIR
[ "$rank" -lt "$first_without" ] || PATH=$work/none
exec "$@"
END
chmod +x "$work/rank"
ranks() {
    n=$1 first_without=$2
    shift 2
    status=0
    timeout -k 10 120 "$mpirun" -n "$n" "$work/rank" "$first_without" "$work" "$program" "$@" >"$work/out" 2>"$work/err" || status=$?
    echo "build_ranks $* on $n ranks, none has programs from $first_without on: status $status, $(tr '\n' ';' <"$work/out")"
}
ranks 5 3 2 # ranks 1 and 2 build, 3 and 4 run
[ "$status" = 0 ] || fail "exit status $status, want 0"
grep -qx '25 trials, 0 failed' "$work/out" || fail "not every configuration was built and run"
[ "$(grep -c 'worker [01] built [1-9]' "$work/out")" = 2 ] || fail "two ranks did not share the builds"
[ "$(grep -c 'worker [23] ran [1-9]' "$work/out")" = 2 ] || fail "two ranks did not share the runs"
[ "$(awk '/^worker/ { n[$3] += $4 } END { print n["built"], n["ran"] }' "$work/out")" = '25 25' ] || fail "a job was built or run twice"
ranks 3 1 1 # the rank that builds has no compiler
[ "$status" != 0 ] || fail "a run without a compiler ended with status 0"
grep -q "cannot measure: tunekit: find_compiler: no program 'c++'" "$work/err" || fail "it does not say that there is no compiler"
[ -z "$(find "$work" -path '*/tmp*/*' ! -name '*session*' -name 'tunekit-*')" ] || fail "files stay: $(find "$work" -name 'tunekit-*')"
exit $bad
