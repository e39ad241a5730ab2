"""Java's strings arrive as UTF-8: names of threads, and of a file.

usage: text.py SHOW_RINGS RUNTIME_JAR LIBRARY
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
HERE = os.path.dirname(os.path.abspath(__file__))
# Half a pair is U+FFFD, a name with NUL is the system's, and what is cut is cut between characters.
NAMES = ['caf\u00e9', '\u4f60\u597d', '\U0001f600 smiles', 'half \ufffd', '\ufffd half',
         '\ufffd\U0001f600', 'a name of sixty-three bytes, the last of which are cut: 789 12']
DUMP = '\U0001f600\u00e9.mbtrace'


def names_in(trace):
    rings = judge.must((judge.METHODBEAT, trace)).stdout
    return re.findall(r'^(?!\*)(.*): 22 records, 0 unmatched', rings, re.M)


def main():
    program = judge.compile_java(judge.scratch('program'),
                                 (os.path.join(HERE, 'Program.java'),), '-cp', RUNTIME)
    for flavour in ('mapped', 'native'):
        folder = judge.scratch_folder(flavour)
        settings = {'library': LIBRARY, 'flavour': flavour, 'threads': 'all', 'main': 'none',
                    'throttle': 'off', 'file': os.path.join(folder, 't.mbtrace')}
        judge.must(('java', '-cp', f'{RUNTIME}:{program}',
                    *(f'-Dmethodbeat.{name}={value}' for name, value in settings.items()),
                    'Program', 'names', folder))
        judge.check(sorted(os.listdir(folder)) == sorted([DUMP, 't.mbtrace']),
                    f'{flavour}: files {os.listdir(folder)}')
        for file in (DUMP, 't.mbtrace'):
            found = names_in(os.path.join(folder, file))
            judge.check(found[:-1] == NAMES, f'{flavour} {file}: {found}')
            judge.check(found[-1].startswith('nul'), f'{flavour} {file}: {found[-1]!r}')
    print(f'{len(NAMES)} names')
    judge.finish()


main()
