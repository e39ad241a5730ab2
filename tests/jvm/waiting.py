"""What a thread worked, was ready and waited: told as it was, on a machine with a processor to spare and without.

usage: waiting.py METHODBEAT RUNTIME_JAR LIBRARY
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
MS = 1000000
LIST = '[package]\n-keepclass Waiting\n'


def record(folder, program):
    """The report as text, and as data: the main thread and what its methods waited."""
    text, data = judge.recorded(folder, 'Waiting', program, runtime=RUNTIME, library=LIBRARY)
    main = next(thread for thread in data['threads'] if thread['main'])
    judge.check(sum(main[f'{part}Ns'] for part in ('worked', 'ready', 'waited')) <= main['inCallsNs'], f'{program}: {main}')
    parts = {part: main[part + 'Ns'] / MS for part in ('inCalls', 'worked', 'ready', 'waited')}
    print(f'{program}: {parts}')
    return text, parts, main


def judge_work_around(folder):
    """The program works between calls that only wait: of a reading around the border of one, its work is taken to be inside."""
    text, parts, _ = record(folder, 'around')
    judge.check(parts['waited'] > parts['inCalls'] / 2 and parts['worked'] < parts['inCalls'] / 5, f'around: {parts}')
    answer = text.split('\n\n')[0]
    judge.check('main was waiting' in answer, text)
    judge.check('Where threads wait' in text and 'Pauses.one (waits)' in text, text)


def judge_short_waits(folder):
    """Two waits in one method, each shorter than a slow call. A busy machine adds readiness to them."""
    text, parts, main = record(folder, 'twice')
    waits = {method['name']: method['waitedNs'] / MS for method in main['methods']}
    judge.check(min(parts['waited'], waits['Pauses.two']) > 100 > parts['worked'], f'twice: {parts} {waits}')
    judge.check('waiting' in text.split('\n\n')[0] and 'Pauses.two (waits)' in text, text)


def judge_served(folder):
    """Waits of some ms, as of servers, have rows without samples, and the report says what it does not know of them."""
    text, _, main = record(folder, 'served')
    waits = {method['name']: method['waitedNs'] / MS for method in main['methods']}
    section = text[text.index('Where threads wait'):].split('\n\n')[0]
    judge.check('Served.nap' in section and 'Served.ask' in section and 'see --sample' in section, text)
    judge.check(waits['Served.nap'] > 150 and waits['Served.ask'] > 200, f'served: {waits}')


def judge_loop(folder, others):
    """A loop does not wait, however many others want its processor."""
    burners = [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(others)]
    text, parts, main = record(folder, 'loop')
    for burner in burners:
        burner.kill()
        burner.wait()
    judge.check('(waits)' not in text, text)
    if main['knowsReady']:
        judge.check(parts['waited'] < parts['inCalls'] / 10, f'loop of {others}: {parts}')
        judge.check(parts['worked'] + parts['ready'] > parts['inCalls'] / 2, f'loop of {others}: {parts}')
        judge.check('main was waiting' not in text, text)


def main():
    classes = judge.compile_java(judge.scratch('classes'),
                                 (os.path.join(judge.TESTS, 'jvm', 'Waiting.java'),))
    folder = judge.scratch_folder('waiting')
    with open(judge.scratch('list.txt'), 'w', encoding='utf-8') as file:
        file.write(LIST)
    judge.instrument('--output', folder, '--blacklist', judge.scratch('list.txt'), classes)
    judge_work_around(folder)
    judge_short_waits(folder)
    judge_served(folder)
    judge_loop(folder, 0)
    judge_loop(folder, os.cpu_count() or 1)
    judge.finish()


main()
