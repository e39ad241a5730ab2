"""Messages of the main Looper and frames as kinds of requests, on Android's own framework: how long they took beside what
the program measured, and why the slow ones did, by the report and by the issues of the monitors alike.

usage: requests.py METHODBEAT RUNTIME_JAR ANDROID_JAR LIBRARY LEVEL...
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
import slow_messages  # noqa: E402
from robolectric import Framework, facts_of  # noqa: E402

RUNTIME, ANDROID, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])


def judge_level(level):
    framework = Framework(level)
    folder = os.path.join(HERE, 'java')
    app = framework.compile(f'app-{level}', [os.path.join(folder, 'requests', 'Shop.java')], RUNTIME, ANDROID)
    tests = framework.compile(f'tests-{level}', [os.path.join(folder, 'requests', 'Requests.java'), os.path.join(folder, 'stage')],
                              app, RUNTIME, ANDROID)
    output, trace = judge.scratch(f'instrumented-{level}'), judge.scratch(f'trace-{level}')
    judge.instrument('--output', output, '--classpath', framework.jars[0], app)
    mapping = os.path.join(output, 'methodMapping.txt')
    settings = judge.listed({**slow_messages.SETTINGS, 'library': LIBRARY, 'file': trace, 'mapping': mapping})
    facts = facts_of(framework.run('requests.Requests', tests, os.path.join(output, os.path.basename(app)), RUNTIME, ANDROID,
                                   application='requests.Shop',
                                   options=[f'-Dmethodbeat.{name}={value}' for name, value in settings.items()]))
    slow_messages.judge_run(f'level {level}', trace, mapping, facts, lambda name: name.startswith('org.robolectric.'))


def main():
    for level in sys.argv[5:]:
        judge_level(level)
    judge.finish()


main()
