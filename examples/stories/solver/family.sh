#!/bin/bash
# SPDX-License-Identifier: MIT
# family.sh FOLDER SECONDS [OPTION...]: cadical with these options on every instance of FOLDER: a line with its name and exit status (10:
# satisfiable, 20: not), and in the file SECONDS its processor time, user's and system's.
set -u
TIMEFORMAT='%3U %3S'
folder=$1 seconds=$2
shift 2
for instance in "$folder"/*.cnf; do
    status=0
    taken=$({ time cadical -q -n "$@" "$instance" >/dev/null; } 2>&1) || status=$?
    echo "$(basename "$instance") $status"
    echo "$taken" >>"$seconds"
done
