#!/usr/bin/env python3
"""Figures of the whole source that grow back unless somebody looks: prints each one beside its limit in figures.txt,
and fails above it. Lower a limit when its figure falls; raise it only with a reason in the commit.

usage: check_figures.py SOURCE_ROOT
"""
import glob
import os
import re
import sys

ROOT = os.path.abspath(sys.argv[1])
LIMITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'figures.txt')
PRODUCT, TESTS = ('src', 'classfile', 'rules'), ('tests',)
SAMPLER = re.compile(r'/sampler/|agent/(?:agct|engines|locks|methods)|/(?:test_|fuzz_)?(?:sampl|graft|stack)\w*\.\w+$')  # has a figure of its own
LARGE = 30  # fields of a struct that few should see

FUNCTION = re.compile(r'^(?!static_assert)(?:[A-Za-z_][\w \*]*[ \*])([a-z_]\w*)\([^;{}]*\)\n\{', re.M)
STRUCT = re.compile(r'^struct (\w+) \{\n(.*?)^\};', re.M | re.S)
COMMENT = re.compile(r'/\*.*?\*/', re.S)
LITERAL = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', re.S)


def read(*names):
    with open(os.path.join(ROOT, *names), encoding='utf-8') as file:
        return file.read()


def texts(folders, *ends):
    """path -> text"""
    return {path: read(path) for folder in folders for end in ends
            for path in glob.glob(os.path.join(ROOT, folder, '**', '*' + end), recursive=True)}


def count_lines(files):
    return sum(text.count('\n') for text in files.values())


def without_sampler(files):
    return {path: text for path, text in files.items() if not SAMPLER.search(path)}


def largest_struct(files):
    """(fields, name, sources that name it)"""
    structs = [(len(re.findall(r';', re.sub(r'\{.*?\}', '', LITERAL.sub('', body), flags=re.S))), name)
               for text in files.values() for name, body in STRUCT.findall(text)]
    # The header of the trace file is a file format.
    fields, name = max(row for row in structs if row[1] != 'abi_trace_header')
    return fields, name, sum(path.endswith('.c') and re.search(rf'\bstruct {name}\b', text) is not None
                             for path, text in files.items())


def one_word_names(sources):
    names = [name for text in sources.values() for name in FUNCTION.findall(text)]
    return 100 * sum('_' not in name for name in names) / len(names)


def negations(files):
    comments = [comment for text in files.values() for comment in COMMENT.findall(text)]
    words = sum(len(re.findall(r"[A-Za-z']+", comment)) for comment in comments)
    return 1000 * sum(len(re.findall(r'\b(?:is|are|was|were)\s+(?:no|none)\b', comment)) for comment in comments) / words


def circle(sources):
    """Files in the largest circle of calls among these."""
    owner = {name: path for path, text in sources.items() for name in FUNCTION.findall(text)
             if not re.search(rf'^static [^;]*\b{name}\(', text, re.M)}
    calls = {path: {owner[name] for name in set(re.findall(r'\b[a-z]\w*(?=\()', LITERAL.sub('', text)))
                    if name in owner} - {path} for path, text in sources.items()}
    reach = {}
    for path in calls:
        seen, todo = set(), [path]
        while todo:
            todo.extend(new := calls[todo.pop()] - seen)
            seen |= new
        reach[path] = seen
    return max(sum(path in reach[other] and other in reach[path] for other in calls) for path in calls)


def settings():
    manual = read('src', 'cli', 'methodbeat.1')
    options = {name for line in re.findall(r'^\.It.*Fl Fl.*', manual, re.M)
               for name in re.findall(r'Fl Fl (\S+)', line)}
    recorder = set(re.findall(r'^\.It Li (\w+)=', manual.partition('.Sh RECORDING')[2].partition('.Sh ')[0], re.M))
    monitors = re.findall(r'^MON_(?!GONE|FIXED)\w+\((\w+),', read('src', 'monitor', 'options.def'), re.M)
    return len(options) + len(recorder) + len(monitors)


def figures():
    product = texts(PRODUCT, '.c', '.h')
    sources = {path: text for path, text in product.items() if path.endswith('.c')}
    fields, name, seen_by = largest_struct(product)
    tests = texts(TESTS, '.c', '.h', '.py', '.sh', '.java')
    yield 'product', count_lines(without_sampler(product)), 'lines of C, without the sampler'
    yield 'sampler', count_lines(product) - count_lines(without_sampler(product)), 'lines of C'
    yield 'tests', count_lines(without_sampler(tests)), 'lines, without those of the sampler'
    yield 'sampled', count_lines(tests) - count_lines(without_sampler(tests)), 'lines that test the sampler'
    yield 'fields', fields, f'of the largest struct, {name}'
    yield 'seen_by', seen_by if fields >= LARGE else 0, 'sources that see it, if it is large'
    yield 'one_word', round(one_word_names(sources), 1), '% of functions'
    yield 'negations', round(negations(product), 2), '"is no", "is none" in 1,000 words of comments'
    yield 'circle', circle({path: text for path, text in sources.items() if '/recorder/' in path}), \
        'files of src/recorder that call each other in a circle'
    yield 'settings', settings(), 'names of settings and options'
    yield 'readme', read('README.md').count('\n'), 'lines'


def main():
    with open(LIMITS, encoding='utf-8') as file:
        limits = dict(line.split() for line in file if not line.startswith('#'))
    failed = False
    for name, figure, unit in figures():
        is_over = figure > float(limits[name])
        failed = failed or is_over
        print(f'{name:10} {figure:8} (limit {limits[name]}) {unit}{": ABOVE" if is_over else ""}')
    sys.exit(failed)


if __name__ == '__main__':
    main()
