#!/usr/bin/env python3
"""What each format of report costs: bytes, seconds and peak memory, of one trace, also beyond that of the text,
which is what reading the trace takes, and seconds until a program that is not ours has it loaded, where there
is one.

usage: exports.py METHODBEAT METHOD_MAP TRACE [REPEATS [FORMAT...]]

The best of the repeats (3; 0: it is only written, once) counts; outputs go to a folder that is removed.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

METHODBEAT, MAP, TRACE = sys.argv[1:4]
REPEATS = int(sys.argv[4]) if len(sys.argv) > 4 else 3
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, 'export'))


def formats():
    """Those of this build, out of what it says of one that no build has."""
    said = subprocess.run([METHODBEAT, 'report', '--format=none', TRACE], capture_output=True,
                          text=True, check=False).stderr
    return sys.argv[5:] or re.split(r', | or ', re.search(r'it is (.*)', said)[1])


def write(name, path):
    """Seconds, the peak in KiB, and seconds of a processor."""
    started = time.monotonic()
    child = subprocess.Popen([METHODBEAT, 'report', '--method-map', MAP, f'--format={name}',
                              '--output', path, TRACE])
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - started
    if status != 0:
        raise SystemExit(f'{name}: status {status}')
    return seconds, usage.ru_maxrss, usage.ru_utime + usage.ru_stime


# ---- Programs that load it ----

def fetch(*names):
    return subprocess.run([os.path.join(TESTS, 'corpus', 'fetch.sh'), *names], capture_output=True,
                          text=True, check=True).stdout.split()


def by_engine(path):
    """Perfetto's trace processor."""
    done = subprocess.run(['node', os.path.join(TESTS, 'export', 'trace_processor.mjs'), *fetch('trace-processor')],
                          input=json.dumps([{'file': path, 'queries': []}]), capture_output=True, text=True,
                          check=True)
    answer, = json.loads(done.stdout)
    return answer.get('seconds') or answer['error']


def by_speedscope(path):
    """In Chromium."""
    playwright, chromium, viewer = fetch('playwright', 'chromium', 'speedscope')
    done = subprocess.run(['node', os.path.join(TESTS, 'corpus', 'speedscope.mjs'), playwright, chromium,
                           viewer, path], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)['seconds']


LOADERS = {'perfetto': by_engine, 'chrome': by_engine, 'art': by_engine, 'folded': by_engine,
           'pprof': by_engine, 'speedscope': by_speedscope}


def load(name, path):
    """As text; '-' where nobody is asked."""
    if name not in LOADERS or REPEATS == 0:
        return '-'
    try:
        seconds = LOADERS[name](path)
        return f'{seconds:.2f}' if isinstance(seconds, float) else seconds.splitlines()[0][:40]
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        return str(error).splitlines()[0][:40]


with tempfile.TemporaryDirectory() as folder:
    print(f'{"format":12} {"bytes":>13} {"seconds":>8} {"cpu s":>7} {"peak MiB":>9} {"more":>7} {"loaded s":>9}')
    least = write('text', os.path.join(folder, 'text'))[1]
    for name in formats():
        path = os.path.join(folder, name)
        best = min(write(name, path) for _ in range(max(REPEATS, 1)))
        print(f'{name:12} {os.path.getsize(path):13,} {best[0]:8.2f} {best[2]:7.2f} '
              f'{best[1] / 1024:9.1f} {(best[1] - least) / 1024:7.1f} {load(name, path):>9}', flush=True)
        os.unlink(path)
