"""D8 takes the instrumented jars, the dex calls MethodBeat.i once for each traced method, and what probes
add to it is little: 16.5 % of guava.

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
MOST_GROWTH = {'guava': 0.165}  # of the dex; with --exceptions=finally it is 0.10 to 0.27
MOST_GROWTH_OF_OTHERS = 0.12


def jars_of(path, name):
    if not path.endswith('.aar'):
        return [path]
    folder = judge.scratch_folder(name)
    with zipfile.ZipFile(path) as aar:
        for entry in aar.namelist():
            if entry.endswith('.jar'):
                aar.extract(entry, folder)
    return glob.glob(os.path.join(folder, '**', '*.jar'), recursive=True)


def compile_dex(bundletool, path, what):
    """The dex files of a jar, or of the jars of an AAR."""
    folder = judge.scratch_folder(f'{what}-dex')
    judge.must(('java', *judge.BRIEF, '-cp', bundletool, 'com.android.tools.r8.D8', '--min-api', '21',
                '--output', folder, *jars_of(path, f'{what}-jars')))
    return glob.glob(os.path.join(folder, '*.dex'))


def dex(name, bundletool):
    path = judge.corpus(name)
    output = judge.scratch(f'{name}-out')
    judge.instrument('--output', output, path)
    expected = len(judge.traced(os.path.join(output, 'methodMapping.txt')))
    files = compile_dex(bundletool, os.path.join(output, os.path.basename(path)), name)
    calls = 0
    for file in files:
        listing = judge.must(('dexdump', '-d', file)).stdout
        calls += sum('invoke-static' in line and CALL in line for line in listing.splitlines())
    judge.check(calls == expected > 0, f'{name}: {calls} calls of i in the dex, {expected} traced')
    before = sum(os.path.getsize(file)
                 for file in compile_dex(bundletool, path, f'{name}-original'))
    growth = sum(os.path.getsize(file) for file in files) / before - 1
    judge.check(growth <= MOST_GROWTH.get(name, MOST_GROWTH_OF_OTHERS), f'{name}: {before} bytes of dex grow by {growth:.1%}')
    print(f'{name}: {calls} calls of i in the dex for {expected} traced methods, {before} bytes '
          f'grow by {growth:.1%}', flush=True)


if not shutil.which('dexdump'):
    judge.skip('dexdump is not installed')
tool = judge.corpus('bundletool')
for corpus_name in sys.argv[2:]:
    dex(corpus_name, tool)
judge.finish()
