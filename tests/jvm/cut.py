"""Requests of recordings that are cut short, beside what the program counted itself: it is killed at some moments, with
rings of usual length and with short ones, or has no room on the disk.

usage: cut.py METHODBEAT AGENT
"""
import contextlib
import json
import os
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
KINDS = ('Endless.order', 'Endless.user')
EARLIER = {'Endless.lambda$main$0', 'Endless.any'}  # what led to the kinds, before these had shown
MOMENTS = (0, 1, 3, 10, 29, 31, 60, 90, 120, 150, 200, 250, 300, 400, 500, 600, 800, 1000, 1200, 1500)  # requests that ended
SHORT = ('words=5000:5000',)
SURE = 1000  # requests, after which the kinds are known
DISKS = ('8m', '18m', '20m', '64m')  # no ring of another thread, some, no room for causes, room for all
UNKNOWN = 'without a cause'
ON_DISK = 'mount -t tmpfs -o "size=$0" none "$1" || exit 99; trace=$1/trace copy=$2; shift 2; "$@"; code=$?; cp "$trace" "$copy"; exit $code'
LOST = ('were overwritten', 'got no ring', 'not seen')


def command(classes, trace, truth, count, *settings):
    agent = f'-agentpath:{AGENT}={",".join((f"file={trace}", "throttle=off", *settings))}'
    return 'java', agent, *judge.BRIEF, '-cp', classes, 'Endless', truth, str(count)


def counts_of(truth):
    """Orders and users that have begun, and those that have ended."""
    with contextlib.suppress(OSError), open(truth, 'rb') as file:
        data = file.read()
        if len(data) == 32:
            return struct.unpack('<4q', data)
    return 0, 0, 0, 0


def is_unknown(text):
    return UNKNOWN in ' '.join(text.split())


def numbers(value):
    if isinstance(value, (dict, list)):
        return [number for part in (value.values() if isinstance(value, dict) else value) for number in numbers(part)]
    return [value] if isinstance(value, (int, float)) else []


def judge_kind(name, row, begun):
    told = [row[key] for key in ('p50Ns', 'p90Ns', 'p99Ns')]
    judge.check(0 < row['count'] <= begun, f'{name}: {row["count"]} of {begun}')
    judge.check(0 <= told[0] <= told[1] <= told[2] <= row['longestNs'] * 1.04, f'{name}: {told}, {row["longestNs"]}')
    judge.check(len(row.get('slowest', [])) <= row.get('slow', 0) <= row['count'], f'{name}: slow: {row}')
    judge.check(sum(cause['count'] for cause in row.get('causes', [])) <= row.get('slow', 0), f'{name}: causes: {row}')
    judge.check(min(numbers([row.get('slowest', []), row.get('causes', [])]) + [0]) >= 0, f'{name}: negative: {row}')


def judge_report(name, trace, counts):
    """The kinds' counts, and what the text says."""
    form = {form: judge.run((judge.METHODBEAT, 'report', '--show=trust', '--format', form, trace)) for form in ('text', 'json', 'html')}
    for done in form.values():
        judge.check((done.returncode, done.stderr) == (0, ''), f'{name}: {done.returncode} {done.stderr}')
    report, text = json.loads(form['json'].stdout), form['text'].stdout
    rows = {row['name'].split('(')[0]: row for row in report.get('requests', [])}
    for kind, row in rows.items():
        judge.check(kind in KINDS or kind in EARLIER, f'{name}: {kind}')
        judge_kind(f'{name}: {kind}', row, counts[KINDS.index(kind)] if kind in KINDS else sum(counts[:2]))
    return {kind: row['count'] for kind, row in rows.items()}, text


def judge_killed(classes, folder, ended, settings):
    name = f'{"short" if settings else "usual"}-{ended}'
    trace, truth = os.path.join(folder, name), os.path.join(folder, name + '.counts')
    process = subprocess.Popen(command(classes, trace, truth, 1_000_000, *settings), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    end = time.monotonic() + 60
    while sum(counts_of(truth)[2:]) < ended and process.poll() is None and time.monotonic() < end:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    counts = counts_of(truth)
    if not os.path.exists(trace):
        judge.check(ended == 0, f'{name}: no trace')
        return 0
    told, text = judge_report(name, trace, counts)
    judge.check('not closed' in text or 'No calls' in text or 'no calls' in text, f'{name}: {text}')
    if ended >= SURE:
        known, least = sum(told.values()), sum(counts[2:])
        is_said = any(words in ' '.join(text.split()) for words in LOST)
        judge.check(set(told) == set(KINDS), f'{name}: kinds {told}')
        judge.check(known >= least * 0.9 or is_said, f'{name}: {known} of {least}, and nothing is said: {text}')
    return is_unknown(text)


def judge_disks(classes, folder):
    """What there is room for is kept, and the rest is told of."""
    disk = os.path.join(folder, 'disk')
    os.mkdir(disk)
    for size in DISKS:
        trace, truth = os.path.join(folder, size), os.path.join(folder, size + '.counts')
        done = judge.run(('unshare', '--mount', 'sh', '-c', ON_DISK, size, disk, trace,
                          *command(classes, os.path.join(disk, 'trace'), truth, 1500)))
        if done.returncode == 99 or 'unshare' in done.stderr:
            print('no mounts of our own: no full disk')
            return
        told, text = judge_report(size, trace, counts_of(truth))
        is_all = told == {kind: 750 for kind in KINDS}
        print(f'{size}: {told}, {done.stderr.strip()}')
        judge.check(done.returncode == 0 and counts_of(truth)[2:] == (750, 750), f'{size}: {done.returncode} {done.stderr}')
        judge.check(is_all or ('no room on disk' in done.stderr and 'got no ring' in ' '.join(text.split())), f'{size}: {told} {done.stderr} {text}')
        judge.check(is_all or size != DISKS[-1], f'{size}: {told}')
        judge.check(not told or 'took' in text.partition('\nRequests\n')[2].partition('\n\n')[0] or is_unknown(text), f'{size}: {text}')


def main():
    folder, classes = judge.scratch_folder('cut'), judge.scratch_folder('classes')
    judge.compile_java(classes, [os.path.join(judge.TESTS, 'jvm', 'requests', 'Endless.java')])
    unknown = sum(judge_killed(classes, folder, ended, ()) for ended in MOMENTS[::2] + MOMENTS[-1:])
    short = sum(judge_killed(classes, folder, ended, SHORT) for ended in MOMENTS[1::2])
    print(f'killed at {len(MOMENTS) + 1} moments: slow requests without a cause in {unknown} reports, and of short rings in {short}')
    judge.check(short > 0, 'short rings: nothing is missing')
    judge_disks(classes, folder)
    judge.finish()


main()
