"""Samples in ART, of late messages: what the program of jvm/late.py does, by Thread.getStackTrace of Android's own.

usage: late.py METHODBEAT RUNTIME_JAR LIBRARY ANDROID_LIBRARY
"""
import collections
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
import sampled  # noqa: E402
from recording import Recorder  # noqa: E402

RUNTIME, LIBRARY, ANDROID_LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
SOURCE = os.path.join(judge.TESTS, 'jvm', 'late', 'Late.java')
AFTER = 100  # ms
SETTINGS = {'sample': 'both', 'sample_after_ms': AFTER, 'lag_ms': 60000, 'anr_ms': 60000, 'hang_ms': 60000,
            'gap_ms': 600000, 'often': '', 'cpu_enable': 0, 'threads': 'main'}
STATES = {'sleepy': 'sleeping', 'parked': 'parked', 'waits': 'waiting', 'blocked': 'monitor'}


def is_about(ns, ms):
    return abs(ns / 1e6 - ms) <= max(.25 * ms, 250)


def line_of(text):
    return next(number for number, line in enumerate(judge.read(SOURCE).splitlines(), 1) if text in line)


def judge_library(recorder, path, mapping, library):
    trace_path = judge.scratch('late.mbtrace')
    settings = judge.listed({**SETTINGS, 'library': library, 'file': trace_path, 'mapping': mapping})
    done = recorder.art.run('Late', 'work:2400', *(f'{step}:1000' for step in STATES), class_path=path,
                            settings={f'methodbeat.{name}': value for name, value in settings.items()})
    judge.check(done.returncode == 0 and done.stdout == 'started true\nrecorded true\n', f'{done}')
    judge.check(not done.complaints, f'{done.complaints}')
    trace = sampled.Trace(trace_path)
    faults = list(trace.faults())
    judge.check(not faults, f'{faults[:5]}')
    running, waiting = trace.totals('running', 'main'), trace.totals('waiting', 'main')
    what = f'{running} {waiting} {trace.figures}'
    judge.check(trace.figures['engine'] == 3 and sum(trace.failed) == 0, what)
    judge.check(is_about(running['Late.first'], 1800 - AFTER) and is_about(running['Late.second'], 600), what)
    lines = {node.line for node in trace.nodes if trace.names[node.id] == 'Late.spin' and trace.names[trace.nodes[node.parent].id] == 'Late.first'}
    judge.check(lines == {line_of('spin(ms / 4)'), line_of('spin(ms / 2)')}, f'lines: {lines}')
    for step, state in STATES.items():
        states = collections.Counter(sampled.STATES[sample.state] for sample in trace.samples if f'Late.{step}' in trace.stack(sample.node))
        judge.check(states[state] > .8 * states.total() > 0 and is_about(waiting[f'Late.{step}'], 1000 - AFTER), f'{step}: {states} {what}')
    report = json.loads(judge.must((judge.METHODBEAT, 'report', '--format=json', '--method-map', mapping, trace_path)).stdout)
    names = [method['name'] for method in report['methods']]
    judge.check(names.count('Late.first') == 1 and 'java.lang.Thread.sleep' in names, f'{names}')
    print(f'{trace.figures["taken"]} stacks, {len(trace.nodes)} nodes, {len(trace.names)} names', flush=True)
    os.unlink(trace_path)


def main():
    recorder = Recorder(RUNTIME, LIBRARY, ANDROID_LIBRARY)
    classes = judge.compile_java(judge.scratch('late'), (SOURCE,), '--release', '8', '-Xlint:-options', '-cp', RUNTIME)
    output = judge.scratch_folder('instrumented')
    judge.instrument('--output', output, classes)
    path = (recorder.art.dex('late', os.path.join(output, 'late'), class_path=(RUNTIME,)), recorder.classes)
    for library, more in ((LIBRARY, ()), (ANDROID_LIBRARY, (recorder.version,))):
        judge_library(recorder, (*path, *more), os.path.join(output, 'methodMapping.txt'), library)
    judge.finish()


main()
