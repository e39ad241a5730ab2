"""Each sample, for each release and way to instrument, prints the same and closes what it opened."""
import concurrent.futures
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

LEVELS = (8, 11, 17)  # of the samples
NEWEST = os.environ.get('MB_JDK') == 'newest'
# What javac makes for 11 it makes for 17, too, but for enums and lambdas, which are as for 8.
RELEASES = (judge.jdk_version(judge.jdk())[0],) if NEWEST else (8, 17)
WAYS = {
    'finally': ('--exceptions=finally',),
    'catch': (),
    'returns': ('--exceptions=returns',),
    'matrix': ('--exceptions=matrix',),
    'matrix-rules': ('--rules=matrix', '--exceptions=finally'),
}
GOLDEN = os.path.join(judge.TESTS, 'golden', 'calls')
CAUGHT = ('Constructors', 'Exceptions', 'TryFinally')  # the same with what catch says
# Samples whose calls are compared with golden text: one thread, the same order every time.
LISTED = ('Annotated', 'Constructors', 'Enums', 'Exceptions', 'Generics', 'Initialisers',
          'Interfaces', 'Lambdas', 'Loops', 'Nested', 'Records', 'Sealed', 'TryFinally')


def sources(release):
    found = []
    for level in LEVELS:
        if level <= release:
            found += sorted(glob.glob(os.path.join(judge.ROOT, 'samples', 'java',
                                                   f'release{level}', '*.java')))
    return found


def name_of(source):
    return os.path.splitext(os.path.basename(source))[0]


def tree(calls, mapping):
    """The calls by name, indented by depth; what an exception left is closed by the c or o below it."""
    names = dict(judge.traced(mapping))
    lines = []
    path = []
    for call in calls.splitlines():
        kind, number = call.split()
        while kind != 'i' and number in path and path[-1] != number:
            path.pop()
        if kind != 'i':
            path.pop()
        lines.append(f'{"  " * len(path)}{kind} {names[int(number)]}')
        if kind != 'o':
            path.append(number)
    return '\n'.join(lines) + '\n'


def compare_golden(name, text):
    path = os.path.join(GOLDEN, name + '.txt')
    if os.environ.get('MB_UPDATE_GOLDEN') == '1':
        os.makedirs(GOLDEN, exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
    judge.check(os.path.exists(path) and judge.read(path) == text,
                f'{name}: the calls differ from tests/golden/calls/{name}.txt:\n{text}')


def compare_calls(way, name):
    calls = judge.scratch('calls', f'17 {way}-{name}')
    if judge.check(os.path.exists(calls), f'{name} was traced'):
        mapping = os.path.join(judge.scratch(f'{way}17'), 'methodMapping.txt')
        compare_golden(name if way == 'finally' else f'{name}-{way}', tree(judge.read(calls), mapping))


def run_sample(job):
    """Run one instrumented sample; returns what is wrong with it, or an empty list."""
    what, way, folder, name, expected = job
    wrong = []
    count = judge.scratch('counts', f'{what}-{name}')
    calls = judge.scratch('calls', f'{what}-{name}') if what in ('17 finally', '17 catch') else None
    done = judge.java('-cp', folder, f'sample.{name}', count=count, calls=calls, timeout=120)
    if (done.returncode, done.stdout, done.stderr) != expected:
        return [f'exit code {done.returncode}, printed {done.stdout!r} {done.stderr!r}, '
                f'not {expected[1]!r}']
    found = judge.totals(judge.read(count))
    if not found or found['in'] == 0:
        wrong.append(f'no calls: {found}')
    elif way in ('finally', 'matrix-rules'):
        if found['in'] != found['out'] or found['unmatched_in'] or found['unmatched_out']:
            wrong.append(f'unbalanced: {found}')
    elif way in ('catch', 'returns') and found['unmatched_out']:
        wrong.append(f'an o without i: {found}')
    return wrong


def main():
    judge.beat_runtime()  # once, before threads need it
    jobs = []
    links = 0
    for release in RELEASES:
        files = sources(release)
        plain = judge.compile_java(judge.scratch(f'plain{release}'), files, '-Xlint:-options', '-g',
                                   '--release', str(release))
        expected = {}
        for source in files:
            done = judge.java('-cp', plain, f'sample.{name_of(source)}')
            judge.check(done.returncode == 0 and done.stdout, f'{source} runs as it is')
            expected[name_of(source)] = (done.returncode, done.stdout, done.stderr)
        for way, options in WAYS.items():
            output = judge.scratch(f'{way}{release}')
            judge.instrument('--output', output, *options, plain)
            folder = os.path.join(output, os.path.basename(plain))
            judge.check(judge.class_names(folder) == judge.class_names(plain),
                        f'{release} {way}: no class is lost')
            results = judge.link(folder)
            links += len(results)
            bad = {name: result for name, result in results.items() if result != 'ok'}
            judge.check(not bad, f'{release} {way}: {bad}')
            jobs += [(f'{release} {way}', way, folder, name, result)
                     for name, result in expected.items()]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for job, wrong in zip(jobs, pool.map(run_sample, jobs)):
            for problem in wrong:
                judge.check(False, f'{job[0]} {job[3]}: {problem}')
    golden = {} if NEWEST else {'finally': LISTED, 'catch': CAUGHT}
    for way, names in golden.items():
        for name in names:  # what javac makes of a lambda is its own affair
            compare_calls(way, name)
    print(f'{len(jobs)} runs print the same, {links} classes link')
    judge.finish()


main()
