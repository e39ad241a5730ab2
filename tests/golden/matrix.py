"""--rules=matrix chooses the methods that the Matrix plug-in chose: golden/matrix/README.md."""
import gzip
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RECORDED = os.path.join(judge.TESTS, 'golden', 'matrix')
JARS = {'guava': 'guava', 'groovy': 'groovy-all'}  # corpus: folder


def methods(file, text):
    """Its lines, sorted, so that one that comes twice must come twice; ids are left out."""
    first = 1 if file == 'methodMapping.txt' else 0
    return sorted(line.split(',', first)[first] for line in text.splitlines())


def compare(what, found, expected):
    missing = sorted(set(expected) - set(found))[:5]
    extra = sorted(set(found) - set(expected))[:5]
    judge.check(found == expected, f'{what}: missing {missing}, too many {extra}')


for corpus, folder in JARS.items():
    out = judge.scratch_folder(folder)
    judge.instrument('-q', '-o', out, '--rules', 'matrix', judge.corpus(corpus))
    for file in ('methodMapping.txt', 'ignoreMethodMapping.txt'):
        found = methods(file, judge.read(os.path.join(out, file)))
        with gzip.open(os.path.join(RECORDED, folder, file + '.gz'), 'rt', encoding='utf-8') as old:
            compare(f'{folder}: {file}', found, methods(file, old.read()))
        print(f'{folder}: {len(found)} lines of {file}')
judge.finish()
