#!/bin/sh
# The compiler, without the -O0 of Meson's checks: for each level it would compile the C library anew, for minutes.
# usage: cc.sh ZIG ARGUMENT...
zig=$1
shift
for word; do
    shift
    [ "$word" = -O0 ] || set -- "$@" "$word"
done
exec "$zig" cc "$@"
