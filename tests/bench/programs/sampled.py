#!/usr/bin/env python3
"""The sampler beside async-profiler, on real programs: the ten greatest totals of the thread that worked most, both in
the same run, and CPU time beside the program alone, in turn.

usage: sampled.py METHODBEAT [-n ROUNDS] [PROGRAM...]
"""
import argparse
import collections
import json
import os
import re
import subprocess
import tempfile

import jfr
import table
import workloads

KINDS = {kind.name: kind for kind in (workloads.H2, workloads.Fop, workloads.Closure, workloads.Javac)}
INTERVAL_MS = 5
POINTS = 0.03
MUTED_POINTS = 0.05


def plain_name(name):
    return name.split('(')[0]


def their_name(frame):
    """That of a hidden class has its address behind it."""
    return re.sub(r'\.0x[0-9a-f]+', '', frame.replace('/', '.'))


def ours(command, folder, probes):
    """Of the thread that worked most, and all of its name: that, {method: share of their time}, total and own; the muted ones."""
    trace = os.path.join(folder, 'sampled.mbtrace')
    settings = f'sample_us=5000:{INTERVAL_MS * 1000}'
    subprocess.run([command[0], 'run', '--sample' + probes, '--trace', trace, '-o',
                    os.path.join(folder, 'sampled.json'), settings, '--', *command[1:]],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(os.path.join(folder, 'sampled.json'), encoding='utf-8') as file:
        report = json.load(file)
    thread = max(report['threads'], key=lambda row: row['inCallsNs'] - row.get('waitedNs', 0))
    shares, own = collections.Counter(), collections.Counter()
    rows = [row for row in report['threads'] if row['name'] == thread['name']]
    all_ns = sum(row['inCallsNs'] for row in rows)
    for row in rows:
        totals = collections.Counter()
        for method in row['methods']:
            name = plain_name(method['name'])  # overloads call each other
            totals[name] = max(totals[name], method['totalNs'] / all_ns)
            own[name] += method['selfNs'] / all_ns
        shares.update(totals)
    return thread['name'], shares, own, {plain_name(row['name']) for row in report.get('muted', ())}


def their_option(folder, target):
    return (f'-agentpath:{jfr.async_profiler(folder)}=start,event=wall,interval={INTERVAL_MS}ms,nobatch,jstackdepth=2048,'
            f'threads,cstack=no,collapsed,file={target}')


def theirs(target, name):
    """{method: share of samples of the thread}, total and own, and how many samples there are."""
    counts, own, all_ = collections.Counter(), collections.Counter(), 0
    with open(target, encoding='utf-8') as lines:
        for stack, number in (line.rsplit(' ', 1) for line in lines):
            thread, *frames = stack.split(';')
            if not frames or frames[-1].startswith('['):
                continue  # no Java frame, or it could not be walked
            if thread.strip('[]').split(' tid=')[0] in (name, 'DestroyJavaVM' if name == 'main' else name):
                all_ += int(number)
                for frame in set(frames):
                    counts[their_name(frame)] += int(number)
                own[their_name(frames[-1])] += int(number)
    return *(collections.Counter({frame: count / all_ for frame, count in one.items()}) for one in (counts, own)), all_


def compare_muted(mine, own, other, other_own, muted):
    """Of the ten muted methods that take most: how many have both total and own time near theirs."""
    greatest = [name for name, _ in other.most_common() if name in muted][:10]
    far = [f'{name} {mine[name]:.1%} own {own[name]:.1%}, theirs {other[name]:.1%} own {other_own[name]:.1%}' for name in greatest
           if abs(mine[name] - other[name]) > MUTED_POINTS or abs(own[name] - other_own[name]) > MUTED_POINTS]
    return len(greatest) - len(far), len(greatest), far


def compare(mine, other):
    far = []
    greatest = [name for name, _ in other.most_common(10)]
    for name in greatest:
        if abs(mine[name] - other[name]) > POINTS:
            far.append(f'{name} {mine[name]:.1%}, theirs {other[name]:.1%}')
    return len(greatest) - len(far), far


def cpu_of(command):
    return table.timed(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))[0].cpu


def judge(kind, arguments, work):
    program = kind(work)
    java = ['java', *program.java, *map(str, program.arguments(program.originals, True))]
    target = program.path('wall.txt')
    both = [java[0], their_option(program.work, target), *java[1:]]
    for probes in ('', '=both'):
        program.out()
        name, mine, own, muted = ours([arguments.methodbeat, *both], program.work, probes)
        other, other_own, count = theirs(target, name)
        good, far = compare(mine, other)
        print(f'{kind.name}{probes}: {good} of ten totals within {POINTS:.0%} in thread {name}, {count} samples of theirs '
              f'[{"; ".join(far)}]', flush=True)
        if muted:
            good, all_, far = compare_muted(mine, own, other, other_own, muted)
            print(f'{kind.name}{probes}: {good} of {all_} muted methods within {MUTED_POINTS:.0%}, total and own '
                  f'[{"; ".join(far)}]', flush=True)
    agent = os.path.join(os.path.dirname(os.path.dirname(arguments.methodbeat)), 'agent', 'libmethodbeat-agent.so')
    target = os.path.join(program.work, 'pairs')
    ways = {'alone': java, 'ours': [java[0], f'-agentpath:{agent}=sample=only,file={target}.mbtrace', *java[1:]],
            'theirs': [java[0], f'-agentpath:{jfr.async_profiler(program.work)}=start,event=wall,interval={INTERVAL_MS}ms,'
                       f'collapsed,file={target}.txt', *java[1:]]}
    spent = collections.defaultdict(list)
    for _ in range(arguments.rounds):
        for way, command in ways.items():
            program.out()
            spent[way].append(cpu_of(command))
    if arguments.rounds > 0:
        least = {way: min(times) for way, times in spent.items()}
        print(f'{kind.name}: CPU of {arguments.rounds} rounds, least: alone {least["alone"]:.2f} s, '
              f'ours {least["ours"] / least["alone"]:.3f}, theirs {least["theirs"] / least["alone"]:.3f}', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('methodbeat')
    parser.add_argument('-n', '--rounds', type=int, default=3)
    parser.add_argument('programs', nargs='*')
    arguments = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as work:
        for name in arguments.programs or KINDS:
            judge(KINDS[name], arguments, work)


if __name__ == '__main__':
    main()
