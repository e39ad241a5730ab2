#!/usr/bin/env python3
"""Real programs at default settings: what recording costs them, and whether the profile is right.

Called by run.sh, which builds; README.md of tests/ says what the rows mean. A row whose program breaks says so,
and the others go on.
"""
import argparse
import collections
import glob
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

import jfr
import profile
import threads
import workloads

GOALS = {'h2': 1.08, 'fop': 1.16, 'closure': 1.16}  # of the wall's time
GOAL = 1.3
STEPS = ('speed', 'coverage', 'samples', 'wall', 'counting', 'catch', 'tune', 'report')  # and, when asked for, agent, records
TUNED = ('h2', 'fop', 'closure')
POINTS = 0.05
SAMPLES = 500
TIMEOUT = 400  # seconds; of a run
LARGE_RINGS = {'words': f'{1 << 24}:{1 << 20}', 'max_threads': 63, 'max_bytes': 1 << 30}
THROTTLE_OFF = {'throttle': 'off'}
CORPUS = os.path.join(workloads.HERE, '..', '..', 'corpus')
JVM = os.path.join(workloads.HERE, '..', '..', 'jvm')
STUBS = os.path.join(workloads.HERE, '..', '..', '..', 'samples', 'android', 'stubs')

Time = collections.namedtuple('Time', 'wall cpu threads')  # threads: CPU time of the program's own
Row = collections.namedtuple('Row', 'program figure goal result met')


class Table:
    """Rows in the order in which they came. Each is printed at once, for those who wait."""

    def __init__(self):
        self.rows = []

    def add(self, program, figure, goal, result, met):
        self.rows.append(Row(program, figure, goal, result, met))
        print(f'  {program} {figure}: {result}', file=sys.stderr, flush=True)

    def print(self):
        widths = [max([len(row[i]) for row in self.rows] + [8]) for i in range(3)] + [0]
        names = [kind.name for kind in workloads.PROGRAMS]
        self.rows.sort(key=lambda row: names.index(row.program))
        for row in [Row('program', 'figure', 'goal', 'result', None), *self.rows]:
            verdict = {None: '    ', True: 'met ', False: 'MISS'}[row.met]
            print('  '.join([verdict] + [cell.ljust(width) for cell, width in zip(row, widths)]))


class Parts:
    """What was built."""

    def __init__(self, methodbeat, runtime, library, settings_):
        self.methodbeat, self.runtime, self.library = methodbeat, runtime, library
        self.settings = settings_

    @classmethod
    def of_build(cls, folder, settings_):
        """Of another commit."""
        return cls(*(os.path.join(folder, 'src', *names) for names in (
            ('cli', 'methodbeat'), ('jni', 'methodbeat-runtime.jar'), ('jni', 'libmethodbeat.so'))), settings_)


class Variant:
    """A program with probes, of one way of instrumenting it."""

    def __init__(self, parts, program, name, *options):
        self.parts, self.program = parts, program
        self.folder = program.path('probed-' + name)
        shutil.rmtree(self.folder, ignore_errors=True)
        workloads.must(parts.methodbeat, 'instrument', '--quiet', '--compression=store', '--output', self.folder,
                       *options, *program.originals)
        self.jars = [os.path.join(self.folder, os.path.basename(path)) for path in program.originals]
        self.map = os.path.join(self.folder, 'methodMapping.txt')
        self.trace = os.path.join(program.work, f'{name}.mbtrace')

    def run(self, is_large=True, settings=None, runtime=None, options=()):
        """Time of a run that leaves its trace."""
        for old in glob.glob(self.trace):
            os.unlink(old)
        given = {**self.parts.settings, 'library': self.parts.library, 'file': self.trace, 'mapping': self.map,
                 **(settings or {})}
        return run_java(self.program, self.jars, is_large,
                        (f'-Xbootclasspath/a:{runtime or self.parts.runtime}',
                         *(f'-Dmethodbeat.{name}={value}' for name, value in given.items()), *options))

    def profile(self):
        return profile.Profile(self.trace)


def run_java(program, jars, is_large, options=()):
    more = () if is_large else program.small_java
    command = ['java', *program.java, *more, *options, *program.arguments(jars, is_large)]
    with tempfile.TemporaryFile() as log:
        time_, (code, seconds) = timed(lambda: threads.watch(
            [str(word) for word in command], TIMEOUT, stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT, cwd=program.work))
        if code != 0:
            log.seek(0)
            raise RuntimeError(f'exit code {code}: {log.read()[-500:]}')
    return time_._replace(threads=seconds)


def timed(run):
    """The time of the processes that run() waits for, and what it returns."""
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run()
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Time(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 0), done


class Judge:
    """All rows of one program."""

    def __init__(self, parts, program, table, arguments):
        self.parts, self.program, self.table = parts, program, table
        self.rounds, self.is_large, self.reuses = arguments.rounds, not arguments.small, arguments.reuse
        self.runs = arguments.runs
        self.plain = Variant(parts, program, 'default')
        self.beside = arguments.beside and Variant(Parts.of_build(arguments.beside, parts.settings), program, 'beside')
        self.last = None  # the profile of the last run at default settings

    def add(self, figure, goal, result, met):
        self.table.add(self.program.name, figure, goal, result, met)

    def ran(self):
        if self.last is None:
            self.plain.run(self.is_large)
            self.last = self.plain.profile()
        return self.last

    def run_bare(self, options=()):
        return run_java(self.program, self.program.originals, self.is_large, options)

    def take_turns(self, *runs):
        """The times of each, and of the program without probes before all of them, in as many rounds as wanted."""
        return list(zip(*([run() for run in (self.run_bare, *runs)] for _ in range(self.rounds))))

    def ratios(self, run):
        return medians(*self.take_turns(run))

    # ---- Cost and coverage ----

    def speed(self):
        variants = [variant for variant in (self.beside, self.plain) if variant]
        bare, *probed = self.take_turns(*(lambda variant=variant: variant.run(self.is_large) for variant in variants))
        for variant, times in zip(variants, probed):
            (wall, cpu, _), seconds = medians(bare, times), [statistics.median(time_.wall for time_ in side)
                                                              for side in (bare, times)]
            goal = GOALS.get(self.program.name, GOAL) if variant is self.plain and self.is_large else None
            self.add('slow-down' + (', beside' if variant is self.beside else ''), f'<= {goal:.2f}' if goal else '-',
                     f'{wall:.2f} wall, {cpu:.2f} CPU; {seconds[0]:.1f} s and {seconds[1]:.1f} s; median of '
                     f'{self.rounds}', wall <= goal if goal else None)
        self.last = self.plain.profile()

    def agent(self):
        """The same program with probes that it gets as it loads its classes, by this build's agent and another's, and
        with those of its files."""
        variants = [variant for variant in (self.beside, self.plain) if variant]
        names = ['plain', *(['agent, beside'] if self.beside else []), 'agent', 'built']
        sides = dict(zip(names, self.take_turns(*(lambda variant=variant: self.run_agent(variant.parts) for variant in variants),
                                                lambda: self.plain.run(self.is_large))))
        for name in names[1:]:
            wall, cpu, _ = medians(sides['plain'], sides[name])
            least = [min(getattr(time_, kind) for time_ in sides[name]) / min(getattr(time_, kind) for time_ in sides['plain'])
                     for kind in ('wall', 'cpu')]
            self.add(name, '-', f'{wall:.3f} wall, {cpu:.3f} CPU, median of {self.rounds} ratios to plain; {least[0]:.3f} and '
                     f'{least[1]:.3f} of minimums; {statistics.median(time_.wall for time_ in sides[name]):.2f} s', None)

    def run_agent(self, parts):
        library = os.path.join(os.path.dirname(parts.methodbeat), '..', 'agent', 'libmethodbeat-agent.so')
        given = {**parts.settings, 'file': self.program.path('agent.mbtrace')}
        return self.run_bare((f'-agentpath:{library}=' + ','.join(f'{name}={value}' for name, value in given.items()),))

    def records(self):
        """What a record costs the threads of the program: more CPU time than without probes, larger code included;
        and the part of it in which samples find them in probes."""
        bare, probed = self.take_turns(lambda: self.plain.run(self.is_large))
        words = sum(thread.words + thread.lost_words for thread in self.plain.profile().threads)
        more = [b.threads - a.threads for a, b in zip(bare, probed)]
        least = min(time_.threads for time_ in probed) - min(time_.threads for time_ in bare)
        options, target = jfr.cpu_options(self.program.work)
        seconds = self.plain.run(self.is_large, options=options).threads
        share, count = jfr.share_of_probes(target, threads.NOT_ITS_OWN)
        sampled = sum(thread.words + thread.lost_words for thread in self.plain.profile().threads)
        self.add('records', '-', f'{1e9 * least / words:.1f} ns more each, minimum of {self.rounds}, '
                 f'{1e9 * statistics.median(more) / words:.1f} in the median, of {words / 1e6:.0f} million; '
                 f'{1e9 * share * seconds / sampled:.1f} ns in probes, {share:.1%} of {count} samples of {seconds:.1f} s', None)

    def coverage(self):
        """Of the thread in which calls took longest: others may have had nothing to do between theirs."""
        ours = self.ran()
        spans = list(ours.covered())
        name, span, part, _ = max(spans, key=lambda row: row[1] * row[2])
        lost = sum(row[3] for row in spans)
        self.add('covered', '99 to 101 %', f'{part:.2%} of {span:.1f} s of {name}; {lost} words lost; '
                 f'{len(ours.mutes)} methods muted, {sum(ours.calls().values())} calls of {len(ours.calls())}, '
                 f'{len(ours.nodes)} nodes', 0.99 <= part <= 1.01 and lost == 0)

    # ---- Against samples ----

    def samples(self):
        """JFR's, against the program without probes; and, of one run with both, against that run itself."""
        ours, ids = self.ran(), self.read_ids()
        self.compare([ours], self.take_samples(ids), '')
        options, target = jfr.options(self.program.work, 'both')
        self.plain.run(self.is_large, options=options)
        self.compare([self.plain.profile()], jfr.Samples([target], ids), ', same run')

    def wall(self):
        """Samples of all threads by the wall clock, waiting or not, in the JVM's own code or not: of the same runs,
        and of as many without probes."""
        ids, ours, sampled = self.read_ids(), [], {'by wall': [], 'plain by wall': []}
        for number in range(self.runs):
            for name, run in (('by wall', lambda options: self.plain.run(self.is_large, options=options)),
                              ('plain by wall', self.run_bare)):
                options, target = jfr.wall_options(self.program.work, f'{name[:5].strip()}-{number}')
                run(options)
                sampled[name].append(target)
            ours.append(self.plain.profile())
        for name, targets in sampled.items():
            self.compare(ours, jfr.Samples(targets, ids), f', {name}' + (f', {self.runs} runs' if self.runs > 1 else ''),
                         running=False)

    def read_ids(self):
        ids = jfr.read_map(self.plain.map)
        self.names = {id_: f'{key[0].rpartition(".")[2]}.{key[1]}' for key, id_ in ids.items()}
        return ids

    def compare(self, ours, samples, which, running=True):
        """ours: profiles of runs, which are added up."""
        mine, theirs = profile.add_shares(ours, running), samples.shares(profile.add_mute_parts(ours))
        self.compare_totals(mine, theirs, len(samples.chains), which)
        self.compare_own(mine, theirs, set().union(*(run.mutes for run in ours)), which)

    def take_samples(self, ids):
        """Of the program without probes, in as many runs as it takes."""
        targets = []
        while True:
            options, target = jfr.options(self.program.work, len(targets))
            if not self.reuses or not os.path.exists(target):
                self.run_bare(options)
            targets.append(target)
            samples = jfr.Samples(targets, ids)
            if len(samples.chains) >= SAMPLES or len(targets) == 3:
                return samples

    def far(self, mine, theirs, ids, column):
        """Those further apart than allowed, worst first, as text."""
        pairs = [(mine.get(id_, (0, 0))[column], theirs.get(id_, (0, 0))[column], self.names.get(id_, id_))
                 for id_ in ids]
        apart = sorted((pair for pair in pairs if abs(pair[0] - pair[1]) > POINTS),
                       key=lambda pair: -abs(pair[0] - pair[1]))
        return len(pairs) - len(apart), '; '.join(f'{name} {a:.0%}, sampled {b:.0%}' for a, b, name in apart[:4])

    def compare_totals(self, mine, theirs, count, which):
        counts, texts = [], []
        for side in (mine, theirs):
            greatest = sorted(side, key=lambda id_: -side[id_][0])[:10]
            good, text = self.far(mine, theirs, greatest, 0)
            counts.append(good)
            texts.append(text)
        self.add('ten totals' + which, '>= 8', f'{counts[0]} of ours, {counts[1]} of those sampled; {count} samples'
                 + ''.join(f' [{text}]' for text in texts if text),
                 min(counts) >= 8 and (count >= SAMPLES or bool(which)))

    def compare_own(self, mine, theirs, mutes, which):
        heavy = [id_ for id_ in mine.keys() | theirs.keys() if id_ not in mutes
                 and max(mine.get(id_, (0, 0))[1], theirs.get(id_, (0, 0))[1]) >= 0.05]
        good, text = self.far(mine, theirs, heavy, 1)
        self.add('own time' + which, '>= 80 %', f'{good} of {len(heavy)}' + (f' [{text}]' if text else ''),
                 good >= 0.8 * len(heavy))

    # ---- Counting ----

    def counting(self):
        variant = Variant(self.parts, self.program, 'counting', '--beat-class=CountingBeat')
        classes = self.program.path('counting')
        workloads.must('javac', '-cp', self.parts.runtime, '-d', classes, os.path.join(CORPUS, 'CountingBeat.java'))
        counts = self.program.path('counts')
        variant.run(False, {**LARGE_RINGS, **THROTTLE_OFF}, f'{self.parts.runtime}:{classes}',
                    (f'-Dcounting.file={counts}',))
        counted = collections.Counter()
        with open(counts, encoding='utf-8') as file:
            for first, second in (line.split() for line in file):
                if first != 'thread':
                    counted[int(first)] += int(second)
        found = variant.profile().calls()
        wrong = [id_ for id_ in counted.keys() | found.keys() if counted[id_] != found[id_]]
        self.add('counting', 'all equal', f'{len(counted) - len(wrong)} of {len(counted)} methods, '
                 f'{sum(counted.values())} calls' + first_of(wrong, found, counted), not wrong and bool(counted))

    def catch(self):
        """Each way in one run of its own, so only programs that always do the same have the same calls. With
        the probes that only count, whose clock is their calls: times do not differ from run to run then."""
        stub = self.program.path('stub')
        workloads.must('javac', '-nowarn', '-d', stub, *glob.glob(os.path.join(JVM, 'runtime', '**', '*.java'),
                                                                   recursive=True),
                       *glob.glob(os.path.join(STUBS, '**', '*.java'), recursive=True))
        theirs, _ = self.count_calls('finally', stub)
        ours, (entries, inferred) = self.count_calls('catch', stub)
        wrong = [id_ for id_ in ours.keys() | theirs.keys() if ours[id_][0] != theirs[id_][0]]
        must_agree = self.program.is_deterministic
        self.add('catch, calls', 'as finally' if must_agree else '-',
                 f'{len(theirs.keys() - set(wrong))} of {len(theirs)} methods, {entries} calls'
                 + first_of(wrong, {id_: ours[id_][0] for id_ in wrong}, {id_: theirs[id_][0] for id_ in wrong}),
                 not wrong if must_agree else None)
        self.add('catch, inferred', '< 0.1 %', f'{inferred / entries:.3%}: {inferred} calls',
                 inferred / entries < 0.001)
        same = theirs.keys() - set(wrong)
        for column, what in enumerate(('totals', 'own times'), start=1):
            least = 0.01 * sum(row[2] for row in theirs.values())
            heavy = [id_ for id_ in same if max(ours[id_][column], theirs[id_][column]) >= least]
            apart = [id_ for id_ in heavy if abs(ours[id_][column] - theirs[id_][column]) > 0.02 * theirs[id_][column]]
            self.add(f'catch, {what}', 'within 2 %', f'{len(heavy) - len(apart)} of {len(heavy)} methods'
                     + first_of(apart, {id_: ours[id_] for id_ in apart}, {id_: theirs[id_] for id_ in apart}),
                     not apart if must_agree else None)

    def count_calls(self, mode, stub):
        """id -> (calls, time in them by its clock, own time), and (entries, exits that were inferred)."""
        variant = Variant(self.parts, self.program, mode, f'--exceptions={mode}')
        counts, line = self.program.path('calls'), self.program.path('call-count')
        variant.run(False, {'counts': counts, 'count': line}, stub)
        found = collections.defaultdict(lambda: (0, 0, 0))
        with open(counts, encoding='utf-8') as file:
            for id_, *row in (map(int, row.split()) for row in file):
                found[id_] = tuple(row)
        with open(line, encoding='utf-8') as file:
            numbers = re.search(r'(\d+) in, \d+ out, (\d+) unmatched in', file.read())
        return found, (int(numbers[1]), int(numbers[2]))

    def tune(self):
        """In the time of the threads that have probes, as tune reckons: what compiles and collects has a
        processor to itself, or the wall's time and that of all CPUs tell of the machine."""
        if self.program.name not in TUNED:
            return
        _, _, before = self.ratios(lambda: self.plain.run(self.is_large, THROTTLE_OFF))
        tuned = self.tune_by(self.plain)
        self.add_tuned('tune, before', tuned.said[0], before, None)
        wall, cpu, after = self.ratios(lambda: tuned.run(self.is_large, THROTTLE_OFF))
        self.add_tuned(f'tune, {tuned.count} methods less', tuned.said[-1], after, (wall, cpu))

    def tune_by(self, recorded):
        """The program without the probes that tune names, with what it says of them."""
        text = workloads.must(self.parts.methodbeat, 'tune', '--method-map', recorded.map, recorded.trace)
        tuned = Variant(self.parts, self.program, 'tuned', '--blacklist', self.program.write('hot.txt', text))
        tuned.count = text.count('-keepmethod')
        tuned.said = [[float(number) for number in row] for row in
                      re.findall(r'about ([0-9.]+) % \(([0-9.]+) to ([0-9.]+) %\)', text)]
        return tuned

    def add_tuned(self, figure, said, threads_, others):
        """Before, when they are most of the time, what probes cost is only known as a range."""
        likely, least, most = said
        measured = 100 * (threads_ - 1)
        text = f'about {likely:.1f} % ({least:.1f} to {most:.1f}), measured {measured:.1f} %'
        if others is None:
            self.add(figure, 'in its range', text, least - 5 <= measured <= most + 5)
        else:
            wall, cpu = (100 * (ratio - 1) for ratio in others)
            self.add(figure, 'within 5 points', f'{text}; {wall:.1f} % wall, {cpu:.1f} % CPU of all threads',
                     abs(measured - likely) <= 5)

    # ---- The reading side ----

    def report(self):
        """Of rings that a run has filled."""
        if self.program.name != 'h2':
            return
        for words, goal in ((1_000_000, 0.1), (60_000_000, 1.5)):
            self.plain.run(False, {**THROTTLE_OFF, 'profile': 'off', 'words': words, 'max_bytes': 1 << 30})
            times = [self.report_time() for _ in range(3)]
            wall, cpu = (statistics.median(time_[i] for time_ in times) for i in (0, 1))
            self.add(f'report of {words // 1_000_000} M words', f'<= {goal} s', f'{wall:.2f} s, {cpu:.2f} s CPU',
                     wall <= goal)

    def report_time(self):
        command = (self.parts.methodbeat, 'report', '--method-map', self.plain.map, self.plain.trace)
        time_, text = timed(lambda: workloads.must(*command))
        if len(text) < 500:
            raise RuntimeError(f'a short report: {text}')
        return time_


def medians(bare, probed):
    """Of the ratios of each kind of time, pair by pair."""
    return [statistics.median(b[i] / a[i] for a, b in zip(bare, probed)) for i in range(3)]


def first_of(wrong, found, counted):
    return ''.join(f'; {id_}: {found[id_]}, not {counted[id_]}' for id_ in sorted(wrong)[:3])


def prepare(kind, arguments, parts, table, work):
    """The judge of a program; None if it cannot be had."""
    try:
        return Judge(parts, kind(work), table, arguments)
    except workloads.OutOfReach as error:
        if arguments.strict:
            sys.exit(f'skipped: {error}' if os.environ.get('CI') == 'true' else 77)
        table.add(kind.name, 'prepare', '', str(error), None)
    except Exception as error:  # whatever it is, the others go on
        table.add(kind.name, 'prepare', '', f'failed: {str(error)[:300]}', False)
    return None


def judge_step(judge, step, arguments, table):
    start = time.monotonic()
    try:
        getattr(judge, step)()
    except Exception as error:
        if arguments.verbose:
            traceback.print_exc()
        table.add(judge.program.name, step, '', f'failed: {str(error)[:300]}', False)
    print(f'{judge.program.name} {step}: {time.monotonic() - start:.0f} s', file=sys.stderr, flush=True)


def judge_all(kinds, arguments, parts, table, work):
    """Step by step, so that where time runs out all programs have had the first ones."""
    end = time.monotonic() + arguments.limit
    judges = [judge for judge in (prepare(kind, arguments, parts, table, work) for kind in kinds) if judge]
    for step in arguments.steps:
        for judge in judges:
            if time.monotonic() < end:
                judge_step(judge, step, arguments, table)
            else:
                table.add(judge.program.name, step, '', 'no time left (--limit)', None)


def settings(text):
    return dict(word.split('=', 1) for word in text.split(',') if word)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ('methodbeat', 'runtime', 'library'):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument('-n', '--rounds', type=int, default=2)
    parser.add_argument('--runs', type=int, default=1, help='that step wall adds up')
    parser.add_argument('--beside', type=os.path.abspath, help='the build of another commit, timed in the same rounds')
    parser.add_argument('--steps', type=lambda text: text.split(','), default=STEPS)
    parser.add_argument('--set', type=settings, default={}, help='NAME=VALUE,...')
    parser.add_argument('--work', help='a folder to keep; else a temporary one')
    parser.add_argument('--small', action='store_true', help='small inputs everywhere')
    parser.add_argument('--limit', type=int, default=690, help='seconds after which no step begins')
    parser.add_argument('--reuse', action='store_true', help='the samples that are in --work')
    parser.add_argument('--strict', action='store_true', help='fail if a goal is missed; 77: out of reach')
    parser.add_argument('--verbose', action='store_true')
    parser.add_argument('programs', nargs='*')
    return parser.parse_intermixed_args()


def main():
    arguments = parse_arguments()
    parts = Parts(arguments.methodbeat, arguments.runtime, arguments.library, arguments.set)
    table = Table()
    work = arguments.work or tempfile.mkdtemp(prefix='methodbeat-programs-')
    wanted = arguments.programs or [kind.name for kind in workloads.PROGRAMS]
    try:
        judge_all([kind for kind in workloads.PROGRAMS if kind.name in wanted], arguments, parts, table,
                  os.path.abspath(work))
    finally:
        if not arguments.work:
            shutil.rmtree(work, ignore_errors=True)
    table.print()
    if arguments.strict and any(row.met is False for row in table.rows):
        sys.exit(1)


if __name__ == '__main__':
    main()
