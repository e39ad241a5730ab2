"""A process on the real framework that does not respond and dies: the next ones tell of it, once, with what
the system says, and of another one that only the system saw; also if one of them dies as it has told the first.

usage: exits.py METHODBEAT RUNTIME_JAR ANDROID_JAR LIBRARY LEVEL...
"""
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
from robolectric import Framework, facts_of  # noqa: E402

RUNTIME, ANDROID, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
FIRST = 30  # that knows of exits
MOST_TRACE = 65536
NEWEST_MS = 2000  # before now, of the exits that Exits.java has
NEVER = 600000  # ms
STALL = {'lag_ms': 200, 'anr_ms': 400}
QUIET = {'lag_ms': NEVER, 'anr_ms': NEVER}
SETTINGS = {'evil_ms': NEVER, 'hang_ms': NEVER, 'gap_ms': NEVER, 'often': '', 'cpu_enable': 0, 'fps_enable': 0,
            'start_enable': 0}


def judge_issues(level, noted, texts):
    issues = {issue['methodbeat']['detail']: issue for issue in map(json.loads, texts)}
    judge.check(len(texts) == 2 and set(issues) in ({'LAG', 'EXIT_ANR'}, {'ANR', 'EXIT_ANR'}), f'level {level}: {texts}')
    for detail, issue in issues.items():
        own = issue['methodbeat']
        is_seen = detail != 'EXIT_ANR'
        judge.check(own['confirmed'] is True and own['ended'] == 'killed' and issue['detail'] == 'ANR' and
                    own['reason'] == ('seen' if is_seen else 'not seen'), f'level {level}: {detail} is {own}')
        if is_seen:
            judge.check(own['incident'] == noted and own['cost_ns'] >= 200 * 1000000, f'level {level}: {own}')
        else:
            judge.check(own['pid'] == 77 and 'noted' not in own and 'cost_ns' not in own and own['threads'].startswith('"main" prio=5\n') and
                        len(own['threads']) == MOST_TRACE, f"level {level}: {len(own.get('threads', ''))} bytes")


def judge_level(level):
    framework = Framework(level)
    classes = framework.compile(f'java-{level}', [os.path.join(HERE, 'java', name) for name in ('exits', 'stage')],
                                RUNTIME, ANDROID)
    now = int(time.time() * 1000)

    def run(spool, settings, *more, dies=False):
        options = [f'-Dmethodbeat.{name}={value}' for name, value in
                   judge.listed({**SETTINGS, **settings, 'library': LIBRARY, 'spool': judge.scratch(f'{spool}-{level}')}).items()]
        return facts_of(framework.run('exits.Exits', classes, RUNTIME, ANDROID, options=(*options, *more), dies=dies))

    def run_next(spool, noted, issues):
        return run(spool, QUIET, f'-Dexits.noted={noted}', f'-Dexits.now={now}', f'-Dexits.issues={issues}',
                   dies=issues == 0)

    for spool in ('whole', 'cut'):
        died = run(spool, STALL, dies=True)
        if not judge.check(len(died.get('noted', [])) == 1, f'level {level}: one stall is noted: {died}'):
            continue
        noted = died['noted'][0]
        cut = run_next(spool, noted, 0) if spool == 'cut' else {'issue': []}
        judge.check(cut.get('seen', ['0']) == ['0'], f'level {level}: not all is told: {cut}')
        last = run_next(spool, noted, 2 - len(cut['issue']))
        judge_issues(level, noted, cut['issue'] + last.get('issue', []))
        judge.check(last.get('seen') == [str(now - NEWEST_MS)] * 2, f'level {level}: all is told: {last}')
        print(f'level {level}: {died}')


def main():
    for level in sys.argv[5:]:
        if int(level) >= FIRST:
            judge_level(level)
    judge.finish()


main()
