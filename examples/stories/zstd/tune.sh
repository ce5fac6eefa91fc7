#!/bin/sh
# SPDX-License-Identifier: MIT
# tune.sh FOLDER [--short] [FILE...] [OPTION...]: the front of speed and size of zstd for your data, beside the levels 1 to 19 of the same binary.
# For each level the fastest configuration that is no larger is chosen on one half of the data and shown on the other. FILE... are the data, every
# second one for each half, or the two halves of a single one; without them it is texts and programs that Debian's packages have here.
set -eu
. "$(dirname "$0")/../support.sh"
wants zstd zstd 'the compressor zstd'
wants bash bash 'the shell bash'
wants_end
wants_version zstd "$(zstd --version | sed -n 's/.* v\([0-9.]*\).*/\1/p')" 1.5 zstd

if [ $short = yes ]; then most=262144 rounds=7 levels='1 3 9' trials=20 seconds=60; else most=1048576 rounds=15 levels=$(seq 1 19) trials=200 seconds=1500; fi
: >files
while [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; do
    case $1 in /*) printf '%s\n' "$1" ;; *) printf '%s\n' "$came_from/$1" ;; esac >>files
    shift
done
[ -s files ] || printf '%s\n' /usr/share/common-licenses/* /usr/share/perl/5*/*.pm /usr/share/perl/5*/*/*.pm /usr/share/perl/5*/*.pl /bin/bash /usr/bin/perl /bin/tar \
    /usr/lib/*/libc.so.6 >files
: >first
: >second
if [ "$(wc -l <files)" = 1 ]; then
    half=$(($(wc -c <"$(cat files)") / 2))
    [ $half -le $most ] || half=$most
    head -c $half "$(cat files)" >first
    tail -c $half "$(cat files)" >second
else
    to=first
    while read -r file; do
        [ -f "$file" ] || continue
        cat "$file" >>$to
        [ $to = first ] && to=second || to=first
    done <files
    for half in first second; do head -c $most $half >part && mv part $half; done
fi
[ -s first ] && [ -s second ] || { echo 'tune.sh: there are no data, want two files or one that is not empty' >&2 && exit 2; }

has --trials "$@" || set -- --trials $trials "$@"
# The search on the first half. Its page has the front as a picture, with intervals.
rm -f first.jsonl
# shellcheck disable=SC1083 # placeholders
tune_command --space "$here/space.json" --strategy parego --repeat 3 --seconds $seconds --run-seconds 60 --cost cpu --number 'bytes=size:{scratch}/out.zst' \
    --log first.jsonl --report first.html "$@" \
    -- "$here/compress.sh" "$folder/first" '{scratch}/out.zst' '--zstd=strategy={strategy},wlog={window},hlog={hash},clog={chain},slog={search},mml={match},tlen={target}' >first.txt
cat first.txt

# What was measured, `bytes seconds option`, and for each level the fastest of them that is no larger.
sed -n 's/^{"tell".*"values":\["\([0-9]*\)","\([0-9]*\)","\([0-9]*\)","\([0-9]*\)","\([0-9]*\)","\([0-9]*\)","\([0-9]*\)"\].*"cost":\([0-9.e-]*\),.*"measured":\[\([0-9.]*\)[],].*/\9 \8 --zstd=strategy=\1,wlog=\2,hlog=\3,clog=\4,slog=\5,mml=\6,tlen=\7/p' \
    first.jsonl >tried
: >pairs
for level in $levels; do
    sh "$here/compress.sh" first out.zst "-$level"
    awk -v level="$level" -v most="$(wc -c <out.zst)" '$1 <= most && (option == "" || $2 < least) { least = $2; option = $3; bytes = $1 }
        END { if (option != "") print level, option; else print "none of what was tried is as small as level " level >"/dev/stderr" }' tried >>pairs
done

# Both of each pair on the second half, in turn with all others; each so often that it takes a tenth of a second.
cat >often.sh <<'END_OF_SCRIPT'
#!/bin/sh
# often.sh TIMES OPTION: compresses the second half so often.
n=$1
shift
while [ "$n" -gt 0 ]; do
    zstd -q -f --single-thread --no-check "$@" second -o often.zst
    n=$((n - 1))
done
END_OF_SCRIPT
[ -s pairs ] || { echo 'tune.sh: nothing that was tried is as small as a level, want more --trials' >&2 && exit 1; }
: >times
set --
while read -r level option; do
    once=$(bash -c "TIMEFORMAT=%3U; time sh often.sh 1 -$level" 2>&1)
    times=$(awk -v t="$once" 'BEGIN { n = int(0.1 / (t + 0.001)) + 1; print (n > 40 ? 40 : n) }')
    echo "$times" >>times
    set -- "$@" "sh often.sh $times -$level" "sh often.sh $times $option"
done <pairs
bash "$here/../turns.sh" $rounds "$@" >shown.seconds

{
    echo
    here_and_now
    echo "zstd $(zstd --version | grep -o 'v[0-9.]*' | head -n 1), $(wc -l <tried) configurations on $(wc -c <first) bytes, shown on $(wc -c <second) others"
    echo 'level   bytes     ms  tuned: bytes     ms   times as much processor time for the level, 95 %   options'
    k=1
    while read -r level option; do
        sh "$here/compress.sh" second level.zst "-$level"
        sh "$here/compress.sh" second tuned.zst "$option"
        cmp -s second "$(zstd -q -d -f tuned.zst -o tuned.back && echo tuned.back)" || { echo "$option does not give the data back" >&2 && exit 1; }
        n=$(sed -n "$(((k + 1) / 2))p" times)
        ms() { awk -v at="$1" -v n="$n" '{ print 1e3 * $at / n }' shown.seconds | sort -g | sed -n "$(((rounds + 1) / 2))p"; }
        printf '%5s %8s %6.1f %13s %6.1f   %-28s %s\n' "$level" "$(wc -c <level.zst)" "$(ms $k)" "$(wc -c <tuned.zst)" "$(ms $((k + 1)))" \
            "$(gain median shown.seconds $k $((k + 1)))" "${option#--zstd=}"
        k=$((k + 2))
    done <pairs
} | tee result
echo "page: $folder/first.html"
