"""An app under the monitors in ART, from its start to the files of its issues: the sample of samples/android, with Android's
own messages, frames and Application, whose natives are natives.c, and the windows of java/app. Then the same app behind
R8, as one that may be debugged: its mapping names the sampled frames, and what was inlined.

usage: monitors.py METHODBEAT RUNTIME_JAR ANDROID_JAR ANDROID_LIBRARY NATIVES
"""
import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
import sampled  # noqa: E402
from framework import compile_framework  # noqa: E402
from recording import Recorder  # noqa: E402

RUNTIME, ANDROID, LIBRARY, NATIVES = (os.path.abspath(path) for path in sys.argv[2:6])
SHOP = os.path.join(judge.ROOT, 'samples', 'android', 'shop')
APP = 'sample.shop.ShopApplication', 'sample.shop.CatalogueActivity'
FIND, SLOW = 'sample.shop.Catalogue', f'{APP[1]}.search'
SETTINGS = {'evil_ms': 700, 'lag_ms': 60000, 'gap_ms': 600000, 'often': '', 'cpu_enable': 0, 'sample_after_ms': 100, 'start_cold_ms': 1}
RULES = '''-keep class sample.shop.ShopApplication, sample.shop.CatalogueActivity { public *; }
-keepattributes SourceFile,LineNumberTable
-renamesourcefileattribute SourceFile
-repackageclasses
-dontwarn **
'''


def shrink(home, framework, app, level):
    """The app by R8, with the rules that the jars bring: a jar of dex, and its mapping."""
    shrunk, mapping, rules = (judge.scratch(level, name) for name in ('shrunk.jar', 'mapping.txt', 'app.pro'))
    with open(rules, 'w', encoding='utf-8') as file:
        file.write(RULES)
    judge.must(('jar', 'cfM', judge.scratch('app.jar'), '-C', app, '.'))
    judge.must(('java', *judge.BRIEF, '-cp', f'{home}/d8.jar', 'com.android.tools.r8.R8', judge.scratch('app.jar'), RUNTIME, ANDROID,
                '--min-api', level, '--lib', f'{home}/core.jar', '--lib', framework, '--pg-conf', rules, '--pg-map-output', mapping,
                '--output', shrunk))
    return shrunk, mapping


class App:
    """A run: its issues by detail or tag, the slow message as it is shown, and what else it left."""

    def __init__(self, what, recorder, *dex, names, **more):
        self.what = what
        files, trace = judge.scratch_folder(what), judge.scratch(f'{what}.mbtrace')
        settings = judge.listed({**SETTINGS, 'library': LIBRARY, 'file': trace, 'mapping': names[1], 'sample': 'both'})
        done = recorder.art.run('android.app.ActivityThread', *APP, class_path=dex, settings={
            'files': files, 'natives': NATIVES, **{f'methodbeat.{name}': value for name, value in settings.items()}, **more})
        self.check(done.returncode == 0 and done.stdout == 'SHOP opened\nSHOP catalogue\nSHOP found cherry\n', done)
        self.check(not done.complaints, done.complaints)
        self.said = [line for line in done.stderr.splitlines() if line.startswith('methodbeat: ')]
        issues = [json.loads(judge.read(path)) for path in glob.glob(f'{files}/issues/**/*.json', recursive=True)]
        issues = [issue for issue in issues if 'tag' in issue]  # not what its session came to
        # A busy machine has other slow messages.
        self.issues = {issue.get('detail', issue['tag']): issue for issue in issues
                       if issue.get('detail') != 'NORMAL' or SLOW in ' '.join(issue['methodbeat']['hottest']['frames'])}
        who = {'id': 'sample.shop', 'version': '5.2', 'code': 52, 'maker': 'Acme', 'os': 'Android', 'os_level': '30'}
        self.check(all({**issue['methodbeat']['app'], **who} == issue['methodbeat']['app'] for issue in issues), issues)
        self.check(sorted(self.issues) == ['NORMAL', 'STARTUP', 'Trace_FPS', 'Trace_StartUp'], issues)
        shown = judge.must((judge.METHODBEAT, 'issues', '--format=json', '--strict', *names, f'{files}/issues')).stdout
        self.slow, = (group['longest'] for group in json.loads(shown)['groups'] if SLOW in ' '.join(group['longest'].get('frames', ())))
        self.raw = self.issues['NORMAL']['methodbeat']['hottest']['frames']
        self.trace = sampled.Trace(trace)

    def check(self, holds, shown):
        judge.check(holds, f'{self.what}: {shown}')

    def judge_issues(self):
        """The cold start by an Activity, 19 frames of 100 ms behind one in time, and a search that takes a second."""
        start, drawn, slow = (self.issues[name] for name in ('Trace_StartUp', 'Trace_FPS', 'NORMAL'))
        told = start['methodbeat']['start']
        self.check(start['application_create_scene'] == 159 and told['kind'] == 'cold' and told['screen'] == APP[1] and
                   'drawn_ms' in told and 'focused_ms' in told, start)
        frames = drawn['methodbeat']['frames']
        self.check((frames['count'], frames['lost'], drawn['REFRESH_RATE']) == (20, 0, 60) and frames['janky'] >= 19 and
                   drawn['LAYOUT_MEASURE_DURATION'] >= 95e6, drawn)
        self.check(slow['scene'] == drawn['scene'] == APP[1] and slow['methodbeat']['loop'] == 'main' and slow['cost'] > 900 and
                   'Handler (android.app.ActivityThread$H)' in slow['methodbeat']['message'], slow)
        self.check([call['name'] for call in self.slow['calls'][:4]] == ['(message)', SLOW, f'{FIND}.find',
                   f'{FIND}.score'], self.slow['calls'])

    def frames(self):
        """Of the app: names, with the lines of those that call others."""
        frames = [re.sub(r'\(\w+\.java:(\d+)\)', r':\1', frame) for frame in self.slow['frames']]
        return [re.sub(r'(score):\d+', r'\1', frame) for frame in frames if frame.startswith('sample.')]

    def judge_samples(self):
        faults = list(self.trace.faults())
        late = self.trace.totals('running', 'main') + self.trace.totals('waiting', 'main')
        self.check(self.trace.figures['engine'] == 3 and late[SLOW] > 500e6 and not faults, f'{late} {faults[:5]}')


def main():
    recorder = Recorder(RUNTIME, LIBRARY, LIBRARY)
    framework = judge.corpus('android-30')
    # Before the app, in which R8 stands in for what its level does not have.
    system = recorder.version, recorder.art.dex('system', *compile_framework(framework, RUNTIME))
    shop = judge.compile_java(judge.scratch('shop'), (SHOP,), '--release', '8', '-Xlint:-options', '-cp',
                              f'{RUNTIME}:{ANDROID}:{framework}')
    output = judge.scratch('out')
    judge.instrument('--output', output, '--classpath', framework, shop)
    names = '--method-map', os.path.join(output, 'methodMapping.txt')
    app = os.path.join(output, 'shop')
    plain = App('plain', recorder, *system, recorder.art.dex('app', app, RUNTIME, ANDROID), names=names)
    runs = [plain]
    for level in '21', '26':  # from the latter on, frames without lines have their instruction's number
        dex, mapping = shrink(recorder.art.home, framework, app, level)
        runs.append(App(level, recorder, *system, dex, names=(*names, '--mapping', mapping), debuggable='true'))
    plain.check([frame.split(':')[0] for frame in plain.frames()] == [f'{FIND}.score', f'{FIND}.find', SLOW], plain.raw)
    for run in runs:
        run.judge_issues()
        run.judge_samples()
        run.check(run.frames() == plain.frames(), f'{run.slow} of {run.raw}')
        raw = [frame for frame in run.raw if frame.startswith('sample.')]
        run.check(len(raw) == (3 if run == plain else 2), f'R8 inlines one: {raw}')
        run.check(len(run.said) == (run != plain) and all('late messages only' in line for line in run.said), run.said)
        print(f'{run.what}: {run.frames()} from {raw}', flush=True)
    judge.finish()


main()
