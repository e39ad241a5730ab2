"""Every class is taken apart and put together again byte for byte (roundtrip.c).

usage: round_trip.py METHODBEAT ROUNDTRIP CORPUS...
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

LEAST = 60000  # classes; the corpora hold more
paths = judge.corpus(*sys.argv[3:])
for options in ((), ('--widen',)):
    done = judge.run((os.path.abspath(sys.argv[2]), *options, *paths), timeout=900)
    print(done.stdout[-2000:], done.stderr[-2000:], end='', flush=True)
    judge.check(done.returncode == 0, f'roundtrip {options}: exit code {done.returncode}')
    found = re.search(r'^(\d+) classes and \d+ methods round trip', done.stdout, re.MULTILINE)
    judge.check(found and int(found.group(1)) > LEAST, f'{options}: more than {LEAST} classes')
judge.finish()
