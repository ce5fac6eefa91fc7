#!/bin/sh
# SPDX-License-Identifier: MIT
# one.sh STATUS INSTANCE [OPTION...]: cadical with these options on one instance, whose answer is right with this exit status.
right=$1 instance=$2
shift 2
status=0
cadical -q -n "$@" "$instance" >/dev/null || status=$?
[ "$status" = "$right" ]
