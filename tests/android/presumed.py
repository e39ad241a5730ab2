"""The real framework does what the glue presumes of it.

usage: presumed.py METHODBEAT LEVEL...
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
from robolectric import Framework, facts_of  # noqa: E402

NAMED = 'Handler (android.os.Handler) {..} Presumed$Named@..'
FACTS = {
    'set-inside': ['><'],  # not the end of the message that set it, but of the one that replaced it
    'line': [f'>>>>> Dispatching to {NAMED}: 0', f'<<<<< Finished to {NAMED}'],
    'paired': ['true'],
    'nested-loops': ['2'],
    'loops': ['1'],
    'thrown': ['>'],
    'frame-is-named': ['true'],
    'focus': ['true by framework'],
}


def main():
    for level in sys.argv[2:]:
        framework = Framework(level)
        classes = framework.compile(f'java-{level}', [os.path.join(HERE, 'java', name) for name in ('Presumed.java', 'stage')])
        facts = facts_of(framework.run('Presumed', classes))
        judge.check(facts.pop('level', None) == [level], f'level {level} runs')
        for name, expected in FACTS.items():
            judge.check(facts.get(name) == expected, f'level {level}: {name} is {facts.get(name)}')
        print(f'level {level}: {len(facts)} facts')
    judge.finish()


main()
