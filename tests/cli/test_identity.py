#!/usr/bin/env python3
"""Whom a trace comes from, in what is made of it: reports, their labels, rows of fleets.

usage: test_identity.py METHODBEAT
"""
import gzip
import json
import pathlib
import random
import struct
import subprocess
import sys

from checks import check, run_all
from reports import METHODBEAT, Bench, main_ring, squeeze
from traces import MAP, enter, fnv, leave, trace

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'formats'))
import readers  # noqa: E402

MAP_HASH = fnv(MAP.encode())
OFFSET = 12288  # abi/identity.h
APP = 'id=com.acme,version=5.2,code=521,model=<b>Anvil</b> 3,maker=Acme,os=Android,os_level=33,device=d1,class=LOW,memory=2048,arm=b'
OBJECT = {'id': 'com.acme', 'version': '5.2', 'code': 521, 'model': '<b>Anvil</b> 3', 'maker': 'Acme', 'os': 'Android',
          'os_level': '33', 'device': 'd1', 'class': 'LOW', 'memory': 2048, 'arm': 'b'}
LABELS = {'thread': 'main', 'app.id': 'com.acme', 'app.version': '5.2', 'device.model': '<b>Anvil</b> 3', 'device.maker': 'Acme',
          'os.name': 'Android', 'os.level': '33', 'device.class': 'LOW'}  # and not the device


def sample(app=APP, size=None, **changes):
    data = bytearray(trace([main_ring()], **changes))
    text = app.encode()
    area = struct.pack('<I', len(text) if size is None else size) + text
    data[OFFSET:OFFSET + len(area)] = area
    return bytes(data)


def pprof(bench, data, *options):
    path = bench.folder / 'out.pb.gz'
    code, _, error = bench.report(data, '--format=pprof', f'--output={path}', *options)
    check('pprof', code == 0, error)
    return readers.message(gzip.decompress(path.read_bytes()))


def labels(profile):
    """Of each sample."""
    texts = [text.decode() for text in profile[6]]
    for row in map(readers.message, profile[2]):
        pairs = map(readers.message, row[3])
        yield {texts[readers.first(pair, 1)]: texts[readers.first(pair, 2)] for pair in pairs}


def test_reports(bench):
    _, text, _ = bench.report(sample())
    check('text', '(sample, pid 4711, com.acme 5.2, <b>Anvil</b> 3, Android 33)' in squeeze(text), text)
    _, text, _ = bench.report(sample(), '--format=json')
    check('json', json.loads(text)['app'] == OBJECT, text)
    _, text, _ = bench.report(sample(), '--format=html')
    check('page', 'pid 4711, com.acme 5.2, &lt;b&gt;Anvil&lt;/b&gt; 3, Android 33' in text and '<b>Anvil' not in text, text[:3000])
    for app in '', 'version=5.2', 'os_level=33':
        _, text, _ = bench.report(sample(app))
        check(f'text of {app}', f"(sample, pid 4711{', ' * bool(app)}{app.partition('=')[2]})" in squeeze(text), text)


def test_damaged(bench):
    for app, size in (APP, 5000), ('Colour=red', None), ('id=\x1b[31m', None), (APP, 1 << 31), ('id=' + 'x' * 200, None):
        code, text, error = bench.report(sample(app, size), '--format=json')
        check('damaged', code == 0 and 'app' not in json.loads(text), f'{text} {error}')


def test_labels(bench):
    if subprocess.run([METHODBEAT, 'report', '--format=pprof', '/dev/null'], capture_output=True, text=True,
                      check=False).stderr.count('protobuf'):
        return
    profile = pprof(bench, sample())
    found = [{key: value for key, value in row.items() if key != 'mark'} for row in labels(profile)]
    check('labels', len(found) == 3 and all(row == LABELS for row in found), found)
    kind = readers.message(profile[11][0])
    check('period', (profile[6][readers.first(kind, 1)], profile[6][readers.first(kind, 2)], profile[12]) ==
          (b'wall', b'nanoseconds', [1]), profile[11])
    found = list(labels(pprof(bench, sample(''))))
    check('no labels', all(set(row) <= {'thread', 'mark'} for row in found), found)


def stacks(profile):
    """stack -> (calls, ns) of each sample"""
    texts = [text.decode() for text in profile[6]]
    names = {readers.first(row, 1): texts[readers.first(row, 2)] for row in map(readers.message, profile[5])}
    for row, own in zip(map(readers.message, profile[2]), labels(profile)):
        path = '<'.join(names[number] for number in readers.packed(row[1][0]))
        yield f"{own['thread']}:{path}" if 'thread' in own else path, tuple(readers.packed(row[2][0]))


def test_most_stacks(bench):
    """Whatever the number, not one more, and the time of all."""
    words, now = [], 0
    rng = random.Random(1)
    for _ in range(300):
        depth = rng.randrange(1, 6)
        path = [rng.randrange(1, 5) for _ in range(depth)]
        for method in path:
            words.append(enter(method, now := now + 1))
        for method in reversed(path):
            words.append(leave(method, now := now + rng.randrange(1, 30)))
    data = trace([{'words': words}, {'words': [enter(4, 1), leave(4, 3)], 'thread': 80, 'main': 0, 'name': 'small'}])
    whole = list(stacks(pprof(bench, data)))
    check('many', len(whole) > 100 and not any('other' in path for path, _ in whole), len(whole))
    total, rows = sum(values[1] for _, values in whole), dict(whole)
    for most in 1, 2, 3, 10, 99, len(whole) - 1, len(whole), len(whole) + 1:
        profile = pprof(bench, data, f'--top={most}')
        found = list(stacks(profile))
        told = [profile[6][number] for number in profile[13] if b'beyond --top' in profile[6][number]]
        check(f'at most {most}', len(found) <= most and len(found) >= min(most, len(whole)) - 1, len(found))
        check(f'time of {most}', sum(values[1] for _, values in found) == total, found[:5])
        check(f'calls of {most}', all(path == '(other)' or values[0] == rows[path][0] for path, values in found), found[:5])
        check(f'told of {most}', len(told) == (most < len(whole)), told)
    check('all', dict(stacks(pprof(bench, data, '--top=0'))) == rows)


def test_rows(bench):
    for app, build in (APP, f'{MAP_HASH:x}'), (APP + ',build=ab', 'ab'), ('', f'{MAP_HASH:x}'):
        bench.write('sample.mbtrace', sample(app, mapping_hash=MAP_HASH))
        out = bench.folder / 'rows.ndjson'
        subprocess.run([METHODBEAT, 'fleet', 'rows', '-o', out, bench.folder / 'sample.mbtrace'], check=True, capture_output=True)
        row, = [row for row in map(json.loads, out.read_text().splitlines()) if row['t'] == 'profiles']
        wanted = {'app': 'com.acme', 'app_release': '5.2', 'app_version': '5.2', 'app_code': 521, 'device': 'd1', 'maker': 'Acme',
                  'model': '<b>Anvil</b> 3', 'os': 'Android', 'os_level': 33, 'device_class': 'LOW', 'memory': 2048, 'strata': {'arm': 'b'}} if app else {}
        check('rows', {**row, **wanted} == row and row['build'].lstrip('0') == build and bool(app) == ('app' in row), row)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
