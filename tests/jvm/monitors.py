"""The monitors in real JVMs: each stall is one issue, with the stack that explains it.

usage: monitors.py METHODBEAT RUNTIME_JAR LIBRARY

How long a message was the program measures itself, within its begin and end and around them; what is
between the two may be judged either way, so no machine is too slow.
"""
import glob
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402
from judge import check  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
SOURCE = os.path.join(judge.TESTS, 'jvm', 'Stalls.java')
MS = 1000000
SLACK = 15 * MS  # of the coarse clock that times messages
DETAILS = {'evil_ms': 'NORMAL', 'lag_ms': 'LAG', 'anr_ms': 'ANR', 'hang_ms': 'HANG'}
DEFAULTS = {'evil_ms': 700, 'lag_ms': 2000, 'anr_ms': 5000, 'hang_ms': 60000, 'gap_ms': 600000,
            'cpu_enable': 0, 'often': ''}


class Run:
    """A run of Stalls: what it printed, and whether the issues are those of its messages."""

    def __init__(self, what, *steps, settings=(), options=(), program='program', library=LIBRARY):
        self.what = what
        self.settings = {**DEFAULTS, **dict(settings)}
        properties = judge.listed({**self.settings, 'library': library})
        self.done = judge.run(
            ('java', '-Xcheck:jni', *(f'-Dmethodbeat.{n}={v}' for n, v in properties.items()), *options,
             '-cp', f'{judge.scratch(program)}:{RUNTIME}', 'Stalls', *steps), timeout=120)
        self.lines = self.done.stdout.splitlines()
        self.check('runs to its end', self.done.returncode == 0 and 'DONE' in self.lines)
        self.check('no wrong call of JNI', 'native method' not in self.done.stdout)
        self.issues = sorted((json.loads(text) for text in self.told('ISSUE')),
                             key=lambda issue: issue['methodbeat']['begin_ns'])
        self.messages = []
        for text in self.told('MESSAGE'):
            kind, *times = text.split()
            self.messages.append((kind, *map(int, times)))

    def check(self, claim, holds):
        return check(holds, f'{self.what}: {claim}\n{self.done.stdout[-6000:]}\n{self.done.stderr[-2000:]}')

    def told(self, word):
        return [line[len(word) + 1:] for line in self.lines if line.startswith(word + ' ')]

    def details_of(self, shortest, longest):
        """What the message may have been found to be."""
        stages = [(self.settings[name] * MS, detail) for name, detail in DETAILS.items()]

        def detail_of(length):
            return [None, *(detail for limit, detail in stages if length >= limit)][-1]

        return {detail_of(shortest - SLACK), detail_of(longest + SLACK)}

    def match(self):
        """Each message and its issue, or None."""
        left = list(self.issues)
        pairs = []
        for kind, inner, outer, cpu in self.messages:
            cost = left[0]['methodbeat']['cost_ns'] if left else 0
            issue = left.pop(0) if inner - SLACK <= cost <= outer + SLACK else None
            found = issue['methodbeat']['detail'] if issue else None
            self.check(f'{kind} of {inner} to {outer} ns is {found}',
                       found in self.details_of(inner, outer))
            if issue:
                self.check_load(issue, cpu / inner)
            pairs.append((kind, issue))
        self.check('no other issue', not left)
        return pairs

    def only_one(self, function):
        """The issue that was in that function; a busy machine makes others of what is next to nothing."""
        found = [issue for issue in self.issues if function in frames_of(issue)]
        self.check(f'one issue in {function}', len(found) == 1)
        return found[0] if found else {'methodbeat': {}}

    def check_load(self, issue, share):
        busy = issue['methodbeat'].get('busy')
        if busy is not None and (share < 0.15 or share > 0.85):
            self.check(f'a thread that had {share} of a processor', busy == (share > 0.5))


def frames_of(issue):
    """Its functions."""
    return [frame.split('(')[0] for frame in issue['methodbeat'].get('hottest', {}).get('frames', [])]


def lines_of(stack):
    return [[int(part) for part in line.split(',')] for line in stack.splitlines()]


# ---- Against the report ----

def judge_slow_messages(flavour='native'):
    """In an instrumented program; its trace says the same."""
    trace, map_path = judge.scratch(f'{flavour}.mbtrace'), judge.scratch('out', 'methodMapping.txt')
    spool = judge.scratch(f'{flavour}-spool')
    run = Run(f'slow messages, {flavour}', 'listen', 'start', 'three:720', 'nap:680', 'burn:30', 'three:720',
              'nap:680', 'until:2', 'stop', program='out',
              options=(f'-Dmethodbeat.file={trace}', f'-Dmethodbeat.flavour={flavour}',
                       f'-Dmethodbeat.spool={spool}'))
    found = [issue for _, issue in run.match() if issue]
    report = json.loads(judge.must((judge.METHODBEAT, 'report', '--format=json', '--threshold=600',
                                    f'--method-map={map_path}', trace)).stdout)
    for issue in found:
        ours = lines_of(issue['stack'])
        same = [slow for slow in report['slow'] if slow['key'] == issue['stackKey'] and
                [[i['depth'], i['id'], i['count']] for i in slow['stack']] == [i[:3] for i in ours] and
                all(abs(i['ns'] // MS - line[3]) <= 1 for i, line in zip(slow['stack'], ours))]
        run.check(f'the report has this stack: {issue["stack"]} {report["slow"]}', len(same) >= 1)
    run.check('two are long enough', len(found) >= 2)
    for issue in found:
        part = json.loads(judge.must((judge.METHODBEAT, 'report', '--format=json', '--threshold=600',
                                      f'--method-map={map_path}',
                                      f'--mark={issue["methodbeat"]["incident"]}', trace)).stdout)
        run.check(f'its range is marked: {part["slow"]}',
                  [slow['key'] for slow in part['slow']] == [issue['stackKey']] and
                  part['threads'][0]['records'] < report['threads'][0]['records'])
    judge_names(run, found, map_path)
    judge_drawn(run, found, spool, map_path, trace)
    told = json.loads(judge.must((judge.METHODBEAT, 'issues', '--format=json', '--group=app', '--strict',
                                  f'--method-map={map_path}', spool)).stdout)
    run.check(f'the spool has them: {told}', told['issues'] == len(found) and
              [group['group'] for group in told['groups']] == ['Stalls'])


def judge_drawn(run, found, spool, map_path, trace):
    """Viewers show the issues where their messages are."""
    drawn = json.loads(judge.must((judge.METHODBEAT, 'report', '--format=chrome', f'--issues={spool}',
                                   f'--method-map={map_path}', trace)).stdout)['traceEvents']
    shown = [(event['ts'] * 1000, event['args']) for event in drawn if event['ph'] == 'i']
    calls = [(event['ts'] * 1000, event['dur'] * 1000) for event in drawn if event['ph'] == 'X']
    run.check(f'all are drawn: {shown}', sorted(args['durationNs'] for _, args in shown) ==
              sorted(issue['methodbeat']['cost_ns'] for issue in found))
    for at, args in shown:
        run.check(f'a long message is there: {at} {args}', any(
            length > 600 * MS and -500 * MS < at - start < length for start, length in calls))


def judge_names(run, found, map_path):
    """issues and symbolize name the methods."""
    path = judge.scratch('issues.log')
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(f'I/app: {json.dumps(issue)}\n' for issue in found)
    groups = json.loads(judge.must((judge.METHODBEAT, 'issues', '--format=json',
                                    f'--method-map={map_path}', path)).stdout)['groups']
    names = [call.get('name') for group in groups for call in group['longest']['calls']]
    run.check(f'issues names them: {names}', 'Stalls.second' in names and
              sum(group['issues'] for group in groups) == len(found))
    second = re.search(r'^(\d+),\d+,Stalls second ', judge.read(map_path), re.M)[1]
    symbolized = judge.must((judge.METHODBEAT, 'symbolize', f'--method-map={map_path}', path)).stdout
    run.check('symbolize names them', symbolized.count(',Stalls.second,') ==
              sum(f',{second},1,' in issue['stack'] for issue in found))


# ---- Stages ----

SCALED = {'evil_ms': 100, 'sample_after_ms': 100, 'lag_ms': 600, 'anr_ms': 3000}


def judge_stages():
    run = Run('stages', 'listen', 'start', 'nap:50', 'burn:300', 'nap:1500', 'burn:1500', 'nap:4500',
              'nap:20', 'until:4', 'stop', settings=SCALED)
    pairs = run.match()
    for kind, issue in pairs[2:5]:
        run.check(f'{kind} is explained from inside', issue and f'Stalls.{kind}' in frames_of(issue))
    run.check('one ANR, with all stacks', 'Stalls.nap' in pairs[4][1]['methodbeat'].get('threads', ''))


def judge_hottest():
    """600 ms, 1300 ms, 100 ms."""
    run = Run('hottest', 'listen', 'start', 'three:2000', 'until:1', 'stop',
              settings={**SCALED, 'lag_ms': 1800, 'anr_ms': 60000, 'hang_ms': 600000})
    ((_, issue),) = run.match()
    run.check('is the second', issue and frames_of(issue)[:2] == ['Stalls.second', 'Stalls.three'])
    with open(SOURCE, encoding='utf-8') as file:
        line = next(n for n, text in enumerate(file, 1) if 'second(ms * ' in text)
    frames = issue['methodbeat']['hottest']['frames']
    run.check('says where it was called', f'Stalls.three(Stalls.java:{line})' in frames)
    run.check('so do the lines of Matrix', f'at Stalls.three(Stalls.java:{line})\n' in issue['threadStack'])
    run.check('its key is a function', issue['methodbeat']['app_key'] == 'Stalls.second')


# ---- Loops ----

def judge_executor():
    log = judge.scratch('classes.log')
    is_old = judge.jdk_version(judge.jdk()) <= [9]
    run = Run('executor', 'listen', 'start', 'executor:1500', 'until:1', 'threads:100', 'stop',
              settings=SCALED, options=() if is_old else (f'-Xlog:class+load:file={log}',))
    issue = run.only_one('Stalls.burn')
    run.check('its message is told', 'FutureTask' in issue['methodbeat'].get('message', ''))
    run.check('it ends', run.told('ENDED') == ['true'])
    desktop = [] if is_old else [line for line in judge.read(log).splitlines()
                                 if 'java.awt' in line or 'SwingLoop' in line]
    run.check(f'nothing of a desktop is loaded: {desktop}', not desktop)


def judge_single():
    """It is looked at each two seconds while it rests, then asked."""
    run = Run('single', 'listen', 'start', 'single:5000', 'until:1', 'stop', settings=SCALED)
    issue = run.only_one('Stalls.burn')
    run.check('outside messages', issue['methodbeat'].get('message') == '(outside messages)')
    run.check('it ends', run.told('ENDED') == ['true'])


def judge_order():
    run = Run('order', 'start', 'order:60000', 'stop', settings=SCALED)
    run.check('a question is among the tasks', run.told('ASKED') == ['true'])
    run.check('and in nobody\'s way', run.told('ORDER') == ['9012345'] and run.told('ENDED') == ['true'])


def judge_waiting():
    run = Run('waiting', 'start', 'waiting', 'stop')
    run.check('tasks come back as they were given', run.told('WAITING') == ['true'])
    run.check('none is refused as the service does', run.told('NULL') == ['refused'])


def judge_swing():
    run = Run('swing', 'listen', 'start', 'swing:1500', 'until:1', 'stop', settings=SCALED,
              options=('-Djava.awt.headless=true',))
    run.check('is watched, once', run.told('SWING') == ['true true'])
    issue = run.only_one('Stalls.burn')
    run.check('from inside', 'methodbeat.SwingLoop.dispatchEvent' in frames_of(issue))
    run.check('the event is told', 'java.awt.event.' in issue['methodbeat'].get('message', ''))
    if judge.jdk_version(judge.jdk()) > [9]:
        bare = Run('no desktop', 'start', 'swing:1', 'stop',
                   options=('--limit-modules=java.base,java.management',))
        bare.check('it is told', bare.told('SWING') == ['false false'] and
                   'Swing is not watched' in bare.done.stderr)


# ---- Life ----

def judge_stops():
    run = Run('stops', 'listen:stops', 'start', 'nap:200', 'until:1', 'stop', 'nap:200', 'start', 'start',
              'nap:200', 'until:2', 'stop', 'stop', 'start', 'stop', settings=SCALED)
    run.check('starts', run.told('STARTED') == ['true'] * 4)
    run.check('stops', run.told('STOPPED') == ['true'] * 4)
    run.check('hears two', len(run.issues) == 2)
    run.check('tells of the listener', run.done.stderr.count('on purpose') == 2)


def judge_settings():
    run = Run('settings', 'listen', 'start:evil_ms=x;nonsense=1;stall_ms=300:60000', 'set:evil_ms=-1',
              'set:clicfg_matrix_trace_evil_method_threshold=150', 'nap:1500', 'until:1', 'stop',
              settings={'evil_ms': 60000})
    run.check('start all the same', run.told('STARTED') == ['true'])
    run.check('tells', run.told('SET') == ['false', 'true'])
    for word in ('evil_ms', 'nonsense'):
        run.check(f'names {word}', f'monitor setting {word}' in run.done.stderr)
    run.check('the last one counts', len(run.issues) == 1)


def judge_own_issues():
    spool = judge.scratch('own-spool')
    run = Run('own issues', 'issue:early;;', 'listen', 'start', 'issue:checkout;caf\u00e9 \U0001f600;{"items":0}',
              'issue:checkout;;', 'issue:LAG;;', 'issue:a;;{"half', 'stop', 'issue:late;;',
              options=(f'-Dmethodbeat.spool={spool}',))
    run.check('tells', run.told('TOLD') == ['false', 'true', 'true', 'false', 'false', 'false'])
    told = sorted((issue['methodbeat']['told'] for issue in run.issues), key=len)
    run.check(f'hears two: {told}', len(told) == 2 and 'key' not in told[0] and
              (told[1]['key'], told[1]['value']) == ('caf\u00e9 \U0001f600', {'items': 0}))
    read = json.loads(judge.must((judge.METHODBEAT, 'issues', '--format=json', '--strict', spool)).stdout)
    run.check(f'the spool has them: {read}', sorted(group['group'] for group in read['groups']) ==
              ['checkout', 'checkout caf\u00e9 \U0001f600'])


def open_mark(trace):
    """The incident whose begin is marked in the trace, and not its end."""
    marks = re.findall(r'^# mark \d+ "?([0-9a-f]+-\d+)( end)?', judge.run(
        (judge.METHODBEAT, 'report', '--format', 'records', trace)).stdout, re.M)
    ended = {name for name, end in marks if end}
    return next((name for name, end in marks if not end and name not in ended), None)


def judge_killed():
    """What a process leaves that is killed inside a stall: its range in the trace."""
    trace, spool = judge.scratch('killed.mbtrace'), judge.scratch('killed-spool')
    settings = judge.listed({**DEFAULTS, **SCALED, 'library': LIBRARY, 'file': trace, 'spool': spool})
    command = ('java', *(f'-Dmethodbeat.{n}={v}' for n, v in settings.items()), '-cp',
               f'{judge.scratch("out")}:{RUNTIME}', 'Stalls', 'start', 'nap:1', 'three:300000')
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 100
        while not (os.path.exists(trace) and open_mark(trace)) and \
                time.monotonic() < until:
            time.sleep(0.1)
        incident = open_mark(trace)
        process.kill()
    run = Run('after a kill', 'listen', 'start', 'until:1', 'stop', settings=SCALED,
              options=(f'-Dmethodbeat.spool={spool}',))
    run.check('one is killed', [(issue['methodbeat']['ended'], issue['methodbeat']['incident'])
                                for issue in run.issues] == [('killed', incident)])
    map_path = judge.scratch('out', 'methodMapping.txt')
    whole, part = (json.loads(judge.must((judge.METHODBEAT, 'report', '--format=json',
                                          f'--method-map={map_path}', *more, trace)).stdout)
                   for more in ((), (f'--mark={incident}',)))
    run.check(f'its range is marked: {part["threads"]}',
              0 < part['threads'][0]['records'] < whole['threads'][0]['records'])


def judge_no_library():
    run = Run('no library', 'listen', 'start', 'nap:1', 'executor:1', 'set:evil_ms=3', 'stop',
              library='/none')
    run.check('is off', run.told('STARTED') == ['false'] and run.told('SET') == ['false'])
    run.check('says so once', run.done.stderr.count('methodbeat: ') == 1)


def judge_screens():
    """Windows, frames and the start, through the methods that Android's side calls."""
    folder = judge.compile_java(judge.scratch('screens'), (os.path.join(
        judge.TESTS, 'jvm', 'Screens.java'),), '-cp', RUNTIME)
    done = judge.must(('java', '-Xcheck:jni', f'-Dmethodbeat.library={LIBRARY}', '-cp',
                       f'{folder}:{RUNTIME}', 'methodbeat.Screens'))
    lines = done.stdout.splitlines()
    issues = [json.loads(line[6:]) for line in lines if line.startswith('ISSUE ')]
    others = [line for line in lines if not line.startswith('ISSUE ')]
    check(others == ['OVERLAY true', 'OVERLAY true', 'SHOWN 60 60 1 true 60 1',
                     'SHORT false false false false', 'DONE'], f'screens:\n{done.stdout}')
    start = next((issue for issue in issues if issue['tag'] == 'Trace_StartUp'), {})
    check(start.get('startup_duration') == 710 and start.get('application_create_scene') == 159,
          f'screens: the start\n{done.stdout}')
    fps = next((issue for issue in issues if issue['tag'] == 'Trace_FPS'), {})
    check(fps.get('fps') == 60 and fps.get('DRAW_DURATION') == 8 * MS and len(issues) == 2,
          f'screens: the frames\n{done.stdout}')


def judge_sample():
    """Stalls of each kind, two fifths as long."""
    folder = judge.compile_java(judge.scratch('desk'), (os.path.join(
        judge.ROOT, 'samples', 'java', 'stalls', 'Desk.java'),), '-cp', RUNTIME)
    done = judge.must(('java', f'-Dmethodbeat.library={LIBRARY}', '-Dmethodbeat.evil_ms=140',
                       '-Dmethodbeat.stall_ms=100',
                       '-Dmethodbeat.cpu_enable=0', '-cp', f'{folder}:{RUNTIME}', 'Desk', '40'))
    path = judge.scratch('desk.log')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(done.stdout)
    shown = judge.must((judge.METHODBEAT, 'issues', path)).stdout
    for name in ('save', 'parse'):
        check(f'\nDesk.{name}\n' in shown, f'sample: Desk.{name}\n{shown}')


def main():
    judge.compile_java(judge.scratch('program'), (SOURCE,),
                       '-cp', RUNTIME)
    classes = sorted(glob.glob(judge.scratch('program', '*.class')))
    judge.instrument('--output', judge.scratch('out'), *classes)
    judge_slow_messages('mapped')
    for act in (judge_slow_messages, judge_stages, judge_hottest, judge_executor, judge_single, judge_order,
                judge_waiting, judge_swing, judge_stops, judge_settings, judge_own_issues, judge_killed,
                judge_no_library, judge_screens, judge_sample):
        act()
        print(act.__name__[6:])
    judge.finish()


main()
