#!/bin/sh
# A program that runs with the rights of another user takes no setting from the environment of the one
# who called it: METHODBEAT_FILE could name any file that its owner may write.
# usage: setuid.sh PROGRAM     (samples/native/primes.c)     exit 77 (skipped) where root is needed
set -eu
program=$1
nobody=65534
[ "$(id -u)" = 0 ] || { echo 'only root can give a program to another user'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chown $nobody "$work"
cp "$program" "$work/program"
cp "$(command -v id)" "$work/id"
chown $nobody "$work/program" "$work/id"
chmod 4755 "$work/program" "$work/id"
[ "$("$work/id" -u)" = $nobody ] || { echo 'no setuid programs in this file system'; exit 77; }

METHODBEAT_THREADS=sundial "$program" "$work/a.mbtrace" 2>"$work/err" >/dev/null
grep -q sundial "$work/err" || { echo 'its own environment is not honoured'; exit 1; }
METHODBEAT_THREADS=sundial "$work/program" "$work/b.mbtrace" 2>"$work/err" >"$work/out"
grep -q primes "$work/out"
[ ! -s "$work/err" ] || { echo "another's environment is honoured:"; cat "$work/err"; exit 1; }
