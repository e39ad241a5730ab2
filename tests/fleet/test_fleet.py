#!/usr/bin/env python3
"""Uploads into a lake and questions over it, with DuckDB's command of PyPI, beside answers counted here.

usage: test_fleet.py METHODBEAT DUCKDB
"""
import collections
import datetime
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile

from made import Fleet, RELEASES, profiles, sums_of, two_days, write, write_days

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'cli'))
from checks import check, have_failed  # noqa: E402

METHODBEAT, DUCKDB = sys.argv[1:3]


def fleet(*words, engine=DUCKDB, **more):
    words = [str(word) for word in words]
    if engine:
        words[1:1] = ['--engine-command', engine]
    return subprocess.run([METHODBEAT, 'fleet', *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, **more)


def load(folder, lake):
    done = fleet('load', folder, '--into', lake)
    check(f'load {folder.name}', done.returncode == 0, done.stderr)
    return done


def ask(lake, *words):
    done = fleet('ask', *words, '--format', 'json', lake)
    check(f'ask {words[0]}', done.returncode == 0, done.stderr)
    rows = json.loads(done.stdout)['rows'] if done.returncode == 0 else []
    odd = [row for row in rows for name, value in row.items() if name.endswith(('devices', '_n', 'calls')) and isinstance(value, str)]
    check(f'ask {words[0]}: counts are numbers', not odd, odd[:1])
    return rows


def rows_in(lake, table):
    sql = f"SELECT * FROM read_parquet('{lake}/{table}/day=*/*.parquet')"
    done = subprocess.run([DUCKDB, '-json', '-c', sql], capture_output=True, text=True, check=True)
    text = done.stdout.strip()
    return json.loads(text) if text not in ('', '[{]', '[]') else []


def causes_of(rows):
    return {row['name'] for row in rows}


def test_answers(folder):
    """top, who and frames against what is counted in Python; what is planted is found, and nothing else."""
    made = list(Fleet(8000, planted={1, 2}))
    write_days(folder / 'up', made)
    lake = folder / 'lake'
    load(folder / 'up', lake)
    issues = [row for row in made if row['t'] == 'issues']
    counts = collections.Counter(row['cause'] for row in issues)
    top = ask(lake, 'top', '--top', 1000)
    check('top: counts', {row['cause']: row['this_week'] + row['week_before'] for row in top}.items() <= counts.items(),
          top[:3])
    who = ask(lake, 'who', '--top', 1000)
    sessions = collections.Counter((row['app_release'], row['os_level'], row['device_class'])
                                   for row in made if row['t'] == 'sessions')
    check('who: sessions', {(row['app_release'], row['os_level'], row['device_class']): row['sessions']
                            for row in who} == sessions, who[:3])
    frames = collections.Counter()
    for row in sums_of(made):
        if row['kind'] == 'frame':
            frames[row['app_release']] += sum(row['n_list'])
    check('frames', [(row['old_n'], row['new_n']) for row in ask(lake, 'frames')] == [(frames['5.1'], frames['5.2'])], frames)
    check('rising', causes_of(ask(lake, 'rising')) == {'com.acme.C1.run()', 'com.acme.C2.run()'},
          ask(lake, 'rising'))
    check('starts', len(ask(lake, 'starts', '--where', "model = 'm0'")) == 1, '')
    check('rising, by model', causes_of(ask(lake, 'rising', '--by', "coalesce(model, '')")) ==
          {'com.acme.C1.run()', 'com.acme.C2.run()'}, '')
    check('of one day', sum(row['old_n'] for row in ask(lake, 'frames', '--days', 1)) ==
          sum(sum(row['n_list']) for row in sums_of(made) if row['kind'] == 'frame' and row['date'] == 20261014 and row['app_release'] == '5.1'), '')
    for table in 'issues', 'sessions', 'sums':  # of the days that a question does not ask for no file is opened
        (lake / table / 'day=2020-01-01').mkdir()
        (lake / table / 'day=2020-01-01' / next(lake.glob(f'{table}/*/*.parquet')).name).write_text('no Parquet')
    check('old days are not opened', all(ask(lake, question, '--old', '5.1', '--new', '5.2')
                                         for question in ('top', 'starts', 'who', 'stacks')), '')
    for folder_of in lake.glob('*/day=2020-01-01'):
        shutil.rmtree(folder_of)
    check('slower', [(row['start_kind'], row['among']) for row in ask(lake, 'slower')] == [('cold', 'LOW')], ask(lake, 'slower'))
    check('fails', fleet('ask', 'rising', '--fail', lake).returncode == 3, '')
    check('does not fail', fleet('ask', 'new', '--fail', lake).returncode == 0, '')
    return lake


def test_alert(folder, lake):
    """What the sample tells once is told again only if its note is old, or could not be made."""
    memory, program = folder / 'memory', pathlib.Path(__file__).parents[2] / 'samples/fleet/alert.py'

    def alert(*words):
        return subprocess.run([sys.executable, program, lake, memory, '--engine-command', DUCKDB, *words], capture_output=True, text=True,
                              check=False, env={**os.environ, 'METHODBEAT': os.path.abspath(METHODBEAT)})

    first, again = alert(), alert()
    told = [json.loads(line) for line in first.stdout.splitlines()]
    check('alert', first.returncode == 3 and {row['question'] for row in told} == {'rising', 'slower'} and
          {row['name'] for row in told if 'name' in row} == {'com.acme.C1.run()', 'com.acme.C2.run()'}, first)
    check('alert: told once', again.returncode == 0 and again.stdout == '', again)
    noted = memory.read_text()
    memory.write_text(re.sub(r'"\d{4}-\d\d-\d\d"', '"2026-01-01"', noted, count=1))
    check('alert: an old note', alert().stdout.count('\n') == 1 and memory.read_text() == noted, memory.read_text())
    wrong = alert('--where', 'nothing = 1')
    check('alert: no answer', wrong.returncode == 1 and wrong.stdout == '' and memory.read_text() == noted, wrong)


def test_again(folder, lake):
    before = len(rows_in(lake, 'issues')), len(rows_in(lake, 'sums'))
    done = load(folder / 'up', lake)
    check('again: nothing new', '0 uploads' in done.stdout, done.stdout)
    (lake / '.loading-dead').mkdir()
    some = next(lake.glob('issues/day=2026-10-14/*.parquet'))
    asked = ask(lake, 'stacks')
    enemy = folder / 'enemy.sh'  # a load begins and moves files in, just before the engine looks at the lake
    enemy.write_text(f'#!/bin/sh\ncd "{some.parent}" && mkdir -p ../day=2026-10-15 && '
                     f'cp {some.name} dead.parquet && cp {some.name} ../day=2026-10-15/dead.parquet && cd "{lake}" && '
                     f'exec "{DUCKDB}" "$@"\n')
    enemy.chmod(0o755)
    for words in ('stacks', 'days'):
        before_it = ask(lake, words)
        during, after = (fleet('ask', words, '--format', 'json', lake, engine=engine) for engine in (enemy, DUCKDB))
        check(f'{words}: a load under way is not seen', [json.loads(run.stdout)['rows'] for run in (during, after)] ==
              [before_it] * 2, during.stderr + after.stderr)
    check('what was moved in so far is not asked', ask(lake, 'stacks') == asked, '')
    load(folder / 'up', lake)
    check('what was killed is gone', not list(lake.glob('**/*dead*')), '')
    check('again: the same rows', before == (len(rows_in(lake, 'issues')), len(rows_in(lake, 'sums'))), before)


def test_old_lake(folder):
    """A lake of an earlier version answers as one of this version does, and takes the same rows as its own."""
    with tarfile.open(pathlib.Path(__file__).with_name('old_lake.tar.xz')) as tar:
        tar.extractall(folder)
    old, new, rows = folder / 'old_lake', folder / 'of-two-days', list(two_days())
    for day in 0, 1:
        write(folder / f'two-days/day=2026-10-0{day + 1}/a.ndjson', [row for row in rows if row['session'].endswith(f'-{day}')])
    load(folder / 'two-days', new)
    for time in 'before', 'after':
        for words in (['starts'], ['slower'], ['frames'], ['later'], ['frames', '--where', 'memory IS NULL']):
            answers = [ask(lake, *words) for lake in (old, new)]
            check(f'old lake, {time} a load: {words}', answers[0] and answers[0] == answers[1], answers)
        done = load(folder / 'two-days', old)
        check('old lake: nothing twice', time == 'after' or '0 sums (240 more' in done.stdout, done.stdout)


ANSWERS = ('top', 'rising', 'starts', 'frames', 'who', 'days', 'flame', 'stacks')


def files_in(lake):
    return {path.relative_to(lake): path.read_bytes() for path in lake.rglob('*') if path.is_file() and path.name != 'lock'}


def test_rewritten(folder):
    """Many loads as one, which answers alike; killed anywhere, the lake is as it was or as it is to be."""
    place, lake = folder / 'many', folder / 'of-many'
    made = [*Fleet(2000, planted={1}), *profiles(40, slower={7})]
    for number in range(4):
        write(place / f'{number}/day=2026-10-0{number + 1}/d1-{number}.ndjson', made[number::4])
        write(place / f'{number}/day=2026-10-05/e{number}.ndjson', [{**GOOD, 'incident': str(number)}])
        load(place / str(number), lake)
    compared = ('--old', '5.1', '--new', '5.2')
    answers = [ask(lake, words, *compared) for words in ANSWERS]
    before = files_in(lake)
    engine = folder / 'kill.sh'
    for which in 1, 2:  # it looks, then it writes
        engine.write_text(f'#!/bin/sh\necho >>"{folder}/calls-{which}"\n[ $(wc -l <"{folder}/calls-{which}") -lt {which} ] || '
                          f'{{ kill -9 $PPID; exit 1; }}\nexec "{DUCKDB}" "$@"\n')
        engine.chmod(0o755)
        done = fleet('compact', lake, engine=engine)
        check(f'compact, killed {which}', done.returncode == -9 and files_in(lake).items() >= before.items() and
              [ask(lake, words, *compared) for words in ANSWERS] == answers, done)
    full = fleet('compact', lake, restore_signals=False,
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 11, 1 << 11)))
    check('compact, no room', full.returncode == 1 and files_in(lake) == before, full)
    done = fleet('compact', lake)
    after = files_in(lake)
    days = {path.parent for path in after if path.suffix == '.parquet'}
    check('compact: a file a day', done.returncode == 0 and f'{len(days)} files, were ' in done.stdout and
          len(after) == len(days) + 1 < len(before), done)
    for path, content in before.items():  # as if it was killed before it removed anything
        (lake / path).write_bytes(content)
    for what in 'not removed so far', 'removed':
        check(f'compact: answers, {what}', [ask(lake, words, *compared) for words in ANSWERS] == answers, what)
        check('compact: nothing twice', '0 uploads, and 8 ' in load(place, lake).stdout, '')
    check('compact: only its own', files_in(lake) == after, '')


def test_rewritten_at_once(folder):
    """Two rewritings and a load, each of which waits for the others."""
    place, lake = folder / 'at-once', folder / 'of-at-once'
    write(place / 'first/a.ndjson', [GOOD])
    write(place / 'second/b.ndjson', [{**GOOD, 'incident': 'second'}])
    load(place / 'first', lake)
    words = (['compact', lake], ['load', place / 'second', '--into', lake], ['compact', lake])
    runs = [subprocess.Popen([METHODBEAT, 'fleet', *each, '--engine-command', DUCKDB], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            for each in words]
    said = [run.communicate()[0] for run in runs]
    fleet('compact', lake)
    check('rewritten at once', [run.returncode for run in runs] == [0] * 3 and len(list(lake.glob('uploads/*'))) == 1 and
          sorted(row['incident'] for row in rows_in(lake, 'issues')) == ['i', 'second'], said)


def test_forgotten(folder):
    """No byte of a device stays, and nothing else goes."""
    lake, name = folder / 'of-many', 'd1'
    rows = {table: rows_in(lake, table) for table in ('issues', 'sessions', 'sums', 'profiles', 'nodes')}
    profiles_of = {row['profile'] for row in rows['profiles'] if row['device'] == name}
    for again in False, True:
        done = fleet('compact', '--forget', f"{name},it's,", lake)
        gone = sum(row.get('device') == name or row['profile'] in profiles_of if table == 'nodes' else row['device'] == name
                   for table in rows for row in rows[table])
        check('forget', done.returncode == 0 and f' {0 if again else gone} rows forgotten' in done.stdout and gone > 10, done)
    for table, was in rows.items():
        stay = [row for row in was if row.get('device') != name and not (table == 'nodes' and row['profile'] in profiles_of)]
        check(f'forget: {table}', sorted(map(str, rows_in(lake, table))) == sorted(map(str, stay)), len(stay))
    listed = '\n'.join(path.read_text() for path in lake.glob('uploads/*'))
    check('forget: paths', '/d1-' not in listed and listed.count('"upload"') == 8 and
          all(json.loads(line) for line in listed.splitlines()), listed)
    kept = {table: [row for row in rows_in(lake, table) if row['day'] >= '2026-10-03'] for table in ('issues', 'nodes')}
    names = rows_in(lake, 'methods')
    done = fleet('compact', '--forget-before', '2026-10-03', lake)
    check('forget days', done.returncode == 0 and all(sorted(map(str, rows_in(lake, table))) == sorted(map(str, kept[table]))
                                                       for table in kept) and rows_in(lake, 'methods') == names, done)
    for words in (('--forget', ''), ('--forget-before', '2026-02-31'), ('--forget-before', '2099-01-01'), ('x',)):
        check(f'forget {words}', fleet('compact', *words, lake).returncode == 2, '')
    done = fleet('compact', '--forget-before', '2026-11-29', lake)
    check('forget all', done.returncode == 0 and ask(lake, 'who') == [], done)
    done = fleet('compact', folder / 'absent')
    check('forget: no lake', done.returncode == 1 and 'absent: No such file' in done.stderr and
          not (folder / 'absent').exists(), done)


def of_releases(names, app='com.acme'):
    """Devices that get one release after the other, five a day."""
    for place, name in enumerate(names):
        for number in range(5):
            yield {'t': 'sessions', 'app': app, 'app_release': name, 'device': f'{app}-{place}-{number}', 'session': f's{place}',
                   'device_class': 'LOW', 'date': 20261001, 'ts': 1790000000000 + 3600000 * place}
    yield {**GOOD, 'app': app, 'incident': app + names[0]}


RELEASED = [(['1.9.0', '1.10.0'], '1.9.0 1.10.0'), (['1.10.0', '1.9.0', '1.10.0-rc2'], '1.10.0-rc2 1.10.0'),
            (['1.10.0-hotfix', '1.10.0'], '1.10.0 1.10.0-hotfix'), (['5.2.1', '5.2.0', '5.2.0-beta.11', '5.2.0-beta.9'], '5.2.0 5.2.1'),
            (['1.2.0-beta.11', '1.2.0-beta.9', '1.1'], '1.2.0-beta.9 1.2.0-beta.11'), (['v2.0', 'v10.0'], 'v2.0 v10.0'),
            (['12cd99e', '9f86d08', '12ab34c'], '9f86d08 12ab34c'), (['2026-11-02', '2026-11-01'], '2026-11-02 2026-11-01'),
            (['1.0', 'main'], '1.0 main')]


def test_releases(folder):
    """Versions are ordered as versions, others by when they were seen; apps are not mixed; conditions hold."""
    for place, (names, expected) in enumerate(RELEASED):
        write(folder / f'r{place}/up.ndjson', of_releases(names))
        load(folder / f'r{place}', folder / f'of-r{place}')
        done = fleet('ask', 'new', '--format', 'json', folder / f'of-r{place}')
        found = json.loads(done.stdout or '{}')
        check(f'releases {names}', f"{found.get('old')} {found.get('new')}" == expected, done)
    rows = [*of_releases(['5.1', '5.2']), *of_releases(['12.1', '12.2'], 'com.b')]
    crash = next(row for row in rows if row['t'] == 'sessions')
    rows += [{**crash, 'app_release': '5.3', 'session': f'loop{i}', 'device': 'one'} for i in range(200)]
    rows += [{**crash, 'device': f'many{i}'} for i in range(150)]
    write(folder / 'apps/up.ndjson', rows)
    load(folder / 'apps', folder / 'of-apps')
    done = fleet('ask', 'new', '--fail', folder / 'of-apps')
    check('two apps', done.returncode == 2 and "--where \"app = 'ID'\"" in done.stderr, done)
    for app, expected in ('com.acme', ['5.1', '5.2']), ('com.b', ['12.1', '12.2']):
        done = json.loads(fleet('ask', 'new', '--format', 'json', '--where', f"app = '{app}'", folder / 'of-apps').stdout)
        check(f'releases of {app}, without that of one device', [done['old'], done['new']] == expected, done)
    counts = {row['app_release']: row['devices'] for row in ask(folder / 'of-apps', 'releases')}
    check('ask releases', counts == {'5.1': 155, '5.2': 5, '5.3': 1, '12.1': 5, '12.2': 5}, counts)


def test_profiles(folder):
    write(folder / 'profiles/day=2026-10-01/a.ndjson', profiles(240, slower={7}))
    load(folder / 'profiles', folder / 'p')
    compared = ('--old', '5.1', '--new', '5.2')
    check('regressed', [row['name'] for row in ask(folder / 'p', 'regressed', *compared)] == ['com.acme.M7.run()V'],
          ask(folder / 'p', 'regressed', *compared))
    slow = ask(folder / 'p', 'slow', *compared)
    check('slow', [row['request'] for row in slow] == ['com.acme.Orders.get()V'] and ask(folder / 'p', 'slow', '--old', '5.2', '--new', '5.1') == [] and
          abs(slow[0]['new_percent'] - 4) < 1 and slow[0]['p99_ms_old'] < 150 < slow[0]['p99_ms_new'], slow)
    check('releases of traces alone', ask(folder / 'p', 'slow') == slow, '')
    flame = ask(folder / 'p', 'flame', *compared)
    check('flame', flame and flame[0]['name'] == 'com.acme.M7.run()V' and flame[0]['more_ms'] > 0, flame[:2])


def test_two_at_once(folder):
    """Each waits for the other, and finds what it has loaded."""
    write(folder / 'twice/day=2026-10-01/a.ndjson', Fleet(300))
    words = [METHODBEAT, 'fleet', 'load', folder / 'twice', '--into', folder / 't', '--engine-command', DUCKDB]
    both = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    said = [run.communicate() for run in both]
    check('two at once', [run.returncode for run in both] == [0, 0] and len(rows_in(folder / 't', 'issues')) == 300, said)


def test_cut(folder):
    """Half a file gives its whole lines; the whole one, later, the others."""
    rows = list(Fleet(300))
    whole = write(folder / 'cut/day=2026-10-02/a.ndjson', rows).read_bytes()
    path = folder / 'cut/day=2026-10-02/a.ndjson'
    path.write_bytes(whole[:len(whole) // 2])
    done = load(folder / 'cut', folder / 'c')
    check('cut: told', 'cut off' in done.stderr, done.stderr)
    path.write_bytes(whole)
    load(folder / 'cut', folder / 'c')
    for table in ('issues', 'sessions', 'sums'):
        check(f'cut: {table}', len(rows_in(folder / 'c', table)) == sum(row['t'] == table for row in rows), '')


def test_places(folder):
    """Uploads in folders count, those of the lake and behind links do not, and no depth is too much to say."""
    place = folder / 'places'
    write(place / 'b/a/one.ndjson', [GOOD])
    write(place / 'b/two.ndjson', [{**GOOD, 'incident': 'two'}])
    write(folder / 'elsewhere/three.ndjson', [{**GOOD, 'incident': 'three'}])
    (place / 'link').symlink_to(folder / 'elsewhere')
    (place / 'odd.ndjson').mkdir()
    for name in f'{place}/', place:
        done = fleet('load', name, '--into', place / 'lake')
        check(f'places: {name}', done.returncode == 0, done.stderr)
    check('places: once each', sorted(row['incident'] for row in rows_in(place / 'lake', 'issues')) ==
          sorted((GOOD['incident'], 'two')), done.stdout)
    place.joinpath(*['d'] * 70).mkdir(parents=True)
    done = fleet('load', place, '--into', place / 'lake')
    check('places: deep', done.returncode == 0 and 'd/d: set aside: more than 64 folders deep' in done.stderr, done.stderr)
    (folder / 'linked').symlink_to(place)
    done = fleet('load', folder / 'linked', '--into', folder / 'of-link')
    check('places: a link', done.returncode == 0 and len(rows_in(folder / 'of-link', 'issues')) == 2, done)
    done = fleet('load', place / 'b/two.ndjson', '--into', folder / 'of-file')
    check('places: a file', done.returncode == 1 and 'not a folder' in done.stderr, done.stderr)
    done = fleet('load', folder / 'absent', '--into', place / 'lake')
    check('places: absent', done.returncode == 1 and 'absent: No such file' in done.stderr, done.stderr)


def test_set_aside(folder):
    """One bad upload keeps no other out: it is named and counted."""
    place, lake = folder / 'bad', folder / 'of-bad'
    write(place / 'day=2026-02-31/good.ndjson', [GOOD])
    write(place / 'day=2099-01-01/late.ndjson', [{**GOOD, 'incident': 'late'}])
    with open(place / 'sparse.ndjson', 'wb') as file:
        file.truncate(10 ** 12)
    line = json.dumps({**GOOD, 'incident': 'bomb'}).encode() + b'\n'
    with open(place / 'bomb.ndjson.zst', 'wb') as file, subprocess.Popen(['zstd', '-q'], stdin=subprocess.PIPE, stdout=file) as zstd:
        for _ in range((300 << 20) // (1000 * len(line))):
            zstd.stdin.write(1000 * line)
    (place / 'dark').mkdir(mode=0)
    (place / 'secret.ndjson').touch(mode=0)
    is_root = os.geteuid() == 0
    done = load(place, lake)
    bad = ['sparse.ndjson', 'bomb.ndjson.zst', *([] if is_root else ['dark', 'secret.ndjson'])]
    check('bad: counted', f'{len(bad)} set aside' in done.stdout, done)
    check('bad: named', all(f'{name}: set aside' in done.stderr for name in bad), done.stderr)
    check('bad: others', sorted(row['incident'] for row in rows_in(lake, 'issues')) == [GOOD['incident'], 'late'], '')
    check('bad: days that are none, or to come', len(list(lake.glob('issues/day=*'))) == 1, list(lake.rglob('*')))
    (place / 'dark').chmod(0o700)


def test_newer(folder):
    """Rows of a newer schema wait for a methodbeat that knows it, and so does a lake."""
    place, lake = folder / 'newer', folder / 'of-newer'
    path = write(place / 'new.ndjson', [{**GOOD, 'incident': 'new', 'weather': 'rain'}])
    path.write_text(path.read_text().replace('"rows":1', '"rows":1,"schema":99'))
    write(place / 'old.ndjson', [GOOD])
    done = load(place, lake)
    check('newer: rows', 'new.ndjson: set aside: a newer methodbeat' in done.stderr and
          [row['incident'] for row in rows_in(lake, 'issues')] == [GOOD['incident']], done)
    path.write_text(path.read_text().replace('"schema":99', '"schema":2'))
    load(place, lake)
    check('newer: not lost', len(rows_in(lake, 'issues')) == 2, '')
    listed = next(lake.glob('uploads/*.ndjson'))
    listed.write_text(listed.read_text().replace('"schema":3', '"schema":99'))
    done = fleet('load', place, '--into', lake)
    check('newer: lake', done.returncode == 1 and 'a newer methodbeat loaded' in done.stderr, done)


def test_small_disk(folder):
    """An upload whose rows find no room, or leave too little of it, keeps no other out, whichever comes first."""
    if os.geteuid() != 0 or subprocess.run(['unshare', '--mount', 'true'], check=False).returncode != 0:
        print('no mounts: small disks are not judged')
        return
    mount = 'mount -t tmpfs -o size=8m none "$0" && "$@"; result=$?; cp -r "$0/lake" "$0-kept"; exit $result'
    for rows, sizes in (5000, 'm'), (1200, 'm'), (600, 'mno'):
        place, small = folder / f'on-small-{rows}', folder / f'small-{rows}'
        for name in 'a', 'z':
            write(place / f'{name}.ndjson', [{**GOOD, 'incident': name}])
        for name in sizes:
            write(place / f'{name}.ndjson', [{**GOOD, 'incident': f'{name}{i}', 'model': os.urandom(2500).hex()} for i in range(rows)])
        small.mkdir()
        done = subprocess.run(['unshare', '--mount', 'sh', '-c', mount, small, METHODBEAT, 'fleet', 'load', place, '--into',
                               small / 'lake', '--engine-command', DUCKDB], capture_output=True, text=True, check=False)
        kept = folder / f'small-{rows}-kept'
        if len(sizes) > 1:
            check('small: all', done.returncode == 1 and 'its disk has no room, and nothing was loaded' in done.stderr and
                  {path.name for path in kept.iterdir()} == {'lock', 'uploads'}, done)
            continue
        check('small: told', 'm.ndjson: set aside: there is no room' in done.stderr and '1 set aside' in done.stdout, done)
        check('small: others', sorted(row['incident'] for row in rows_in(kept, 'issues')) == ['a', 'z'], done)


def test_links_in_lake(folder):
    """What a link in a lake leads to stays, and gets nothing."""
    other = folder / 'others/day=2026-10-01'
    write(folder / 'links/day=2026-10-01/a.ndjson', [GOOD])
    other.mkdir(parents=True)
    (other / 'precious.parquet').touch()
    for name, target in (('sessions', folder / 'others'), ('issues/day=2026-10-01', other), ('uploads', other),
                         ('nodes', folder / 'absent'), ('lock', other / 'made')):
        lake = folder / 'of-link-to' / name.replace('/', '-')
        (lake / name).parent.mkdir(parents=True)
        (lake / name).symlink_to(target)
        done = fleet('load', folder / 'links', '--into', lake)
        check(f'links: {name}', done.returncode == 1 and f'{lake}/{name}: ' in done.stderr and
              [path.name for path in other.iterdir()] == ['precious.parquet'] and not (folder / 'absent').exists() and
              not list(lake.rglob('*/*.ndjson')) and not list(lake.glob('.loading*')), done)


def test_packed(folder):
    path = write(folder / 'packed/day=2026-10-02/a.ndjson', Fleet(300))
    done = subprocess.run(['zstd', '-q', '--rm', path], check=False)
    if done.returncode == 0:
        load(folder / 'packed', folder / 'z')
        check('packed', len(rows_in(folder / 'z', 'issues')) == 300, '')


GOOD = {'t': 'issues', 'device': 'a', 'incident': 'i', 'cost_ms': 5.5, 'cause': 1, 'ts': 1790000000000}
ODD_VALUES = [('ts', 5, 'times'), ('ts', 4102444800000, 'times'), ('cost_ms', -1, 'range'),
              ('os_level', 10 ** 17, 'range'), ('cause', 'x', 'type'), ('frames', [1], 'type'),
              ('model', 'x' * 70000, 'too long'), ('other', 1, 'not known'), ('busy', 1.5, 'type')]
ODD_LINES = ['{', 'null', '[]', '{}', '{"t":"x"}', '{"t":"issues"', '{"t":"issues",}', '{"t":"issues"} x', '\x01',
             '{"t":"issues","model":"\\ud800"}', '{"t":"issues","model":"a\\u0000b"}', '{"a":1,"t":"issues"}',
             '{"t":"issues","model":"' + 'é' + '\udcff' + '"}', '{"t":"issues","frames":' + '[' * 9000]
NAMES = ["'; DROP TABLE issues; --", '"', '\\', "a'b", '{old}', '$(id)', 'é\u202e', '%s%n', '*']


def test_hostile(folder):
    """Each row stays but for what is odd in it; each odd line is counted; names are only names."""
    rows = [{**GOOD, 'incident': f'v{i}', name: value} for i, (name, value, _) in enumerate(ODD_VALUES)]
    rows += [{**GOOD, 'incident': f'n{i}', 'app_release': name, 'model': name} for i, name in enumerate(NAMES)]
    rows += [{**GOOD, 'incident': 'twice', 'cost_ms': cost} for cost in (1.0, 9.0, 3.0)]
    path = write(folder / 'odd/day=2026-10-03/a.ndjson', rows)
    lines = '\n'.join(ODD_LINES) + '\n'
    with open(path, 'a', encoding='utf-8', errors='surrogateescape') as file:
        file.write(lines)
    lake = folder / "o'dd la*ke"
    done = load(folder / 'odd', lake)
    kept = [row for file in lake.glob('issues/*/*.parquet') for row in in_file(folder, file)]
    check('odd: rows', len(kept) == len(rows) - 2, f'{len(kept)} {done.stdout}')
    check('odd: names', {row['model'] for row in kept} >= set(NAMES), kept[-1:])
    check('odd: the worst stays', [row['cost_ms'] for row in kept if row['incident'] == 'twice'] == [9.0], '')
    for _, _, words in ODD_VALUES:
        check(f'odd: {words}', words in done.stdout, done.stdout)
    for name in NAMES:
        asked = fleet('ask', 'new', '--old', name, '--new', name, lake)
        check(f'odd: ask {name}', asked.returncode == 0, asked.stderr)


SUM = {'kind': 'frame', 'name': 'Main', 'bucket_list': [120], 'n_list': [7]}
ODD_LISTS = [{}, 5, [5], [[]], ['x'], [SUM, 5], [{**SUM, 'kind': 5}], [{**SUM, 'n_list': ['7']}], [{**SUM, 'n_list': [[7]]}],
             [{**SUM, 'device': 'd'}], [{**SUM, 'date': 20261001}], [{**SUM, 'bucket_list': [10 ** 17]}], [{**SUM, 'other': 1}]]


def test_odd_lists(folder):
    """Of a session whose sums are odd the rest stays; sums that lack something count nothing, and all questions have answers."""
    session = {**GOOD, 't': 'sessions', 'app_release': '5.1', 'date': 20261001}
    lists = [*ODD_LISTS, [], [{}], [{'kind': 'frame'}], [{**SUM, 'n_list': []}], [SUM], [SUM, SUM]]
    write(folder / 'lists/day=2026-10-01/a.ndjson', ({**session, 'device': f'd{i}', 'session': f's{i}', 'sum_list': each}
                                                     for i, each in enumerate(lists)))
    done = load(folder / 'lists', folder / 'of-lists')
    check('lists: sessions', len(rows_in(folder / 'of-lists', 'sessions')) == len(lists) and
          f'{len(ODD_LISTS)} values of another type' in done.stdout, done.stdout)
    for question in 'frames', 'starts', 'slower', 'later', 'days':
        ask(folder / 'of-lists', question, '--old', '5.1', '--new', '5.1')
    found = ask(folder / 'of-lists', 'frames', '--old', '5.1', '--new', '5.1', '--by', "''")
    check('lists: sums', [row['old_n'] for row in found] == [21], found)


def test_odd_issues(folder):
    """What the monitors wrote with names that no engine reads loads but for them."""
    own = {'schema': 1, 'incident': 'i', 'detail': 'LAG', 'cost_ns': 9 * 10 ** 8, 'app': {'device': 'd', 'session': 's'}}
    issues = [{'tag': 'Trace_EvilMethod', 'process': name, 'time': 1790000000000, 'detail': 'LAG', 'cost': 900,
               'methodbeat': {**own, 'incident': f'i{i}'}} for i, name in enumerate(['plain', 'a\0b', '\\u0000', '\ud800', *NAMES])]
    place = folder / 'odd-issues/day=2026-10-01'
    place.mkdir(parents=True)
    (place / 'a.json').write_text('\n'.join(map(json.dumps, issues)))
    load(folder / 'odd-issues', folder / 'of-odd-issues')
    kept = {row['process'] for row in rows_in(folder / 'of-odd-issues', 'issues')}
    check('odd issues', kept >= {'plain', *NAMES} and 'a\0b' not in kept, kept)


def test_named_later(folder):
    """Of twenty builds, whose maps come one day later but for one's mapping."""
    place, maps, lake = folder / 'late/day=2026-10-01', folder / 'late-maps', folder / 'of-late'
    place.mkdir(parents=True)
    maps.mkdir()
    own = {'schema': 1, 'detail': 'LAG', 'cost_ns': 9 * 10 ** 8, 'app': {'device': 'd', 'session': 's'}}
    one = {'tag': 'Trace_EvilMethod', 'process': 'p', 'time': 1790000000000, 'detail': 'LAG', 'cost': 900}
    for build in range(20):
        text = f'171,1,a.b.C load{build} (I)V\n'
        hash_of = 0xcbf29ce484222325
        for byte in text.encode():
            hash_of = (hash_of ^ byte) * 0x100000001b3 % 2 ** 64
        (maps / f'{build}.txt').write_text(text)
        (place / f'{build}.json').write_text(json.dumps({**one, 'stackKey': '171|', 'methodbeat': {**own, 'incident': f'i{build}',
                                                                                                'mapping': f'{hash_of:x}'}}))
    frames = ['a.b.c(r8-map-id-aa55aa55:1)']
    (place / 'r8.json').write_text(json.dumps({**one, 'methodbeat': {**own, 'incident': 'r8', 'hottest': {'frames': frames}}}))
    (maps / 'bb.txt').write_text('# pg_map_id: bb66bb66\ncom.acme.Other -> a.b:\n    void run() -> c\n')
    words = ('load', '--strict', '--into', lake, place.parent)
    early = fleet(*words)
    check('named later: not yet', '1 uploads, and 20 set aside' in early.stdout, early)
    check('named later: as they are', [row['cause_name'] for row in rows_in(lake, 'issues')] == ['a.b.c'], early)
    lake = folder / 'of-late-r8'
    early = fleet('load', '--strict', '--into', lake, '--mapping', maps, '--method-map', maps, place.parent)
    check('named later: one not yet', '20 uploads, and 1 set aside' in early.stdout and 'r8.json: set aside: a method map' in early.stderr, early)
    (maps / 'aa.txt').write_text('# pg_map_id: aa55aa55\ncom.acme.Main -> a.b:\n    1:1:void run():57:57 -> c\n')
    last = fleet('load', '--strict', '--into', lake, '--mapping', maps, '--method-map', maps, place.parent)
    check('named later', {row['cause_name'] for row in rows_in(lake, 'issues')} == {f'a.b.C.load{i}' for i in range(20)} | {'com.acme.Main.run'},
          last)


def in_file(folder, file):
    copy = folder / 'copy.parquet'
    copy.write_bytes(file.read_bytes())
    done = subprocess.run([DUCKDB, '-json', '-c', f"SELECT * FROM '{copy}'"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_issues(folder):
    """What devices wrote is loaded as its rows are; once, whatever is damaged beside it."""
    program = pathlib.Path(__file__).parents[2] / 'samples/fleet/devices.py'
    subprocess.run([sys.executable, program, folder / 'sent', '300', '2026-10-14'], check=True, stdout=subprocess.DEVNULL)
    for day in (folder / 'sent').iterdir():
        (folder / 'made' / day.name).mkdir(parents=True)
        done = subprocess.run([METHODBEAT, 'fleet', 'rows', '-o', folder / 'made' / day.name / 'a.ndjson', day], check=True)
    for name in 'sent', 'made':
        load(folder / name, folder / f'of-{name}')
    for table in 'issues', 'sessions':
        one, two = (sorted(str({**row, 'upload': None}) for row in rows_in(folder / f'of-{name}', table)) for name in ('sent', 'made'))
        check(f'issues as rows: {table}', len(one) > 50 and one == two, f'{len(one)} and {len(two)}')
    day = next((folder / 'sent').iterdir())
    first = next(day.iterdir())
    (day / 'cut.ndjson.gz').write_bytes(first.read_bytes()[:-9])
    (day / 'odd.json').write_text('{"a":1}\nno JSON\n')
    (day / 'empty.json').touch()
    done = load(folder / 'sent', folder / 'of-sent')
    check('issues: again, with damage', '3 uploads, and ' in done.stdout and 'cut.ndjson.gz' in done.stderr and 'neither an issue' in
          done.stderr and len(rows_in(folder / 'of-sent', 'issues')) == len(rows_in(folder / 'of-made', 'issues')), done)
    done = fleet('load', folder / 'sent', '--into', folder / 'of-none', '--mapping', folder / 'none.txt')
    check('issues: no mapping', done.returncode == 1 and 'none.txt' in done.stderr and not (folder / 'of-none').exists(), done)


def test_failures(folder):
    done = fleet('load', folder, '--into', folder / 'none', engine='absent-engine')
    check('no uploads, no engine', done.returncode == 0, done.stderr)
    write(folder / 'one/a.ndjson', [GOOD])
    done = fleet('load', folder / 'one', '--into', folder / 'none', engine='absent-engine')
    absent = fleet('ask', 'top', folder / 'absent')
    check('no lake', absent.returncode == 1 and 'absent: there is no load' in absent.stderr, absent.stderr)
    check('no engine', done.returncode == 1 and 'pip install duckdb-cli' in done.stderr
          and done.stderr.count('\n') == 1, done.stderr)
    check('no engine: nothing stays', not list((folder / 'none').glob('.loading*')), '')
    load(folder / 'one', folder / 'none')
    for words in (['ask', 'what', folder], ['ask', 'top'], ['load', folder], ['ask', '--sql', 'spark', 'new'], ['page', folder],
                  ['sql', 'top'], ['ask', '-o', folder / 'a', '--fail', folder], [''], ['ask', 'new', '--old', 'x', folder]):
        done = fleet(*words)
        check(f'usage {words[:2]}', done.returncode == 2, done.stderr)
    done = fleet('ask', 'top', '--where', 'nothing = 1', folder / 'none')
    check('bad condition', done.returncode == 1 and 'nothing' in done.stderr, done.stderr)


def test_engines_that_die(folder):
    """Of a load that fails nothing stays, whoever dies of what; the next one has all."""
    write(folder / 'dying/a.ndjson', Fleet(2000))
    lake = folder / 'l'
    engine = folder / 'engine'
    for what, script, says in (
            ('killed', 'kill -9 $$', 'status 137'), ('no answer', 'exit 0', 'no answer'),
            ('half an answer', """echo '[{"issues":2000'""", 'not JSON'), ('not JSON', 'echo moved', 'not JSON'),
            ('full', f"'{DUCKDB}' >/dev/null; echo 'IO Error: No space left on device' >&2; exit 1", 'its disk has no room')):
        engine.write_text(f'#!/bin/sh\n{script}\n')
        engine.chmod(0o755)
        done = fleet('load', folder / 'dying', '--into', lake, engine=engine)
        check(f'engine {what}', done.returncode == 1 and says in done.stderr and done.stderr.count('\n') == 1, done.stderr)
        check(f'engine {what}: nothing stays', {path.name for path in lake.iterdir()} == {'lock', 'uploads'}
              and not list(lake.glob('uploads/*')), list(lake.rglob('*')))
    done = fleet('load', folder / 'dying', '--into', lake, restore_signals=False,
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16)))
    check('no room for rows', done.returncode == 1 and 'File too large' in done.stderr, done.stderr)
    check('no room for rows: nothing stays', not list(lake.rglob('*.parquet')) and not list(lake.glob('.loading*')), '')
    load(folder / 'dying', lake)
    check('all is there', len(rows_in(lake, 'issues')) == 2000, '')
    engine.write_text(f'#!/bin/sh\nls /proc/$$/fd >{folder}/open; cat >/dev/null; echo "[]"\n')
    done = fleet('ask', 'top', lake, engine=engine)
    opened = {int(number) for number in (folder / 'open').read_text().split()}  # a shell's own are from 10 on
    check('nothing else is open in it', done.returncode == 0 and not opened & set(range(3, 10)), opened)


def test_sql():
    texts = {engine: fleet('ask', 'top', '--sql', engine).stdout
             for engine in ('duckdb', 'spark', 'clickhouse', 'trino', 'bigquery')}
    check('one text for all', len(set(texts.values())) == 1 and 'SELECT' in texts['spark'], texts)
    today = datetime.datetime.now(datetime.timezone.utc).date()
    check('weeks end today', any(str(today - datetime.timedelta(days=back)) in texts['duckdb'] for back in (6, 7)), '')
    check('a quote', "'it''s'" in fleet('ask', 'new', '--sql', 'duckdb', '--old', "it's", '--new', RELEASES[1]).stdout, '')
    check('escapes', "'it\\'s'" in fleet('ask', 'new', '--sql', 'spark', '--old', "it's", '--new', '5').stdout, '')


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / 'f').mkdir()
        test_failures(folder / 'f')
        lake = test_answers(folder)
        test_alert(folder, lake)
        test_again(folder, lake)
        test_old_lake(folder)
        test_rewritten(folder)
        test_rewritten_at_once(folder)
        test_forgotten(folder)
        test_releases(folder)
        test_profiles(folder)
        test_two_at_once(folder)
        test_cut(folder)
        test_set_aside(folder)
        test_newer(folder)
        test_small_disk(folder)
        test_links_in_lake(folder)
        test_places(folder)
        test_engines_that_die(folder)
        test_packed(folder)
        test_issues(folder)
        test_hostile(folder)
        test_odd_lists(folder)
        test_odd_issues(folder)
        test_named_later(folder)
    test_sql()
    return have_failed()


if __name__ == '__main__':
    os.environ.pop('METHODBEAT_CACHE', None)
    sys.exit(main())
