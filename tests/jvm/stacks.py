"""Stacks of stalls by the agent's engine beside those that Java gives: the same where Java can run, and right where it cannot.

usage: stacks.py METHODBEAT RUNTIME_JAR LIBRARY AGENT
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY, AGENT = (os.path.abspath(path) for path in sys.argv[2:5])
SOURCE = os.path.join(judge.TESTS, 'jvm', 'stacks')
SETTINGS = {'evil_ms': 500, 'sample_after_ms': 100, 'lag_ms': 1000, 'anr_ms': 60000, 'hang_ms': 60000, 'gap_ms': 600000,
            'cpu_enable': 0, 'often': '', 'spool': ''}
MS = 2500
# Java cannot stop a thread in a loop of this kind, which C2 makes of it.
UNSTOPPABLE = '-XX:-UseCountedLoopSafepoints', '-XX:+UseSerialGC'


HIDDEN = re.compile(r'.*\$\$Lambda\.|java\.lang\.Thread\.runWith\b')  # of Java's own stacks, by newer JDKs


def frames_of(kind, folder, java):
    """Of the one issue: functions with places, innermost first."""
    done = judge.run(('java', *(f'-Dmethodbeat.{name}={value}' for name, value in judge.listed(SETTINGS).items()), *java, 'Stacks', kind, str(MS)),
                     cwd=folder, timeout=120)
    judge.check(done.returncode == 0 and 'STARTED true' in done.stdout and 'DONE' in done.stdout, f'{kind}: {done}')
    issues = [json.loads(line[6:]) for line in done.stdout.splitlines() if line.startswith('ISSUE ')]
    stalls = [issue for issue in issues if issue['methodbeat']['detail'] in ('LAG', 'NORMAL', 'HANG')]
    judge.check(len(stalls) == 1, f'{kind} {java}: one issue: {done.stdout} {done.stderr}')
    frames = stalls[0]['methodbeat'].get('hottest', {}).get('frames', []) if stalls else []
    names = [re.sub(r'[/.]0x[0-9a-f]+', '', frame) for frame in frames]  # of a hidden class, another one in each run
    return [name for name in names if not HIDDEN.match(name)]


def line_of(text):
    lines = judge.read(os.path.join(SOURCE, 'Stacks.java')).splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def functions(frames):
    return [frame.split('(')[0] for frame in frames]


def callers_of(function, frames):
    return frames[functions(frames).index(function) + 1:] if function in functions(frames) else None


def judge_kind(kind, folder, by_java, by_agent):
    """Both, the more of the agent's while it takes samples, too."""
    found = {way: frames_of(kind, folder, java) for way, java in {**by_java, **by_agent}.items()}
    print(f'{kind}: ' + '; '.join(f'{way} {frames[:2]}' for way, frames in found.items()))
    return [found[way] for way in by_java] + [found[way] for way in by_agent]


def main():
    folder = judge.scratch_folder('stacks')
    classes = os.path.join(folder, 'classes')
    judge.compile_java(classes, [SOURCE], '-cp', RUNTIME)
    by_java = {'java': (f'-Dmethodbeat.library={LIBRARY}', *UNSTOPPABLE, '-cp', f'{classes}:{RUNTIME}')}
    by_agent = {'agent': (f'-agentpath:{AGENT}=file=probes.mbtrace', *UNSTOPPABLE, '-cp', classes),
                'agent with samples': (f'-agentpath:{AGENT}=file=samples.mbtrace,sample=only', *UNSTOPPABLE, '-cp', classes)}
    for kind in ('loop', 'collected'):
        old, *new = judge_kind(kind, folder, by_java, by_agent)
        places = {f'Stacks.loop(Stacks.java:{line})' for line in
                  (line_of('for (int i = 0; i < count'), line_of('value = value * 31'))}
        for frames in new:
            judge.check(frames and frames[0] in places, f'{kind}: it is in the loop: {frames}')
            judge.check(functions(frames)[:3] == ['Stacks.loop', 'Stacks.work', 'Stacks.inMessage'], f'{kind}: {frames}')
        judge.check('Stacks.work' in functions(old) or not old, f'{kind}: Java tells what it can: {old}')
    for kind, inner in (('native', 'Stacks.readSlowly'), ('deadlock', 'Stacks.takeBoth'), ('busy', 'Stacks.burn')):
        old, *new = judge_kind(kind, folder, by_java, by_agent)
        for frames in new:
            judge.check(inner in functions(frames), f'{kind}: {frames}')
            judge.check(callers_of(inner, frames) == callers_of(inner, old), f'{kind}: the same callers, and lines: {frames} {old}')
            judge.check(kind == 'busy' or frames == old, f'{kind}: the same frames: {frames} {old}')
    # By request as before.
    frames = frames_of('native', folder, (f'-agentpath:{AGENT}=file=off.mbtrace,sample_engine=jvmti', '-cp', classes))
    judge.check('Stacks.readSlowly' in functions(frames), f'another engine: {frames}')
    judge.finish()


main()
