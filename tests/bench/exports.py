#!/usr/bin/env python3
"""What each format of report costs: bytes, seconds and peak memory, of one trace.

usage: exports.py METHODBEAT METHOD_MAP TRACE [REPEATS]

The best of the repeats (3) counts; outputs go to a folder that is removed.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

METHODBEAT, MAP, TRACE = sys.argv[1:4]
REPEATS = int(sys.argv[4]) if len(sys.argv) > 4 else 3


def formats():
    """Those of this build, out of what it says of one that no build has."""
    said = subprocess.run([METHODBEAT, 'report', '--format=none', TRACE], capture_output=True,
                          text=True, check=False).stderr
    return re.split(r', | or ', re.search(r'it is (.*)', said)[1])


def write(name, path):
    """Seconds, and the peak in KiB."""
    started = time.monotonic()
    child = subprocess.Popen([METHODBEAT, 'report', '--method-map', MAP, f'--format={name}',
                              '--output', path, TRACE])
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - started
    if status != 0:
        raise SystemExit(f'{name}: status {status}')
    return seconds, usage.ru_maxrss, usage.ru_utime + usage.ru_stime


with tempfile.TemporaryDirectory() as folder:
    print(f'{"format":12} {"bytes":>13} {"seconds":>8} {"cpu s":>7} {"peak MiB":>9}')
    for name in formats():
        path = os.path.join(folder, name)
        best = min(write(name, path) for _ in range(REPEATS))
        print(f'{name:12} {os.path.getsize(path):13,} {best[0]:8.2f} {best[2]:7.2f} '
              f'{best[1] / 1024:9.1f}', flush=True)
        os.unlink(path)
