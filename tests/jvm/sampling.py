"""Samples of a JVM: run and attach with --sample, both engines, on a program whose times are known.

usage: sampling.py METHODBEAT AGENT LESSER [CHURN_SECONDS [TIMES [strict]]] | brief
By hand: so many chains of locks, kills and attaches, and each collector with each compiler for so long.
strict: figures of a machine that has nothing else to do
brief: what depends on the version of the JVM
"""
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402
import sampled  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'bench', 'programs'))
import profile  # noqa: E402

AGENT, LESSER = map(os.path.abspath, sys.argv[2:4])
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'sampling')
NUMBERS = [int(word) for word in sys.argv[4:] if word.isdigit()]
SECONDS, TIMES = [*NUMBERS, *(2, 1)[len(NUMBERS):]]
KILLS = max(TIMES, 4)
STRICT = 'strict' in sys.argv
CHAINS, SPINS = 20, 50 if STRICT else 8
ENGINES = {'agct': 1, 'jvmti': 2, 'lesser': 2}
COLLECTORS = 'Serial', 'Parallel', 'G1', 'Z'
COMPILERS = '-Xint', '-XX:TieredStopAtLevel=1', '-Xshare:auto', '-Xcomp'


def run(folder, *program, settings=(), sample='--sample', java=(), classes='classes', trace='run.mbtrace'):
    for path in glob.glob(os.path.join(folder, trace)):
        os.remove(path)
    done = judge.run((judge.METHODBEAT, 'run', '--agent', AGENT, sample, '--trace', trace, *settings, '--', 'java', *java, '-cp', classes,
                      'Known', *program), cwd=folder)
    told = ''.join(f'{line}\n' for line in done.stdout.splitlines() if not line.startswith('SPUN '))
    judge.check(done.returncode == 0 and told == 'ready\nended\n', f'{program} {settings}: {done}')
    return done


def run_engine(folder, engine, program, settings, sample='--sample'):
    """lesser: in a JVM that offers what ART does, which of itself takes the engine that it has (sampling/lesser.c)."""
    if engine != 'lesser':
        run(folder, *program.split(), settings=(f'sample_engine={engine}', *settings), sample=sample)
        return
    for path in glob.glob(os.path.join(folder, 'run.mbtrace')):
        os.remove(path)
    mode = {'--sample': 'only', '--sample=both': 'both'}[sample]
    done = judge.run(('java', f'-agentpath:{LESSER}', f'-agentpath:{AGENT}=' + ','.join((f'sample={mode}', 'file=run.mbtrace', *settings)),
                      '-cp', 'classes', 'Known', *program.split()), cwd=folder)
    judge.check((done.returncode, done.stdout) == (0, 'ready\nended\n'), f'{program}: {done}')
    told = re.search(r'lesser: (\d+) stacks, (\d+) stops, (\d+) clocks', done.stderr)
    judge.check(told and int(told[1]) > 10 and told.groups()[1:] == ('0', '0'), f'no thread is stopped: {done.stderr}')


def read(folder, trace='run.mbtrace'):
    """The trace, in which nothing may point to nothing."""
    found = sampled.Trace(os.path.join(folder, trace))
    faults = list(found.faults())
    judge.check(not faults, f'{trace}: {faults[:5]}')
    return found


def line_of(text):
    lines = judge.read(os.path.join(SOURCE, 'Known.java')).splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def is_about(value, wanted, engine='agct'):
    """On a busy machine samples come late, and tell of each change too early or too late; jvmti waits for the thread, too."""
    return abs(value / 1e6 - wanted) <= max((.15 if engine == 'agct' and STRICT else .4) * wanted, 80)


def judge_times(folder, sample, engine):
    run_engine(folder, engine, 'phases', ('sample_us=2000',), sample)
    trace = read(folder)
    running, waiting = trace.totals('running', 'main'), trace.totals('waiting', 'main')
    what = f'{sample} {engine}: {running} {waiting}'
    judge.check(trace.figures['engine'] == ENGINES[engine], f'{engine}: {trace.figures}')
    most = .1 if engine == 'agct' else .2  # a busy machine lets samples come late, and jvmti wait for the thread, too
    for name, part in (('first', 8 / 18), ('second', 4 / 18), ('own', 6 / 18)):
        judge.check(abs(running[f'Known.{name}'] / max(running['Known.phases'], 1) - part) < most, f'{name}: {what}')
    judge.check(is_about(running['Known.phases'] + waiting['Known.phases'], 2400, engine), what)
    judge.check(is_about(waiting['Known.sleepy'], 600, engine), what)
    judge.check(waiting['Known.first'] + waiting['Known.own'] < (120e6 if engine == 'agct' and STRICT else 400e6), what)
    judge.check('unknown.unknown' not in running, what)
    if sample == '--sample':
        judge.check(trace.written(2) == 0 or not any('$MethodBeat' in name for name in running), 'no class has probes')
    lines = {trace.names[node.id]: node.line for node in trace.nodes if trace.names[node.id] in ('Known.first', 'Known.second')}
    judge.check(lines == {'Known.first': line_of('first(200)'), 'Known.second': line_of('second(100)')}, f'where they are called: {lines}')
    main = [thread for thread in trace.threads if thread.is_main]
    judge.check(len(main) == 1 and main[0].name == 'main' and main[0].samples > 30, f'{main}')


def judge_ids(folder):
    """A method has the same id in samples as in probes."""
    run(folder, 'phases', sample='--sample=both')
    trace = read(folder)
    names = [name for name in trace.names.values() if name.startswith('Known.')]
    judge.check(len(names) == len(set(names)) and 'Known.first' in names, f'one id each: {names}')
    judge.check([thread.ring for thread in trace.threads if thread.is_main] == [1], f'its ring is known: {trace.threads}')


def judge_woven(folder):
    """Those that instrument put probes into, too, in the lower half of all ids."""
    judge.instrument('--output', os.path.join(folder, 'woven'), os.path.join(folder, 'classes'))
    run(folder, 'phases', sample='--sample=both', classes=os.path.join('woven', 'classes'))
    trace = read(folder)
    ids = [number for number, name in trace.names.items() if name == 'Known.first']
    judge.check(len(ids) == 1 and ids[0] < 0x7FFFE and any(node.id == ids[0] for node in trace.nodes), f'woven: {ids}')


def judge_idle(folder):
    """A thread that sleeps gets one sample, which holds all the time."""
    run(folder, 'sleeps', settings=('sample_us=1000',))
    trace = read(folder)
    samples = [sample for sample in trace.samples if 'Known.sleepy' in trace.stack(sample.node)]
    judge.check(1 <= len(samples) <= 5 and sum(sample.until - sample.time for sample in samples) > 2.9e9, f'sleeps: {samples}')
    judge.check(all(sampled.STATES[sample.state] == 'sleeping' for sample in samples if sample.until - sample.time > 10 ** 8), f'sleeps: {samples}')
    judge.check(trace.figures['idle'] > 300, f'sleeps: {trace.figures}')


def judge_crowd(folder, sample):
    """Eight busy threads, fewer processors: what they worked is their CPU time, the rest they were ready."""
    done = run(folder, 'crowd', sample=sample)
    cpu = int(re.search(r'SPUN crowd (\d+)', done.stdout)[1])
    data = json.loads(judge.run((judge.METHODBEAT, 'report', '--format=json', os.path.join(folder, 'run.mbtrace'))).stdout)
    rows = [thread for thread in data['threads'] if thread['name'].startswith('crowd-')]
    worked, ready, busy = (sum(row[f'{part}Ns'] for row in rows) for part in ('worked', 'ready', 'inCalls'))
    judge.check(len(rows) == 8 and .9 * cpu < worked < 1.1 * cpu, f'crowd {sample}: {worked} of {cpu}, {ready} ready, {busy} in calls')
    judge.check(worked + ready > .75 * busy, f'crowd {sample}: {worked} and {ready} of {busy}')


def judge_deep(folder):
    """Of a deep stack the inner frames are there."""
    run(folder, 'deep')
    trace = read(folder)
    cut = [number for number, node in enumerate(trace.nodes) if node.flags & 1]
    deepest = max((trace.stack(sample.node) for sample in trace.samples), key=len)
    judge.check(cut and all(trace.nodes[number].parent == sampled.NO_NODE for number in cut), f'deep: {cut}')
    told = ' '.join(judge.must((judge.METHODBEAT, 'report', '--show=trust', os.path.join(folder, 'run.mbtrace'))).stdout.split())
    judge.check('deeper than 1024 frames: the outermost are missing' in told, f'deep: {told[-2000:]}')
    judge.check(len(deepest) == 1024 and deepest.count('Known.deep') > 1018, f'deep: {deepest[-3:]}')


def judge_lost(folder):
    """Where exceptions pass all the time, and calls recurse to the end of the stack, stacks can be walked, too."""
    for program in ('throws', 'recurses'):
        run(folder, program, str(2000 * SECONDS), settings=('sample_us=1000',))
        trace = read(folder)
        lost, taken = sum(trace.failed[1:]), trace.figures['taken']
        print(f'{program}: {taken} taken, {trace.figures["polled"]} of them at a safepoint, {lost} lost {trace.failed}')
        polled = sum(sample.flags & 4 > 0 for sample in trace.samples)
        judge.check(polled == trace.figures['polled'], f'{program}: {polled} are marked, {trace.figures["polled"]} counted')
        judge.check(taken > 20 * SECONDS and lost < .02 * taken + 4, f'{program}: {lost} of {taken} lost: {trace.failed}')


def judge_clocks(folder):
    """Who could run, but has no processor, does not wait, in native code either."""
    run(folder, 'clocks', java=('-Xint',), settings=('sample_us=5000:5000',))
    trace = read(folder)
    running, waiting = trace.totals('running')['Known.clock'], trace.totals('waiting')['Known.clock']
    judge.check(waiting < .05 * running, f'clocks: {running} {waiting}')


def judge_twins(folder):
    """Threads of one name that are several rows of the profile have samples of their own."""
    run(folder, 'twins', sample='--sample=both', settings=('sample_us=5000:2000',))
    trace = read(folder)
    recorded = profile.Profile(os.path.join(folder, 'run.mbtrace'))
    twins = [i for i, thread in enumerate(recorded.threads) if thread.name == 'twin']
    judge.check(len(twins) == 2, f'twins: {recorded.threads}')
    for twin in twins:
        rows = [i for i, thread in enumerate(trace.threads) if thread.profile_row == twin + 1]
        judge.check(len(rows) == 1 and trace.threads[rows[0]].name == 'twin', f'twins: {trace.threads}')
        for name in ('Known.first', 'Known.second'):
            exact = sum(node.total for node in recorded.nodes if node.thread == twin and trace.names[node.id] == name)
            sampled_ns = sum(node.running + node.waiting for number, node in enumerate(trace.nodes)
                             if node.thread == rows[0] and name in trace.stack(number))
            judge.check(is_about(sampled_ns, exact / 1e6, 'jvmti'), f'twins: {name}: {exact} {sampled_ns}')


def judge_chain(folder, engine):
    """Who waits for whom, for which lock, and how long."""
    run_engine(folder, engine, 'chain', ('sample_us=5000:5000',))
    trace = read(folder)
    found = {}
    for block in trace.blocks:
        owner = trace.threads[block.owner - 1].name if block.owner else None
        lock = trace.locks[block.lock - 1] if block.lock else None
        found[trace.threads[block.thread].name, lock] = owner, block.kind, (block.end - block.begin) / 1e6, trace.stack(block.node)[-1:]
    for who, lock, owner, kind, ms in (('middle', 'Known$First', 'holder', 1, 1000), ('outer', 'Known$Second', 'middle', 1, 1300),
                                       ('parked', 'java/util/concurrent/locks/ReentrantLock$NonfairSync', 'holder', 4, 1000)):
        is_right = (who, lock) in found and found[who, lock][:2] == (owner, kind) and abs(found[who, lock][2] - ms) < (100 if STRICT else 500)
        judge.check(is_right, f'{engine}: {who} {lock}: {found}')


def judge_chains(folder, engine):
    """The chain of three threads is told right each time, to the one that works."""
    run_engine(folder, engine, f'chains {CHAINS}', ('sample_us=5000:5000',))
    trace = read(folder)
    owners = {}
    for block in trace.blocks:
        if block.kind == 1 and block.end - block.begin > 200e6:
            owners[trace.threads[block.thread].name, trace.locks[block.lock - 1]] = trace.threads[block.owner - 1].name if block.owner else ''
    right = [owners.get((f'outer {i}', 'Known$Second')) == f'middle {i}' and owners.get((f'middle {i}', 'Known$First')) == f'holder {i}'
             for i in range(CHAINS)]
    parked = [block for block in trace.blocks if block.kind == 4 and block.owner and trace.threads[block.owner - 1].name.split()[0] == 'holder']
    judge.check(sum(right) == CHAINS, f'{engine}: {sum(right)} of {CHAINS} chains: {owners}')
    judge.check(len(parked) == CHAINS, f'{engine}: {len(parked)} of {CHAINS} locks')
    told = json.loads(judge.must((judge.METHODBEAT, 'report', '--format=json', os.path.join(folder, 'run.mbtrace'))).stdout)['blocked']
    told = {(row['threadName'], row.get('ownerName')) for row in told if row['ns'] > 200e6}
    judge.check(all({(f'outer {i}', f'middle {i}'), (f'middle {i}', f'holder {i}')} <= told for i in range(CHAINS)), f'{engine}: {told}')
    print(f'{engine}: {sum(right)} of {CHAINS} chains, {len(parked)} of {CHAINS} locks')


def events_of(folder, trace, *options):
    """Calls of the main thread: (name, start, end in ns, whether samples tell it)."""
    report = json.loads(judge.must((judge.METHODBEAT, 'report', '--format=chrome', '--thread=main', *options,
                                    os.path.join(folder, trace))).stdout)['traceEvents']
    return [(event['name'].split('(')[0], round(event['ts'] * 1000), round((event['ts'] + event['dur']) * 1000),
             event.get('args', {}).get('sampled', False)) for event in report if event['ph'] == 'X']


def judge_truth(folder):
    """Calls of 10 to 160 ms, beside what they took by their own clock. A machine that has other things to do lets samples come
    late, or not at all: there it is only judged that each method is found."""
    done = run(folder, 'spins', str(SPINS), settings=('sample_us=1000:0',))
    trace = read(folder)
    truth = [(name, int(start) - trace.start_ns, int(end) - trace.start_ns) for _, name, start, end in
             (line.split() for line in done.stdout.splitlines() if line.startswith('SPUN '))]
    found = [event for event in events_of(folder, 'run.mbtrace') if event[0].startswith('Known.spin') and event[0] != 'Known.spin'
             and event[0] != 'Known.spins']
    edges, matched = [], 0
    for name, start, end in truth:
        near = [event for event in found if event[0] == f'Known.{name}' and event[1] < end and event[2] > start]
        matched += len(near) > 0
        edges += [abs(event[1] - start) / 1e6 for event in near[:1]] + [abs(event[2] - end) / 1e6 for event in near[-1:]]
    edges.sort()
    totals = trace.totals('running', 'main') + trace.totals('waiting', 'main')
    wanted = {name: sum(end - start for what, start, end in truth if what == name) for name in {row[0] for row in truth}}
    far = {name: abs(totals[f'Known.{name}'] - time) / time for name, time in wanted.items()}
    median, last = edges[len(edges) // 2], edges[int(len(edges) * .95)]
    print(f'truth: {matched} of {len(truth)} calls found, totals within {max(far.values()):.2%}, edges {median:.2f} ms, p95 {last:.2f} ms')
    judge.check(all(0 < totals[f'Known.{name}'] < 2 * time for name, time in wanted.items()), f'truth: {totals} {wanted}')
    is_near = matched == len(truth) and max(far.values()) <= .02 and median <= .6 and last <= 1.5
    judge.check(is_near or not STRICT, f'truth: {matched} of {len(truth)}, {far} {median} {last}')


def nesting_of(events):
    """Recorded calls in order, each with the recorded one around it."""
    around, rows = [], []
    for name, start, end, is_sampled in events:
        if not is_sampled:
            while around and around[-1][1] <= start:
                around.pop()
            rows.append((name, around[-1][0] if around else None))
            around.append((name, end))
    return rows


def judge_hybrid(folder):
    """Recorded calls are those of a run without samples; inside of the longest samples tell what they did."""
    with open(os.path.join(folder, 'hidden.txt'), 'w', encoding='utf-8') as file:
        file.write('-keepclass Hidden\n-keepmethod Known spin\n')
    rows = {}
    for what, sample in (('with', ('--sample=both',)), ('without', ())):
        done = judge.run((judge.METHODBEAT, 'run', '--agent', AGENT, *sample, '--trace', f'{what}.mbtrace', '--blacklist', 'hidden.txt',
                          *(('sample_us=1000',) if sample else ()), 'throttle=off', '--', 'java', '-cp', 'classes', 'Known', 'calls'),
                         cwd=folder)
        judge.check(done.returncode == 0, f'hybrid: {done}')
        rows[what] = events_of(folder, f'{what}.mbtrace')
    judge.check(nesting_of(rows['with']) == nesting_of(rows['without']), f'hybrid: {nesting_of(rows["with"])} {nesting_of(rows["without"])}')
    recorded = [row for row in rows['with'] if not row[3]]
    names = {row[0] for row in recorded}
    judge.check({'Known.outer', 'Known.inner', 'Known.leaf'} <= names and 'Hidden.work' not in names, f'hybrid: {names}')
    leaves = sorted((row for row in recorded if row[0] in ('Known.inner', 'Known.outer')), key=lambda row: row[1] - row[2])[:10]
    shares = []
    for _, start, end, _ in leaves:
        inside = sorted((row[1], row[2]) for row in rows['with'] if row[1] >= start and row[2] <= end and
                        (row[3] or row[0] in ('Known.inner', 'Known.leaf')) and (row[1], row[2]) != (start, end))
        covered, until = 0, start
        for first, last in inside:
            covered += max(0, last - max(first, until))
            until = max(until, last)
        shares.append(covered / (end - start))
    print(f'hybrid: {len(recorded)} recorded calls are the same; of the longest {min(shares):.1%} is explained')
    judge.check(min(shares) >= .95 or (not STRICT and max(shares) > .5), f'hybrid: {shares}')


def judge_errors(folder):
    """The program does not start; one line says what is wrong."""
    for setting in ('sample_engine=magic', 'sample_us=0', 'sample_us=500:3'):
        done = judge.run((judge.METHODBEAT, 'run', '--agent', AGENT, '--sample', setting, '--', 'java', '-cp', 'classes', 'Known', 'sleeps'), cwd=folder)
        judge.check((done.returncode, done.stdout) == (2, '') and done.stderr.count(f'{setting} is not understood') == 1, f'{setting}: {done}')
    run(folder, 'phases', settings=('sample_us=5000:0',))
    trace = read(folder)
    judge.check({thread.name for thread in trace.threads} == {'main'}, f'others are off: {trace.threads}')


class Server:
    def __init__(self, folder, *java):
        self.folder = folder
        self.process = subprocess.Popen(('java', *java, '-cp', 'classes', 'Known', 'serves'), cwd=folder, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        judge.check(self.process.stdout.readline() == 'ready\n', 'the program starts')

    def attach(self, *words, trace='attach.mbtrace'):
        done = judge.run((judge.METHODBEAT, 'attach', '--agent', AGENT, '--for', '1', '--trace', trace, str(self.process.pid), *words),
                         cwd=self.folder)
        judge.check(done.returncode == 0, f'attach {words}: {done}')
        judge.check(words[:1] != ('--sample',) or 'probe' not in done.stderr, f'none go in: {done.stderr}')
        return read(self.folder, trace)

    def threads(self):
        return [judge.read(path).strip() for path in glob.glob(f'/proc/{self.process.pid}/task/*/comm')]

    def end(self):
        out, errors = self.process.communicate('\n', timeout=60)
        judge.check((self.process.returncode, out) == (0, 'ended\n'), f'the program: {out} {errors}')


def judge_attach(folder):
    """Threads that were there before have their whole names; afterwards there is no thread of ours that samples."""
    server = Server(folder)
    for words in (('--sample',), ('--sample=both',), ('--sample', 'sample_engine=jvmti'), ('--sample',)):
        trace = server.attach(*words)
        totals = trace.totals('running', 'a worker with a long name') + trace.totals('waiting', 'a worker with a long name')
        judge.check(is_about(totals['Known.work'], 1000, 'jvmti'), f'{words}: {totals}')
        main = [thread for thread in trace.threads if thread.is_main]
        judge.check([thread.name for thread in main] == ['main'], f'{words}: {trace.threads}')
        judge.check('unknown.unknown' not in totals, f'{words}: {totals}')
        judge.check('methodbeat-smpl' not in server.threads(), f'{words}: {server.threads()}')
    trace = server.attach()
    judge.check(trace.figures.get('engine', 0) == 0 and trace.samples == [], 'without the word nothing is sampled')
    done = judge.run((judge.METHODBEAT, 'attach', '--agent', AGENT, '--sample', '--leave', str(server.process.pid)), cwd=folder)
    judge.check(done.returncode == 0 and 'stacks are taken on; the trace is /' in done.stderr, f'left: {done}')
    judge.check('probe' not in done.stderr and 'methodbeat-smpl' in server.threads(), f'left: {done} {server.threads()}')
    os.remove(done.stderr.split('the trace is ')[1].split(' of the process')[0])
    for _ in range(TIMES):
        judge_loaded(server)
    server.end()


def judge_loaded(server):
    """As jcmd loads an agent, too, and as often as you like."""
    if shutil.which('jcmd') is None:
        return
    for options in ('sample=only,file=loaded.mbtrace', 'detach=on'):
        done = judge.run(('jcmd', str(server.process.pid), 'JVMTI.agent_load', AGENT, f'"{options}"'), cwd=server.folder)
        judge.check(done.returncode == 0 and 'return code: 0' in done.stdout, f'jcmd {options}: {done}')
        time.sleep(.3)
    trace = read(server.folder, 'loaded.mbtrace')
    judge.check(trace.totals()['Known.work'] > 0 and 'methodbeat-smpl' not in server.threads(), f'jcmd: {server.threads()}')


def judge_killed(folder):
    for _ in range(KILLS):
        with subprocess.Popen((judge.METHODBEAT, 'run', '--agent', AGENT, '--sample', '--trace', 'killed-%p.mbtrace', 'sample_us=500:500',
                               '--', 'java', '-cp', 'classes', 'Known', 'churn', '20000'), cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
            child.stdout.readline()
            time.sleep(random.uniform(.1, 1))
            pid = judge.must(('pgrep', '-P', str(child.pid))).stdout.split()[0]
            os.kill(int(pid), 9)
        read(folder, f'killed-{pid}.mbtrace')


def judge_churn(folder):
    """Classes, threads and exceptions come and go, whatever collects the garbage and compiles the code."""
    taken, failed = 0, 0
    combinations = [(collector, compiler) for collector in COLLECTORS for compiler in COMPILERS]
    if SECONDS < 10:
        combinations = [(collector, COMPILERS[i]) for i, collector in enumerate(COLLECTORS)]
    for collector, compiler in combinations:
        run(folder, 'churn', str(SECONDS * 1000), settings=('sample_us=1000:1000',),
            java=(f'-XX:+Use{collector}GC', compiler, '-Xmx200m'))
        trace = read(folder)
        taken += trace.figures['taken']
        failed += sum(trace.failed[1:])
        unknown = sum(sample.node != sampled.NO_NODE and trace.names[trace.nodes[sample.node].id].startswith('unknown')
                      for sample in trace.samples)
        judge.check(trace.figures['taken'] > 10 * SECONDS and unknown < trace.figures['taken'] / 20,
                    f'{collector} {compiler}: {unknown} {trace.figures}')
        print(f'{collector} {compiler}: {trace.figures["taken"]} taken, {trace.failed} failed, {unknown} unknown')
    judge.check(failed < .02 * taken + 10, f'churn: {failed} of {taken} failed')


def main():
    folder = judge.scratch_folder('sampling')
    judge.compile_java(os.path.join(folder, 'classes'), [SOURCE])
    is_brief = 'brief' in sys.argv
    for engine in ENGINES:
        judge_times(folder, '--sample', engine)
        for _ in range(TIMES):
            judge_chain(folder, engine)
        if not is_brief:
            judge_times(folder, '--sample=both', engine)
            judge_chains(folder, engine)
    for sample in '--sample', '--sample=both':
        judge_crowd(folder, sample)
    for part in (judge_deep, judge_lost, judge_attach, judge_churn):
        part(folder)
    for part in () if is_brief else (judge_truth, judge_hybrid, judge_ids, judge_woven, judge_idle, judge_clocks, judge_twins, judge_errors,
                                     judge_killed):
        part(folder)
    judge.finish()


main()
