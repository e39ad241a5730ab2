#!/bin/sh
# Compile primes.c against a build of methodbeat, run it, report on its trace; then server.c, and ask it
# for what is slow.
# usage: run.sh [BUILD_FOLDER]     without it, what `ninja install` put where pkg-config looks
#                                  (PKG_CONFIG_PATH), or else the folder build
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# = 0 ] && pkg-config --exists methodbeat; then
    flags=$(pkg-config --cflags --libs methodbeat)
    libraries=$(pkg-config --libs-only-L methodbeat)
    for folder in ${libraries:-$(pkg-config --variable=libdir methodbeat)}; do
        flags="$flags -Wl,-rpath,${folder#-L}"
    done
    methodbeat=$(pkg-config --variable=prefix methodbeat)/bin/methodbeat
    [ -x "$methodbeat" ] || methodbeat=${PKG_CONFIG_SYSROOT_DIR-}$methodbeat # of a staged install
else
    build=$(cd "${1:-$here/../../build}" && pwd)
    flags="-I$here/../../src/recorder -I$here/../../src/monitor/watch -L$build/src/jni -Wl,-rpath,$build/src/jni -lmethodbeat"
    methodbeat=$build/src/cli/methodbeat
fi
# shellcheck disable=SC2086
${CC:-cc} -std=c17 -O2 -Wall -Wextra -o "$work/primes" "$here/primes.c" $flags -pthread
"$work/primes" "$work/primes.mbtrace" "$here/methodMapping.txt"
"$methodbeat" report --method-map "$here/methodMapping.txt" "$work/primes.mbtrace"
# shellcheck disable=SC2086
${CC:-cc} -std=c17 -O2 -D_DEFAULT_SOURCE -Wall -Wextra -o "$work/server" "$here/server.c" $flags -pthread
cat >"$work/ask.py" <<'END'
import socket, subprocess, sys

with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True) as server:
    try:
        with socket.create_connection(('127.0.0.1', int(server.stdout.readline().split()[1]))) as client:
            for line in 60 * [b'quick\n'] + [b'slow one\n']:
                client.sendall(line)
                assert client.recv(128) == line
            print(server.stdout.readline() + server.stdout.readline(), end='')
    finally:
        server.kill()
END
python3 "$work/ask.py" "$work/server" "$work/server.mbtrace"
"$methodbeat" report "$work/server.mbtrace"
