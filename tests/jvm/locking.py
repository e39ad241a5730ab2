"""Waits for locks without samples, beside JFR's in the same run: the same places, as many, as long; and who held the lock, where.

usage: locking.py METHODBEAT AGENT
"""
import collections
import json
import os
import re
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
LEAST_NS = 10**6
BOOK = {'Locking.read', 'Locking.write'}
MANY = 10  # waits at a place that count
ATTACHES = 20
UNKNOWN = {'book 300': 'whose readers are not known', 'stamp 300': 'whose holders are not known'}
owners_known = []
# Place of a wait: the place that holds the lock. Those of the book may wait for readers, of whom nothing tells.
PLACES = {
    'monitors 300': {'Locking.takeFromShelf': 'Locking.takeFromShelf', 'Locking.count': 'Locking.count'},
    'parks 400': {'Locking.pay': 'Locking.pay', 'Locking.stand': 'Locking.stand'},
    'prices 1500': {'java.util.Hashtable.getOrDefault': 'Locking.refresh'},
    'audit 1500': {'Locking.enter': 'Locking.audit'},
    'book 300': {'Locking.read': 'Locking.write', 'Locking.write': 'Locking.write'},
    'stamp 300': {'Locking.look': None, 'Locking.post': None},
    'mix 300': {'Locking.takeAndPay': 'Locking.takeAndPay', 'Locking.pay': 'Locking.pay'},
}


def settings(folder):
    """JFR's own, with all waits of a millisecond."""
    path = os.path.join(folder, 'waits.jfc')
    if not os.path.exists(path):
        judge.must(('jfr', 'configure', '--input', 'profile.jfc', 'locking-threshold=1ms', '--output', path))
    return path


def ns_of(duration):
    """PT0.0123S"""
    return round(float(re.fullmatch(r'PT(?:(\d+)M)?([0-9.]+)S', duration)[2]) * 1e9)


def is_of_jdk(name):
    return name.startswith(('java.', 'javax.', 'jdk.', 'sun.'))


def by_jfr(recording):
    """Place: lengths of its waits. That of a park is the program's; one for what is not owned is none for a lock."""
    found = collections.defaultdict(list)
    printed = judge.must(('jfr', 'print', '--json', '--stack-depth', '64', '--events', 'jdk.JavaMonitorEnter,jdk.ThreadPark', recording))
    for event in json.loads(printed.stdout)['recording']['events']:
        values = event['values']
        frames = [f'{frame["method"]["type"]["name"]}.{frame["method"]["name"]}'.replace('/', '.') for frame in values['stackTrace']['frames']]
        lock = (values.get('monitorClass') or values.get('parkedClass') or {'name': ''})['name']
        if event['type'] == 'jdk.JavaMonitorEnter':
            found[frames[0]].append(ns_of(values['duration']))
        elif 'Lock' in lock:
            found[next((name for name in frames if not is_of_jdk(name)), frames[1])].append(ns_of(values['duration']))
    return {place: waits for place, waits in found.items() if not place.startswith('jdk.jfr.')}


def by_us(trace):
    rows = json.loads(judge.must((judge.METHODBEAT, 'report', '--format=json', trace)).stdout).get('blocked', [])
    found = collections.defaultdict(list)
    for row in rows:
        found[row['in'].split('(')[0]].append(row)
    return {place: waits for place, waits in found.items() if not place.startswith('jdk.jfr.')}


def is_about(found, wanted, slack):
    return abs(found - wanted) <= max(slack, wanted / 10)


def compare(what, jfr, ours, places):
    judge.check(set(places) <= set(jfr), f'{what}: JFR has {sorted(jfr)}')
    few = {place for place in set(jfr) | set(ours) if len(jfr.get(place, ours.get(place))) < MANY}  # of a millisecond, or at the end
    judge.check(set(ours) - few == set(jfr) - few, f'{what}: {sorted(ours)}, JFR {sorted(jfr)}')
    for place in sorted((set(jfr) & set(ours)) - (few - set(places))):
        lengths = [row['ns'] for row in ours[place]]
        line = (f'{what}: {place}: {len(lengths)} waits, {sum(lengths) / 1e6:.1f} ms, longest {max(lengths) / 1e6:.1f}; JFR '
                f'{len(jfr[place])}, {sum(jfr[place]) / 1e6:.1f}, {max(jfr[place]) / 1e6:.1f}')
        print(line)
        judge.check(is_about(len(lengths), len(jfr[place]), 3) and is_about(sum(lengths), sum(jfr[place]), 2e7) and
                    is_about(max(lengths), max(jfr[place]), 3e6), line)
        judge.check(min(lengths) >= LEAST_NS, line)


def judge_owners(what, ours, places):
    """None waits for itself; most are not asked for, on a machine that is busy nearly all of a place."""
    for place, waits in ours.items():
        judge.check(all(row.get('owner') != row['thread'] for row in waits), f'{what}: {waits}')
        held = collections.Counter(row['ownerIn'].split('(')[0] for row in waits if 'ownerIn' in row)
        print(f'{what}: {place}: held in {dict(held)}')
        if place in places:
            owners_known.extend(held)
            judge.check(set(held) <= {places[place]}, f'{what}: {place}: {held}')


def judge_text(what, trace, ours, places):
    """One row a place."""
    text = judge.must((judge.METHODBEAT, 'report', trace)).stdout
    section = text[text.index('Who waits for whom'):].split('\n\n')[0]
    for place in set(ours) & set(places):
        judge.check(len(re.findall(rf' in {re.escape(place)}$', section, re.M)) >= 1, f'{what}: {place}: {section}')
        told = {row.get('ownerUnknown') for row in ours[place] if 'owner' not in row and 'Lock' in row['lock']}
        judge.check(told <= {UNKNOWN.get(what)}, f'{what}: {place}: {told}')
        judge.check(what != 'stamp 300' or UNKNOWN[what] in section, f'{what}: {section}')
    judge.check(sum(re.match(r' +[0-9.]+ \w+ +\d+ +[0-9.]+ \w+ ', line) is not None for line in section.splitlines()) <=
                len(ours) + 2, f'{what}: {section}')


def stops(folder):
    """How often all threads stood for a monitor's owner, as the JVM logged it."""
    with open(os.path.join(folder, 'stops.log'), encoding='utf-8') as log:
        return sum('GetObjectMonitorUsage' in line for line in log)


def run(folder, java, options, classes, program):
    trace = os.path.join(folder, 'run.mbtrace')
    judge.must((judge.METHODBEAT, 'run', '--agent', AGENT, '--trace', trace, '--', java, '-Xverify:all', *judge.BRIEF,
                f'-Xlog:safepoint:file={folder}/stops.log', *options, '-cp', classes, 'Locking', *program.split()))
    return trace


def judge_program(folder, classes, program):
    recording = os.path.join(folder, 'run.jfr')
    trace = run(folder, 'java', [f'-XX:StartFlightRecording=filename={recording},settings={settings(folder)}'], classes, program)
    ours = by_us(trace)
    judge.check(stops(folder) == 0, f'{program}: all threads stood {stops(folder)} times')
    compare(program, by_jfr(recording), ours, PLACES[program])
    judge_owners(program, ours, PLACES[program])
    judge_text(program, trace, ours, PLACES[program])


def judge_bare(folder, classes):
    """Without java.management all threads have to stand for the owner, who is told as well."""
    judge.must(('jlink', '--add-modules', 'java.base', '--output', 'bare'), cwd=folder)
    trace = run(folder, os.path.join(folder, 'bare', 'bin', 'java'), [], classes, 'monitors 300')
    judge_owners('bare', by_us(trace), PLACES['monitors 300'])
    judge.check(stops(folder) > 0 and any('owner' in row for waits in by_us(trace).values() for row in waits),
                f'bare: {stops(folder)} stops, {by_us(trace)}')


def judge_crowd(folder, classes):
    """More waits end at once than there is room for: each is a row, or one of those that are said to be missing."""
    trace = os.path.join(folder, 'crowd.mbtrace')
    done = judge.must((judge.METHODBEAT, 'run', '--agent', AGENT, '--trace', trace, '--', 'java', *judge.BRIEF, '-cp', classes,
                       'Locking', 'crowd', '3000', '600'))
    waits = int(re.search(r'^(\d+) waits$', done.stdout, re.M)[1])
    told = sum('ReadWriteLock' in row['lock'] for row in by_us(trace)['Locking.crowd'])
    lost = re.search(r'(\d+) waits? for locks \w+ missing', ' '.join(judge.must((judge.METHODBEAT, 'report', '--show=trust', trace)).stdout.split()))
    lost = int(lost[1]) if lost else 0
    print(f'crowd: {waits} waits, {told} told, {lost} said to be missing')
    judge.check(waits > 1000 and told + lost >= waits and told <= waits + 600, f'crowd: {waits}, {told}, {lost}')


def judge_detached(folder, classes):
    """Threads park while the agent comes and goes, and the program goes on."""
    trace = os.path.join(folder, 'detached.mbtrace')
    with subprocess.Popen(('java', '-Xverify:all', *judge.BRIEF, '-cp', classes, 'Locking', 'parks', '1000000', '50'),
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        judge.check(child.stdout.readline() == 'started\n', 'detached: it did not start')
        for _ in range(ATTACHES):
            judge.must((judge.METHODBEAT, 'attach', '--agent', AGENT, '--for', '1', '--trace', trace, str(child.pid)))
        judge.check(child.poll() is None, 'detached: the program has ended')
        watch = threading.Timer(60, child.kill)
        watch.start()
        lines = [child.stdout.readline() for _ in range(3)]
        watch.cancel()
        judge.check(all('to go' in line for line in lines), f'detached: {lines}')
        child.kill()


def judge_attached(folder, classes, program):
    """They are told from an attach on, and the program goes on after it."""
    trace = os.path.join(folder, 'attached.mbtrace')
    with subprocess.Popen(('java', '-Xverify:all', *judge.BRIEF, '-cp', classes, 'Locking', *program.split()),
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        judge.check(child.stdout.readline() == 'started\n', 'attached: it did not start')
        for _ in range(2):
            judge.must((judge.METHODBEAT, 'attach', '--agent', AGENT, '--for', '2', '--trace', trace, str(child.pid)))
            ours = by_us(trace)
            its_own = {place for place in ours if not is_of_jdk(place)}  # those of an idle pool are the pool's
            judge.check(its_own and its_own - BOOK <= set(PLACES['parks 400']), f'attached: {sorted(ours)}')
            judge_owners('attached', ours, PLACES['parks 400'])
        judge.check(child.poll() is None, 'attached: the program has ended')
        child.kill()


def main():
    folder = judge.scratch()
    classes = judge.compile_java(os.path.join(folder, 'classes'), (os.path.join(judge.TESTS, 'jvm', 'locking'),))
    for program in PLACES:
        judge_program(folder, classes, program)
    judge_bare(folder, classes)
    judge_attached(folder, classes, 'parks 20000')
    judge_crowd(folder, classes)
    judge_detached(folder, classes)
    judge.check(len(owners_known) >= 4, f'places with an owner: {owners_known}')
    judge.finish()


if __name__ == '__main__':
    main()
