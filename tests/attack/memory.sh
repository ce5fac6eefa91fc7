#!/bin/sh
# SPDX-License-Identifier: MIT
# memory.sh BUILD [--tenth] [--seed N]: tune_command in a cgroup whose memory is limited, over a program of which some configurations want more
# than there is, one and two at a time. The system ends these alone: each is a failure, the others have their cost, the run ends with its
# table, and nothing is left in the cgroup. Needs a cgroup of its own (root).
set -eu
. "$(dirname "$0")/../support/attacks.sh"
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then # version 2
    group=/sys/fs/cgroup/tunekit-$$
    limit=memory.max
    echo +memory >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || true
else
    group=/sys/fs/cgroup/memory/tunekit-$$
    limit=memory.limit_in_bytes
fi
mkdir "$group" 2>/dev/null || { echo "no cgroup can be made here: $group" && exit 77; }
trap 'rm -rf "$work"; rmdir "$group"' EXIT
echo 314572800 >"$group/$limit" 2>/dev/null || { echo "a cgroup has no $limit here" && exit 77; }
sh -c "echo \$\$ >$group/cgroup.procs; head -c 600000000 /dev/zero | tail | wc -c" >ended 2>/dev/null || true
[ "$(cat ended)" = 0 ] || { echo 'the limit of a cgroup limits nothing here' && exit 77; }

echo '{"parameters": [{"name": "mb", "values": [1, 2, 3, 4, 600, 700, 800]}, {"name": "again", "values": [0, 1]}]}' >space.json
cat >program.sh <<'END'
#!/bin/sh
[ "$(head -c "$1"000000 /dev/zero | tail | wc -c)" = "$1"000000 ] || exit 1
echo "cost: $1.$2"
END
chmod +x program.sh
for workers in 1 2; do
    status=0
    # shellcheck disable=SC2016 # words of the shell that enters the cgroup
    timeout 300 sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' enter "$group" "$tune" --space space.json --strategy random --seed "$seed" --repeat 1 \
        --trials 14 --workers $workers --cost 'regex:cost: ([0-9.]+)' --log "run$workers" -- ./program.sh '{mb}' '{again}' >out 2>err || status=$?
    fail() {
        echo "FAILED: $workers at a time: $1; $(tail -n 3 out | tr '\n' '|') $(tr '\n' '|' <err)"
        bad=$((bad + 1))
    }
    [ "$status" = 0 ] || fail "exit status $status"
    grep -q '^14 configurations measured, 6 failed' out || fail "not the six that want too much failed: $(grep 'measured' out)"
    grep -q '^best *1' out || fail 'not the best'
    [ ! -s "$group/cgroup.procs" ] || fail "processes are left: $(cat "$group/cgroup.procs")"
done
echo "28 configurations in 300 MiB, 12 of them too large, $bad bad"
[ "$bad" = 0 ]
