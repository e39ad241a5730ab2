"""CriticalProbes in ART, which alone calls them as they want to be called: with the argument and nothing else.

usage: critical.py METHODBEAT RUNTIME_JAR LIBRARY ANDROID_LIBRARY
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
from recording import Recorder, write  # noqa: E402

RUNTIME, LIBRARY, ANDROID_LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
IDS = (1, 2, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x80000, 0xFFFFD)  # each byte of it, and its bounds
THREADS, ROUNDS = 6, 2000


def main():
    recorder = Recorder(RUNTIME, LIBRARY, ANDROID_LIBRARY)
    beats = judge.compile_java(judge.scratch('beats'), (os.path.join(HERE, 'java', 'Beats.java'),), '--release', '8',
                               '-Xlint:-options', '-cp', RUNTIME)
    jni = judge.compile_java(judge.scratch('jni'), (os.path.join(judge.TESTS, 'jni', 'Critical.java'),), '-cp', RUNTIME)
    dex = recorder.art.dex('beats', beats, jni, class_path=(RUNTIME,))
    mapping = write('methodMapping.txt', ''.join(f'{number},1,Beats m{number} ()V\n' for number in IDS))

    # Without them in the library, the others are called.
    path = (dex, recorder.classes, recorder.version)
    settings = {'methodbeat.flavour': 'native', 'methodbeat.library': LIBRARY}
    done = recorder.art.run('Critical', 'probes', class_path=path, settings=settings)
    judge.check(done.stdout == 'returns\n' * 3, f'without the natives: {done.stdout} {done.stderr}')

    for flavour in 'critical', 'native':
        done, report = recorder.record(flavour, (dex,), mapping, 'Beats', THREADS, ROUNDS, *IDS, flavour=flavour,
                                       settings={'threads': 'all', 'words': f'0:{1 << 16}'},
                                       options=('-Xmx16m',))
        judge.check(done.stdout == 'done\n', f'{flavour}: {done.stdout} {done.stderr}')
        expected = {number: (THREADS + 1) * ROUNDS for number in IDS}
        calls = recorder.check_report(flavour, report, expected, True)
        records = sorted(thread['records'] for thread in report['threads'])
        # Each round: all ids in, the innermost half closed by o, the rest by the c of the outermost, which is two records.
        each = ROUNDS * (len(IDS) + len(IDS) // 2 + 2 + 1)
        judge.check(records == [each] * (THREADS + 1), f'{flavour}: {records} records, not {each} of each thread')
        print(f'{flavour}: {calls} calls, {sum(records)} records', flush=True)
    judge.finish()


main()
