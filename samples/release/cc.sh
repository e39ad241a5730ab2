#!/bin/sh
# The compiler, without three words. For the -O0 of Meson's checks it would compile the C library anew, for minutes; with
# --allow-shlib-undefined, what no library has would be a warning for Windows, and a program that ends there; it does not
# know -Bsymbolic-functions, which saves the recorder's own calls a jump.
# usage: cc.sh ZIG ARGUMENT...
zig=$1
shift
for word; do
    shift
    case $word in
    -O0 | -Wl,--allow-shlib-undefined | -Wl,-Bsymbolic-functions) ;;
    *) set -- "$@" "$word" ;;
    esac
done
exec "$zig" cc "$@"
