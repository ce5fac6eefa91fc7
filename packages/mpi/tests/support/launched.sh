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
