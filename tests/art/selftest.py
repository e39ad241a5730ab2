"""The runtime runs Hello, and finds what is wrong of three programs: a reference that is returned as an int, a monitor
that is not left, a class that a native takes for a string. The first two are made in the dex.

usage: selftest.py METHODBEAT WRONG_LIBRARY
"""
import hashlib
import os
import re
import struct
import sys
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
from art import Art, Verdicts  # noqa: E402

LIBRARY = os.path.abspath(sys.argv[2])
# A code item of one register, for one argument, of one unit: return-object v0 becomes return v0.
GET = rb'(\x01\0\x01\0\0\0\0\0....\x01\0\0\0)\x11\0', b'\\1\x0f\x00'
# add-int/lit8 v1, v1, 1; monitor-exit v0; return v1: nops take the monitor-exit's place.
ADD = rb'(\xd8\x01\x01\x01)\x1e\0(\x0f\x01)', b'\\1\x00\x00\\2'


def change(jar, name, old, new):
    """The jar of dex with one thing changed, and its sums right again."""
    with zipfile.ZipFile(jar) as file:
        dex = file.read('classes.dex')
    dex, count = re.subn(old, new, dex, flags=re.S)
    if count != 1:
        raise SystemExit(f'{count} places to change in the dex')
    dex = bytearray(dex)
    dex[12:32] = hashlib.sha1(dex[32:]).digest()
    dex[8:12] = struct.pack('<I', zlib.adler32(bytes(dex[12:])))
    with zipfile.ZipFile(judge.scratch(f'{name}.jar'), 'w') as file:
        file.writestr('classes.dex', bytes(dex))
    return file.filename


def run(art, jar, *words):
    done = art.run('Wrong', *words, class_path=(jar,))
    print(done.returncode, done.stdout.strip(), *done.complaints, sep='\n  ', flush=True)
    return done


def main():
    art = Art()
    classes = judge.compile_java(judge.scratch('wrong'), (os.path.join(HERE, 'java', 'Wrong.java'),), '--release', '8',
                                 '-Xlint:-options')
    jar = art.dex('wrong', classes)
    done = run(art, jar)
    judge.check((done.returncode, done.stdout, done.complaints) == (0, 'Hello world\n', []), f'Hello: {done.stderr}')
    verdict = Verdicts(art.judge_classes(jar))
    judge.check(verdict.classes == {'Wrong': ('clean', '')} and not verdict.slow, f'Hello: {verdict.classes}')

    hard = change(jar, 'hard', *GET)
    done = run(art, hard)
    judge.check(done.returncode == 1 and 'java.lang.VerifyError' in done.stderr, f'returned as an int: {done.stderr}')
    verdict = Verdicts(art.judge_classes(hard))
    judge.check(verdict.classes['Wrong'][0] == 'hard', f'returned as an int: {verdict.classes}')

    soft = change(jar, 'soft', *ADD)
    done = run(art, soft)
    judge.check(any('failed lock verification' in line for line in done.complaints), f'not left: {done.stderr}')
    verdict = Verdicts(art.judge_classes(soft))
    judge.check(verdict.classes['Wrong'][0] == 'soft' and verdict.slow == {'Wrong'},
                f'not left: {verdict.classes} {verdict.slow}')

    done = run(art, jar, LIBRARY)
    judge.check(done.returncode != 0 and any('JNI DETECTED ERROR' in line for line in done.complaints),
                f'taken for a string: {done.stderr}')
    judge.finish()


main()
