#!/bin/sh
# Run a Java program with probes under both flavours and look at the traces.
# usage: run.sh JAVA JAVAC RUNTIME_JAR LIBRARY SHOW_RINGS PROGRAM_SOURCE
set -eu
java=$1 javac=$2 runtime=$(realpath "$3") library=$(realpath "$4") show=$5 source=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$javac" -cp "$runtime" -d "$work" "$source"
failures=0

# run ARGUMENT... : the program with these options; its output is in $work/out
run() {
    "$java" -Xverify:all -XX:-PrintWarnings -XX:TieredStopAtLevel="${level:-4}" \
        -cp "$runtime:$work" -Dmethodbeat.library="$library" "$@" >"$work/out" 2>"$work/err" ||
        echo "exit $?" >>"$work/out"
}

# expect WHAT FILE TEXT : FILE is exactly TEXT
expect() {
    if [ "$(cat "$2")" != "$3" ]; then
        printf '%s:\n--- expected\n%s\n--- got\n%s\n' "$1" "$3" "$(cat "$2")"
        sed 's/^/    stderr: /' "$work/err"
        failures=$((failures + 1))
    fi
}

rings() {
    "$show" "$1" >"$work/rings" 2>&1 || true
}

whole='0 unmatched, 0 open, 0 backwards'
trace=$work/t.mbtrace
for flavour in mapped native; do
    clock=coarse
    [ $flavour = native ] && clock=counter
    set -- -Dmethodbeat.flavour=$flavour -Dmethodbeat.threads=main -Dmethodbeat.profile=off \
        -Dmethodbeat.file="$trace"

    run "$@" Program plain
    expect "$flavour plain" "$work/out" 'done 10010'
    rings "$trace"
    expect "$flavour plain" "$work/rings" "$clock clock, closed
*main: 22002 records, $whole"

    run "$@" -Dmethodbeat.threads=all Program plain
    rings "$trace"
    expect "$flavour all threads" "$work/rings" "$clock clock, closed
*main: 22002 records, $whole
worker: 24 records, $whole"

    level=1 run "$@" Program 30000
    rings "$trace"
    expect "$flavour first compiler" "$work/rings" "$clock clock, closed
*main: 660000 records, $whole"

    run "$@" Program 30000
    rings "$trace"
    expect "$flavour second compiler" "$work/rings" "$clock clock, closed
*main: 660000 records, $whole"

    run "$@" Program muted
    rings "$trace"
    expect "$flavour muted" "$work/rings" "$clock clock, closed
*main: 460001 records, 0 unmatched, 1 open, 0 backwards"

    run "$@" Program messages
    rings "$trace"
    expect "$flavour messages" "$work/rings" "$clock clock, closed
*main: 120 records, $whole"

    run "$@" -Dmethodbeat.main=ui Program late
    rings "$trace"
    expect "$flavour late main thread" "$work/rings" "$clock clock, closed
*ui: 440 records, $whole"

    run -Dmethodbeat.flavour=$flavour Program confirm "$trace"
    expect "$flavour confirm" "$work/out" 'true
done 200'
    rings "$trace"
    expect "$flavour confirm" "$work/rings" "$clock clock, closed
*main: 440 records, $whole"

    run "$@" Program restart "$work/second"
    expect "$flavour restart" "$work/out" 'false
true
done 410'
    rings "$trace"
    expect "$flavour before restart" "$work/rings" "$clock clock, closed
*main: 220 records, $whole"
    rings "$work/second"
    expect "$flavour after restart" "$work/rings" "$clock clock, closed
*main: 462 records, $whole"
    rings "$work/second.dump"
    expect "$flavour dump" "$work/rings" "$clock clock, closed
*main: 440 records, $whole"

    run -Dmethodbeat.flavour=$flavour Program released
    expect "$flavour released" "$work/out" 'true
true
false
done 200'

    run -Dmethodbeat.flavour=$flavour -Dmethodbeat.file=/nonexistent/t Program plain
    expect "$flavour without folder" "$work/out" 'done 10010'
    expect "$flavour without folder" "$work/err" \
        'methodbeat: /nonexistent/t: cannot create the trace: No such file or directory: recording in memory only'
done

# What nobody sets: all threads, probes in Java, a name of the program's own.
(cd "$work" && run -Dmethodbeat.file=auto -Dmethodbeat.throttle=off Program plain)
rings "$(ls "$work"/Program-*.mbtrace)"
expect 'defaults' "$work/rings" "coarse clock, closed
*main: 22002 records, $whole
worker: 24 records, $whole"

# Killed while Java stores into the mapping, and has lapped it.
for kill in 1 2 3 4 5; do
    rm -f "$trace" "$work/out"
    "$java" -cp "$runtime:$work" -Dmethodbeat.library="$library" -Dmethodbeat.file="$trace" \
        -Dmethodbeat.flavour=mapped -Dmethodbeat.throttle=off Program endless >"$work/out" 2>&1 &
    pid=$!
    while ! grep -qs running "$work/out"; do sleep 0.05; done
    sleep "0.$kill"
    kill -9 $pid
    wait $pid 2>/dev/null || true
    rings "$trace"
    # The oldest calls lost their entries to the lap: at most one mid and one leaf.
    sed -n 's/^\*main: [0-9]\{6,\} records, [012] unmatched, [012] open, 0 backwards.*/whole/p' \
        "$work/rings" >"$work/verdict"
    cp "$work/rings" "$work/err"
    expect "kill -9" "$work/verdict" whole
done

"$java" -cp "$runtime:$work" -Dmethodbeat.library=/no/such/library Program plain \
    >"$work/out" 2>"$work/err" || true
expect 'no library' "$work/out" 'done 10010'
expect 'no library' "$work/err" \
    "methodbeat: nothing is recorded: Can't load library: /no/such/library"
[ $failures = 0 ]
