#!/bin/sh
# The frame around all subcommands: help, version, exit codes.
# usage: test_main.sh METHODBEAT
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
expect 0 '^methodbeat [0-9][0-9.]* ([0-9a-f]\{7,\}[-a-z]*, [a-z]*-[a-z0-9]*)$\|^methodbeat [0-9.]* (unknown, ' --version
expect 2 "no subcommand given" 
expect 2 "there is no subcommand 'hepl'" hepl
expect 2 "Try 'methodbeat help'" hepl

# What may have been meant.
expect 2 "there is no subcommand 'hepl': did you mean help?\$" hepl
expect 2 "there is no subcommand 'hepl': did you mean help?\$" help hepl
expect 2 "there is no subcommand 'inst': did you mean instrument?\$" inst
expect 2 "there is no subcommand 'symbolise': did you mean symbolize?\$" symbolise
expect 2 "there is no subcommand 'reprot': did you mean report?\$" reprot
expect 2 "there is no subcommand 'frobnicate'\$" frobnicate
expect 2 'there is no option --fromat=json: did you mean --format?$' report --fromat=json
expect 2 'there is no option --ouput: did you mean --output?$' instrument --ouput x
expect 2 'there is no option --ma: did you mean --mapping?$' report --ma x
expect 2 'there is no option --excludes$' instrument --excludes x
expect 2 "there is no subcommand 'hepl'" help hepl
expect 2 "'two' is too much" help report two
expect 0 '^usage: methodbeat fleet rows' help fleet rows
expect 0 '^usage: methodbeat fleet ask' fleet ask --help
expect 2 "'ask' is too much" help fleet rows ask
expect 2 "there is no question 'risin': did you mean rising?\$" fleet ask risin lake
expect 2 "there is no question 'frob'\$" fleet ask --sql trino frob
expect 2 "any more: it is fleet ask -o FILE LAKE\$" fleet page -o x lake
expect 2 "any more: it is fleet ask --sql ENGINE\$" fleet sql top
expect 2 'a question is needed$' fleet ask
expect 2 'there is no option --inot: did you mean --into?$' fleet load --inot x

expect 0 '^usage: methodbeat report' report --top 5 app.mbtrace --help
expect 0 '^usage: methodbeat tune' tune -h -- file
expect 1 '^methodbeat: --help: cannot open' tune -- --help
expect 2 'any more: it is report --format records$' records app.mbtrace
expect 2 'any more: it is attach --dump or attach --stop$' control --pid 1 dump
expect 2 'any more: it is report --format records$' help records

# Options: what exactly is wrong with them.
expect 2 'there is no option -z$' instrument -zq
expect 2 'there is no option -z$' instrument -qz
expect 2 'there is no option --nothing=3$' instrument --nothing=3
expect 2 '^methodbeat instrument: --output needs an argument$' instrument -qo
expect 2 '--output needs an argument$' instrument --output
expect 2 '--quiet takes no argument$' instrument --quiet=3
expect 2 "--output cannot be '': it is not empty\$" instrument -o '' x.jar
expect 2 "--compression cannot be 'most': it is store, fast or best\$" instrument --compression most
expect 2 "--rules cannot be '': it is default or matrix\$" instrument --rules=
expect 2 "--format cannot be 'xml': it is text, json, .* or [a-z]*\$" report --format xml
expect 2 "--format cannot be 'chrome': it is text or json\$" jvms --format chrome
expect 2 "--show cannot be 'all': it is threads, stacks, trust, muted or names\$" report --show all
expect 2 "--show cannot be 'trust,,muted': it is" report --show trust,,muted
expect 2 'there is no option --stacks: use --show=stacks$' report --stacks
expect 2 "--jobs is a number from 1 to 256, not '0'\$" instrument -j0
for name in '' '[I' a//b /a a/ 'La/B;'; do
    expect 2 "cannot be '.*': it is a class name such as a.b.C\$" instrument --beat-class "$name"
    expect 2 "cannot be '.*': it is a class name such as a.b.C\$" instrument --activity "$name"
done

# What is not there has a name, even an empty one.
for command in report tune; do
    expect 1 "^methodbeat: missing: cannot open: " "$command" missing
    expect 1 "^methodbeat: '': cannot open: " "$command" ''
done

# Every subcommand of the list explains itself.
for command in $("$beat" help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
    expect 0 "^usage: methodbeat $command" "$command" --help
done

if [ -w /dev/full ]; then
    "$beat" help >/dev/full 2>/dev/null
    [ $? -eq 1 ] || { echo "a full disk goes unnoticed"; failures=$((failures + 1)); }
fi
[ "$failures" -eq 0 ]
