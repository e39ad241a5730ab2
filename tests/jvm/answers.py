"""What a user is told of programs with known answers, beside judges: the same program with --exceptions=finally,
where each call records its own end, and async-profiler's samples by the wall clock of the program without probes.
Totals and own times are parts of the time inside outermost calls of all threads. MB_UPDATE_GOLDEN=1 writes reports
and tables anew (golden/answers).

usage: answers.py METHODBEAT AGENT [PROGRAM...]
"""
import collections
import json
import os
import platform
import re
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

sys.path.insert(0, os.path.join(judge.TESTS, 'cli'))
from agreement import differences  # noqa: E402
from pages import Page  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
GOLDEN = os.path.join(judge.TESTS, 'golden', 'answers')
SOURCES = os.path.join(judge.TESTS, 'jvm')
MODE = os.environ.get('MB_ANSWERS_MODE', 'catch')  # 'returns' shows what the judges see
NEAR, LEAST = 0.02, 0.01  # of finally; what is judged
ATTEMPTS = 4
PERIOD_US = 997  # no part of what the programs do


# ---- The programs ----

def judge_pool(text):
    """Tasks that work are no callees of those that threw."""
    found = section(text, 'What costs most') + section(text, 'Where threads wait')
    judge.check('recurses' not in text and any(row.endswith('Pool.works') for row in found), text)


def judge_request(text):
    """Acceptor, poller and workers wait: they are no finding, and the requests are the slow calls."""
    slow = section(text, 'Slow outermost calls')
    judge.check('worker-*' in headline(text).split('. ')[0], text)
    judge.check(slow[2].split()[2] == '2' and slow[2].endswith('Pauses.sleep'), text)
    judge.check(re.search(r'in worker-\d\n +time calls\n +\d+ ms +1  Server.handle\n', text), text)
    for loop in ('Server.accept', 'Server.poll', 'Server.work'):
        judge.check(loop not in text, text)


def judge_coroutine(text):
    """What a coroutine waits between two resumptions is no time of its calls, and the row says what it is."""
    judge.check('Orders.work' in headline(text), text)
    judge.check(re.search(r'Orders.serve \(suspend, resumed \d+ times\)', text), text)


# far: from the samples, at most, beside the part of the time without a processor. Of short work between sleeps they lack a part: by its own source pool fails for 9 %
# of the time, and coroutine works for 41 %.
Program = collections.namedtuple('Program', 'main source arguments libraries judge_text far', defaults=[0.05])
PROGRAMS = {
    'pool': Program('Pool', 'Pool.java', (), (), judge_pool, 0.08),
    'request': Program('Idle', 'Idle.java', ('server',), (), judge_request),
    'coroutine': Program('Orders', 'answers/Orders.kt', (), ('kotlin-stdlib', 'coroutines'), judge_coroutine, 0.08),
}


def headline(text):
    return ' '.join(text.split('\n(')[0].split())


def section(text, title):
    """Its lines, with the title's and the one of the columns."""
    found = next((part for part in text.split('\n\n') if part.startswith(title)), title + '\n\n ')
    return found.split('\n')


# ---- Runs: each returns (total, own) by method ----

def compile_program(name):
    classes, source = judge.scratch(f'{name}-classes'), os.path.join(SOURCES, PROGRAMS[name].source)
    if source.endswith('.kt'):
        libraries = [judge.corpus(library) for library in PROGRAMS[name].libraries]
        judge.must(('kotlinc', '-no-reflect', '-cp', os.pathsep.join(libraries), '-d', classes, source))
    else:
        judge.compile_java(classes, (source,))


def command(name, folder):
    program = PROGRAMS[name]
    path = (folder, *(judge.corpus(library) for library in program.libraries))
    return ('-cp', os.pathsep.join(path), program.main, *program.arguments)


def record(name, mode):
    """Also the report, as run prints it, without what differs from process to process."""
    folder, trace = judge.scratch(f'{name}-{mode}'), judge.scratch(f'{name}.mbtrace')
    if not os.path.isdir(folder):
        judge.instrument('--output', folder, f'--exceptions={mode}', judge.scratch(f'{name}-classes'))
    done = judge.must((judge.METHODBEAT, 'run', '--agent', AGENT, '--focus', 'only/those/Woven', f'file={trace}', 'java',
                       *command(name, os.path.join(folder, f'{name}-classes'))))
    found = json.loads(judge.must((judge.METHODBEAT, 'report', '--method-map',
                                   os.path.join(folder, 'methodMapping.txt'), '--format=json', trace)).stdout)
    if not all(thread['knowsReady'] for thread in found['threads']):
        judge.skip('no schedstat')
    page = Page(judge.must((judge.METHODBEAT, 'report', '--method-map', os.path.join(folder, 'methodMapping.txt'), '--format=html', trace)).stdout)
    again = judge.must((judge.METHODBEAT, 'report', '--method-map', os.path.join(folder, 'methodMapping.txt'), trace)).stdout
    judge.check(differences(again, page) == [], f'{name}: text and page: {differences(again, page)}')
    text = re.sub(r', pid \d+\)', ')', (done.stdout + done.stderr).split('methodbeat report')[-1].split('\n', 1)[-1])
    whole = sum(method['selfNs'] for method in found['methods'])
    return text, sum(thread['readyNs'] for thread in found['threads']) / whole, add_overloads((method['name'].partition('(')[0], method['totalNs'] / whole, method['selfNs'] / whole)
                               for method in found['methods'])


def add_overloads(rows):
    found = collections.defaultdict(lambda: (0, 0))
    for name, total, own in rows:
        found[name] = (max(found[name][0], total), found[name][1] + own)
    return found


def profiler():
    """async-profiler's library, of this machine."""
    kind = {'x86_64': 'linux-x64', 'aarch64': 'linux-arm64'}.get(platform.machine())
    if kind is None:
        judge.skip('no async-profiler')
    path = judge.scratch('libasyncProfiler.so')
    with zipfile.ZipFile(judge.corpus('async-profiler')) as jar, open(path, 'wb') as out:
        out.write(jar.read(f'{kind}/libasyncProfiler.so'))
    return path


def sample(name, library):
    """Of the program without probes; own time of what has none is its nearest caller's that has one."""
    target = judge.scratch('samples.txt')
    judge.must(('java', f'-agentpath:{library}=start,event=wall,interval={PERIOD_US}us,nobatch,cstack=no,collapsed,'
                f'file={target}', *command(name, judge.scratch(f'{name}-classes'))))
    traced = {row.split(' ')[0].rpartition('.')[2] + '.' + row.split(' ')[1] for _, row in
              judge.traced(judge.scratch(f'{name}-{MODE}', 'methodMapping.txt'))}
    total, own = collections.Counter(), collections.Counter()
    for stack, count in (line.rsplit(' ', 1) for line in judge.read(target).splitlines()):
        frames = (frame.partition('_[')[0].rpartition('/')[2] for frame in stack.split(';'))
        chain = [frame for frame in frames if frame in traced]
        total.update(dict.fromkeys(chain, int(count)))
        own.update({chain[-1]: int(count)} if chain else {})
    whole = own.total()
    return {method: (total[method] / whole, own[method] / whole) for method in total}, whole


# ---- Verdicts ----

def apart(what, ours, theirs, allowed):
    """What to say of those of 1 % and more that are further apart than allowed, by what it is about."""
    found = {}
    for method in sorted(ours.keys() | theirs.keys()):
        for time, a, b in zip(('total', 'own'), ours.get(method, (0, 0)), theirs.get(method, (0, 0))):
            if max(a, b) >= LEAST and abs(a - b) > allowed:
                found[method, time, what] = f'{method} {time} {a:.1%}, {what} {b:.1%}'
    return found


def table(ours, exact, sampled):
    lines = [f'{"total":>23} {"own":>23}', f'{"ours finally sampled":>23} {"ours finally sampled":>23}  method']
    for method in sorted(ours, key=lambda method: (-ours[method][0], method)):
        sides = [side.get(method, (0, 0)) for side in (ours, exact, sampled)]
        if max(side[0] for side in sides) >= LEAST:
            total, own = (' '.join(f'{side[i]:7.1%}' for side in sides) for i in range(2))
            lines.append(f'{total} {own}  {method}')
    return '\n'.join(lines) + '\n'


def judge_program(name, library):
    compile_program(name)
    wrong = None
    for _ in range(ATTEMPTS):  # a busy machine stretches now this, now that; a fault stays
        text, ready, ours = record(name, MODE)
        _, _, exact = record(name, 'finally')
        sampled, count = sample(name, library)
        found = {**apart('finally', ours, exact, NEAR), **apart('sampled', ours, sampled, PROGRAMS[name].far + ready)}
        wrong = {key: found[key] for key in found if wrong is None or key in wrong}
        if not wrong:
            break
    judge.check(not wrong, f'{name}: {list(wrong.values())}')
    PROGRAMS[name].judge_text(text)
    figures = f'{name}: {count} samples; parts of the time in calls\n\n' + table(ours, exact, sampled)
    print(figures, flush=True)
    if os.environ.get('MB_UPDATE_GOLDEN') == '1' and not judge.has_failed():
        for what, content in (('report', text), ('judged', figures)):
            with open(os.path.join(GOLDEN, f'{name}-{what}.txt'), 'w', encoding='utf-8') as file:
                file.write(content)


def main():
    judge.corpus('kotlin')  # its compiler
    library = profiler()
    for name in sys.argv[3:] or PROGRAMS:
        judge_program(name, library)
    judge.finish()


main()
