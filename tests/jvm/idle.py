"""Idle loops of a server: named once, and no slow calls; the request between them is the first of those. What hangs
is told as the answer.

usage: idle.py METHODBEAT RUNTIME_JAR LIBRARY
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
MS = 1000000
LIST = '[package]\n-keepclass Pauses\n-keepclass Idle\n'
ANSWERS = {'main': ('main was waiting', 'Stuck.read.'), 'job': ('job was waiting', 'Stuck.read.'),
           'locks': ('The 2 threads Thread-* were waiting', 'Stuck.give.'),
           'requests': ('The 4 threads pool-1-thread-* were waiting', 'Stuck.query.')}
LOOPS = ['Server.accept', 'Server.poll', 'Server.work']
LOOPS_BESIDE = {'requests': {'Stuck.clean'}}  # which sweeps now and then


def record(folder, program):
    return judge.recorded(folder, 'Idle', program, runtime=RUNTIME, library=LIBRARY)


def judge_server(folder):
    """Two requests of 800 ms, while all else waits."""
    text, data = record(folder, 'server')
    if not all(thread['knowsReady'] for thread in data['threads']):
        judge.skip('no schedstat')
    slow = [(one['ns'] // MS, one['stack'][0]['name']) for one in data['slow']]
    print('slow calls', slow)
    judge.check(len(slow) == 2 and all(name.startswith('Server.handle') and 790 <= ms < 1500 for ms, name in slow),
                f'{slow}')
    parts = text.split('\n\n')
    answer, trust = parts[0], next(part for part in parts if part.startswith('How far to trust'))
    print(answer)
    line = trust[trust.index('idle loops'):] if 'idle loops' in trust else ''
    judge.check(all(f'{loop} in' in line for loop in LOOPS) and '(3 threads)' in line, trust)
    rest = text.replace(trust, '')
    judge.check(not any(loop in rest for loop in LOOPS), text)


def judge_store(folder):
    """Threads that wait for a store all their lives, and end, are slow calls, which are not idle."""
    text, data = record(folder, 'store')
    idle = {method['name'] for thread in data['threads'] for method in thread.get('idle', ())}
    judge.check(not any(name.startswith(('Server.load', 'Server.askStore')) for name in idle), f'{idle}')
    slow = [[item['name'].split('(')[0] for item in one['stack'][:2]] for one in data['slow']]
    judge.check(slow == 3 * [['Server.askStore', 'Server.load']], text)


def judge_stuck(folder, program):
    """Who hangs is in the answer and among the slow calls, as is who serves nothing but requests that wait."""
    for _ in range(3):  # two threads that wait as long as each other: which of their callers has more is chance
        text, data = record(folder, program)
        answer = ' '.join(text.split('\n\n')[0].split())
        print(f'{program}: {answer}')
        if all(part in answer for part in ANSWERS[program]):
            break
    for part in ANSWERS[program]:
        judge.check(part in answer, f'{program}: {part}: {text}')
    called = {item['name'].split('(')[0] for slow in data['slow'] for item in slow['stack']}
    judge.check(ANSWERS[program][1][:-1] in called, f'{program}: {called}')
    idle = {method['name'] for thread in data['threads'] for method in thread.get('idle', ())}
    judge.check(idle == LOOPS_BESIDE.get(program, set()), f'{program}: {idle}')


def main():
    classes = judge.compile_java(judge.scratch('classes'), (os.path.join(judge.TESTS, 'jvm', 'Idle.java'),))
    folder = judge.scratch_folder('idle')
    with open(judge.scratch('list.txt'), 'w', encoding='utf-8') as file:
        file.write(LIST)
    judge.instrument('--output', folder, '--blacklist', judge.scratch('list.txt'), classes)
    judge_server(folder)
    judge_store(folder)
    for program in ANSWERS:
        judge_stuck(folder, program)
    judge.finish()


main()
