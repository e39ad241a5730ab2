"""An app that others have published, as they compiled it: ZXing's barcode scanner, on the real framework with its
own resources. Instrumented and watched, what is told are its cold start, its screens and its slow message, named
by the map, and nothing else; without probes, glue and recorder it shows the same. By hand, after
`. tests/packages.sh; install_packages aapt`:

usage: published.py METHODBEAT RUNTIME_JAR ANDROID_JAR LIBRARY LEVEL...
"""
import os
import shutil
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
import messages  # noqa: E402
from robolectric import Framework, facts_of  # noqa: E402

RUNTIME, ANDROID, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
PACKAGE = 'barcodescanner.xservices.nl.barcodescanner'
APP = 'com.google.zxing.client.android'
# Its CaptureActivity needs Google's support library, which is in no registry that the tests use.
SCREENS = ('encode.EncodeActivity', 'PreferencesActivity', 'encode.EncodeActivity', 'history.HistoryActivity')
# What the app that takes the package in says of its Activities.
MANIFEST = f'''<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="{PACKAGE}">
<uses-sdk android:minSdkVersion="15" android:targetSdkVersion="23" />
<application>{''.join(f'<activity android:name="{APP}.{name}" />' for name in sorted(set(SCREENS)))}</application>
</manifest>
'''
SLOW = 300  # the hard text takes longer, on a fast machine too
SETTINGS = {**messages.SETTINGS, 'evil_ms': SLOW,
            **{f'{name}_ms': messages.NEVER for name in ('lag', 'anr')}}
EXPLAINS = 'com.google.zxing.aztec.encoder.HighLevelEncoder.'  # is in the stack of the hard text's message


class Package:
    """The published one, unpacked, its resources compiled against a level."""

    def __init__(self, level):
        self.folder = judge.scratch_folder(f'package-{level}')
        with zipfile.ZipFile(judge.corpus('zxing')) as archive:
            archive.extractall(self.folder)
        self.classes = os.path.join(self.folder, 'classes.jar')
        resources = os.path.join(self.folder, 'resources.apk')
        assets = os.path.join(self.folder, 'assets')
        manifest = self._put('AndroidManifest.xml', MANIFEST)
        constants = judge.scratch_folder(f'R-{level}')
        judge.must(('aapt', 'package', '-f', '-M', manifest, '-S', os.path.join(self.folder, 'res'), '-A', assets,
                    '-I', judge.corpus(f'android-{level}'), '-F', resources, '-J', constants))
        self.constants = judge.compile_java(judge.scratch(f'constants-{level}'), [constants])
        self.configuration = os.path.join(self.folder, 'configuration')
        self._put('configuration/com/android/tools/test_config.properties',
                  f'android_merged_manifest={manifest}\nandroid_resource_apk={resources}\n'
                  f'android_merged_assets={assets}\nandroid_custom_package={PACKAGE}\n')

    def _put(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def visit(self, framework, *class_path, **more):
        """The facts, and what was shown."""
        lines = framework.run('published.Published', self.configuration, self.constants, *class_path, **more)
        return facts_of(lines), [line for line in lines if line.startswith('SCREEN ')]


def judge_slow(level, facts):
    """Those that were slow, and no others; the hard text was."""
    slow = messages.judge_slow(level, facts, {'NORMAL': SLOW})
    hard = [issue['scene'] for issue in slow if any(
        frame.startswith(EXPLAINS) for frame in issue['methodbeat'].get('hottest', {}).get('frames', []))]
    judge.check(len(hard) == 1, f'level {level}: {EXPLAINS} explains {hard} of {slow}')


def judge_told(level, facts):
    """Cold start, steps, slow messages, and none else; all of them."""
    issues = messages.issues_of(facts)
    starts = [issue['methodbeat']['start'] for issue in issues if issue['tag'] == 'Trace_StartUp']
    steps = [(issue['methodbeat']['told']['key'], issue['scene']) for issue in issues
             if issue['methodbeat']['detail'] == 'STEP']
    slow = [issue for issue in issues if issue['methodbeat']['detail'] == 'NORMAL']
    judge.check([(start['kind'], start['screen']) for start in starts if start['kind'] == 'cold'] ==
                [('cold', f'{APP}.{SCREENS[0]}')] and starts[0]['kind'] == 'cold', f'level {level}: starts {starts}')
    judge.check(steps == [(name, f'{APP}.{name}') for name in SCREENS], f'level {level}: steps {steps}')
    judge.check(len(starts) + len(steps) + len(slow) == len(issues),
                f'level {level}: told too: {[issue for issue in issues if issue not in slow]}')
    judge_slow(level, facts)
    return issues


def judge_names(level, mapping, issues):
    """As people read them."""
    text = messages.names_of(level, mapping, issues)
    for name in ('EncodeActivity.onCreate', 'com.google.zxing.aztec.encoder.'):
        judge.check(name in text, f'level {level}: {name} is named in\n{text}')


def judge_level(level):
    framework = Framework(level)
    package = Package(level)
    stage = os.path.join(HERE, 'java', 'stage')
    script = os.path.join(HERE, 'java', 'published')
    tests = framework.compile(f'tests-{level}', [stage, os.path.join(script, 'Published.java')])
    watcher = framework.compile(f'watcher-{level}', [os.path.join(script, 'Watched.java')], tests, RUNTIME, ANDROID)
    output = judge.scratch(f'instrumented-{level}')
    judge.instrument('--output', output, '--classpath', framework.jars[0], package.classes)
    plain, screens = package.visit(framework, tests, package.classes)
    watched, same = package.visit(
        framework, tests, watcher, os.path.join(output, 'classes.jar'), RUNTIME, ANDROID,
        application='published.Watched', options=[f'-Dmethodbeat.{name}={value}' for name, value in
                                                  {**SETTINGS, 'library': LIBRARY}.items()])
    judge.check(watched['watched'] == ['true'], f'level {level}: watched')
    judge.check(len(screens) == len(SCREENS) and same == screens, f'level {level}: shows {screens} {same}')
    judge.check(watched.get('focus') == [f"{name.split('.')[-1]} {focus}" for name in SCREENS
                                         for focus in ('true', 'false')], f"level {level}: {watched.get('focus')}")
    issues = judge_told(level, watched)
    judge_names(level, os.path.join(output, 'methodMapping.txt'), issues)
    print(f'level {level}: {len(issues)} issues; messages of 100 ms, without: '
          f"{[text.split()[1] for text in plain.get('message', [])]}, with: "
          f"{[text.split()[1] for text in watched.get('message', [])]}")


def main():
    if not shutil.which('aapt'):
        judge.skip('aapt is not installed')
    for level in sys.argv[5:]:
        judge_level(level)
    judge.finish()


main()
