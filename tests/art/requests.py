"""Messages of the main Looper and frames as kinds of requests in ART, as android/requests.py has them on the framework; here
frames have an interval, and those that took longer are the slow ones.

usage: requests.py METHODBEAT RUNTIME_JAR ANDROID_JAR ANDROID_LIBRARY NATIVES
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[0:0] = os.path.join(HERE, '..', 'support'), os.path.join(HERE, '..', 'android')
import judge  # noqa: E402
import slow_messages  # noqa: E402
from framework import compile_framework  # noqa: E402
from recording import Recorder  # noqa: E402
from robolectric import facts_of  # noqa: E402

RUNTIME, ANDROID, LIBRARY, NATIVES = (os.path.abspath(path) for path in sys.argv[2:6])
SOURCES = os.path.join(HERE, '..', 'android', 'java', 'requests', 'Shop.java'), os.path.join(HERE, 'java', 'requests')
INTERVAL_NS, AROUND_NS = 16_666_667, 2_000_000  # of a frame around what it draws


def main():
    recorder = Recorder(RUNTIME, LIBRARY, LIBRARY)
    framework = judge.corpus('android-30')
    system = recorder.version, recorder.art.dex('system', *compile_framework(framework, RUNTIME))
    app = judge.compile_java(judge.scratch('shop'), SOURCES, '--release', '8', '-Xlint:-options', '-cp',
                             f'{RUNTIME}:{ANDROID}:{framework}')
    output, trace = judge.scratch('out'), judge.scratch('requests.mbtrace')
    judge.instrument('--output', output, '--classpath', framework, app)
    mapping = os.path.join(output, 'methodMapping.txt')
    settings = judge.listed({**slow_messages.SETTINGS, 'profile': 'on', 'library': LIBRARY, 'file': trace, 'mapping': mapping})
    done = recorder.art.run(
        'android.app.ActivityThread', 'requests.Shop', 'requests.Screen', timeout=900,
        class_path=(*system, recorder.art.dex('app', os.path.join(output, 'shop'), RUNTIME, ANDROID)),
        settings={'natives': NATIVES, **{f'methodbeat.{name}': value for name, value in settings.items()}})
    judge.check(done.returncode == 0 and not done.complaints, f'{done}')
    facts = facts_of(done.stdout.splitlines())
    rows = slow_messages.judge_run('ART', trace, mapping, facts, lambda name: name.startswith('requests.Screen'),
                              error_ns=1_500_000, other_frames=1)
    slow, frames = rows[slow_messages.KINDS['frame'][0]]['slow'], slow_messages.calls_of(facts, 'frame')
    late, most = (sum(ns > INTERVAL_NS - around for _, ns, _ in frames) for around in (0, AROUND_NS))
    judge.check(late <= slow <= most, f'{slow} slow frames, {late} to {most} late')
    judge.finish()


main()
