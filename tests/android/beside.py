"""methodbeat's monitors beside Matrix's, on the same framework, with the same script: which stalls each reports
and names, and what it reports besides; then what a message costs with each.

Matrix 0.6.0, the version that is published where such packages are, is fetched and only run. Each side has a run
of its own, with thresholds as they are by default: a message of 0.7 s is slow, one of 5 s does not respond, and
for methodbeat one of 2 s lags, of which Matrix knows since 2.0. All monitors of Matrix are on; none needs a native
library. It takes 5 minutes a level, and is run by hand, on a machine that is not busy.

What Matrix needs to be right is given: it times messages by the framework's clock, which RealTime keeps going, takes
the start from ActivityThread, frames from the Choreographer. It also passes over whatever happens in a process whose
priority in /proc is above 10 (nice 0 is 20); Robolectric's process has number 0, of which /proc knows nothing.
Messages that the framework itself makes slow are told apart by another clock (Measure).

usage: beside.py METHODBEAT RUNTIME_JAR ANDROID_JAR LIBRARY [LEVEL...]   without a level: what a message costs
"""
import json
import os
import statistics
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
import messages  # noqa: E402
from robolectric import Framework, facts_of  # noqa: E402

RUNTIME, ANDROID, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
JAVA = os.path.join(HERE, 'beside')
STAGE = os.path.join(HERE, 'java', 'stage')
MATRIX = ('matrix-lib', 'matrix-commons', 'matrix-trace')
FPS_SLACK = 2
# Step: what is to be reported of it; of stalls also the method that made it slow, of frames how many a second.
STEPS = {
    'cold start': ('Trace_StartUp', None),
    'message of 600 ms': (None, None),
    'message of 720 ms': ('NORMAL', 'desk.Desk.work'),
    'message of 1,000 ms': ('NORMAL', 'desk.Desk.work'),
    'message that waits 2.5 s': ('LAG', 'desk.Desk.await'),
    'message that works 2.5 s': ('LAG', 'desk.Desk.work'),
    'message that waits 5.5 s': ('ANR', 'desk.Desk.await'),
    'message that waits 6.5 s': ('ANR', 'desk.Desk.await'),
    '2,000 messages of 1 ms': (None, None),
    'loop of 10 ms messages in one, 4 s': (None, None),
    'stopped for 8 s in a message of 300 ms': (None, None),
    'stopped for 8 s between messages': (None, None),
    "message of 1,000 ms, another's printer set a minute ago": ('NORMAL', 'desk.Desk.work'),
    '60 frames a second, each 25 ms long': (None, 60),
    '60 frames a second, each tenth 5 late': ('Trace_FPS', 40),
}
THEIR_VERSION = '0.6.0'


def classes_of(archive):
    """Of an AAR, or the jar itself."""
    if not archive.endswith('.aar'):
        return archive
    target = judge.scratch('matrix', os.path.basename(archive) + '.jar')
    with zipfile.ZipFile(archive) as file, open(target, 'wb') as out:
        out.write(file.read('classes.jar'))
    return target


class Side:
    """One that watches: its class, what it is compiled with, how the app is instrumented for it."""

    def __init__(self, name, folders, jars, arguments):
        self.name, self.folders, self.jars, self.arguments = name, folders, jars, arguments
        self.is_theirs = name == 'theirs'

    def expects(self, step, facts):
        """Matrix knows no LAG before 2.0. Of frames it is as many as were drawn."""
        kind, truth = STEPS[step]
        if isinstance(truth, int):
            drawn = [name for name, (_, truth) in STEPS.items() if isinstance(truth, int)]
            return kind, float(facts['drawn'][drawn.index(step)])
        return ('NORMAL' if self.is_theirs and kind == 'LAG' else kind), truth

    def run(self, framework):
        """The facts of the script, and the names of the methods by number."""
        tests = framework.compile(f'{self.name}-{framework.level}', [STAGE, *(os.path.join(JAVA, folder) for folder in
                                  ('script', 'desk', *self.folders))], *self.jars)
        output = judge.scratch(f'{self.name}-{framework.level}-out')
        app = judge.scratch('desk-' + self.name, 'app.jar')
        judge.must(('jar', 'cfM', app, '-C', tests, 'desk'))
        judge.instrument('--output', output, '--classpath', framework.jars[0], *self.arguments, app)
        trace = judge.scratch('trace-' + self.name)
        facts = facts_of(framework.run(
            'script.Script', os.path.join(output, 'app.jar'), tests, *self.jars,
            options=(f'-Dscript.side={self.name}.{self.name.capitalize()}', f'-Dmethodbeat.library={LIBRARY}',
                     f'-Dmethodbeat.file={trace}')))
        names = {str(number): name.split(' ')[0] + '.' + name.split(' ')[1] for number, name in
                 judge.traced(os.path.join(output, 'methodMapping.txt'))}
        return facts, names


def steps_of(facts):
    """Name to what was told while it ran, in order."""
    spans = [(*text.split(' ', 1), end.split(' ', 1)[0]) for text, end in zip(facts['begin'], facts['end'])]
    told = {name: [] for _, name, _ in spans}
    last = list(told)[-1]
    for text in facts.get('issue', []):
        at, issue = int(text.split(' ', 1)[0]), json.loads(text.split(' ', 1)[1])
        name = next((name for begin, name, end in spans if int(begin) <= at <= int(end)), last)
        is_start = 'STARTUP' in (issue.get('detail'), issue['tag'].replace('Trace_StartUp', 'STARTUP'))
        told['cold start' if is_start else name].append(issue)  # it may be told later
    return told


def kind_of(issue):
    own = issue.get('methodbeat', {}).get('detail')
    return own if own == 'OFTEN' else issue.get('detail') or issue['tag']


def does_name(issue, method, names):
    """The stacks that it has, of numbers or of names."""
    numbers = [line.split(',')[1] for line in issue.get('stack', '').splitlines() if line.count(',') >= 2]
    frames = issue.get('methodbeat', {}).get('hottest', {}).get('frames', [])
    stack = json.dumps(issue.get('threadStack', ''))
    return method in [names.get(number) for number in numbers] or method in frames or method in stack


def was_slow(issue, facts):
    """There was a message of that length, of the framework's."""
    cost = issue.get('cost', 0) * 1000000
    spans = [[int(number) for number in text.split(' ', 2)[:2]] for text in facts.get('message', [])]
    return any(shortest - messages.SLACK <= cost <= longest + messages.SLACK for shortest, longest in spans)


def judge_step(kind, truth, issues, facts, names):
    """What to say of it, and whether each issue is right, more of the same, or false. One of many stalls in a
    minute is of no step, nor is a message of the framework's that was slow."""
    found, words, counts = False, [], {'right': 0, 'double': 0, 'false': 0, 'unnamed': 0}
    for issue in issues:
        told = kind_of(issue)
        word = kind_of(issue).replace('Trace_', '')
        if told == 'Trace_FPS':
            word += f" {issue['fps']:.1f}"
            is_right = isinstance(truth, float) and abs(issue['fps'] - truth) <= FPS_SLACK
        elif told in ('Trace_StartUp', 'STARTUP'):  # the latter has the trace of a slow one
            is_right = kind == 'Trace_StartUp'
        else:
            is_right = kind not in (None, 'Trace_StartUp', 'Trace_FPS')
        if told == 'OFTEN':
            word += ' (of a minute)'
        elif not is_right and was_slow(issue, facts):
            word += f" (the framework's, {issue['cost'] / 1000:.1f} s)"
        elif not is_right:
            counts['false'] += 1
            word += ' (false)'
        elif told == kind and not found:
            found = True
            counts['right'] += 1
            if isinstance(truth, str) and not does_name(issue, truth, names):
                counts['unnamed'] += 1
                word += ' (without the method)'
        elif kind is not None:
            counts['double'] += 1
            word += ' (too)'
        if words and words[-1].split(' x')[0] == word:
            count = int((words.pop() + ' x1').split(' x')[1])
            word += f' x{count + 1}'
        words.append(word)
    counts['missed'] = int(kind is not None and not found)
    return ', '.join(words) or ('-' if kind is None else 'missed'), counts


def sides():
    jars = [classes_of(archive) for archive in judge.corpus(*MATRIX)]
    return (Side('theirs', ('theirs', 'bridge'), jars, ('--exceptions=matrix',)),
            Side('ours', ('ours',), [RUNTIME, ANDROID], ()))


def compare(framework):
    both = {side: side.run(framework) for side in sides()}
    print(f'| level {framework.level} | to be reported | Matrix {THEIR_VERSION} | methodbeat |\n|---|---|---|---|')
    sums = {side: {} for side in both}
    for step, (kind, truth) in STEPS.items():
        cells = []
        for side, (facts, names) in both.items():
            told = steps_of(facts)
            if step in told:
                words, counts = judge_step(*side.expects(step, facts), told[step], facts, names)
                cells.append(words)
                sums[side] = {key: sums[side].get(key, 0) + count for key, count in counts.items()}
        if cells:
            expected = kind.replace('Trace_', '') if kind else '-'
            print(f"| {step} | {expected}{f', {truth} fps' if isinstance(truth, int) else ''} | {' | '.join(cells)} |")
    for side, counts in sums.items():
        print(f"{side.name}: {', '.join(f'{count} {key}' for key, count in counts.items())}")


def cost():
    """Of a message. Each side in a process of its own: a printer that is set later has the first one behind it."""
    framework = Framework(34)
    theirs, ours = sides()
    jars = [*ours.jars, *theirs.jars]
    tests = framework.compile('cost', [STAGE, *(os.path.join(JAVA, folder) for folder in
                              ('script', 'desk', 'ours', 'theirs', 'cost'))], *jars)
    for side in ('ours.Ours', 'theirs.Theirs'):
        facts = facts_of(framework.run('cost.Cost', tests, *jars, options=(
            f'-Dcost.sides={side}', '-XX:TieredStopAtLevel=4', f'-Dmethodbeat.library={LIBRARY}')))
        for name, values in facts.items():
            rounds = [[float(number) for number in text.split(' ')] for text in values]
            print(f'{name}: {statistics.median(ns for ns, _ in rounds):.0f} ns, '
                  f'{statistics.median(size for _, size in rounds):.0f} bytes a message, {len(rounds)} rounds')


def main():
    for level in sys.argv[5:]:
        compare(Framework(level))
    if not sys.argv[5:]:
        cost()
    judge.finish()


main()
