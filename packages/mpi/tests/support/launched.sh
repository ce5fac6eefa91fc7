# SPDX-License-Identifier: MIT
# Sourced by the tests that launch ranks, which have set `program`: what tests/support/refuses.sh gives, a `fail` that shows
# what the ranks said, and launchers that start more ranks than there are processors, as root too.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_ALLOW_RUN_AS_ROOT=1 \
    PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
. "$(dirname "$0")/../../../../tests/support/refuses.sh"
fail() {
    echo "FAILED: $1"
    cat "$work/out" "$work/err" 2>/dev/null || true
    bad=1
}
# ranks N SCENARIO...: runs it; its exit status is in `status`. `mpirun` is the launcher.
ranks() {
    n=$1
    shift
    began=$(date +%s%N)
    status=0
    timeout -k 10 60 "$mpirun" -n "$n" "$program" "$@" >"$work/out" 2>"$work/err" || status=$?
    milliseconds=$((($(date +%s%N) - began) / 1000000))
    echo "$* on $n ranks: status $status, $milliseconds ms, $(grep -v '^left:\|^silent:' "$work/out" | tail -n 1)"
}
# says WORDS: the last run said so.
says() { grep -qF -- "$1" "$work/out" || fail "it did not say '$1'"; }
succeeds() { [ "$status" = 0 ] || fail "exit status $status, want 0"; }
