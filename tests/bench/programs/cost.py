#!/usr/bin/env python3
"""What sampling takes from a program that does the same work each time, with and without, in turn.

usage: cost.py METHODBEAT [ROUNDS]   of a release build, on a machine that has nothing else to do
A sample's time is what the sampler says that it took from the program, by the number of stacks; wall and CPU are the
least of all rounds, beside the least without the agent.
"""
import json
import os
import subprocess
import sys
import tempfile

import table

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = 2500  # rounds of Steady, some 4 s of one thread
ROWS = (  # what, threads, settings
    ('agct, main each 1 ms', 1, ('sample_engine=agct', 'sample_us=1000')),
    ('agct, main each 5 ms', 1, ('sample_engine=agct', 'sample_us=5000')),
    ('jvmti, main each 5 ms', 1, ('sample_engine=jvmti', 'sample_us=5000')),
    ('agct, 64 threads each 10 ms', 64, ('sample_engine=agct', 'sample_us=5000:10000')),
)


def timed(command):
    return table.timed(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))[0]


def findings_of(methodbeat, trace):
    """The numbers behind the sentences of the report, by their names."""
    text = subprocess.run((methodbeat, 'report', '--format', 'json', trace), check=True, capture_output=True).stdout
    found = [finding for finding in json.loads(text)['findings'] if finding['kind'] in ('SAMPLES', 'SAMPLING_COST')]
    return {name: value for finding in found for name, value in finding.items()}


def main():
    methodbeat = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    agent = os.path.join(os.path.dirname(methodbeat), '..', 'agent', 'libmethodbeat-agent.so')
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(('javac', '-d', work, os.path.join(HERE, 'Steady.java')), check=True)
        trace = os.path.join(work, 'steady.mbtrace')
        for what, threads, settings in ROWS:
            program = '-cp', work, 'Steady', str(threads), '50', str(WORK // threads)
            option = f'-agentpath:{agent}=' + ','.join(('sample=only', f'file={trace}', *settings))
            plain, sampled, told = [], [], []
            for _ in range(rounds):
                plain.append(timed(('java', *program)))
                sampled.append(timed(('java', option, *program)))
                told.append(findings_of(methodbeat, trace))
                os.remove(trace)
            wall, cpu = (min(row[i] for row in sampled) / min(row[i] for row in plain) for i in (0, 1))
            each, own = (sorted(row[name] / max(row['stacks'], 1) / 1e3 for row in told)[rounds // 2] for name in ('targetNs', 'ownNs'))
            share = sorted((row['targetNs'] / 1e9) / one[1] for row, one in zip(told, sampled))[rounds // 2]
            widest = max(row.get('widestOthersNs', row.get('widestMainNs', 0)) for row in told) / 1e6
            print(f'{what}: wall {wall:.3f}, CPU {cpu:.3f}; {each:.1f} us of the program and {own:.1f} us of the sampler a stack, '
                  f'{share:.2%} of its CPU time' + (f'; widened to {widest:.0f} ms' if widest else ''), flush=True)


if __name__ == '__main__':
    main()
