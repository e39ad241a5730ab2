"""What the report names as the cause of each slow request, beside the one that the program planted (Causes.java).

usage: causes.py METHODBEAT AGENT

At least 95 % of the slow requests of which a planted cause took half of the excess have that cause, and none another
holder of a lock. Where a cgroup can be made, its limit is the cause of slow requests as well.
"""
import collections
import contextlib
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
COUNT, SHARE, NEAR_NS, STOP_NS = 3000, 0.95, 3_000_000, 400_000_000
GROUP = '/sys/fs/cgroup/cpu/methodbeat-causes'


def stop(process):
    """A few times, the JVM alone: when, and for how long."""
    stops = []
    for _ in range(4):
        time.sleep(1.5)
        with contextlib.suppress(ProcessLookupError):
            start = time.monotonic_ns()
            os.kill(process.pid, signal.SIGSTOP)
            time.sleep(STOP_NS / 1e9)
            os.kill(process.pid, signal.SIGCONT)
            stops.append((start, time.monotonic_ns()))
    return stops


def set_quota(us):
    with open(os.path.join(GROUP, 'cpu.cfs_quota_us'), 'w') as file:
        file.write(str(us))


def limit(process):
    """A twentieth of a processor, now and then."""
    while process.poll() is None:
        time.sleep(0.8)
        set_quota(5000)
        time.sleep(0.3)
        set_quota(1000000)
    return []


def record(name, classes, count, disturb=stop, within=None):
    folder = judge.scratch_folder(name)
    trace, truth = os.path.join(folder, 'trace'), os.path.join(folder, 'truth')
    command = ('java', f'-agentpath:{AGENT}=file={trace}', '-XX:+UseSerialGC', '-Xmx512m', '-cp', classes, 'Causes', str(count), truth)
    process = subprocess.Popen(command, preexec_fn=within)
    stops = disturb(process)
    judge.check(process.wait(timeout=240) == 0, f'{name}: exit {process.returncode}')
    report = json.loads(judge.must((judge.METHODBEAT, 'report', '--format', 'json', trace)).stdout)
    rows = [line.split() for line in judge.read(truth).splitlines()]
    report['start'] = judge.start_of(trace)
    report['top'] = judge.must((judge.METHODBEAT, 'top', trace)).stdout
    return report, [(int(start), int(ns), cause, int(took), int(cpu)) for start, ns, cause, took, cpu in rows], stops


def overlap(start, ns, pauses):
    return sum(max(0, min(start + ns, end) - max(start, begin)) for begin, end in pauses)


def true_cause(call, usual_ns, collections_, stops):
    """The cause that took half of the excess; None if none did."""
    start, ns, cause, took, cpu = call
    shares = {'stopped': overlap(start, ns, stops)}
    shares['collection'] = max(0, overlap(start, ns, collections_) - shares['stopped'])  # it went on meanwhile, as what follows
    shares[cause] = took - sum(shares.values()) if cause != '-' else 0
    if cause.startswith('worked'):
        shares['ready'] = shares[cause] - cpu
        shares[cause] = cpu
    best = max(shares, key=shares.get)
    return best if shares[best] * 2 >= ns - usual_ns and ns > 2 * usual_ns else None


def told_cause(row):
    detail = {'locked': row.get('owner', ''), 'worked': row.get('name', ''), 'io': row.get('name', ''), 'waited': row.get('name', '')}
    text = detail.get(row['state'], '').split('(')[0].removeprefix('Causes.')
    return row['state'] + (':' + text if text else '')


def judge_planted(report, truth, stops):
    kinds = {row['name'].split('(')[0]: row for row in report['requests']}
    kind = max(kinds.values(), key=lambda row: row['count'])
    collected = [(start, start + ns) for start, ns, cause, _, _ in truth if cause == 'collection']
    calls = [call for call in truth if call[2] != 'collection']
    start_ns = report['start']
    right, all_, wrong, untold = collections.Counter(), collections.Counter(), [], 0
    for row in kind['slowest']:
        near = [call for call in calls if abs(call[0] - start_ns - row['startNs']) < NEAR_NS and abs(call[1] - row['ns']) < NEAR_NS]
        true = true_cause(near[0], kind['p50Ns'], collected, stops) if near else None
        untold += true is None
        if true is not None:
            all_[true] += 1
            told = told_cause(row)
            lacks_holder = told == 'locked' and true.startswith('locked:')  # a busy machine answers too late
            is_why = true == 'ready' and told == near[0][2]  # and it lacked processors for longer than it worked
            right[true] += told == true or lacks_holder or is_why
            wrong += [(true, told, row['ns'])] if told != true else []
    judge.check(f' of {len(kind["slowest"])} slow, +' in report['top'], f'top: {report["top"]}')
    share = sum(right.values()) / max(1, sum(all_.values()))
    print(f'right: {sum(right.values())} of {sum(all_.values())} ({100 * share:.1f} %): '
          f'{ {cause: f"{right[cause]} of {all_[cause]}" for cause in all_} }; {untold} of their own; '
          f'wrong: {dict(collections.Counter(pair[:2] for pair in wrong))}')
    judge.check(share >= SHARE, f'{100 * share:.1f} % are right')
    judge.check(len(all_) >= 5, f'planted: {dict(all_)}')
    holders = [pair for pair in wrong if pair[1].startswith('locked:')]  # that none is known is not wrong
    judge.check(not holders, f'wrong holders: {holders}')


def judge_limit(classes):
    """By cgroups of the first version."""
    try:
        os.makedirs(GROUP, exist_ok=True)
        set_quota(1000000)
    except OSError:
        print('no cgroup that can be made: no limit')
        return

    def enter():
        with open(os.path.join(GROUP, 'cgroup.procs'), 'w') as file:
            file.write(str(os.getpid()))
    try:
        report, _, _ = record('limit', classes, COUNT, limit, enter)
    finally:
        with contextlib.suppress(OSError):
            os.rmdir(GROUP)
    states = collections.Counter(row['state'] for kind in report['requests'] for row in kind['slowest'])
    print(f'with a limit: {dict(states)}')
    judge.check(states['throttled'] >= 5, f'no cause is the limit: {dict(states)}')


def main():
    classes = judge.scratch_folder('classes')
    judge.compile_java(classes, [os.path.join(judge.TESTS, 'jvm', 'Causes.java')])
    judge_planted(*record('planted', classes, COUNT))
    judge_limit(classes)
    judge.finish()


main()
