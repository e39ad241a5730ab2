#!/usr/bin/env python3
"""Each format has at its place the marks that the text has of a method; programs that read it find them there.

usage: test_marks.py METHODBEAT
"""
import gzip
import json
import re
import shutil
import subprocess
import sys
import os

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'formats'))
import readers  # noqa: E402
from checks import Bench, check, run_all  # noqa: E402
from profiles import PROGRAM, marked_trace  # noqa: E402
from traces import MS, enter, leave, trace  # noqa: E402

METHODBEAT = sys.argv[1]
PPROF = '/usr/lib/go-1.19/pkg/tool/linux_amd64/pprof'
HOLDER, MUTED, INFERRED, PLAIN = 'fo.TreeBuilder.startElement', 'fo.properties.PropertyList.get', \
    'layout.BreakingAlgorithm.findBreakingPoints', 'cli.Main.main'
WORDS = ['muted', 'holds_muted', 'inferred']
# Of every mark its methods, as the text tells them: the sign behind the name.
MARKED = {'~': [MUTED], '^': [HOLDER], '?': [INFERRED, MUTED]}


class Marks(Bench):
    def __init__(self, folder):
        super().__init__(folder)
        self.map = self.folder / 'map.txt'
        self.map.write_text(PROGRAM)
        self.trace = self.folder / 'marked.mbtrace'
        self.trace.write_bytes(marked_trace())

    def report(self, name, *options):
        done = subprocess.run([METHODBEAT, 'report', '--method-map', self.map, '--show=names', f'--format={name}', *options,
                               self.trace], capture_output=True, check=False)
        check(f'{name}: exit code', done.returncode == 0, done.stderr)
        return done.stdout

    def is_missing(self, name):
        """Formats that this build was made without say so."""
        done = subprocess.run([METHODBEAT, 'report', f'--format={name}', self.trace], capture_output=True,
                              text=True, check=False)
        return 'was built without' in done.stderr


def full(name):
    return f'org.example.{name}'


def check_notes(what, notes):
    """Of each mark a text that begins with its sign and says what it means, and has its methods, but no others."""
    found = {note[0]: [name for name in (HOLDER, MUTED, INFERRED, PLAIN) if full(name) in note] for note in notes}
    check(f'{what}: methods', {sign: sorted(names) for sign, names in found.items()} ==
          {sign: sorted(names) for sign, names in MARKED.items()}, notes)
    check(f'{what}: numbers', any(f'{full(INFERRED)} 61%' in note and f'{full(MUTED)} 50%' in note
                                  for note in notes if note[0] == '?'), notes)
    check(f'{what}: meaning', all(len(note.partition(':')[0].split()) > 5 for note in notes), notes)


def test_text(bench):
    """What the others are compared with."""
    text = bench.report('text').decode()
    table = text[text.index('What costs most'):]
    for name, signs in ((HOLDER, ' ^'), (MUTED, ' ~ ?50%'), (INFERRED, ' ?61%'), (PLAIN, '')):
        check(f'text: {name}', re.search(rf'{re.escape(name)}{re.escape(signs)}$', table, re.M), table)


def test_page(bench):
    page = bench.report('html').decode()
    for name, signs in ((HOLDER, ' ^</span>'), (MUTED, ' ~</span> ?50%'), (INFERRED, '</span> ?61%')):
        check(f'html: {name}', name.rpartition('.')[2] + signs in page, page[-3000:])
    check('html: what marks mean', all(f'<b>{sign}</b> ' in page for sign in MARKED), page[-3000:])


def test_json(bench):
    whole = json.loads(bench.report('json'))
    rows = {row['name']: row for row in whole['methods']}
    check('json: muted', [row['name'] for row in whole['muted']] == [full(MUTED)], whole['muted'])
    check('json: holds', [row['name'] for row in rows[full(HOLDER)]['holds']] == [full(MUTED)], rows)
    check('json: inferred', {name: row['inferredNs'] for name, row in rows.items() if 'inferredNs' in row} ==
          {full(INFERRED): 610 * MS, full(MUTED): 50 * MS}, rows)


def test_callgrind(bench):
    data = bench.report('callgrind')
    (bench.folder / 'out.callgrind').write_bytes(data)
    notes = [line.removeprefix('desc: Marked: ') for line in data.decode().splitlines()
             if line.startswith('desc: Marked: ')]
    check_notes('callgrind', notes)
    check('callgrind: names', set(readers.callgrind(data)) == set(map(full, (HOLDER, MUTED, INFERRED, PLAIN))), data)
    if shutil.which('callgrind_annotate'):
        done = subprocess.run(['callgrind_annotate', '--threshold=100', bench.folder / 'out.callgrind'],
                              capture_output=True, text=True, check=False)
        check('callgrind_annotate: notes', done.stderr == '' and all(note in done.stdout for note in notes),
              done.stdout + done.stderr)
        check('callgrind_annotate: names', f'(methods):{full(HOLDER)} [' in done.stdout or
              re.search(rf'\(methods\):{re.escape(full(HOLDER))}\s', done.stdout), done.stdout)


def labels_of(profile, strings):
    """Labels of the samples, as a set of (key, text), by the name of the innermost."""
    functions = {readers.first(row, 1): strings[readers.first(row, 2)]
                 for row in map(readers.message, profile[5])}
    return {functions[readers.packed(sample[1][0])[0]]: {
        (strings[readers.first(label, 1)], strings[readers.first(label, 2)])
        for label in map(readers.message, sample[3])} for sample in map(readers.message, profile[2])}


def numbers_of(field):
    """Of a repeated field, packed or not."""
    return readers.packed(field) if isinstance(field, bytes) else [field]


def test_pprof(bench):
    if bench.is_missing('pprof'):
        return
    data = bench.report('pprof')
    profile = readers.message(gzip.decompress(data))
    strings = [text.decode() for text in profile[6]]
    found = labels_of(profile, strings)
    main = ('thread', 'main')
    check('pprof: labels', found == {
        full(PLAIN): {main}, full(HOLDER): {main, ('mark', 'holds_muted')},
        full(MUTED): {main, ('mark', 'muted'), ('mark', 'inferred')},
        full(INFERRED): {main, ('mark', 'inferred')}}, found)
    comments = [strings[number] for field in profile[13] for number in numbers_of(field)]
    check('pprof: meanings', [text.partition(':')[0] for text in comments[1:]] ==
          [f'mark={word}' for word in WORDS] and all(len(text.split()) > 6 for text in comments[1:]), comments)
    if os.path.exists(PPROF):
        path = bench.folder / 'out.pb.gz'
        path.write_bytes(data)
        done = subprocess.run([PPROF, '-top', '-tagfocus=mark=inferred', path], capture_output=True, text=True,
                              check=False)
        check("Go's pprof: what is marked", full(INFERRED) in done.stdout and full(HOLDER) + '\n' not in
              '\n'.join(line for line in done.stdout.splitlines(True) if not line.lstrip().startswith('0 ')),
              done.stdout + done.stderr)
        done = subprocess.run([PPROF, '-comments', path], capture_output=True, text=True, check=False)
        check("Go's pprof: comments", f'mark={WORDS[0]}: ' in done.stdout, done.stdout + done.stderr)


def test_speedscope(bench):
    data = bench.report('speedscope')
    names = [frame['name'] for frame in json.loads(data)['shared']['frames']]
    check('speedscope: frames', sorted(names) == sorted([
        full(PLAIN), f'{full(HOLDER)} ^', f'{full(MUTED)} ~ ?50%', f'{full(INFERRED)} ?61%']), names)
    rows = [row[3] for _, calls in readers.speedscope(data) for row in calls]
    check('speedscope: names', rows == list(map(full, (PLAIN, HOLDER, MUTED, INFERRED))), rows)


def test_chrome(bench):
    data = bench.report('chrome')
    check_notes('chrome', [f'{label}: {methods}' for label, methods in json.loads(data)['otherData'].items()])
    check('chrome: calls', len(readers.chrome(data)[77]) == 4)


def test_perfetto(bench):
    if bench.is_missing('perfetto'):
        return
    attributes = {}
    for packet in map(readers.message, readers.message(bench.report('perfetto'))[1]):
        for number in set(packet) - {6, 8, 10, 11, 12, 13, 58, 59, 60}:
            attributes |= {readers.first(row, 1).decode(): row for field in packet[number] if isinstance(field, bytes)
                           for row in map(readers.message, readers.message(field)[1])}
    found = {key.removeprefix('methodbeat.mark.'): readers.first(row, 3).decode() for key, row in attributes.items()
             if key.startswith('methodbeat.mark.')}
    check('perfetto: attributes', list(found) == WORDS, attributes)
    check_notes('perfetto', found.values())


def test_no_place(bench):
    """Names stay as they are where a mark would make another name of one: files are compared by it."""
    names = set(map(full, (HOLDER, MUTED, INFERRED, PLAIN)))
    rows = readers.folded(bench.report('folded'))
    check('folded: names', set(rows) <= names and full(HOLDER) in rows, rows)
    for name in ('nanoscope', 'art'):
        found = getattr(readers, name)(bench.report(name))
        calls = found if name == 'nanoscope' else found[77]
        check(f'{name}: names', {row[3] for row in calls} == names, calls)


def test_unmarked(bench):
    """Nothing is said of marks where there are none."""
    bench.trace.write_bytes(trace([{'words': [enter(1, 0), leave(1, 2)]}]))
    check('callgrind: no marks', b'Marked' not in bench.report('callgrind'))
    check('chrome: no marks', 'otherData' not in json.loads(bench.report('chrome')))
    check('speedscope: no marks', [frame['name'] for frame in json.loads(bench.report('speedscope'))['shared']['frames']]
          == [full(PLAIN)])
    if not bench.is_missing('pprof'):
        profile = readers.message(gzip.decompress(bench.report('pprof')))
        check('pprof: no marks', len(profile[13]) == 1)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Marks))
