#!/usr/bin/env python3
"""What a build pays for one class more: in the three steps that a cache keeps, and in one run with --state.

usage: builds.py METHODBEAT [FOLDER [JARS [MODULES]]]

FOLDER (/usr/share/java): its 300 jars of most bytes, different in name and content, and 2,000 modules, which are packages
of all its jars. CPU is user plus system; `beside starts` leaves out what as many processes cost that do nothing.
"""
import collections
import hashlib
import pathlib
import resource
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'cli'))
from inputs import class_entry  # noqa: E402

BEAT = pathlib.Path(sys.argv[1]).resolve()
REPEATS = 5  # of what is short: the least counts
MIB = 2 ** 20


def cpu_of(*words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([BEAT, *map(str, words)], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def digest(path):
    return hashlib.sha256(path.read_bytes()).digest() if path.exists() else None


def tree(folder):
    return {path: digest(path) for path in sorted(folder.rglob('*')) if path.is_file()}


# --- inputs ---

def largest(folder, count):
    seen, found = set(), []
    for path in sorted((p for p in folder.rglob('*.jar') if p.is_file() and not p.is_symlink()),
                       key=lambda path: (-path.stat().st_size, str(path))):
        marks = {path.name, digest(path)}
        if len(found) < count and zipfile.is_zipfile(path) and not marks & seen:
            seen |= marks
            found.append(path)
    return found


def copy_jars(paths, folder):
    folder.mkdir()
    for path in paths:
        (folder / path.name).write_bytes(path.read_bytes())


def split(paths, folder, count):
    """A module is a package of a jar; packages of one name share it, of the largest ones that many."""
    packages = collections.defaultdict(dict)
    for path in paths:
        with zipfile.ZipFile(path) as jar:
            for name in jar.namelist():
                package, _, file = name.rpartition('/')
                if file.endswith('.class') and package and not package.startswith('META-INF'):
                    packages[package].setdefault(file, jar.read(name))
    folder.mkdir()
    for package in sorted(packages, key=lambda name: (-len(packages[name]), name))[:count]:
        with zipfile.ZipFile(folder / f'{package.replace("/", ".")}.jar', 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as jar:
            for file, content in sorted(packages[package].items()):
                jar.writestr(zipfile.ZipInfo(f'{package}/{file}'), content)


def add_class(jar, number):
    with zipfile.ZipFile(jar, 'a', zipfile.ZIP_DEFLATED) as out:
        out.writestr(*class_entry(f'more/More{number} more'))


# --- a build in three steps, whose results are kept by what they are made of ---

class Build:
    def __init__(self, root, jars):
        self.root, self.jars, self.kept, self.ledger = root, jars, {}, None

    def act(self, inputs, outputs, *words):
        """Its CPU; 0 if it ran on the same before."""
        action = words[0], outputs[0]
        key = words, tuple(map(digest, inputs))
        if self.kept.get(action) == key:
            return 0
        self.kept[action] = key
        self.actions[words[0]] += 1
        cpu = cpu_of(*words)
        return cpu

    def run(self):
        self.actions, cpu = collections.Counter(), collections.Counter()
        names = [self.root / 'names' / jar.name for jar in self.jars]
        slices = [self.root / 'ids' / jar.name for jar in self.jars]
        (self.root / 'all').write_text('\n'.join(map(str, names)))
        before = tree(self.root)
        for jar, file in zip(self.jars, names):
            cpu['collect'] += self.act([jar], [file], 'collect', '-o', file, jar)
        ledger = [self.ledger] if self.ledger else []
        cpu['number'] = self.act(names + ledger, [self.root / 'map'], 'number', '-o', self.root / 'map', '--slices',
                                 self.root / 'ids', *(f'--ledger={path}' for path in ledger), f'@{self.root / "all"}')
        for jar, slice in zip(self.jars, slices):
            out = self.root / 'out' / jar.name
            cpu['instrument'] += self.act([jar, slice], [out / jar.name], 'instrument', '-q', '--jobs=1', '--ids', slice,
                                          '-o', out, jar)
        after = tree(self.root)
        self.moved = sum(path.stat().st_size for path in after if after[path] != before.get(path))
        self.total = sum(path.stat().st_size for path in after)
        self.changed = sum(after[out] != before.get(out) for jar in self.jars
                           for out in [self.root / 'out' / jar.name / jar.name])
        return cpu


def start_cost():
    return min(cpu_of('--version') for _ in range(REPEATS * 4))


def add_more(build, jars, count, row, how):
    least = None
    for turn in range(REPEATS):
        add_class(jars[min(9, len(jars) - 1)], f'{len(how)}_{turn}')
        cpu = build.run()
        least = cpu if least is None or sum(cpu.values()) < sum(least.values()) else least
        print(f'  one class more, {how}: {build.actions.total()} of {count} actions, {build.moved / MIB:.2f} of '
              f'{build.total / MIB:.0f} MiB new, jars that change: {build.changed}', flush=True)
    for step, seconds in least.items():
        row(f'{step}, one class more {how}', seconds, 1)
    row(f'all, one class more {how}', sum(least.values()), len(least))


def measure(name, folder, jars):
    work = folder / f'{name}-work'
    work.mkdir()
    start = start_cost()
    whole = min(cpu_of('instrument', '-q', '-o', work / 'one', *jars) for _ in range(2))
    print(f'{name}: {len(jars)} of {sum(jar.stat().st_size for jar in jars) / MIB:.0f} MiB, one run {whole:.2f} CPU s, '
          f'the start of a process {start * 1000:.1f} ms', flush=True)

    def row(what, seconds, starts):
        print(f'  {what:44} {seconds:8.3f} CPU s {100 * seconds / whole:6.1f} %   beside starts '
              f'{100 * max(seconds - starts * start, 0) / whole:5.1f} %', flush=True)

    build = Build(work, jars)
    cpu = build.run()
    for step, seconds in cpu.items():
        row(f'{step}, all', seconds, build.actions[step])
    count = build.actions.total()
    by_map = cpu_of('instrument', '-q', '-o', work / 'by_map', '--ids', work / 'map', *jars)
    same = all(digest(work / 'by_map' / jar.name) == digest(work / 'out' / jar.name / jar.name) for jar in jars)
    print(f'  bytes as one run makes with these ids: {same} ({by_map:.2f} CPU s)')
    for ledger in None, work / 'ledger':
        build.ledger = ledger
        if ledger:
            ledger.write_bytes((work / 'map').read_bytes())
            build.run()
        add_more(build, jars, count, row, 'with a ledger' if ledger else 'by hash')

    state = ['instrument', '-q', '-o', work / 'state', '--state', work / 'state/state', *jars]
    row('--state, first', cpu_of(*state), 1)
    row('--state, nothing changed', min(cpu_of(*state) for _ in range(REPEATS)), 1)
    seconds = []
    for turn in range(REPEATS):
        before = tree(work / 'state')
        add_class(jars[min(9, len(jars) - 1)], REPEATS + turn)
        seconds.append(cpu_of(*state))
        after = tree(work / 'state')
    row('--state, one class more', min(seconds), 1)
    print(f'  jars that change: {sum(after[path] != before[path] for path in after if path.suffix == ".jar")}')


def main():
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else '/usr/share/java')
    counts = [int(word) for word in sys.argv[3:]] + [300, 2000][len(sys.argv[3:]):]
    found = largest(folder, 10 ** 6)
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        copy_jars(found[:counts[0]], root / 'jars')
        measure('jars', root, [root / 'jars' / path.name for path in found[:counts[0]]])
        split(found, root / 'modules', counts[1])
        measure('modules', root, sorted((root / 'modules').iterdir(), key=lambda path: -path.stat().st_size))


if __name__ == '__main__':
    main()
