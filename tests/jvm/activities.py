"""The Android sample: each Activity reports its focus, and nothing else does."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

ANDROID = os.path.join(judge.ROOT, 'samples', 'android')
# What Driver does, screen by screen. DetailActivity and its abstract superclass both got a method.
EXPECTED = [
    'at sample.app.MainActivity true',
    'at sample.app.PlainActivity true',
    'at sample.app.DetailActivity true',
    'at sample.app.DetailActivity true',
    'at sample.app.LockedActivity true',
    'at sample.app.HeirActivity true',
    'at sample.app.TrivialActivity true',
    'at sample.app.ListScreen true',
    'at sample.app.MainActivity false',
]


def run(folder, stubs, calls=None):
    done = judge.java('-cp', f'{folder}:{stubs}', 'sample.app.Driver', calls=calls,
                      count=judge.scratch('count'))
    judge.check(done.returncode == 0, f'exit code {done.returncode}: {done.stderr}')
    return done.stdout


def main():
    stubs = judge.compile_java(judge.scratch('stubs'), (os.path.join(ANDROID, 'stubs'),))
    app = judge.compile_java(judge.scratch('app'), (os.path.join(ANDROID, 'app'),), '-cp', stubs)
    expected = run(app, stubs)
    ways = [(mode, known) for mode in judge.MODES for known in ((), ('--classpath', stubs))]
    # The class path may be a jar or a folder; a framework Activity is known without it.
    for mode, known in ways:
        output = judge.scratch(f'{mode}{len(known)}')
        calls = judge.scratch('calls')
        judge.instrument('--output', output, f'--exceptions={mode}', *known, app)
        judge.check(run(os.path.join(output, 'app'), stubs, calls) == expected, f'{mode} {known}')
        found = [line for line in judge.read(calls).splitlines() if line.startswith('at ')]
        judge.check(found == EXPECTED, f'{mode} {known}: {found}')
        judge.check(set(judge.link(os.path.join(output, 'app'), (stubs,)).values()) == {'ok'},
                    f'{mode}: all classes link')
    print(f'{len(EXPECTED)} calls of at in each of {len(ways)} runs')
    judge.finish()


main()
