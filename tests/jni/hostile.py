"""Whatever the settings and the runtime's parts, a program does what it does without them.

usage: hostile.py SHOW_RINGS RUNTIME_JAR LIBRARY
"""
import concurrent.futures
import os
import re
import resource
import shutil
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
HERE = os.path.dirname(os.path.abspath(__file__))
FLAVOURS = ('mapped', 'native')
MACHINES = (0x3e, 0xb7)  # e_machine of x86-64 and AArch64
HUGE = 1 << 62


def put(name, content):
    path = judge.scratch(name)
    with open(path, 'wb') as file:
        file.write(content)
    return path


def library_bytes():
    with open(LIBRARY, 'rb') as file:
        return file.read()


def foreign_library():
    """Ours, for another machine."""
    content = bytearray(library_bytes())
    content[18:20] = (MACHINES[content[18] == MACHINES[0]]).to_bytes(2, 'little')
    return put('foreign.so', content)


def other_library():
    """Of the JDK: it loads, and knows nothing of us."""
    home = judge.jdk()
    return os.path.join(home, 'lib', 'libverify.so')


def fifo(name):
    path = judge.scratch(name)
    os.mkfifo(path)
    return path


# Settings, and what standard error then says, in part; '' is that it may say what it likes.
def setting_rows():
    trace = judge.scratch('t.mbtrace')
    text = put('text', b'not a library\n')
    folder = judge.scratch_folder('folder')
    numbers = ('words', 'max_threads', 'max_bytes', 'tick_ms')
    return [
        ({'words': 268435455}, ''),
        ({'words': 268435455, 'max_bytes': HUGE}, ''),
        ({'words': 1 << 30, 'max_bytes': HUGE, 'file': trace}, ''),
        ({'words': (1 << 30) + 1}, 'words=1073741825 is not understood: a number up to '),
        ({'words': f'0:{1 << 30}', 'threads': 'all', 'max_bytes': HUGE}, ''),
        ({'max_threads': 4095, 'words': 1, 'threads': 'all'}, ''),
        ({'max_threads': 0, 'max_bytes': 1, 'threads': 'all'}, ''),
        ({'max_bytes': 0}, 'max_bytes=0 is not understood: a number from 1 up to '),
        ({'tick_ms': 0}, ''),
        ({'min_ns': 1000}, 'there is no setting min_ns: methodbeat help settings'),
        *(({name: value}, f'{name}={value} is not understood: a number{" from 1" if name == "max_bytes" else ""} up to ')
          for name in numbers for value in (('-1', '9' * 30) if name == 'max_bytes' else ('many',))),
        ({'mapping': '12345', 'file': trace}, 'the trace will fit any mapping'),
        ({'file': '/nonexistent/t'}, 'recording in memory only'),
        ({'file': folder}, 'recording in memory only'),
        ({'file': '/dev/null'}, ''),
        ({'file': '/dev/full'}, ''),
        ({'file': '/proc/self/mem'}, ''),
        ({'file': ''}, ''),
        ({'file': '/' + 'x' * 5000}, ''),
        ({'file': '%p' * 600}, ''),
        ({'file': judge.scratch('\U0001f600 \u00e4\n')}, ''),
        ({'file': fifo('trace.fifo')}, ''),
        ({'mapping': '/nonexistent', 'file': trace}, ''),
        *(({'mapping': path, 'file': trace}, 'the trace will fit any mapping')
          for path in (folder, fifo('mapping.fifo'), '/dev/zero')),
        ({'library': '/no/such/library'}, 'nothing is recorded'),
        ({'library': ''}, 'nothing is recorded'),
        ({'library': text}, 'nothing is recorded'),
        ({'library': folder}, 'nothing is recorded'),
        ({'library': '/dev/zero'}, 'nothing is recorded'),
        ({'library': fifo('library.fifo')}, 'nothing is recorded'),
        ({'library': other_library()}, 'not that of this methodbeat-runtime.jar'),
        ({'library': foreign_library()}, 'nothing is recorded'),
        ({'library': put('short.so', library_bytes()[:100])}, 'nothing is recorded'),
        ({'flavour': 'natvie'}, 'flavour=natvie is not understood: mapped or native'),
        ({'main': 'mian', 'file': trace, 'threads': 'main'},
         'main=mian: no thread of this name had a probe; the first that had one is main'),
        ({'main': ''}, 'main= is not understood: first, or the name of a thread'),
        ({'threads': 'al'}, 'threads=al is not understood: main or all'),
        ({'profile': ''}, 'profile= is not understood: off, on or a number up to '),
        ({'thraeds': 'all'}, 'there is no setting thraeds: methodbeat help settings'),
        ({'': ''}, 'there is no setting : methodbeat help settings'),
        ({f'x{number}': number for number in range(200)}, 'there is no setting x199'),
    ]


def run(program, act, settings, runtime=RUNTIME, **more):
    options = [f'-Dmethodbeat.{name}={value}'
               for name, value in {'library': LIBRARY, 'throttle': 'off', **settings}.items()]
    return judge.run(('java', '-Xshare:auto', '-XX:TieredStopAtLevel=1', '-cp',
                      f'{runtime}:{program}', *more.pop('options', ()), *options, 'Program', act),
                     timeout=240, **more)


def judge_run(what, done, expected, told=''):
    judge.check((done.returncode, done.stdout) == expected,
                f'{what}: exit code {done.returncode}, printed {done.stdout!r}, not {expected}; '
                f'{done.stderr[:500]!r}')
    judge.check(told in done.stderr, f'{what}: told {done.stderr[:500]!r}, not {told!r}')
    judge.check('Exception' not in done.stderr and '\tat ' not in done.stderr,
                f'{what}: {done.stderr[:500]}')


def judge_settings(program):
    jobs = [(flavour, settings, told) for settings, told in setting_rows() for flavour in FLAVOURS]

    def do(job):
        flavour, settings, _ = job
        return run(program, '50', {'flavour': flavour, **settings})

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (flavour, settings, told), done in zip(jobs, pool.map(do, jobs)):
            what = f'{settings.get("flavour", flavour)} {str(settings)[:100]}'
            judge_run(what, done, (0, 'done 500\n'), told)
    print(f'{len(jobs)} settings')


def judge_parts(program):
    """The runtime without one of its classes, as a shrinker may leave it."""
    with zipfile.ZipFile(RUNTIME) as jar:
        names = [name for name in jar.namelist() if name.endswith('.class')
                 and 'MethodBeat.class' not in name and 'Listener' not in name]
        for missing in names:
            folder = judge.scratch_folder('parts')
            shutil.rmtree(folder)
            jar.extractall(folder)
            os.unlink(os.path.join(folder, missing))
            for flavour in FLAVOURS:
                done = run(program, '50', {'flavour': flavour}, runtime=folder)
                judge_run(f'{flavour} without {missing}', done, (0, 'done 500\n'))
    print(f'{len(names)} runtimes without a class')


def limit(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


def judge_worlds(program):
    trace = judge.scratch('w.mbtrace')
    manager = judge.jdk_version(judge.jdk())[0] < 24
    for flavour in FLAVOURS:
        settings = {'flavour': flavour, 'file': trace}
        if manager:
            done = run(program, '50', settings, options=('-Djava.security.manager',))
            judge_run(f'{flavour} security manager', done, (0, 'done 500\n'), 'access denied')
        done = run(program, 'unreadable', settings)
        judge_run(f'{flavour} unreadable properties', done, (0, 'done 100\n'))
        done = run(program, '50', settings, preexec_fn=lambda: os.close(2))
        judge_run(f'{flavour} closed standard error', done, (0, 'done 500\n'))
        done = run(program, '50', {**settings, 'words': 1 << 24},
                   preexec_fn=limit(resource.RLIMIT_FSIZE, 1 << 20))
        judge_run(f'{flavour} file size limit', done, (0, 'done 500\n'))
        done = run(program, 'none', settings)
        judge_run(f'{flavour} a setting that is null', done, (0, 'done 20\n'), 'a setting that is null')
        rings = judge.must((judge.METHODBEAT, trace)).stdout
        judge.check('44 records, 0 unmatched' in rings, f'{flavour} a setting that is null: {rings}')
        done = run(program, 'misused', settings)
        judge_run(f'{flavour} misused', done, (0, 'false\nfalse\nfalse\nfalse\ndone 10\n'))


def judge_overflow(program):
    """The stack ends 20 times, within a probe or before it: an entry and an exit may miss each time."""
    trace = judge.scratch('o.mbtrace')
    for flavour in FLAVOURS:
        for threads in ('main', 'all'):
            done = run(program, 'overflow', {'flavour': flavour, 'threads': threads, 'file': trace,
                                             'words': 1 << 22})
            judge_run(f'{flavour} {threads} overflow', done, (0, 'done 2020\n'))
            rings = judge.must((judge.METHODBEAT, trace)).stdout
            found = re.search(r'(\d+) records, (\d+) unmatched, (\d+) open, 0 backwards', rings)
            judge.check(found and int(found[1]) > 20 * 220 and int(found[2]) <= 20
                        and int(found[3]) <= 40, f'{flavour} {threads} overflow: {rings}')


def main():
    program = judge.compile_java(judge.scratch('program'),
                                 (os.path.join(HERE, 'Program.java'),), '-cp', RUNTIME)
    judge_settings(program)
    judge_parts(program)
    judge_worlds(program)
    judge_overflow(program)
    judge.finish()


main()
