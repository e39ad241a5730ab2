#!/usr/bin/env python3
"""methodbeat fleet rows: what devices wrote as rows that compare, and what of it is refused.

usage: test_rows.py METHODBEAT
"""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests' / 'cli'))
from checks import Bench, check, run_all  # noqa: E402
import reports  # noqa: E402
import traces  # noqa: E402

METHODBEAT = os.path.abspath(sys.argv[1])
DAY = 1790000000000
APP = {'id': 'com.x', 'version': '5.2.1-beta', 'code': 521, 'channel': 'play', 'build': '91ab', 'device': 'd1',
       'model': 'Pixel', 'maker': 'Acme', 'os': 'Android 13', 'os_level': '33', 'abi': 'arm64-v8a', 'cores': 8,
       'class': 'MIDDLE', 'memory': 5120, 'country': 'DE', 'arm': 'b', 'share': 500, 'session': 's1'}


def tables():
    """table -> its columns with their types"""
    text = re.sub(r'/\*.*?\*/', '', (ROOT / 'src/issues/fleet/tables.def').read_text(), flags=re.S)
    who = re.findall(r'FLEET_COLUMN\(table, (\w+), (\w+)\)', text)
    found = {name: {} for name in re.findall(r'^FLEET_TABLE\((\w+),', text, re.M)}
    for name in re.findall(r'^FLEET_WHO\((\w+)\)', text, re.M):
        found[name].update(who)
    for name, column, kind in re.findall(r'^FLEET_COLUMN\((\w+), (\w+), (\w+)\)', text, re.M):
        found[name][column] = kind
    return found


TABLES = tables()
TYPES = {'TEXT': str, 'INTEGER': int, 'REAL': (int, float), 'NAMES': list, 'TAGS': dict, 'NUMBERS': list, 'SUMS': list, 'COUNTS': list}


class Fleet(Bench):
    def run(self, *arguments, code=0):
        done = subprocess.run([METHODBEAT, 'fleet', 'rows', *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder, check=False)
        check('exit code', done.returncode == code, f'{arguments} {done.returncode}\n{done.stdout}{done.stderr}')
        self.errors = done.stderr
        return done.stdout

    def rows(self, *arguments, code=0):
        """table -> rows, each of which has columns of that table alone, of their types"""
        self.run('-o', 'out.ndjson', *arguments, code=code)
        rows = [json.loads(line) for line in (self.folder / 'out.ndjson').read_text().splitlines()]
        check('the last line counts', rows[-1] == {'t': 'end', 'rows': len(rows) - 1, 'schema': 3}, rows[-1])
        found = {name: [] for name in TABLES}
        for row in rows[:-1]:
            columns = TABLES[row['t']]
            check('columns', all(key == 't' or isinstance(value, TYPES[columns[key]]) for key, value in row.items()),
                  row)
            found[row['t']].append(row)
        return found


def issue(stack=('a.b.C.load(C.java:3)', 'a.b.C.run(C.java:9)'), app=APP, **own):
    return {'tag': 'Trace_EvilMethod', 'process': 'com.x', 'time': DAY, 'machine': 'LOW', 'detail': 'LAG',
            'cost': 2500, 'scene': 'a.Main',
            'methodbeat': {'schema': 1, 'app': app, 'incident': '5f1c-1', 'detail': 'LAG', 'loop': 'main', 'watched_ns': 2500500000,
                           'cpu_ns': 1000000, 'busy': False, 'foreground': True, 'ended': 'normal',
                           'hottest': {'frames': list(stack)}, **own}}


def only(rows):
    check('one row', len(rows) == 1, rows)
    return rows[0]


def test_an_issue_is_a_row_with_all_that_it_tells(fleet):
    fleet.file('spool/com.x/20260921/1.json', issue())
    row = only(fleet.rows('spool')['issues'])
    keys = {key: row.pop(key) for key in ('cause', 'cause4')}
    check('keys', all(isinstance(key, int) and key != 0 for key in keys.values()), keys)
    check('row', row == {
        't': 'issues', 'app': 'com.x', 'app_release': '5.2.1-beta', 'app_version': '5.2.1-beta', 'app_code': 521,
        'channel': 'play', 'build': '91ab', 'device': 'd1', 'session': 's1', 'maker': 'Acme', 'model': 'Pixel',
        'os': 'Android 13', 'os_level': 33, 'abi': 'arm64-v8a', 'cores': 8, 'weight': 20, 'process': 'com.x',
        'device_class': 'MIDDLE', 'memory': 5120, 'strata': {'country': 'DE', 'arm': 'b'}, 'ts': DAY, 'incident': '5f1c-1', 'detail': 'LAG', 'scene': 'a.Main', 'loop': 'main',
        'cost_ms': 2500.5, 'cpu_ms': 1, 'busy': 0, 'foreground': 1, 'ended': 'normal', 'cause_name': 'a.b.C.load',
        'frames': ['a.b.C.load(C.java:3)', 'a.b.C.run(C.java:9)']}, row)


def test_starts_and_frames_have_figures(fleet):
    fleet.file('start.json', issue(stack=(), detail='START', start={'kind': 'cold', 'drawn_ms': 812}))
    drawn = dict(issue(stack=(), detail='FPS', frames={'count': 50, 'late_ms': 300}),
                 dropLevel={'DROPPED_BEST': 40, 'DROPPED_FROZEN': 10})
    fleet.file('fps.json', drawn)
    start, fps = fleet.rows('start.json', 'fps.json')['issues']
    check('start', (start['start_kind'], start['start_ms']) == ('cold', 812) and 'cause' not in start, start)
    check('frames', [fps.get(key) for key in ('frames_count', 'late_ms', 'best', 'normal', 'frozen')]
          == [50, 300, 40, None, 10], fps)


def test_a_session_is_a_row_with_its_sums(fleet):
    fleet.file('session-1.json', {
        'schema': 1, 'app': APP, 'process': 'com.x', 'day': 20260921, 'from_ms': DAY, 'until_ms': DAY + 5000,
        'frames': [{'scene': 'a.Main', 'n': 1200, 'late_ms': 321, 'buckets': [[142, 1100], [177, 100], [-1, 4], 7]},
                   {'scene': '', 'n': 2, 'buckets': [[0, 2]]}],
        'starts': [{'kind': 'cold', 'n': 1, 'buckets': [[301, 1]]}],
        'issues': [{'detail': 'LAG', 'seen': 5, 'written': 3, 'reported': 1}]})
    rows = fleet.rows('session-1.json')
    session = only(rows['sessions'])
    check('sums', [session[key] for key in ('date', 'lasted_ms', 'frames', 'starts', 'late_ms', 'os_level', 'ts')]
          == [20260921, 5000, 1202, 1, 321, 33, DAY + 5000], session)
    check('sums', [(each['kind'], each.get('name'), each['bucket_list'], each['n_list']) for each in session['sum_list']]
          == [('frame', 'a.Main', [142, 177], [1100, 100]), ('frame', None, [0], [2]), ('start', 'cold', [301], [1])],
          session)
    check('counts', session['count_list'] == [{'detail': 'LAG', 'seen': 5, 'written': 3, 'reported': 1}], session)
    check('who', session['device'] == 'd1' and not rows['sums'] and not rows['counts'], rows)
    check('refused', '2 numbers' in fleet.errors, fleet.errors)


def test_keys_are_those_of_names_in_all_builds(fleet):
    fleet.file('mapping.txt', 'com.acme.Main -> a.b:\n    1:1:void load():57:57 -> c\n    2:2:void run():60:60 -> d\n')
    fleet.file('r8.json', issue(stack=('a.b.c(SourceFile:1)', 'a.b.d(SourceFile:2)')))
    fleet.file('plain.json', issue(stack=('com.acme.Main.load(Main.java:50)', 'com.acme.Main.run(Main.java:55)')))
    shrunk = only(fleet.rows('--mapping', 'mapping.txt', 'r8.json')['issues'])
    plain = only(fleet.rows('plain.json')['issues'])
    check('keys', [shrunk[key] for key in ('cause', 'cause4', 'cause_name')]
          == [plain[key] for key in ('cause', 'cause4', 'cause_name')], (shrunk, plain))
    fleet.file('maps/1/mapping.txt', '# pg_map_id: aa55aa55\n' + (fleet.folder / 'mapping.txt').read_text())
    fleet.file('maps/2/mapping.txt', '# pg_map_id: bb66bb66\nother.Main -> a.b:\n    void c() -> c\n')
    fleet.file('r8.json', issue(stack=('a.b.c(r8-map-id-aa55aa55:1)', 'a.b.d(r8-map-id-aa55aa55:2)')))
    check('of its build', only(fleet.rows('--mapping', 'maps', 'r8.json')['issues'])['cause'] == plain['cause'], shrunk)
    other = only(fleet.rows('--mapping', 'maps/2/mapping.txt', 'r8.json')['issues'])
    check('of another', other['cause_name'] == 'a.b.c' and 'is of build bb66bb66' in fleet.errors, (other, fleet.errors))
    told = issue(stack=('com.acme.Main.load(Main.java:50)', 'org.own.Main.run(Main.java:55)'))
    told['methodbeat']['platform'] = 'com.acme.'
    fleet.file('prefixes.json', told)
    row = only(fleet.rows('prefixes.json')['issues'])
    check('what is not the own by the prefixes of the program', row['cause_name'] == 'org.own.Main.run', row)


def test_a_method_of_the_map_stands_for_a_stack(fleet):
    fleet.file('methodMapping.txt', '171,1,a.b.C load (I)V\n')
    told = dict(issue(stack=()), stackKey='171|')
    fleet.file('issue.json', told)
    row = only(fleet.rows('--method-map', 'methodMapping.txt', 'issue.json')['issues'])
    check('cause', row['cause_name'] == 'a.b.C.load' and row['frames'] == ['a.b.C.load'], row)
    fleet.file('apart/issue.json', told)
    fleet.rows('apart/issue.json')
    check('a map that is missing', 'no method map' in fleet.errors, fleet.errors)


def test_what_matrix_wrote_is_an_issue_of_nobody(fleet):
    fleet.file('log.txt', 'I/Matrix: {"detail":"LAG","scene":"a.Main","threadStack":"\\tat a.b.C.m(C.java:3)\\n",'
               f'"tag":"Trace_EvilMethod","process":"com.m","time":{DAY}}}\n')
    row = only(fleet.rows('log.txt')['issues'])
    check('row', (row['process'], row['cause_name'], 'app' in row) == ('com.m', 'a.b.C.m', False), row)
    fleet.file('log.txt', 'I/Matrix: {"detail":"LAG","scene":"a.Main","threadStack":" \\n|*\\t\\tat a.b.C:m(3)\\n",'
               f'"tag":"Trace_EvilMethod","process":"com.m","time":{DAY}}}\n')
    check('its own form', only(fleet.rows('log.txt')['issues'])['cause'] == row['cause'], row)


def test_a_death_has_the_cause_that_the_system_wrote(fleet):
    told = issue(stack=())
    told['methodbeat'].update(detail='EXIT_ANR', pid=7, threads='"x" tid=2 Native\n  at x.Y.z(Y.java:1)\n\n'
                              '"p" sysTid=7\n  at java.lang.Object.wait(Native method)\n  at a.b.C.m(C.java:3)\n\n')
    fleet.file('death.json', told)
    row = only(fleet.rows('death.json')['issues'])
    check('row', (row['cause_name'], len(row['frames'])) == ('a.b.C.m', 2), row)


def test_what_does_not_fit_is_left_out_and_counted(fleet):
    fleet.file('old.json', dict(issue(), time=1))
    fleet.file('late.json', dict(issue(), time=4102444800000))
    fleet.file('long.json', dict(issue(), scene='\u00e9' * 4000))
    fleet.file('kinds.json', issue(app={'id': 7, 'version': ['5'], 'code': 'x', 'share': 0}, cpu_ns=-1, busy='yes'))
    fleet.file('schema.json', issue(schema=2))
    fleet.file('other.json', '{"tag":"Trace_FPS","fps":59}')
    rows = fleet.rows('old.json', 'late.json', 'long.json', 'kinds.json', 'schema.json', 'other.json')['issues']
    check('rows', len(rows) == 4, rows)
    old, late, long, kinds = rows
    check('times', 'ts' not in old and 'ts' not in late, rows)
    check('text', long['scene'] == '\u00e9' * 512, long)
    check('columns', not {'app', 'app_version', 'app_code', 'weight', 'cpu_ms', 'busy'} & set(kinds), kinds)
    for count, words in ((2, 'times'), (1, 'texts'), (4, 'members'), (2, 'numbers'), (1, 'objects were left out: of'),
                         (1, 'objects were left out: neither')):
        check(words, f'warning: {count} {words}' in fleet.errors, fleet.errors)


def test_names_are_harmless(fleet):
    hostile = '\'); DROP TABLE issues; --"\n\u202e\x1b[2J\ud800'
    fleet.file('issue.json', dict(issue(stack=(hostile, 'a.b')), scene=hostile[:-1]))
    fleet.rows('issue.json')
    fleet.file('good.json', dict(issue(stack=(hostile[:-1], 'a.b')), scene=hostile[:-1]))
    row = only(fleet.rows('good.json')['issues'])
    check('name', row['scene'] == hostile[:-1] and '\n'.join(row['frames']) == hostile[:-1] + '\na.b', row)
    check('a line each', (fleet.folder / 'out.ndjson').read_text().count('\n') == 2)


def test_half_a_file_loses_its_end_alone(fleet):
    fleet.file('cut.json', json.dumps(issue()) + '\n' + json.dumps(issue())[:90])
    check('whole ones stay', len(fleet.rows('cut.json')['issues']) == 1)
    check('damage', 'cut.json:2' in fleet.errors, fleet.errors)
    fleet.run('-o', 'out.ndjson', '--strict', 'cut.json', code=1)


def test_a_trace_is_a_profile(fleet):
    reports.Bench(fleet.folder).write('app.mbtrace', traces.trace([reports.main_ring(), reports.pool_ring()]))
    rows = fleet.rows('app.mbtrace')
    profile = only(rows['profiles'])
    names = {row['method']: row['name'] for row in rows['methods']}
    paths = {row['path']: row for row in rows['paths']}
    check('once', len(names) == len(rows['methods']) and len(paths) == len(rows['paths']), rows)
    for node in rows['nodes']:
        path = paths[node['path']]
        check('node', node['profile'] == profile['profile'] and node['method'] == path['method'], (node, path))
        check('parent', path['depth'] == (paths[path['parent']]['depth'] + 1 if path['parent'] else 0), path)
    check('own times add up', sum(node['own_ns'] for node in rows['nodes'])
          == sum(node['total_ns'] for node in rows['nodes'] if not paths[node['path']]['parent']), rows['nodes'])


def test_packed_rows_are_the_same(fleet):
    fleet.file('issue.json', issue())
    fleet.run('-o', 'plain.ndjson', 'issue.json')
    done = fleet.run('-o', 'packed.ndjson.zst', 'issue.json', code=0)
    check('counts', done.split() == ['1', 'issues'], done)
    if shutil.which('zstd'):
        text = subprocess.run(['zstd', '-dc', fleet.folder / 'packed.ndjson.zst'], capture_output=True, check=False).stdout
        fleet.file('up.json.zst', subprocess.run(['zstd', '-c', fleet.folder / 'issue.json'], capture_output=True,
                                                 check=False).stdout)
        check('read', len(fleet.rows('up.json.zst')['issues']) == 1)
        check('text', text == (fleet.folder / 'plain.ndjson').read_bytes(), text)


def test_the_page_names_the_tables(_):
    page = (ROOT / 'src/cli/manual/methodbeat-fleet.1').read_text()
    known = set(re.findall(r'^\.It Li (.*)', page.partition('.Sh TABLES OF ROWS')[2].partition('.Sh WHAT')[0], re.M))
    check('tables', {name for line in known for name in line.split(' , ')} == set(TABLES), known)


def test_uploads_are_read_as_they_come(fleet):
    many = ''.join(json.dumps(issue(incident=f'5f1c-{i}')) + '\n' for i in range(500))
    fleet.file('up/a.ndjson.gz', gzip.compress(many.encode()) + gzip.compress(json.dumps(issue()).encode()))
    check('members', len(fleet.rows('up')['issues']) == 501)
    fleet.file('plain.ndjson', many)
    fleet.run('-o', 'rows.ndjson.zst', 'plain.ndjson')
    packed = gzip.compress(many.encode())
    fleet.file('cut.json.gz', packed[:-300])
    some = fleet.rows('cut.json.gz')['issues']
    check('cut', 100 < len(some) <= 500 and 'cut off' in fleet.errors, (len(some), fleet.errors))
    fleet.file('bad.json.gz', packed[:200] + bytes(100) + packed[300:])
    fleet.rows('bad.json.gz')
    check('damaged', 'bad.json.gz' in fleet.errors, fleet.errors)
    fleet.file('none.json.gz', 'no gzip')
    fleet.rows('none.json.gz')
    check('other', 'damaged' in fleet.errors, fleet.errors)
    fleet.file('bomb.json.gz', gzip.compress(bytes(1 << 26)))
    fleet.rows('bomb.json.gz')


def test_what_cannot_be_replaces_nothing(fleet):
    fleet.file('issue.json', issue())
    fleet.file('out.ndjson', 'before')
    fleet.run('-o', 'out.ndjson', 'issue.json', 'absent', code=1)
    check('names it', 'absent' in fleet.errors, fleet.errors)
    fleet.run('-o', 'out.ndjson', '--mapping', 'absent', 'issue.json', code=1)
    fleet.run('-o', 'out.ndjson', code=2)
    fleet.run('issue.json', code=2)
    fleet.run('-o', '/dev/full', 'issue.json', code=1)
    check('stays', (fleet.folder / 'out.ndjson').read_text() == 'before')


if __name__ == '__main__':
    sys.exit(run_all(globals(), Fleet))
