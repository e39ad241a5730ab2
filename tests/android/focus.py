"""The probes that tell of the focus, in each Activity of the sample, on the real framework: once for each time
that it tells a window, in the same order, and by its own dispatch. (A class and its superclass have each a probe;
of both MethodBeat makes one change, which app.py judges.)

usage: focus.py METHODBEAT LEVEL...
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
from robolectric import Framework, facts_of  # noqa: E402

SAMPLE = os.path.join(judge.ROOT, 'samples', 'android', 'app')
# BaseActivity is abstract, and has a probe too: it is shown as a DetailActivity.
SCREENS = ('MainActivity', 'PlainActivity', 'DetailActivity', 'LockedActivity', 'HeirActivity', 'TrivialActivity',
           'ListScreen')
PROBES = {'DetailActivity': 2}  # classes with one among it and its superclasses; else 1
LEAST = 8  # changes of each: that to which it is launched, and Focus.CHANGES


def changes_of(facts, name):
    """By Activity."""
    found = {}
    for text in facts.get(name, []):
        screen, has_focus = text.split(' ')
        found.setdefault(screen, []).append(has_focus)
    return found


def judge_level(level):
    framework = Framework(level)
    telling = framework.compile(f'telling-{level}', [os.path.join(HERE, 'java', 'telling')])
    app = framework.compile(f'app-{level}', [SAMPLE], telling)
    tests = framework.compile(f'tests-{level}', [os.path.join(HERE, 'java', name) for name in ('focus', 'stage')])
    output = judge.scratch(f'instrumented-{level}')
    judge.instrument('--output', output, '--classpath', framework.jars[0], app)
    facts = facts_of(framework.run(
        'focus.Focus', tests, os.path.join(output, os.path.basename(app)), telling,
        options=(f"-Dfocus.screens={','.join(SCREENS)}",)))
    told, heard = changes_of(facts, 'window'), changes_of(facts, 'at')
    judge.check(sorted(told) == sorted(SCREENS), f'level {level}: the framework tells of {sorted(told)}')
    judge.check(sorted(heard) == sorted(SCREENS), f'level {level}: the probes tell of {sorted(heard)}')
    for screen in SCREENS:
        expected = [focus for focus in told.get(screen, []) for _ in range(PROBES.get(screen, 1))]
        judge.check(len(told.get(screen, [])) >= LEAST and heard.get(screen) == expected,
                    f'level {level}: {screen} is told {told.get(screen)}, its probes tell {heard.get(screen)}')
    judge.check(set(facts['dispatched']) == {'true'}, f'level {level}: called by the framework')
    print(f"level {level}: {len(facts['at'])} changes of {len(heard)} screens")


def main():
    for level in sys.argv[2:]:
        judge_level(level)
    judge.finish()


main()
