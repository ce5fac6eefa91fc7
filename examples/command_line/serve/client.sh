#!/bin/sh
# SPDX-License-Identifier: MIT
# client.sh TRIALS TUNE_COMMAND: measures what tune_command --serve asks for, and prints the best. Nothing but sh and sed.
set -eu
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkfifo "$work/to" "$work/from"
"$2" --serve --space "$here/space.json" --trials "$1" --seed 1 <"$work/to" >"$work/from" &
exec 3>"$work/to" 4<"$work/from"

say() { # a request; its answer is in $answer
    echo "$1" >&3
    read -r answer <&4
    case $answer in '{"error"'*) echo "$answer" >&2 && exit 1 ;; esac
}
field() { echo "$answer" | sed -n "s/.*\"$1\":\"\\{0,1\\}\\([^,\"}]*\\).*/\\1/p"; }

say '{"hello": 1}'
while say '{"ask": 1}' && [ "$(field over)" = false ]; do
    job=$(field job) tile=$(field tile) mode=$(field mode)
    if [ "$tile" = 16 ]; then
        say "{\"tell\": $job, \"failed\": \"no such tile\", \"kind\": \"invalid\"}"
        continue
    fi
    cost=$(($tile > 4 ? $tile - 3 : 5 - $tile))
    [ "$mode" = fast ] || cost=$((3 * cost))
    say "{\"tell\": $job, \"cost\": $cost}"
done
say '{"best": true}'
echo "$(field tile) $(field mode) $(field cost)"
exec 3>&-
wait
