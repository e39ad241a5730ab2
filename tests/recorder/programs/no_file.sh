#!/bin/sh
# A program whose trace cannot be written runs on and says so: a full disk, a folder that is not
# there, a read-only one, something else in its place. A trace that is deleted while it is written
# disturbs nobody.
# usage: no_file.sh PROGRAM     (samples/native/primes.c; its argument is the trace)
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect WHAT LINE COMMAND...: the output is as ever, and one line on stderr has LINE in it.
expect() {
    what=$1
    line=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err" || { echo "$what: exit code $?"; cat "$work/err"; exit 1; }
    if [ "$(cat "$work/out")" != '1472 and 878 primes' ] ||
        [ "$(grep -c . "$work/err")" != 1 ] || ! grep -q "$line" "$work/err"; then
        echo "$what:"
        cat "$work/out" "$work/err"
        exit 1
    fi
}

expect 'no folder' 'No such file' "$program" "$work/none/t.mbtrace"
mkdir "$work/folder" "$work/small"
expect 'a folder in its place' 'a folder is in the way' "$program" "$work/folder"
echo 'my diary' >"$work/diary"
expect 'a diary in its place' 'no trace is in the way' "$program" "$work/diary"
[ "$(cat "$work/diary")" = 'my diary' ] || { echo 'a diary in its place: it is gone'; exit 1; }
ln -s "$work/diary" "$work/link"
expect 'a link in its place' 'symbolic link is in the way' "$program" "$work/link"
mkfifo "$work/pipe"
expect 'a pipe in its place' 'pipe or socket is in the way' "$program" "$work/pipe"
[ -p "$work/pipe" ] || { echo 'a pipe in its place: it is gone'; exit 1; }

# In a mount name space of our own, where we may make one.
inside() {
    unshare -m sh -c 'mount -t tmpfs -o "$1" tmpfs "$2" || exit 99; "$3" "$2/t.mbtrace"' \
        sh "$1" "$work/small" "$program"
}
# A second run has no room beside the trace of the first, which therefore stays.
again() {
    unshare -m sh -c 'mount -t tmpfs -o size=12m tmpfs "$1" || exit 99
        "$2" "$1/t.mbtrace" >"$3/first" 2>&1 && cp "$1/t.mbtrace" "$3/kept" &&
        "$2" "$1/t.mbtrace" && cmp "$1/t.mbtrace" "$3/kept" && [ "$(ls "$1")" = t.mbtrace ]' \
        sh "$work/small" "$program" "$work"
}
if unshare -m mount -t tmpfs tmpfs "$work/small" 2>/dev/null; then
    expect 'room for one trace' 'No space left' again
    expect 'a full disk' 'No space left' inside size=256k
    expect 'a read-only folder' 'Read-only' inside size=64m,ro
else
    echo 'full and read-only disks: not allowed to mount one here'
fi

"$program" "$work/t.mbtrace" >"$work/out" 2>"$work/err" &
while [ ! -e "$work/t.mbtrace" ] && kill -0 $! 2>/dev/null; do :; done
rm -f "$work/t.mbtrace"
wait $! || { echo "a deleted trace: exit code $?"; exit 1; }
[ "$(cat "$work/out")" = '1472 and 878 primes' ] && [ ! -s "$work/err" ]
