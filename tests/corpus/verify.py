"""Every class that links in the original links after instrumentation, in each exception mode, and
stands where it stood, whatever the number of threads.

usage: verify.py METHODBEAT CORPUS...
"""
import os
import shutil
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

# What some inputs need on the class path, and modules that are patched into the JDK.
CLASS_PATHS = {'clojure': ('spec', 'core-specs'),
               'kotlin': ('kotlin-stdlib', 'kotlin-reflect', 'kotlin-script', 'trove')}
MODULES = {'jdk.compiler', 'java.desktop', 'java.xml'}
THREADS = (1, 2, 4)


def unpack_aar(path, name):
    """The jars of an AAR in a folder of their own, as they lie in it."""
    folder = judge.scratch_folder(name)
    with zipfile.ZipFile(path) as aar:
        for entry in aar.namelist():
            if entry == 'classes.jar' or (entry.startswith('libs/') and entry.endswith('.jar')):
                aar.extract(entry, folder)
    return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)


def link_input(name, path, what):
    """Link a jar, a module's folder or an AAR; class names to results."""
    if name in MODULES:
        return judge.link(path, boot=True, options=(
            '--patch-module', f'{name}={path}', '--add-reads', f'{name}=ALL-UNNAMED'))
    others = judge.corpus(*CLASS_PATHS[name]) if name in CLASS_PATHS else ()
    if not path.endswith('.aar'):
        return judge.link(path, others)
    jars = unpack_aar(path, what)
    results = {}
    for jar in jars:
        results.update(judge.link(jar, jars))
    return results


def verify(name):
    path = judge.corpus(name)
    before = link_input(name, path, f'{name}-before')
    linked = sum(result == 'ok' for result in before.values())
    judge.check(linked > 0, f'{name}: something links')
    for mode in judge.MODES:
        output = judge.scratch(f'{name}-{mode}')
        judge.instrument('--output', output, f'--exceptions={mode}', path)
        after = link_input(name, os.path.join(output, os.path.basename(path)), f'{name}-{mode}-jars')
        count = len(judge.traced(os.path.join(output, 'methodMapping.txt')))
        judge.check(count > 0, f'{name} {mode}: something is traced')
        judge.check(before.keys() == after.keys(), f'{name} {mode}: no class is lost')
        bad = [f'{cls}: {after.get(cls)}, was {result}' for cls, result in before.items()
               if result != after.get(cls)]
        judge.check(not bad, f'{name} {mode}: {len(bad)} fail: {bad[:5]}')
        print(f'{name} {mode}: {linked} of {len(before)} classes link, {len(bad)} fail, '
              f'{count} methods traced', flush=True)


def names_inside(path, what):
    """What each class calls itself, by jar and entry."""
    jars = unpack_aar(path, what) if path.endswith('.aar') else [path]
    return {(os.path.basename(jar), entry): judge.this_class(content)
            for jar in jars for entry, content in judge.classes(jar)}


def check_threads(name):
    """The class of each entry stays there, and all threads make what one makes."""
    path = judge.corpus(name)
    before = names_inside(path, f'{name}-names')
    expected = None
    for threads in THREADS:
        output = judge.scratch(f'{name}-threads')
        judge.instrument('--output', output, '--compression=store', f'--jobs={threads}', path)
        found = judge.digests(output)
        expected = expected or found
        judge.check(found == expected, f'{name}: {threads} threads write what one writes')
        if threads == THREADS[-1]:
            after = names_inside(os.path.join(output, os.path.basename(path)), f'{name}-named')
            moved = [entry for entry in before if before[entry] != after.get(entry)]
            judge.check(not moved and before.keys() == after.keys(),
                        f'{name}: {len(moved)} entries hold another class: {moved[:5]}')
        shutil.rmtree(output)
    print(f'{name}: {len(before)} classes where they were, {THREADS} threads the same', flush=True)


for corpus_name in sys.argv[2:]:
    verify(corpus_name)
    check_threads(corpus_name)
judge.finish()
