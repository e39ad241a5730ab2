"""The page of report in a browser: page.mjs asks, over these pages.

usage: page.py METHODBEAT
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

sys.path.insert(0, os.path.join(judge.TESTS, 'cli'))
from profiles import PROGRAM, SERVER, add_profile, idle_trace, lapped_main, requests_trace  # noqa: E402
from sampled_traces import sampled_trace  # noqa: E402
from traces import MAP, MESSAGE, MS, OPEN, enter, leave, trace  # noqa: E402

METHODBEAT = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
HOSTILE = '<img src=x onerror="window.hit=1"></script><script>window.hit=1</script>'


def app_words():
    words, now = [], 0
    for length in (1000, 10, 750):
        words += [enter(MESSAGE, now), enter(1, now), enter(2, now + length / 10),
                  leave(2, now + length * 9 / 10), leave(1, now + length),
                  leave(MESSAGE, now + length)]
        now += length + 5
    return words


def many_words(count):
    """Calls of all lengths, up to 12 deep."""
    chance, words, path, now = random.Random(13), [], [], 0
    for _ in range(count):
        now += int(10 ** chance.uniform(1, 5))
        if path and (len(path) == 12 or chance.random() < 0.5):
            words.append(leave(path.pop(), now / 1e6))
        else:
            path.append(chance.randint(1, 4))
            words.append(enter(path[-1], now / 1e6))
    return words + [leave(method, now / 1e6 + 1) for method in reversed(path)]


def drawn(number, begin_ms, levels, fps):
    """Frames of a scene, as the monitors write them."""
    names = [f'DROPPED_{name}' for name in ('BEST', 'NORMAL', 'MIDDLE', 'HIGH', 'FROZEN')]
    return {'tag': 'Trace_FPS', 'process': 'sample', 'time': (WALL + (begin_ms + 400) * MS) // MS,
            'scene': f'a.b.Screen{number}', 'dropLevel': dict(zip(names, levels)), 'fps': fps, 'methodbeat': {
                'incident': f'1-{number}', 'detail': 'FPS', 'begin_ns': START + begin_ms * MS,
                'cost_ns': 400 * MS, 'frames': {'count': sum(levels), 'late_ms': 90, 'longest_ms': 70,
                                                'hitch_ms_per_s': 12.5, 'refresh': 60.0}}}


def slow_issue():
    return {'tag': 'Trace_EvilMethod', 'process': 'sample', 'time': (WALL + 1000 * MS) // MS,
            'scene': 'a.b.Screen1', 'detail': 'LAG', 'cost': 800, 'stack': '', 'stackKey': '2|',
            'methodbeat': {'incident': '1-9', 'detail': 'LAG', 'begin_ns': START + 100 * MS,
                           'cost_ns': 800 * MS, 'watched_ns': 800 * MS,
                           'hottest': {'frames': ['a.Slow.load', 'a.Main.run']}}}


WALL, START = 1790000000 * 1000 * MS, 7000 * 1000 * MS


def write_spool(folder):
    os.mkdir(folder)
    for number, text in enumerate([drawn(1, 300, [20, 2, 1, 1, 0], 41.5), drawn(2, 1100, [10, 0, 0, 0, 3], 12.0),
                                   slow_issue()]):
        with open(os.path.join(folder, f'{number}.json'), 'w', encoding='utf-8') as file:
            json.dump(text, file)
    return folder


def lapped_words():
    """The last words of many: the oldest of their calls have lost their entries."""
    return [leave(2, 400), leave(1, 500)] + [word for start in range(600, 1600, 20)
                                             for word in (enter(1, start), enter(2, start + 2),
                                                          leave(2, start + 15), leave(1, start + 18))]


def write_page(folder, name, data, names=MAP, options=()):
    paths = [os.path.join(folder, f'{name}.{kind}') for kind in ('mbtrace', 'txt', 'html')]
    with open(paths[0], 'wb') as file:
        file.write(data)
    with open(paths[1], 'w', encoding='utf-8') as file:
        file.write(names)
    subprocess.run([METHODBEAT, 'report', '--method-map', paths[1], '--output', paths[2], *options, paths[0]],
                   check=True)


def write_pages(folder):
    pool = [enter(3, 50), leave(3, 51), enter(3, 60), enter(4, 61), leave(4, 69), leave(3, 70)]
    write_page(folder, 'app', trace([{'words': app_words()},
                                     {'words': pool, 'thread': 80, 'name': 'pool', 'main': 0}]))
    write_page(folder, 'watched', trace([{'words': app_words()}], wall=WALL, monotonic=START),
               options=('--issues', write_spool(os.path.join(folder, 'spool'))))
    lapped = lapped_words()
    write_page(folder, 'lapped', trace([{'words': lapped, 'capacity': len(lapped), 'written': len(lapped) * 9}],
                                       state=OPEN))
    ring, main = lapped_main()
    write_page(folder, 'profiled', add_profile(trace([ring]), [main]))
    write_page(folder, 'idle', idle_trace(), SERVER)
    write_page(folder, 'requests', requests_trace(10000), SERVER)
    write_page(folder, 'sampled', sampled_trace(), PROGRAM)
    write_page(folder, 'large', trace([{'words': many_words(10000)}]))
    write_page(folder, 'empty', trace([]))
    write_page(folder, 'hostile', trace([{'words': app_words(), 'name': HOSTILE[:63]}],
                                        process=HOSTILE[:63]),
               f'1,1,a.{HOSTILE} run ()V\n2,1,b.Slow {HOSTILE} ()V\n')


def main():
    node = shutil.which('node')
    playwright, axe, chromium = judge.corpus('playwright', 'axe', 'chromium')
    if node is None:
        judge.skip('no node')
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        write_pages(folder)
        return subprocess.run([node, os.path.join(HERE, 'page.mjs'), playwright, chromium, axe, folder],
                              check=False).returncode


if __name__ == '__main__':
    sys.exit(main())
