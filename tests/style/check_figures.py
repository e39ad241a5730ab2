#!/usr/bin/env python3
"""Figures of the whole source that grow back unless somebody looks: prints each one beside its limit in figures.txt,
and fails above it. Lower a limit when its figure falls. The last commit that raised one says so in a line of its
message, "Limit NAME: what was deleted for it", or the test fails too.

usage: check_figures.py SOURCE_ROOT
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.abspath(sys.argv[1])
LIMITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'figures.txt')
PRODUCT, TESTS = ('src', 'classfile', 'rules'), ('tests',)
FEATURES = tuple((name, re.compile(paths)) for name, paths in (
    ('sampler', r'/sampler/|/jvmti/|agent/(?:agct|engines|watched)|/(?:sampl|graft|stack|late\b)\w*\.\w+$'),
    ('builds', r'/plan/(?:ids|ids_order|keys|names)\.|/slices\.|/cli/(?:collect|number)\.'),
    ('fleet', r'/(?:fleet|identity)(?:_\w+)?(?:/|\.\w+$)'),
    ('ports', r'/base/(?:platform|posix|windows)|/cli/ports/')))
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


def of_feature(feature, files):
    return {path: text for path, text in files.items() if feature.search(path[len(ROOT):])}


def of_rest(files):
    return {path: text for path, text in files.items() if not any(feature.search(path[len(ROOT):]) for _, feature in FEATURES)}


def structs(files):
    """name -> its declarations; the header of the trace file is a file format, and no struct of ours"""
    return {name: re.sub(r'\{.*?\}', '', LITERAL.sub('', body), flags=re.S)
            for text in files.values() for name, body in STRUCT.findall(text) if name != 'abi_trace_header'}


def sources_that_name(struct, files):
    return sum(bool(re.search(rf'\bstruct {struct}\b', text)) for path, text in files.items() if path.endswith('.c'))


def fields_of(name, all_structs):
    """Fields, those of structs inside in their place."""
    inner = re.findall(r'\bstruct (\w+) \w+(?:\[[^;]*\])?;', all_structs[name])
    return all_structs[name].count(';') + sum(fields_of(other, all_structs) - 1
                                              for other in inner if other in all_structs and other != name)


def most_seen(files):
    """(sources, name, fields through members) of the large struct that most sources name"""
    all_structs = structs(files)
    return max((sources_that_name(name, files), name, fields_of(name, all_structs))
               for name in all_structs if fields_of(name, all_structs) >= LARGE)


def one_word_names(sources):
    names = [name for text in sources.values() for name in FUNCTION.findall(text)]
    return 100 * sum('_' not in name for name in names) / len(names)


def negations(files):
    comments = [comment for text in files.values() for comment in COMMENT.findall(text)]
    words = sum(len(re.findall(r"[A-Za-z']+", comment)) for comment in comments)
    return 1000 * sum(len(re.findall(r'\b(?:is|are|was|were)\s+(?:no|none)\b', comment)) for comment in comments) / words


def circle(sources):
    """Files that are in some circle of calls among these, and files in the largest."""
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
    sizes = [sum(path in reach[other] and other in reach[path] for other in calls) for path in calls]
    return sum(size > 1 for size in sizes), max(sizes, default=0)


def circles(sources):
    """Files that call each other in circles within their room, of all rooms."""
    rooms = {os.path.dirname(path) for path in sources}
    return sum(circle({path: text for path, text in sources.items() if os.path.dirname(path) == room})[0]
               for room in rooms)


def of_recorder():
    manual = read('src', 'cli', 'methodbeat.1')
    return set(re.findall(r'^\.It Li (\w+)=', manual.partition('.Sh RECORDING')[2].partition('.Sh ')[0], re.M))


def of_monitors():
    return re.findall(r'^MON_(?!PART|ITEM|FIXED)\w+\((\w+),', read('src', 'monitor', 'options.def'), re.M)


def by_command():
    """Options, each counted once for each command that has it, and settings."""
    commands = re.findall(r'^CLI_OPTION\("[a-z-]+", "([a-z, ]+)"', read('src', 'cli', 'options.def'), re.M)
    options = sum(len(names.split(', ')) for names in commands)
    return options + len(of_recorder()) + len(of_monitors())


def settings():
    options = set(re.findall(r'^CLI_OPTION\("([a-z-]+)"', read('src', 'cli', 'options.def'), re.M))
    return len(options) + len(of_recorder()) + len(of_monitors())


def figures():
    product = texts(PRODUCT, '.c', '.h')
    sources = {path: text for path, text in product.items() if path.endswith('.c')}
    all_structs = structs(product)
    fields, name = max((body.count(';'), name) for name, body in all_structs.items())
    seen_by, most, members = most_seen(product)
    tests = texts(TESTS, '.c', '.h', '.py', '.sh', '.java')
    yield 'product', count_lines(product), 'lines of C, which the next rows add up to'
    yield 'core', count_lines(of_rest(product)), 'lines of C of no feature'
    for row, feature in FEATURES:
        yield row, count_lines(of_feature(feature, product)), 'lines of C of this feature'
    yield 'cli', count_lines(of_rest(texts(('src/cli',), '.c', '.h'))), 'lines of C in the room of the command'
    yield 'java', count_lines(texts(PRODUCT, '.java')), 'lines of Java'
    yield 'page', count_lines(texts(('src/formats/page',), '.js', '.css', '.html')), 'lines of the page'
    yield 'data', count_lines(texts(PRODUCT, '.txt', '.def')), 'lines of data in .txt and .def'
    yield 'manual', count_lines(texts(('src/cli',), '.1')), 'lines of the man pages, without options'
    yield 'tests', count_lines(tests), 'lines of tests'
    yield 'fields', fields, f'of the largest struct, {name}'
    yield 'seen_by', sources_that_name(name, product) if fields >= LARGE else 0, 'sources that see it, if it is large'
    yield 'members', members, f'of {most}, through its members,'
    yield 'members_by', seen_by, f'which most sources see of those with {LARGE} or more'
    yield 'one_word', round(one_word_names(sources), 1), '% of functions'
    yield 'negations', round(negations(product), 2), '"is no", "is none" in 1,000 words of comments'
    yield 'circle', circle({path: text for path, text in sources.items() if '/recorder/' in path})[1], \
        'files of src/recorder that call each other in a circle'
    yield 'circles', circles(sources), 'files that call each other in a circle within their room'
    yield 'settings', settings(), 'names of settings and options'
    yield 'by_command', by_command(), 'settings, and options by command'
    yield 'readme', read('README.md').count('\n'), 'lines'


def git(*words):
    done = subprocess.run(('git', '-C', ROOT, *words), capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ''


def read_limits(text):
    return dict(line.split() for line in text.splitlines() if not line.startswith('#'))


def raised():
    """Limits that the last commit with an effect on them raised without a reason; where there is no history, none."""
    commit = git('log', '-1', '--format=%H', '--', LIMITS).strip()
    before = read_limits(git('show', f'{commit}^:./tests/style/figures.txt')) if commit else {}
    after = read_limits(git('show', f'{commit}:./tests/style/figures.txt')) if commit else {}
    reasons = re.findall(r'^Limit (\w+): .', git('log', '-1', '--format=%B', commit), re.M) if commit else []
    return [name for name in before if name in after and float(after[name]) > float(before[name])
            and name not in reasons]


def main():
    with open(LIMITS, encoding='utf-8') as file:
        limits = read_limits(file.read())
    failed = False
    for name, figure, unit in figures():
        failed |= (is_over := figure > float(limits[name]))
        print(f'{name:10} {figure:8} (limit {limits[name]}) {unit}{": ABOVE" if is_over else ""}')
    for name in raised():
        print(f'{name}: its limit rose, and no line "Limit {name}: ..." of the commit says what was deleted for it')
        failed = True
    sys.exit(failed)


if __name__ == '__main__':
    main()
