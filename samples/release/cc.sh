#!/bin/sh
# The compiler, without two words of Meson's. For the -O0 of its checks it would compile the C library anew, for minutes;
# with the other, what no library has would be a warning for Windows, and a program that ends there.
# usage: cc.sh ZIG ARGUMENT...
zig=$1
shift
for word; do
    shift
    case $word in
    -O0 | -Wl,--allow-shlib-undefined) ;;
    *) set -- "$@" "$word" ;;
    esac
done
exec "$zig" cc "$@"
