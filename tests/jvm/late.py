"""Samples without an agent: the stacks that the monitors take of late messages, in the trace.

usage: late.py METHODBEAT RUNTIME_JAR LIBRARY [AGENT]

A busy machine lets samples come late, so times are right to a quarter, or a fifth of a second.
"""
import collections
import json
import os
import random
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402
import sampled  # noqa: E402
from judge import check  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
AGENT = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None
SOURCE = os.path.join(judge.TESTS, 'jvm', 'late', 'Late.java')
JAVA_ENGINE = 3
AFTER, EVERY = 100, 50  # ms
SETTINGS = {'sample': 'both', 'sample_after_ms': AFTER, 'lag_ms': 60000, 'anr_ms': 60000, 'hang_ms': 60000,
            'gap_ms': 600000, 'often': '', 'cpu_enable': 0, 'library': LIBRARY, 'throttle': 'off'}


def command(name, *steps, **more):
    settings = judge.listed({**SETTINGS, **more, 'file': judge.scratch(f'{name}.mbtrace')})
    return ('java', '-Xcheck:jni', *(f'-Dmethodbeat.{n}={v}' for n, v in settings.items()),
            '-cp', f'{judge.scratch("out", "classes")}:{RUNTIME}', 'Late', *steps)


def read(name):
    """The trace, in which nothing may point to nothing."""
    trace = sampled.Trace(judge.scratch(f'{name}.mbtrace'))
    faults = list(trace.faults())
    check(not faults, f'{name}: {faults[:5]}')
    return trace


def run(name, *steps, **more):
    done = judge.run(command(name, *steps, **more))
    check(done.returncode == 0 and done.stdout == 'started true\nrecorded true\n', f'{name}: {done}')
    return read(name)


def is_about(ns, ms):
    return abs(ns / 1e6 - ms) <= max(.25 * ms, 200)


def line_of(text):
    return next(number for number, line in enumerate(judge.read(SOURCE).splitlines(), 1) if text in line)


def report(name, *options):
    return json.loads(judge.must((judge.METHODBEAT, 'report', '--format=json', f'--method-map={judge.scratch("out", "methodMapping.txt")}',
                                  *options, judge.scratch(f'{name}.mbtrace'))).stdout)


def judge_times():
    """What a late message does, from when it is late; nothing else."""
    trace = run('times', 'work:50', 'outside:1000', 'work:2400')
    running = trace.totals('running', 'main')
    what = f'times: {running} {trace.figures}'
    check(trace.figures['engine'] == JAVA_ENGINE and trace.figures['main_us'] == EVERY * 1000, what)
    check(trace.figures['taken'] == len(trace.samples) > 20 and sum(trace.failed) == 0, what)
    check(is_about(running['Late.inMessage'], 2400 - AFTER), what)
    check(is_about(running['Late.first'], 1800 - AFTER) and is_about(running['Late.second'], 600), what)
    calls = {(trace.names[trace.nodes[node.parent].id], node.line): node.running for node in trace.nodes if trace.names[node.id] == 'Late.spin'}
    check(set(calls) == {('Late.first', line_of('spin(ms / 4)')), ('Late.first', line_of('spin(ms / 2)')),
                         ('Late.second', line_of('static void second') + 1)}, f'each call of it: {calls}')
    main = [thread for thread in trace.threads if thread.is_main]
    check(len(main) == 1 and (main[0].name, main[0].ring) == ('main', 1), f'{trace.threads}')
    ends = [(sample.time, sample.until) for sample in trace.samples]
    check(ends == sorted(ends) and all(sampled.STATES[sample.state] == 'running' for sample in trace.samples), f'{trace.samples[:9]}')


def judge_report():
    """Frames are the methods of the map; what has no probe is below them."""
    trace = run('report', 'work:2400', 'sleepy:1000', 'twice:1000')
    facts = report('report')
    text = judge.must((judge.METHODBEAT, 'report', '--show=trust', f'--method-map={judge.scratch("out", "methodMapping.txt")}',
                       judge.scratch('report.mbtrace'))).stdout
    ids = {name: int(number) for number, name in re.findall(r'^(\d+),\d+,Late (\w+) ', judge.read(judge.scratch('out', 'methodMapping.txt')), re.M)}
    sampled_ids = {number for number, name in trace.names.items() if name == 'Late.first'}
    check(len(sampled_ids) == 1 and ids['first'] not in sampled_ids, f'no map is known where it runs: {sampled_ids}')
    names = [method['name'] for method in facts['methods']]
    check(names.count('Late.first') == 1 and 'java.lang.Thread.sleep' in names, f'report: {names}')
    check('stacks by Thread.getStackTrace of loops while they were late, 50.0 ms or more apart' in ' '.join(text.split()), text)
    check('Late.twice(int)' in names and 'Late.twice(long)' in names, f'overloads: {names}')


def judge_annealing():
    """The longer one stack stays, the more rarely it is looked at; its time is known all the same."""
    trace = run('annealing', 'sleepy:9000', lag_ms=300)
    waiting = trace.totals('waiting', 'main')
    late = [sample for sample in trace.samples if sample.time > trace.samples[0].time + 400e6]
    check(is_about(waiting['Late.sleepy'], 9000 - AFTER - 3000) or waiting['Late.sleepy'] > 5.5e9, f'annealing: {waiting}')
    check(2 <= len(late) <= 6 and late[-1].interval_us > 1500000, f'annealing: {late}')


def judge_states():
    """Of what waits."""
    for step, method, state in (('sleepy', 'Late.sleepy', 'sleeping'), ('parked', 'Late.parked', 'parked'), ('waits', 'Late.waits', 'waiting'),
                                ('blocked', 'Late.blocked', 'monitor')):
        trace = run(f'states-{step}', f'{step}:1200')
        states = collections.Counter(sampled.STATES[sample.state] for sample in trace.samples if method in trace.stack(sample.node))
        check(set(states) <= {state, 'running', 'native'} and states[state] > .8 * states.total(), f'{step}: {states}')
        check(is_about(trace.totals('waiting', 'main')[method], 1200 - AFTER), f'{step}: {trace.totals("waiting")}')


def judge_threads():
    """Another thread with a loop, unless none but main is to be sampled."""
    for most, wanted in ((20000, {'main', 'worker'}), (0, {'main'})):
        trace = run(f'threads-{most}', 'work:500', 'worker-work:500', sample_us=f'5000:{most}')
        check({thread.name for thread in trace.threads} == wanted, f'{most}: {trace.threads}')
    check([thread.has_ended for thread in run('ended', 'worker-work:500', 'work:300').threads if thread.name == 'worker'] == [1], 'it has ended')


def judge_off():
    """Who does not ask for samples gets none, and no room for them."""
    for more in ({'sample': 'off'}, {'sample_engine': 'jvmti'}, {'sample_engine': 'agct'}):
        trace = run(f'off-{"-".join(more.values())}', 'work:600', **more)
        check(trace.figures == {} or trace.figures['taken'] == 0, f'{more}: {trace.figures}')
        check(('sample' in more) == (sampled.STACKS not in trace.sections), f'{more}: {list(trace.sections)}')
    done = judge.run(command('wrong', 'work:300', sample_engine='magic'))
    check(done.returncode == 0 and done.stderr.count('sample_engine=magic is not understood: auto, agct, jvmti or java') == 1, f'{done}')


def judge_killed():
    for number in range(3):
        with subprocess.Popen(command(f'killed-{number}', 'work:60000'), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            process.stdout.readline()
            time.sleep(random.uniform(1, 2))
            process.kill()
        trace = read(f'killed-{number}')
        check('Late.first' in trace.totals('running', 'main'), f'killed: {trace.figures}')
        report(f'killed-{number}')


def judge_agent():
    """The agent takes no stacks then; where it does, the monitors' are left out."""
    for setting, engine, least in (('sample_engine=java', JAVA_ENGINE, 5), ('sample_engine=auto', 1, 20)):
        trace = judge.scratch('agent.mbtrace')
        if os.path.exists(trace):
            os.remove(trace)
        settings = [f'{name}={value}' for name, value in judge.listed(SETTINGS).items() if name not in ('library', 'sample')]
        done = judge.run((judge.METHODBEAT, 'run', '--agent', AGENT, '--sample=both', '--trace', trace, setting, *settings, '--', 'java',
                          '-cp', f'{judge.scratch("classes")}:{RUNTIME}', 'Late', 'work:800'))
        check(done.returncode == 0, f'agent: {done}')
        found = read('agent')
        check(found.figures['engine'] == engine and found.figures['taken'] >= least, f'{setting}: {found.figures}')
        check('Late.first' in found.totals('running'), f'{setting}: {found.totals("running")}')


def main():
    judge.compile_java(judge.scratch('classes'), (SOURCE,), '-cp', RUNTIME)
    judge.instrument('--output', judge.scratch('out'), judge.scratch('classes'))
    for act in (judge_times, judge_report, judge_annealing, judge_states, judge_threads, judge_off, judge_killed):
        act()
        print(act.__name__[6:], flush=True)
    if AGENT:
        judge_agent()
    judge.finish()


main()
