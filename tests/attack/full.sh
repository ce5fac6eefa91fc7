#!/bin/sh
# SPDX-License-Identifier: MIT
# full.sh BUILD [--tenth] [--seed N]: a run of tune_command whose folder and TMPDIR are a file system with so many KiB left: a tmpfs of that size, and a
# subvolume of btrfs whose quota is so large. Wherever it becomes full: the run ends with status 0 or 2, with a line where it is 2; what was
# found is printed; no configuration is a failure for it; a page, a table or a log that was there before is whole, old or new; nothing is left in
# TMPDIR or beside a file. With more room --resume ends with everything measured. Needs mounts of its own (root, or a user namespace); a quota
# needs btrfs's programs, and root.
set -eu
if [ "${TUNEKIT_MOUNTS-}" != own ]; then
    for how in '-m' '-Urm'; do
        if unshare $how mount -t tmpfs none /mnt 2>/dev/null; then TUNEKIT_MOUNTS=own exec unshare $how sh "$0" "$@"; fi
    done
    echo 'this system gives no mounts' && exit 77
fi
. "$(dirname "$0")/../support/attacks.sh"
trap 'umount -l "$work/place" "$work/volume" 2>/dev/null || true; rm -rf "$work"' EXIT
tried=0 refused=0
fail() {
    echo "FAILED: $disk with $size KiB: $1; $(tr '\n' '|' <err)"
    bad=$((bad + 1))
}
built_program

# A disk is made at `place` with $size KiB, gets more room, and goes.
tmpfs_made() { mount -t tmpfs -o "size=${size}k" none place; }
tmpfs_more() { mount -o remount,size=64m place; }
tmpfs_gone() { umount place; }
quota_made() {
    btrfs -q subvolume create volume/s
    group=0/$(btrfs inspect-internal rootid volume/s)
    btrfs -q qgroup limit "${size}K" "$group" volume
    mount --bind volume/s place
}
quota_more() { btrfs -q qgroup limit none "$group" volume; }
quota_gone() {
    umount place
    btrfs -q subvolume delete -c volume/s
}
run() {
    "$@" TMPDIR="$work/place/tmp" timeout 120 "$tune" --space space.json --strategy random --seed 3 --repeat 1 --trials 4 --cost 'regex:cost: ([0-9]+)' \
        --file 'template:{scratch}/in' --build "./build.sh {tile} {build}/made" --build-directory place/builds --log place/run.jsonl --resume --report place/run.html \
        --t4 place/run.t4 --export-csv place/run.csv --export-markdown place/run.md -- /bin/sh '{build}/made' >out 2>err
}
one() {
    tries "$size" || return 0
    tried=$((tried + 1))
    "${disk}_made"
    mkdir place/tmp place/builds 2>/dev/null || true
    chmod 700 place/builds 2>/dev/null || true
    for name in html csv md t4; do echo old >place/run.$name; done 2>/dev/null || true
    status=0
    run env || status=$?
    [ "$status" != 2 ] || refused=$((refused + 1))
    ends_in_words place/run.jsonl
    if grep '"tell"' place/run.jsonl 2>/dev/null | grep -q '"failed"'; then fail 'held against a configuration'; fi
    # What a page or a table was before is 4 bytes, of which a full disk may have kept none; a new one has its end.
    for end in 'html:</html>' 't4:}'; do
        file=place/run.${end%%:*}
        [ ! -e "$file" ] || [ "$(wc -c <"$file")" -le 4 ] || tail -n 1 "$file" | grep -qF "${end#*:}" || fail "$file is cut"
    done
    [ -z "$(ls -A place/tmp 2>/dev/null)" ] || fail "left in TMPDIR: $(ls -A place/tmp)"
    set -- place/run.*.new
    [ ! -e "$1" ] || fail "left beside: $*"
    "${disk}_more"
    mkdir -p place/tmp place/builds
    chmod 700 place/builds
    status=0
    run env || status=$?
    [ "$status" = 0 ] || fail "--resume with more room: exit status $status"
    grep -q '^4 configurations measured, 0 failed' out || fail "--resume with more room: $(head -n 1 out)"
    grep -q '^best *1 ' out || fail '--resume with more room: no best'
    "${disk}_gone"
}
mkdir place
disk=tmpfs
for size in 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 120 140 160 200 240; do one; done
echo "tmpfs: $tried disks, $refused of them too small, $bad bad"
[ $refused -gt 3 ] || [ $tried -lt 30 ] || fail 'so few were too small'

PATH=$PATH:/sbin:/usr/sbin
truncate -s 128M image
mkdir volume
if mkfs.btrfs -q image >said 2>&1 && mount -o loop image volume 2>>said && btrfs quota enable volume 2>>said; then
    disk=quota tried=0 refused=0
    for size in 20 24 28 32 40 48 64 80 96 112 128 144 160 176 192 224 256 320 384 512 1024; do one; done
    echo "quotas: $tried, $refused of them too small, $bad bad"
    [ $refused -gt 3 ] || [ $tried -lt 21 ] || fail 'so few were too small'
    umount volume
else
    echo "no quota is tried: $(tail -n 1 said)"
fi
[ "$bad" = 0 ]
