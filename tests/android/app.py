"""An app on the real framework, instrumented and watched: the issues are those of its slow messages,
named by the map, and each screen reports its focus; unwatched, it does the same.

usage: app.py METHODBEAT RUNTIME_JAR ANDROID_JAR LIBRARY LEVEL...
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
import messages  # noqa: E402
from robolectric import Framework, facts_of  # noqa: E402

RUNTIME, ANDROID, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
SAMPLES = os.path.join(judge.ROOT, 'samples', 'android')
MEANT = (  # a method that explains the issue, the least that it was found to be, and where
    ('sample.shop.Catalogue.score', 'NORMAL', 'sample.shop.CatalogueActivity'),
    ('sample.shop.Bank.answer', 'ANR', 'sample.shop.CheckoutActivity'),
)
# All that launching a screen and leaving it changes; shown in this order.
SHOWN = ['CatalogueActivity', 'CheckoutActivity', 'CatalogueActivity', 'MainActivity', 'PlainActivity',
         'DetailActivity', 'LockedActivity', 'HeirActivity', 'TrivialActivity', 'ListScreen']


class Visit:
    """The app's classes and a run of it."""

    def __init__(self, framework, classes, properties, test_classes):
        options = [f'-Dmethodbeat.{name}={value}' for name, value in properties.items()]
        self.lines = framework.run('visit.Visit', test_classes, *classes, RUNTIME, ANDROID,
                                   application='sample.shop.ShopApplication', options=options)
        self.facts = facts_of(self.lines)

    def said(self):
        """What the app itself printed."""
        screens = ('SHOP ', 'own ', 'locked ', 'create ', 'resume', 'heir')
        return [line for line in self.lines if line.startswith(screens)]


def judge_starts(level, starts):
    """Cold once, and first."""
    cold = [start['screen'] for start in starts if start['kind'] == 'cold']
    judge.check(cold == ['sample.shop.CatalogueActivity'] and starts[0]['kind'] == 'cold',
                f'level {level}: starts {starts}')


def judge_names(level, mapping, issues):
    text = messages.names_of(level, mapping, issues)
    details = list(messages.STAGES)
    for name, least, scene in MEANT:
        judge.check(name in text, f'level {level}: {name} is named in\n{text}')
        found = [(issue['methodbeat']['detail'], issue['scene']) for issue in issues
                 if any(frame.startswith(f'{name}(') for frame in
                        issue['methodbeat'].get('hottest', {}).get('frames', []))]
        judge.check(len(found) == 1 and details.index(found[0][0]) >= details.index(least) and
                    found[0][1] == scene, f'level {level}: {name} explains {found}')


def judge_level(level):
    framework = Framework(level)
    app = framework.compile(f'app-{level}', [os.path.join(SAMPLES, name) for name in ('app', 'shop')],
                            RUNTIME, ANDROID)
    tests = framework.compile(f'tests-{level}', [os.path.join(HERE, 'java', name) for name in ('visit', 'stage')],
                              app, RUNTIME, ANDROID)
    output = judge.scratch(f'instrumented-{level}')
    judge.instrument('--output', output, '--classpath', framework.jars[0], app)
    instrumented = os.path.join(output, os.path.basename(app))

    plain = Visit(framework, [app], {'library': '/nowhere'}, tests)
    watched = Visit(framework, [instrumented], judge.listed({**messages.SETTINGS, 'library': LIBRARY}), tests)
    judge.check(plain.facts['watched'] == ['false'] and watched.facts['watched'] == ['true'],
                f'level {level}: watched or not')
    judge.check(len(plain.said()) > 10 and plain.said() == watched.said(),
                f'level {level}: the app does the same: {plain.said()} {watched.said()}')
    changes = [f'{name} {focus}' for name in SHOWN for focus in ('true', 'false')]
    judge.check(watched.facts.get('focus') == changes, f"level {level}: focus {watched.facts.get('focus')}")
    judge.check('focus' not in plain.facts, f'level {level}: no probes, no focus')
    judge_starts(level, [issue['methodbeat']['start'] for issue in messages.issues_of(watched.facts)
                         if issue['tag'] == 'Trace_StartUp'])
    issues = messages.judge_slow(level, watched.facts, messages.STAGES)
    judge_names(level, os.path.join(output, 'methodMapping.txt'), issues)
    apps = [issue['methodbeat']['app'] for issue in issues]
    judge.check(all((app['os'], app['os_level']) == ('Android', level) and app['id'] and app['model'] for app in apps),
                f'level {level}: whose they are: {apps}')
    judge.check(set(watched.facts.get('kept', [])) == {'true'}, f'level {level}: each issue is in a file')
    print(f'level {level}: {len(issues)} issues, {len(changes)} changes of the focus, '
          f"{len(watched.facts.get('message', []))} messages of 100 ms")


def main():
    for level in sys.argv[5:]:
        judge_level(level)
    judge.finish()


main()
