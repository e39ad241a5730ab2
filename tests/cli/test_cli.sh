#!/bin/sh
# The frame around all subcommands: help, version, exit codes.
# usage: test_cli.sh METHODBEAT
set -u
beat=$1
failures=0

# expect CODE PATTERN ARGUMENT...: the exit code, and a pattern in what was printed.
expect() {
    code=$1
    pattern=$2
    shift 2
    printed=$("$beat" "$@" 2>&1)
    got=$?
    if [ "$got" -ne "$code" ]; then
        echo "methodbeat $*: exit code $got, not $code"
        failures=$((failures + 1))
    fi
    if ! printf '%s\n' "$printed" | grep -q -e "$pattern"; then
        echo "methodbeat $*: no '$pattern' in: $printed"
        failures=$((failures + 1))
    fi
}

expect 0 '^usage: methodbeat COMMAND' --help
expect 0 '^usage: methodbeat COMMAND' help
expect 0 '^usage: methodbeat help' help help
expect 0 '^usage: methodbeat help' help --help
expect 0 '^methodbeat [0-9][0-9.]*$' --version
expect 2 "no subcommand given" 
expect 2 "there is no subcommand 'hepl'" hepl
expect 2 "Try 'methodbeat help'" hepl
expect 2 "there is no subcommand 'hepl'" help hepl
expect 2 "Try 'methodbeat help help'" help one two

# Every subcommand of the list explains itself.
for command in $("$beat" help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
    expect 0 "^usage: methodbeat $command" "$command" --help
done

if [ -w /dev/full ]; then
    "$beat" help >/dev/full 2>/dev/null
    [ $? -eq 1 ] || { echo "a full disk goes unnoticed"; failures=$((failures + 1)); }
fi
[ "$failures" -eq 0 ]
