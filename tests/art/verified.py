"""ART's verifier thinks no worse of classes with probes than of the same without, in each mode: no class that was clean
needs checks of access, fails softly or hard, or cannot be linked, and none gets a method that is never compiled, for the
monitors that it holds.

usage: verified.py METHODBEAT RUNTIME_JAR NAME...    names of ARCHIVES, or jars
"""
import os
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
from art import Art  # noqa: E402

RUNTIME = os.path.abspath(sys.argv[2])
KOTLIN = 'gradle-kotlin', 'coroutines'
# The corpora that are judged together, and those that they are linked with.
ARCHIVES = {
    'guava': (('guava',), ()),
    'react-native': (('react-native-70',), KOTLIN),
    'background-geolocation': (('background-geolocation',), ()),
    'jverification': (('jverification',), ()),
    'androidx': (('appcompat', 'fragment', 'recyclerview', 'collection'), KOTLIN),
    'compose': (('compose-runtime', 'compose-ui'), ('collection', *KOTLIN)),
}


def jars_of(path, name):
    """A jar, or those of an AAR."""
    if not path.endswith('.aar'):
        return [path]
    jars = []
    with zipfile.ZipFile(path) as aar:
        for entry in aar.namelist():
            if entry == 'classes.jar' or (entry.startswith('libs/') and entry.endswith('.jar')):
                jars.append(judge.scratch('jars', f'{name}-{os.path.basename(entry)}'))
                with open(jars[-1], 'wb') as file:
                    file.write(aar.read(entry))
    return jars


def fetch(names):
    """The jars of corpora."""
    paths = judge.corpus(*names) if names else []
    paths = [paths] if isinstance(paths, str) else paths
    return [jar for name, path in zip(names, paths) for jar in jars_of(path, name)]


def verify(art, name):
    corpora, others = ARCHIVES.get(name, ((), ()))
    jars = fetch(corpora) or [os.path.abspath(name)]
    path = (RUNTIME, *fetch(others))
    before, _ = art.verdicts(f'{name}-before', jars, path)
    judge.check(before.classes, f'{name}: it has classes')
    print(f'{name}: {before}', flush=True)
    for mode in judge.MODES:
        output = judge.scratch(f'{name}-{mode}')
        judge.instrument('--output', output, f'--exceptions={mode}', *jars)
        traced = len(judge.traced(os.path.join(output, 'methodMapping.txt')))
        after, is_known = art.verdicts(f'{name}-{mode}', [os.path.join(output, os.path.basename(jar)) for jar in jars],
                                       path)
        worse = before.worse(after)
        judge.check(traced > 0 and not worse, f'{name} {mode}: {len(worse)} worse: {worse[:10]}')
        print(f'{name} {mode}: {traced} methods with probes, {len(worse)} worse{", as before" if is_known else ""}',
              flush=True)


runtime = Art()
for each in sys.argv[3:]:
    verify(runtime, each)
judge.finish()
