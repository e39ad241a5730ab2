"""The sampler without a JVM: what its trace says of threads whose stacks are known, and what a killed process leaves.

usage: stub.py STUB [KILLS]
"""
import os
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'support'))
import sampled  # noqa: E402

STUB = os.path.abspath(sys.argv[1])
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 5


def judge_times(path):
    done = subprocess.run((STUB, path, '1500'), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    words = done.stdout.split()
    assert words[0] == words[2] and int(words[0]) > 20, f'each handle is released once: {done.stdout}'
    trace = sampled.Trace(path)
    faults = list(trace.faults())
    assert not faults, faults[:5]
    dump = sampled.Trace(path + '.dump')
    assert not list(dump.faults()) and 0 < len(dump.samples) <= len(trace.samples), f'the dump: {list(dump.faults())[:5]}'
    assert {thread.name for thread in trace.threads} <= {f'work {i}' for i in range(6)}, trace.threads
    assert len(trace.threads) < 20, 'threads of one name share a row'
    stacks = {tuple(trace.stack(sample.node)) for sample in trace.samples}
    assert stacks <= {('T.outer', 'T.busy'), ('T.outer', 'T.other')}, stacks
    calls = {(trace.names[node.id], node.bci, node.line) for node in trace.nodes if node.parent != sampled.NO_NODE}
    assert calls <= {('T.busy', 3, 30), ('T.other', 5, 50)}, calls
    assert trace.figures['taken'] == trace.written(sampled.SAMPLES) > 0, trace.figures
    if trace.figures['taken'] > 100:  # a busy machine runs few of them when they are asked
        totals = trace.totals('running')
        assert len(calls) == 2 and .1 < totals['T.busy'] / totals['T.outer'] < .9, totals
    print(f'{trace.figures["taken"]} samples of {len(trace.threads)} rows')


def judge_killed(path):
    """Whatever moment it is: nothing in the trace points to nothing."""
    samples = []
    while len(samples) < KILLS or not any(samples) and len(samples) < 20 * KILLS:  # busy: no turn for the first threads
        with subprocess.Popen((STUB, path, '150', 'forever'), stdout=subprocess.DEVNULL) as child:
            time.sleep(random.uniform(.1, .6))
            child.kill()
        trace = sampled.Trace(path)
        faults = list(trace.faults())
        assert not faults, faults[:5]
        samples.append(len(trace.samples))
    assert any(samples)
    print(f'{len(samples)} killed, {sum(samples)} samples')


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'stub.mbtrace')
        judge_times(path)
        judge_killed(path)


main()
