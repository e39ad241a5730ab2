#!/usr/bin/env python3
"""What the report says that threads worked, beside their own clocks; and which methods took it, of --weight cpu.

usage: cpu.py METHODBEAT [-n ROUNDS] [--load] [--program NAME]

Four programs: 32 threads that spin, a pool that serves and rests, a lock, threads that hand over to others. Each with
probes, with samples, with both, and each of these in a cgroup that has a tenth of a processor (as root). Prints what was
told, of what is true: of all threads, of a thread at worst, and, by --weight cpu, of the methods that work and of each of
these at worst. The last has no goal: what a thread begins after a rest is seldom where it is when others take its
processor, so that the wall's time of the one says little about the other. --load keeps four loops busy beside them.
"""
import argparse
import collections
import contextlib
import json
import os
import subprocess
import tempfile

from neighbours import busy_loops

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = {'spin': 32, 'serve': 8, 'guard': 6, 'hand': 8}  # threads
MODES = {'probes': (), 'samples': ('--sample',), 'both': ('--sample=both',)}
SECONDS = {False: 4, True: 10}
# Where groups are, and how one is limited: by the first version of cgroups, and by the second.
GROUPS = (('/sys/fs/cgroup/cpu', 'cpu.cfs_quota_us', '10000'), ('/sys/fs/cgroup', 'cpu.max', '10000 100000'))
GOAL = (0.9, 1.1)
SHARES = (('light', 0.25), ('heavy', 0.75))

Result = collections.namedtuple('Result', 'all work threads methods')  # ratios: of sums, and of each


@contextlib.contextmanager
def limited_group():
    """A group's file of processes; None where there is none to be had."""
    for root, name, limit in GROUPS:
        folder = os.path.join(root, f'methodbeat-bench-{os.getpid()}')
        if os.path.exists(os.path.join(root, 'cgroup.procs')) and os.access(root, os.W_OK):
            os.mkdir(folder)
            try:
                with open(os.path.join(folder, name), 'w', encoding='ascii') as file:
                    file.write(limit)
                yield os.path.join(folder, 'cgroup.procs')
            finally:
                os.rmdir(folder)
            return
    yield None


def enter(group):
    if group is not None:
        with open(group, 'w', encoding='ascii') as file:
            file.write(str(os.getpid()))


def report(methodbeat, trace, *options):
    done = subprocess.run((methodbeat, 'report', '--format=json', *options, trace), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def run(methodbeat, folder, program, mode, group):
    trace = os.path.join(folder, 'trace')
    done = subprocess.run((methodbeat, 'run', *MODES[mode], '--trace', trace, '--', 'java', '-cp', folder, 'Cpu', program,
                           str(PROGRAMS[program]), str(SECONDS[group is not None])), capture_output=True, text=True,
                          timeout=300, preexec_fn=lambda: enter(group))
    true = {line.rpartition(' ')[0]: int(line.rpartition(' ')[2]) for line in done.stdout.splitlines()
            if line.startswith('worker ')}
    if len(true) != PROGRAMS[program]:
        raise RuntimeError(done.stdout + done.stderr)
    true.update({'method ' + name: share * sum(true.values()) for name, share in SHARES})
    told = {thread['name']: thread['workedNs'] for thread in report(methodbeat, trace)['threads']}
    told.update({'method ' + method['name'].split('.')[-1].split('(')[0]: method['totalNs']
                 for method in report(methodbeat, trace, '--weight=cpu')['methods']})
    os.remove(trace)
    return compare(true, told)


def compare(true, told):
    workers = [name for name in true if name.startswith('worker ')]
    methods = [name for name in true if name.startswith('method ')]
    return Result(*(sum(told.get(name, 0) for name in names) / sum(true[name] for name in names) for names in (workers, methods)),
                  [told.get(name, 0) / true[name] for name in workers],
                  [told.get(name, 0) / true[name] for name in methods])


def furthest(ratios):
    return max(ratios, key=lambda ratio: abs(ratio - 1))


def judge(arguments, folder, group):
    where = 'a tenth of a processor' if group else 'all processors'
    right = 0
    for program in arguments.program or PROGRAMS:
        for mode in MODES:
            results = [run(arguments.methodbeat, folder, program, mode, group) for _ in range(arguments.n)]
            is_right = all(GOAL[0] <= ratio <= GOAL[1] for result in results for ratio in (result.all, result.work))
            right += is_right
            worst = [furthest(ratios) for ratios in ([result.all for result in results], sum((r.threads for r in results), []),
                                                     [result.work for result in results], sum((r.methods for r in results), []))]
            print(f'{program:6} {mode:8} {where:22}: all {worst[0]:.3f}, a thread {worst[1]:.3f}; by --weight cpu: work '
                  f'{worst[2]:.3f}, a method {worst[3]:.3f}{"" if is_right else "  MISS"}', flush=True)
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('methodbeat', type=os.path.abspath)
    parser.add_argument('-n', type=int, default=1)
    parser.add_argument('--load', action='store_true')
    parser.add_argument('--program', action='append', choices=PROGRAMS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, limited_group() as group, busy_loops(4 if arguments.load else 0):
        subprocess.run(['javac', '-d', folder, os.path.join(HERE, 'cpu', 'Cpu.java')], check=True)
        right = judge(arguments, folder, None)
        if group is not None:
            right += judge(arguments, folder, group)
        else:
            print('no cgroup that can be written: no limits')
    print(f'within 0.9 to 1.1: {right} of {len(arguments.program or PROGRAMS) * len(MODES) * (1 + (group is not None))}')


if __name__ == '__main__':
    main()
