"""D8 takes the instrumented jars, and the dex calls MethodBeat.i once for each traced method.

usage: dex.py METHODBEAT CORPUS...
"""
import glob
import os
import shutil
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

CALL = 'Lmethodbeat/MethodBeat;.i:(I)V'


def jars_of(path, name):
    if not path.endswith('.aar'):
        return [path]
    folder = judge.scratch_folder(name)
    with zipfile.ZipFile(path) as aar:
        for entry in aar.namelist():
            if entry.endswith('.jar'):
                aar.extract(entry, folder)
    return glob.glob(os.path.join(folder, '**', '*.jar'), recursive=True)


def dex(name, bundletool):
    path = judge.corpus(name)
    output = judge.scratch(f'{name}-out')
    judge.instrument('--output', output, path)
    expected = len(judge.traced(os.path.join(output, 'methodMapping.txt')))
    folder = judge.scratch_folder(f'{name}-dex')
    judge.must(('java', '-cp', bundletool, 'com.android.tools.r8.D8', '--min-api', '21',
                '--output', folder,
                *jars_of(os.path.join(output, os.path.basename(path)), f'{name}-jars')))
    calls = 0
    for file in glob.glob(os.path.join(folder, '*.dex')):
        listing = judge.must(('dexdump', '-d', file)).stdout
        calls += sum('invoke-static' in line and CALL in line for line in listing.splitlines())
    judge.check(calls == expected > 0, f'{name}: {calls} calls of i in the dex, {expected} traced')
    print(f'{name}: {calls} calls of i in the dex for {expected} traced methods', flush=True)


if not shutil.which('dexdump'):
    judge.skip('dexdump is not installed')
tool = judge.corpus('bundletool')
for corpus_name in sys.argv[2:]:
    dex(corpus_name, tool)
judge.finish()
