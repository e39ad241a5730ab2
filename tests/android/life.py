"""An app on the real framework that is started and left in all the ways there are, and drawn: which screen
is shown, how long starts take, and what its frames come to.

usage: life.py METHODBEAT RUNTIME_JAR ANDROID_JAR LIBRARY LEVEL...
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
from robolectric import Framework, facts_of  # noqa: E402

RUNTIME, ANDROID, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
MS = 1000000
BACKGROUND_MS = 500
FIRST, SECOND = 'life.Screens$First', 'life.Screens$Second'
NEVER = 600000  # ms
SETTINGS = {**{f'{name}_ms': NEVER for name in ('evil', 'lag', 'anr', 'hang', 'gap')},
            **{f'start_{name}_ms': NEVER for name in ('cold', 'warm', 'hot', 'soon', 'most')},
            'often': '', 'cpu_enable': 0}
STEPS = {  # '' is the background
    'none': '', 'first': FIRST, 'second': SECOND, 'back': FIRST, 'rotated': FIRST, 'dialog': FIRST,
    'dismissed': FIRST, 'beside': SECOND, 'touched': FIRST, 'touched-other': SECOND, 'finished': FIRST,
    'home-soon': None, 'home': '', 'again': FIRST, 'left': '', 'new': FIRST,
}
LEAST_MS = {'cold': 100, 'hot': 60, 'warm': 100}  # what the screen takes by itself
JERKY = {  # 20 frames of 20, 30 and 40 ms and what the system adds, in six intervals of 60 Hz
    'scene': 'life.Frames$Jerky', 'UNKNOWN_DELAY_DURATION': 1 * MS, 'INPUT_HANDLING_DURATION': 20 * MS,
    'ANIMATION_DURATION': 30 * MS, 'LAYOUT_MEASURE_DURATION': 40 * MS, 'DRAW_DURATION': 1 * MS,
    'SYNC_DURATION': 1 * MS, 'COMMAND_ISSUE_DURATION': 2 * MS, 'SWAP_BUFFERS_DURATION': 1 * MS,
    'TOTAL_DURATION': 96 * MS, 'DROP_COUNT': 5, 'REFRESH_RATE': 60, 'fps': 10.0,
}


def judge_steps(level, facts, issues):
    """The screen that is shown; the background begins half a second after the last one was left."""
    asked = {step: (int(before), int(after))
             for step, before, after in (text.split() for text in facts['asked'])}
    found = {issue['methodbeat']['told']['key']: issue['scene'] if issue['methodbeat']['foreground'] else ''
             for issue in issues if issue['methodbeat']['detail'] == 'STEP'}
    first_left, last_left = map(int, facts['stopped'][0].split())
    soon = [scene for scene, can_be in (
        (FIRST, asked['home-soon'][0] - last_left <= BACKGROUND_MS * MS),
        ('', asked['home-soon'][1] - first_left >= BACKGROUND_MS * MS)) if can_be]
    for step, scene in STEPS.items():
        judge.check(found.get(step) in (soon if scene is None else [scene]),
                    f'level {level}: {step} shows {found.get(step)!r}')
    judge.check(list(found) == list(STEPS), f'level {level}: steps {list(found)}')


def judge_starts(level, facts, issues):
    starts = [issue['methodbeat'] for issue in issues if issue['tag'] == 'Trace_StartUp' and
              issue['methodbeat']['start']['screen'] == FIRST]
    judge.check([start['start']['kind'] for start in starts] == list(LEAST_MS), f'level {level}: starts {starts}')
    for start, text in zip(starts, facts['start']):
        kind, before, after = text.split()
        most = (int(after) - int(before)) / MS
        cost = start['cost_ns'] / MS
        judge.check(start['start']['kind'] == kind and cost >= LEAST_MS[kind] and
                    (kind == 'cold' or cost <= most), f'level {level}: {kind} start of {cost} ms, {most} at most')
        told = start['start']
        moments = [told.get(f'{name}_ms') for name in ('focused', 'fully_drawn', 'drawn')]
        judge.check(moments == sorted(moments) if kind == 'cold' and None not in moments else
                    kind != 'cold' and moments[1:] == [None, None], f'level {level}: {told}')
        judge.check(moments[0] >= LEAST_MS[kind], f'level {level}: {told}')


def judge_frames(level, facts, issues):
    drawn = [issue for issue in issues if issue['tag'] == 'Trace_FPS']
    if not judge.check(len(drawn) == 1, f'level {level}: one scene is drawn badly: {drawn}'):
        return
    if level < 24:
        judge_stages(level, facts, drawn[0])
        return
    issue = drawn[0]
    for key, value in JERKY.items():
        judge.check(issue.get(key) == value, f'level {level}: {key} is {issue.get(key)}')
    frames = issue['methodbeat']['frames']
    judge.check(issue['dropLevel'] == {'DROPPED_BEST': 0, 'DROPPED_NORMAL': 20, 'DROPPED_MIDDLE': 0,
                                       'DROPPED_HIGH': 0, 'DROPPED_FROZEN': 0} and
                issue['dropSum']['DROPPED_NORMAL'] == 100, f"level {level}: {issue['dropLevel']} {issue['dropSum']}")
    judge.check((frames['count'], frames['janky'], frames['lost']) == (20, 20, 3), f'level {level}: {frames}')
    judge.check(frames['drawing_ms'] in (1999, 2000), f"level {level}: {frames['drawing_ms']} ms")


def judge_stages(level, facts, issue):
    """As long as they were by the framework's clock, which stands still within a stage; its end is the machine's."""
    frames = [[int(word) for word in text.split()] for text in facts['stages']]
    took = [sum(stage) / len(frames) for stage in zip(*frames)]
    found = [issue[f'{key}_DURATION'] / MS for key in ('INPUT_HANDLING', 'ANIMATION', 'LAYOUT_MEASURE')]
    judge.check(issue['scene'] == 'life.Stages$Jerky' and issue['methodbeat']['frames']['janky'] == len(frames) and
                abs(found[0] - took[0]) < 1 and abs(found[1] - took[1]) < 1 and took[2] - 1 < found[2] < took[3] + 1,
                f'level {level}: stages are {found}, and took {took}: {issue}')


def judge_overlay(level, facts):
    """A panel of its own, that takes no focus, is drawn, and goes with its screen."""
    drawn = facts.get('overlay-text', [''])[0], int(facts.get('overlay-rectangles', ['0'])[0])
    bars = 5 if level >= 24 else 0  # of 200 ms
    judge.check(facts.get('overlay') == ['1000 true true'], f"level {level}: overlay {facts.get('overlay')}")
    judge.check(re.fullmatch(r'\d+ / 60 fps  \d+', drawn[0]) and drawn[1] >= 8 + bars, f'level {level}: drawn is {drawn}')
    judge.check(facts.get('overlay-left') == ['null'] and facts.get('overlay-back') == ['true'],
                f'level {level}: it goes and comes')


def judge_classes(level, log):
    """What a level does not need is not even loaded."""
    loaded = {line.split()[0] for line in re.findall(r'\bmethodbeat\.[\w$]+ source:.*', judge.read(log))}
    only = {'Frames23': range(23, 24), 'Frames24': range(24, 99), 'Exits30': range(30, 99), 'Starts35': range(35, 99)}
    for name, levels in only.items():
        judge.check((f'methodbeat.{name}' in loaded) == (level in levels), f'level {level}: {name} in {loaded}')


def judge_reasons(framework, classes):
    """From level 35 on the system says what a process was started for: the launcher, a broadcast, or it does not."""
    for reason, kinds, least in ((6, ['cold'], 5000), (3, ['warm'], 0), (8, ['cold', 'warm'], 0)):
        options = [f'-Dstarted.reason={reason}',
                   *(f'-Dmethodbeat.{name}={value}' for name, value in judge.listed({**SETTINGS, 'library': LIBRARY}).items())]
        facts = facts_of(framework.run('started.Started', classes, RUNTIME, ANDROID, options=options))
        starts = [issue['methodbeat'] for issue in map(json.loads, facts.get('issue', [])) if issue['tag'] == 'Trace_StartUp']
        judge.check([start['start']['kind'] in kinds and start['cost_ns'] >= least * MS for start in starts] == [True],
                    f'reason {reason}: {starts}')


def judge_level(level):
    framework = Framework(level)
    classes = framework.compile(f'java-{level}', [os.path.join(HERE, 'java', name) for name in ('life', 'stage', 'started')],
                                RUNTIME, ANDROID)
    log = judge.scratch(f'classes-{level}')
    options = [f'-Xlog:class+load:file={log}',
               *(f'-Dmethodbeat.{name}={value}' for name, value in judge.listed({**SETTINGS, 'library': LIBRARY}).items())]
    facts = facts_of(framework.run('life.Life', classes, RUNTIME, ANDROID, application='life.App', options=options))
    issues = [json.loads(text) for text in facts.get('issue', [])]
    judge.check(facts.get('watched') == ['true'], f'level {level}: watched')
    judge_steps(level, facts, issues)
    judge_starts(level, facts, issues)
    judge_frames(int(level), facts, issues)
    judge_overlay(int(level), facts)
    judge_classes(int(level), log)
    if int(level) >= 35:
        judge_reasons(framework, classes)
    print(f'level {level}: {len(STEPS)} steps, {len(issues)} issues')


def main():
    for level in sys.argv[5:]:
        judge_level(level)
    judge.finish()


main()
