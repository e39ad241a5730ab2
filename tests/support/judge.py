"""What the suites 'jvm' and 'corpus' share: a scratch folder, Java tools, corpora, verdicts.

A suite is a script: its argument is the methodbeat binary, it prints what it counted, and exits 0,
1 (a check failed) or 77 (out of reach: a download or a tool is not to be had). MB_JDK=newest runs it
on the newest JDK there is instead of the one on PATH, or not at all; MB_JDK=latest on either.
"""
import atexit
import contextlib
import glob
import hashlib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(TESTS)
METHODBEAT = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else 'methodbeat'
DUMP = os.path.abspath(os.path.join(METHODBEAT, '../../../tests/classfile/dump/dump'))  # lists classes
MODES = ('finally', 'catch', 'returns', 'matrix')
BRIEF = ('-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC')  # of a JVM that works for seconds: half of the CPU
TOTALS = re.compile(r'methodbeat: (\d+) in, (\d+) out, (\d+) unmatched in, (\d+) unmatched out, '
                    r'(\d+) open, (\d+) threads, (\d+) at')

_failures = []
_scratch = tempfile.mkdtemp(prefix='methodbeat-judge-')
# What was downloaded and built is kept; traces without a name are not.
os.environ.setdefault('METHODBEAT_CACHE', os.path.join(
    os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'methodbeat'))
os.environ['XDG_CACHE_HOME'] = os.path.join(_scratch, 'cache')
# Of what scripts start: kotlinc, gradle.
os.environ['JAVA_OPTS'] = ' '.join(BRIEF)
_start = time.time()
_started = []


class _Process(subprocess.Popen):
    """Remembered, since a JVM that is killed, or whose attach is, leaves files in /tmp."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        _started.append(self.pid)


subprocess.Popen = _Process


def _clean():
    """However a suite ends, nothing of it is left behind: what fails is printed."""
    shutil.rmtree(_scratch, ignore_errors=True)
    for pid in _started:
        for name in f'methodbeat-{pid}-*.mbtrace', f'.java_pid{pid}', f'.attach_pid{pid}':
            for path in glob.glob('/tmp/' + name):
                with contextlib.suppress(FileNotFoundError):
                    if os.lstat(path).st_mtime >= _start:
                        os.remove(path)


atexit.register(_clean)


def _end(number, _):
    """By a signal, which is how Meson ends one that takes too long; threads would go on for a while."""
    _clean()
    sys.stdout.flush()
    os._exit(128 + number)


signal.signal(signal.SIGTERM, _end)


def check(condition, what):
    """Note a failed check and go on, so that one run shows all of them."""
    if not condition:
        _failures.append(what)
        print(f'FAILED: {what}', flush=True)
    return bool(condition)


def await_line(stream, text):
    """Read up to a line that has it; what came before it, and it."""
    lines = []
    while text not in (line := stream.readline()) and line:
        lines.append(line)
    return ''.join(lines) + line


def has_failed():
    return bool(_failures)


def finish():
    """Exit with the verdict; every suite ends here."""
    if _failures:
        print(f'{len(_failures)} checks failed')
        sys.exit(1)
    sys.exit(0)


def skip(why):
    """Out of reach. CI has everything, so there it is a failure."""
    print(f'skipped: {why}')
    sys.exit(1 if os.environ.get('CI') == 'true' else 77)


def jdk():
    """The home of the JDK on PATH; its folder is where others lie."""
    return os.path.dirname(os.path.dirname(os.path.realpath(shutil.which('javac') or '/bin/javac')))


def jdk_version(home):
    """Its numbers: [25, 0, 3]; [] of what is no JDK."""
    file = os.path.join(home, 'release')
    if not os.path.exists(file) or not os.path.exists(os.path.join(home, 'bin', 'javac')):
        return []
    found = re.search(r'^JAVA_VERSION="([0-9.]+)', read(file), re.M)
    return [int(number) for number in found[1].split('.')] if found else []


def use_newest_jdk():
    """For java, javac and all that is found through them; no failure where there is one JDK only."""
    own = jdk()
    newest = max(glob.glob(f'{os.path.dirname(own)}/*'), key=jdk_version, default=own)
    if jdk_version(newest) <= jdk_version(own):
        if os.environ['MB_JDK'] == 'latest':
            return
        print(f'skipped: no JDK beside {own} is newer')
        sys.exit(77)
    os.environ['PATH'] = os.path.join(newest, 'bin') + os.pathsep + os.environ['PATH']
    print(f'JDK {newest}')


def scratch(*names):
    """A path in this run's own folder; the folder it is in exists."""
    path = os.path.join(_scratch, *names)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def scratch_folder(*names):
    path = scratch(*names)
    os.makedirs(path, exist_ok=True)
    return path


def run(command, timeout=600, **more):
    """Run to the end and capture both streams as text."""
    more.setdefault('cwd', _scratch)
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          errors='replace', timeout=timeout, check=False, **more)


def must(command, **more):
    """Run a tool that a suite cannot do without."""
    done = run(command, **more)
    if done.returncode != 0:
        print(done.stdout[-2000:], done.stderr[-2000:])
        raise SystemExit(f'exit code {done.returncode}: {" ".join(str(word) for word in command)}')
    return done


def instrument(*arguments, **more):
    """methodbeat instrument, which must succeed."""
    return must((METHODBEAT, 'instrument', *arguments), **more)


def corpus(*names):
    """The paths of corpora, fetched when needed; the suite is skipped when one is out of reach."""
    fetch = os.path.join(TESTS, 'corpus', 'fetch.sh')
    done = run((fetch, *names), timeout=1800)
    if done.returncode != 0:
        skip(done.stderr.strip())
    paths = done.stdout.split()
    return paths[0] if len(names) == 1 else paths


LISTS = {'stall_ms': {'sample_after_ms': 300, 'lag_ms': 2000, 'anr_ms': 5000, 'hang_ms': 8000},
         'start_ms': {'start_cold_ms': 10000, 'start_warm_ms': 4000}}


def listed(settings):
    """Settings of the monitors, numbers of one list together in it."""
    rest = dict(settings)
    for name, items in LISTS.items():
        if not items.keys().isdisjoint(rest):
            rest[name] = ':'.join(str(rest.pop(item, standard)) for item, standard in items.items())
    return rest


def recorded(folder, program, *arguments, runtime, library):
    """What a report says of a run of folder/classes, whose map is beside them: its text, and its data."""
    trace = scratch('-'.join((program, *arguments)) + '.mbtrace')
    done = java('-cp', os.path.join(folder, 'classes'), program, *arguments, runtime=runtime,
                options=[f'-Dmethodbeat.library={library}', f'-Dmethodbeat.file={trace}'], timeout=120)
    check(done.returncode == 0, f'{program} {arguments}: {done.stderr}')
    report = (METHODBEAT, 'report', '--method-map', os.path.join(folder, 'methodMapping.txt'), trace)
    return must((*report, '--show=names', '--show=trust')).stdout, json.loads(must((*report, '--format=json')).stdout)


def start_of(trace):
    """When a trace began, in ns on CLOCK_MONOTONIC, as System.nanoTime (abi/tracefile.h)."""
    header = '<8sIIQIIQIIIIQ64sIIQQqq'
    with open(trace, 'rb') as file:
        return struct.unpack(header, file.read(struct.calcsize(header)))[-1]


def compile_java(target, sources, *options):
    """javac the sources (files, or folders with all that is in them) into a folder."""
    files = []
    for source in sources:
        if os.path.isdir(source):
            for folder, _, names in sorted(os.walk(source)):
                files += [os.path.join(folder, n) for n in sorted(names) if n.endswith('.java')]
        else:
            files.append(source)
    os.makedirs(target, exist_ok=True)
    must(('javac', *(f'-J{option}' for option in BRIEF), '-nowarn', '-encoding', 'UTF-8', '-d', target,
          *options, *files))
    return target


def beat_runtime():
    """A folder with the counting MethodBeat and the android stubs it mentions."""
    target = scratch('runtime')
    if not os.path.isdir(target):
        compile_java(target, (os.path.join(TESTS, 'jvm', 'runtime'),
                              os.path.join(ROOT, 'samples', 'android', 'stubs')),
                     '--release', '8', '-Xlint:-options')
    return target


def java_command(*arguments, count=None, calls=None, counts=None, runtime=None, options=()):
    """A JVM that verifies everything and in which every loader finds MethodBeat: the counting one,
    or the one in runtime."""
    options = ['-Xverify:all', *BRIEF, f'-Xbootclasspath/a:{runtime or beat_runtime()}', *options]
    if jdk_version(jdk()) >= [22]:  # newer ones warn of it
        options.append('--enable-native-access=ALL-UNNAMED')
    if count:
        options.append(f'-Dmethodbeat.count={count}')
    if counts:
        options.append(f'-Dmethodbeat.counts={counts}')
    if calls:
        options.append(f'-Dmethodbeat.calls={calls}')
    return ('java', *options, *arguments)


def java(*arguments, count=None, calls=None, counts=None, runtime=None, options=(), **more):
    """Run such a JVM to its end."""
    done = run(java_command(*arguments, count=count, calls=calls, counts=counts, runtime=runtime,
                            options=options), **more)
    # The JVM warns that the option is deprecated; the programs' own output is what is compared.
    done.stderr = ''.join(line for line in done.stderr.splitlines(True)
                          if '-Xverify' not in line)
    return done


def other_times(exact, found):
    """Those of (calls, total, own) by key whose times, where they are 1 % of all or more, are 2 % apart or more."""
    least = 0.01 * sum(row[2] for row in exact.values())
    return {key: (exact.get(key), found.get(key)) for key in exact.keys() | found.keys()
            if any(max(a, b) >= least and abs(a - b) > 0.02 * max(a, b)
                   for a, b in zip(exact.get(key, (0, 0, 0))[1:], found.get(key, (0, 0, 0))[1:]))}


def totals(text):
    """The numbers of the stub's last line as a dictionary, or None if it is not there."""
    found = TOTALS.search(text)
    if not found:
        return None
    words = ('in', 'out', 'unmatched_in', 'unmatched_out', 'open', 'threads', 'at')
    return dict(zip(words, (int(number) for number in found.groups())))


def link(path, class_path=(), boot=False, options=()):
    """Link every class of a jar or folder; a dictionary of class name and result."""
    tool = scratch('linkall')
    if not os.path.isdir(tool):
        compile_java(tool, (os.path.join(TESTS, 'jvm', 'LinkAll.java'),))
    done = java('-cp', tool, '-Xmx3g', *options, 'LinkAll', *(('-boot',) if boot else ()), path,
                *class_path, timeout=1200)
    if done.returncode != 0:
        raise SystemExit(f'LinkAll {path}: {done.stderr[-2000:]}')
    return dict(line.split(' ', 1) for line in done.stdout.splitlines())


def class_names(path):
    """The .class entries of a jar, or below a folder, sorted."""
    if os.path.isdir(path):
        found = []
        for folder, _, names in os.walk(path):
            found += [os.path.relpath(os.path.join(folder, name), path)
                      for name in names if name.endswith('.class')]
        return sorted(found)
    with zipfile.ZipFile(path) as jar:
        return sorted(name for name in jar.namelist() if name.endswith('.class'))


def classes(path):
    """The names and bytes of the .class entries of a jar, or below a folder."""
    if not os.path.isdir(path):
        with zipfile.ZipFile(path) as jar:
            yield from ((name, jar.read(name)) for name in class_names(path))
        return
    for name in class_names(path):
        with open(os.path.join(path, name), 'rb') as file:
            yield name, file.read()


def java_base():
    """The classes of java.base that programs may name, as a jar."""
    path = scratch('base.jar')
    if not os.path.exists(path):
        with zipfile.ZipFile(path, 'w') as jar:
            for name, content in classes(corpus('java.base')):
                if name.startswith('java/'):
                    jar.writestr(name, content)
    return path


# Bytes of a constant behind its tag, by tag (JVMS 4.4); Utf8 says its own.
_CONSTANT_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2,
                   17: 4, 18: 4, 19: 2, 20: 2}


def this_class(content):
    """The name that a class file gives to itself, as bytes; it must be well-formed."""
    places = {}
    index, at = 1, 10
    while index < struct.unpack_from('>H', content, 8)[0]:
        tag = content[at]
        places[index] = at + 1
        at += 1 + (2 + struct.unpack_from('>H', content, at + 1)[0] if tag == 1
                   else _CONSTANT_SIZES[tag])
        index += 2 if tag in (5, 6) else 1
    named = places[struct.unpack_from('>H', content, at + 2)[0]]
    place = places[struct.unpack_from('>H', content, named)[0]]
    size = struct.unpack_from('>H', content, place)[0]
    return content[place + 2:place + 2 + size]


def digests(folder):
    """Relative path to digest, of all files below."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            with open(path, 'rb') as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def traced(mapping):
    """The (id, text after the access column) pairs of a methodMapping.txt, without the message."""
    rows = []
    for line in read(mapping).splitlines():
        number, _, name = line.split(',', 2)
        if int(number) != 0xFFFFE:
            rows.append((int(number), name))
    return rows


if os.environ.get('MB_JDK') in ('newest', 'latest'):
    use_newest_jdk()
