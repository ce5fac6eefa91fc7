#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: fast
# What tune_command says of one run: terminal, JSON, log and page agree number by number, also where costs are scores; failures explain
# themselves; what is known before a run is taken; the protocol of --serve, and its clients of examples/command_line/serve.
set -eu
tune=$1/tools/tune_command
report=$1/tools/tune_report
program=$tune
here=$(cd "$(dirname "$0")/../../.." && pwd)
. "$here/tests/support/refuses.sh"
. "$here/tests/support/opens_well.sh"
cd "$work"
cat >space.json <<'END'
{"parameters": [{"name": "size", "values": ["64KiB", "1MiB", "4MiB", "16MiB"]}, {"name": "mode", "values": ["slow", "fast"]}, {"name": "check", "flag": "-c"}],
 "default": {"size": "64KiB", "mode": "slow", "check": ""}}
END
# SIZE MODE [-c]: costs 118.25 and less; a size of 4MiB fails; a word that is empty is none that it knows.
cat >work.sh <<'END'
#!/bin/sh
[ "$1" = 4MiB ] && echo 'cannot have 4MiB' >&2 && exit 4
[ $# = 3 ] && [ "$3" != -c ] && echo "cannot find '$3'" >&2 && exit 5
case $1 in 64KiB) c=18.25 ;; 1MiB) c=9.5 ;; *) c=7.5 ;; esac
[ "$2" = fast ] || c=1$c
echo "score $c"
echo "bytes ${#1}000"
END
chmod +x work.sh
run() { "$tune" --space space.json --strategy random --repeat 1 --seconds 900 --trials 16 --cost 'regex:score ([0-9.]+)' --number 'bytes=regex:bytes ([0-9]+)' "$@"; }

# One run, told four times.
run --log run.jsonl --report run.html -- ./work.sh {size} {mode} {check} >out 2>err || fail "exit status $?: $(cat err)"
run --json -- ./work.sh {size} {mode} {check} >json 2>err || fail "--json: exit status $?"
"$report" run.jsonl -o log.html --text >log.txt || fail "tune_report: exit status $?"
value() { tr -d '\n ' <json | sed "s/.*$1//; s/[,}\"].*//"; }
best=$(value '"best":{[^}]*},"cost":')
default=$(value '"default":{[^}]*},"cost":')
rounds=$(value '"rounds":')
[ "$best" = 7.5 ] || fail "best of the JSON is $best"
grep -q "^best *$best " out || fail "the terminal has another best than $best: $(cat out)"
grep -q "^default *$default " out || fail "the terminal has another default than $default: $(cat out)"
grep -q '; bytes 5000$' out || fail "the terminal has no bytes: $(cat out)"
[ "$(grep -c '"round":' run.jsonl)" -ge "$rounds" ] || fail "the log does not have $rounds rounds"
said=$(sed -n 's/^the best is //p' out)
case $said in 'tied with 1 of 3 others ('*) ;; *) fail "the terminal has no verdict: $(cat out)" ;; esac
grep -qF "\"ended\":\"the budget of trials is used up\",\"verdict\":\"$said\"" run.jsonl || fail 'the log does not say why the run ended, and what is known'
grep -qF "\"text\": \"$said\"" json || fail "the JSON has another verdict than '$said'"
for page in run log; do
    for words in "The best configuration costs $best (tied).</h2>" "as much, $default" "$rounds rounds side by side" '<h1>work.sh</h1>' '<td class="n"[^>]*>5000</td>' \
        'It ended because: the budget of trials is used up' '4 of 16 trials' 'They are those with size = 4MiB.'; do
        grep -q -- "$words" $page.html || fail "$page.html has no '$words'"
    done
    if grep -q 'takes' $page.html; then fail "$page.html tells a score as a time"; fi
    grep -q 'Failures by size. 64KiB: .* 1MiB: .* 4MiB: .* 16MiB: ' $page.html || fail "$page.html: values are not in the order of the space"
done
grep -q "^The best configuration costs $best (tied).$" log.txt || fail "tune_report --text has another best: $(head -n 5 log.txt)"
pasted=$(tail -n 1 out | sed 's/&/\&amp;/g')
awk -v text="$pasted" 'index($0, "<code>" text "</code>") && !paste { paste = NR } /How it was found/ && !found { found = NR } END { exit !(paste && found && paste < found) }' run.html ||
    fail 'what to paste does not stand before the evidence'
grep -qF '"where": "size = 4MiB"' json || fail 'the JSON does not explain the failures'
grep -q '^4 failed, exited: .*cannot have 4MiB.*they are those with size = 4MiB$' out || fail "failures are not explained: $(cat out)"
opens_well run log
# Number by number, with costs that vary from run to run, and in the same way each time.
cat >varied.sh <<'END'
#!/bin/sh
[ "$1" = 4MiB ] && echo 'cannot have 4MiB' >&2 && exit 4
n=$(($(cat calls) + 1))
echo $n >calls
case $1 in 64KiB) c=18000 ;; 1MiB) c=9500 ;; *) c=7500 ;; esac
[ "$2" = fast ] || c=$((c + 10000))
echo "score $((c + n * 7919 % 101))"
echo "bytes ${#1}000"
END
chmod +x varied.sh
echo 0 >calls
run --log same.jsonl --report same.html -- ./varied.sh {size} {mode} {check} >same.txt 2>err || fail "costs that vary: exit status $?: $(cat err)"
echo 0 >calls
run --json -- ./varied.sh {size} {mode} {check} >same.json 2>err || fail "costs that vary, --json: exit status $?: $(cat err)"
"$report" same.jsonl -o same_log.html || fail "tune_report of costs that vary: exit status $?"
if command -v python3 >/dev/null; then
    python3 "$here/tools/tests/support/same_account.py" same.json same.txt same.jsonl ${browser:+"$browser" same.html same_log.html} || fail 'the accounts differ'
fi

# Numbers outlive an end: they are in the log, and told after --resume.
sed -n '1,9p' run.jsonl >cut.jsonl
run --log cut.jsonl --resume -- ./work.sh {size} {mode} {check} >out 2>err || fail "--resume: exit status $?: $(cat err)"
grep -q '^default .*; bytes 5000$' out || fail "--resume: the default lost its number: $(cat out)"
# The finalists of a log again: more rounds, and no trial more.
before=$(grep -c '"round":' run.jsonl)
"$tune" --space space.json --race run.jsonl --repeat 1 --seconds 90 --cost 'regex:score ([0-9.]+)' --number 'bytes=regex:bytes ([0-9]+)' -- ./work.sh {size} {mode} {check} >out 2>err || fail "--race: exit status $?: $(cat err)"
[ "$(grep -c '"tell"' run.jsonl)" = 16 ] && [ "$(grep -c '"round":' run.jsonl)" -gt "$before" ] || fail '--race measured something else'
grep -q "^best *$best " out || fail "--race: $(cat out)"

# An optional flag that is left out is no word, or one with --keep-empty: then the default fails, and that is the first thing said.
run --keep-empty --report kept.html -- ./work.sh {size} {mode} {check} >out 2>err || fail "--keep-empty: exit status $?"
sed -n 3p out | grep -q "^the default failed, exited: .*cannot find ''" || fail "a default that failed is not told: $(cat out)"
grep -q 'The default failed: exited' kept.html || fail 'the page does not say that the default failed'
# A number that is not found names itself, and shows whole lines.
cat >lines.sh <<'END'
#!/bin/sh
i=0
while [ $i -lt 20 ]; do
    echo "line $i of many, which has some words"
    i=$((i + 1))
done
echo score 3
END
chmod +x lines.sh
status=0
run --number 'joules=regex:joules ([0-9]+)' -- ./lines.sh {size} {mode} {check} >out 2>err || status=$?
[ "$status" = 1 ] || fail "a number that is not found: exit status $status"
grep -q "\-\-number bytes: 'bytes (\[0-9\]+)' was not found.*with 'line 1[0-9] of many" out || fail "a number does not name itself: $(cat out)"

# Scores.
run --maximize --unit GB/s --report score.html -- ./work.sh {size} {mode} {check} >out 2>err || fail "--maximize: exit status $?: $(cat err)"
grep -q '^best *118.25 GB/s *\[118.25 GB/s, 118.25 GB/s\] *1.00  size = 64KiB, mode = slow' out || fail "--maximize: $(cat out)"
grep -q 'The best configuration reaches 118.25.*GB/s (tied).</h2>' score.html || fail '--maximize: the page has no score'
run --maximize --default mode=fast --json -- ./work.sh {size} {mode} {check} >json 2>err || fail "--maximize --json: exit status $?"
tr -d '\n ' <json | grep -q '"default":{"config":{"size":"64KiB","mode":"fast","check":""},"cost":18.25,' || fail "--maximize --json: $(cat json)"

# The log of a score is no log of a cost.
run --maximize --log scores.jsonl -- ./work.sh {size} {mode} {check} >out 2>err || fail "--maximize --log: exit status $?"
refuses 'what is told as scores, not costs' --space space.json --strategy random --repeat 1 --trials 16 --log scores.jsonl --resume --cost 'regex:score ([0-9.]+)' --number 'bytes=regex:bytes ([0-9]+)' -- ./work.sh {size} {mode} {check}
# Scores of 0 and below are failures that say so; so is one whose inverse is not a number.
echo '{"parameters": [{"name": "score", "values": ["0", "-3", "1e-320", "4"]}], "default": {"score": "4"}}' >signs.json
"$tune" --space signs.json --maximize --strategy random --repeat 1 --trials 4 --cost 'regex:(.+)' --json -- echo {score} >json 2>err || fail "--maximize, scores of 0: exit status $?: $(cat err)"
tr -d '\n ' <json | grep -q '"failed":3,.*"best":{"config":{"score":"4"},"cost":4.0,' || fail "--maximize, scores of 0: $(cat json)"
# Where the default failed, the JSON has the first that ran, as the terminal.
run --keep-empty --json -- ./work.sh {size} {mode} {check} >json 2>err || fail "--keep-empty --json: exit status $?"
tr -d '\n ' <json | grep -q '"default":null,.*"default_failed":' || fail "the JSON has a default that failed: $(cat json)"

# What is known before.
cat >known.csv <<'END'
size,mode,check,cost,failure
16MiB,fast,,7.5,
4MiB,slow,-c,,cannot have it
END
"$tune" --space space.json --known known.csv --strategy random --repeat 1 --trials 3 --cost 'regex:score ([0-9.]+)' --log known.jsonl -- ./work.sh {size} {mode} {check} >out 2>err || fail "--known: exit status $?: $(cat err)"
grep -q '^best *7.5 .*16MiB, mode = fast' out || fail "--known: $(cat out)"
[ "$(grep -c '"known":' known.jsonl)" = 2 ] || fail '--known: the log does not have both'
# Twenty seeds, of which three are right: the best is found within their number and the default's trial.
{
    echo mode,check,size
    for size in 64KiB 1MiB 4MiB 32MiB 2MiB; do for mode in slow fast; do for check in '' -x; do echo "$mode,$check,$size"; done; done; done
} >seeds.csv
sed -i '5s/.*/fast,,16MiB/' seeds.csv
"$tune" --space space.json --seeds seeds.csv --strategy random --repeat 1 --trials 20 --cost 'regex:score ([0-9.]+)' --log seeds.jsonl -- ./work.sh {size} {mode} {check} >out 2>err || fail "--seeds: exit status $?: $(cat err)"
[ "$(grep -c 'left out$' err)" -ge 10 ] || fail "--seeds: wrong ones are not told: $(cat err)"
grep -q '^best *7.5 ' out || fail "--seeds: $(cat out)"
[ "$(grep '"tell"' seeds.jsonl | grep -n '"16MiB","fast",""' | head -n 1 | cut -d: -f1)" -le 20 ] || fail '--seeds: measured late'
# The default from a file and from a log; the space without a run; the commands without running them; an end by expected gain.
echo '{"mode": "fast", "size": "1MiB", "check": "-c"}' >default.json
for from in default.json run.jsonl; do
    "$tune" --space space.json --default $from --describe --json >described || fail "--default $from: exit status $?"
    case $from in default.json) want=1MiB ;; *) want=16MiB ;; esac
    tr -d '\n ' <described | grep -q "\"default\":{\"size\":\"$want\",\"mode\":\"fast\"" || fail "--default $from: $(cat described)"
done
"$tune" --space space.json --describe --log run.jsonl >described || fail "--describe: exit status $?"
grep -q '^size .*"64KiB".*"16MiB".*\["64KiB","1MiB","4MiB","16MiB"\]' described && grep -q '^16 trials, 4 failed, best 7.5$' described || fail "--describe: $(cat described)"
"$tune" --space space.json --dry-run -- ./nonesuch.sh {size} {mode} {check} >out 2>err && fail '--dry-run: a program that is not there'
"$tune" --space space.json --dry-run --env 'A={mode} 1' -- ./work.sh {size} {check} >out 2>err || fail "--dry-run: exit status $?"
[ "$(grep -c "^A='.* 1' ./work.sh " out)" = 3 ] || fail "--dry-run: $(cat out)"
"$tune" --space space.json --strategy random --repeat 1 --until-gain 0.9 --cost 'regex:score ([0-9.]+)' -- ./work.sh {size} {mode} {check} >out 2>err || fail "--until-gain: exit status $?"
grep -q '^8 configurations measured, .*: more tuning is not expected to pay' out || fail "--until-gain: $(head -n 1 out)"
# Words for what a space file would have to list.
echo '{"parameters": [{"name": "loops", "permutation": 3}, {"name": "unroll", "flag": "-u"}], "default": {"loops": [2, 1, 0], "unroll": ""}}' >words.json
"$tune" --space words.json --describe --json | tr -d '\n ' | grep -q '"size":12,' || fail 'permutation and flag are no words of a space'
"$tune" --space words.json --default 'loops=(0, 2, 1)' --describe >/dev/null || fail '--default with an order'

# What was measured before begins a run: a log, a folder of them, and one line for what is none.
mkdir past
cp run.jsonl past
echo '{' >past/torn.jsonl
for from in run.jsonl past; do
    "$tune" --space space.json --start-from $from --repeat 1 --trials 3 --seconds 90 --cost 'regex:score ([0-9.]+)' --log begun.jsonl -- ./work.sh {size} {mode} {check} >out 2>err ||
        fail "--start-from $from: exit status $?: $(cat err)"
    grep -q '^best *7.5 ' out || fail "--start-from $from: not begun with what was best: $(cat out)"
    grep -q '"strategy":"combined from ' begun.jsonl || fail "--start-from $from: the log does not say so"
    [ "$(grep -c torn.jsonl err)" = "$([ $from = past ] && echo 1 || echo 0)" ] || fail "--start-from $from: said $(cat err)"
    rm begun.jsonl
done

# Wrong input.
refuses "parameter 'size' does not have the value 3GiB" --space space.json --default size=3GiB --describe
refuses 'there is no column check' --space space.json --known "$(printf 'size,mode,cost\n' >k.csv && echo k.csv)" -- ./work.sh {size} {mode} {check}
refuses "k2.csv:2: cost is 'much'" --space space.json --known "$(printf 'size,mode,check,cost\n1MiB,slow,,much\n' >k2.csv && echo k2.csv)" -- ./work.sh {size} {mode} {check}
refuses "k3.csv:2 is not a configuration of the space: parameter 'mode' does not have the value quick" --space space.json --known "$(printf 'size,mode,check,cost\n1MiB,quick,,1\n' >k3.csv && echo k3.csv)" -- ./work.sh {size} {mode} {check}
refuses "k4.csv:2: cost is '1e-320'" --space space.json --maximize --cost 'regex:(.+)' --known "$(printf 'size,mode,check,cost\n1MiB,slow,,1e-320\n' >k4.csv && echo k4.csv)" -- ./work.sh {size} {mode} {check}
refuses 'the column a\n\x1b[31m is not a parameter' --space space.json --known "$(printf 'size,mode,check,"a\n\033[31m"\n' >k5.csv && echo k5.csv)" -- ./work.sh {size} {mode} {check}
refuses '--maximize is for a score' --space space.json --maximize -- ./work.sh {size} {mode} {check}
refuses '--unit ms, but --cost wall is in seconds' --space space.json --unit ms -- ./work.sh {size} {mode} {check}
refuses 'want a share of the best' --space space.json --until-gain 3 -- ./work.sh {size} {mode} {check}
refuses '--serve=http is unknown, want json or baco' --space space.json --serve=http --trials 3
refuses 'cannot be opened' --space space.json --race none.jsonl -- ./work.sh {size} {mode} {check}

for option in '--report a.html' '--seconds 3' '--until-gain 0.1' '--t4 a.json' '--race run.jsonl'; do
    # shellcheck disable=SC2086 # options in words
    refuses "want it without ${option%% *}" --space space.json --serve --trials 3 $option
done
refuses 'want it without a command' --space space.json --serve --trials 3 -- ./work.sh
# A parameter may be called as a member of the JSON is.
echo '{"parameters": [{"name": "config", "values": [1, 2]}]}' >named.json
"$tune" --space named.json --describe >out 2>err || fail "--describe, a parameter config: $(cat err)"

# The protocol, as docs/command_line.md shows it.
said=$(printf '%s\n' '{"hello": 1}' '{"ask": 1}' '{"tell": 0, "cost": 2.5}' '{"ask": 1}' '{"drop": 1}' '{"best": true}' '{"tell": 9, "cost": 1}' 'nonsense' '{"hello": 2}' '{"tell": 1}' |
    "$tune" --space space.json --serve --trials 4 --strategy random)
line() { echo "$said" | sed -n "$1p"; }
[ "$(echo "$said" | wc -l)" = 10 ] || fail "--serve: $said"
line 1 | grep -q '^{"hello":1,"tunekit":"[0-9.]*","parameters":\["size","mode","check"\],"size":16}$' || fail "hello: $(line 1)"
[ "$(line 2)" = '{"jobs":[{"job":0,"config":{"size":"64KiB","mode":"slow","check":""}}],"over":false}' ] || fail "ask: $(line 2)"
[ "$(line 3)" = '{"told":0}' ] || fail "tell: $(line 3)"
[ "$(line 5)" = '{"dropped":1}' ] || fail "drop: $(line 5)"
[ "$(line 6)" = '{"best":{"config":{"size":"64KiB","mode":"slow","check":""},"cost":2.5},"trials":1,"failed":0}' ] || fail "best: $(line 6)"
for n in 7 8 9 10; do line $n | grep -q "^{\"error\":\"line $n: " || fail "an error is not told: $(line $n)"; done
sed -n '/^    > {"hello"/,/^$/s/^    //p' "$here/docs/command_line.md" >exchange
sed -n 's/^> //p' exchange | "$tune" --space "$here/examples/command_line/serve/space.json" --serve --trials 100 >said
plain() { sed 's/"config":{[^}]*}/configuration/g' "$1"; } # what the search proposes may change
sed '/^> /d' exchange >promised
[ "$(plain said)" = "$(plain promised)" ] || fail "docs/command_line.md has another exchange than $(cat said)"
# Costs have no unit unless one is given; scores are told as scores, by the log too.
printf '%s\n' '{"ask": 1}' '{"tell": 0, "cost": 2.5}' '{"best": 1}' >asked
for unit in '' '--maximize --unit GB/s'; do
    rm -f told.jsonl
    # shellcheck disable=SC2086 # options in words
    "$tune" --space space.json --serve --trials 4 --strategy random --log told.jsonl $unit <asked >out 2>err || fail "--serve $unit: $(cat err)"
    grep -q '"cost":2.5}' out || fail "--serve $unit: $(cat out)"
    "$report" told.jsonl --text -o told.html >out || fail "tune_report of what was served: exit status $?"
    case $unit in '') want='costs 2.5 (not raced).$' ;; *) want='reaches 2.5.*GB/s (not raced).$' ;; esac
    grep -q "^The best configuration $want" out || fail "--serve $unit is told as something else: $(cat out)"
done
# A signal ends it, however much is said.
yes '{"best": 1}' | "$tune" --space space.json --serve --trials 4 >/dev/null 2>err &
served=$!
sleep 0.3
kill -s TERM $served
status=0
wait $served || status=$?
[ "$status" = 143 ] || fail "--serve, SIGTERM while much is said: exit status $status, want 143"
status=0
head -c 3000000 /dev/zero | tr '\0' x | "$tune" --space space.json --serve --trials 4 >out 2>err || status=$?
[ "$status" = 2 ] || fail "--serve, a line without an end: exit status $status, want 2"
[ "$("$here/examples/command_line/serve/client.sh" 10 "$tune")" = '4 fast 1.0' ] || fail 'the client in sh'
if command -v python3 >/dev/null; then
    [ "$("$here/examples/command_line/serve/client.py" 10 "$tune")" = '4 fast 1.0' ] || fail 'the client in Python'
fi
exit $bad
