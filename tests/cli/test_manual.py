#!/usr/bin/env python3
"""The table of options, the help and the man page have the same options, each once; the man page
has the same fields of JSON as a real run writes.

usage: test_manual.py METHODBEAT MAN_PAGE
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from checks import check, have_failed
from inputs import make_jar

METHODBEAT, MAN_PAGE = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*arguments):
    return subprocess.run([METHODBEAT, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True)


def in_man_page(command):
    """Options that head an item of the command's section."""
    section = re.search(rf'^\.Sh {command.upper()}\n(.*?)^\.Sh ', MAN_PAGE.read_text(), re.M | re.S)
    items = re.findall(r'^\.It .*', section[1], re.M) if section else []
    return sorted(re.findall(r'Fl Fl ([a-z-]+)', '\n'.join(items)))


def in_help(command):
    return sorted(re.findall(r'^ +(?:-\w, )?--([a-z-]+)', run('help', command).stdout, re.M))


def in_tables():
    """Options by command, as the rows of the one table name them."""
    options = {}
    text = (MAN_PAGE.parent / 'table.c').read_text()
    for name, commands in re.findall(r'^ +ROW\("([a-z-]+)", "([a-z ]+)"', text, re.M):
        for command in commands.split():
            options.setdefault(command, []).append(name)
    return {command: sorted(names) for command, names in options.items()}


def check_marks():
    """The table of marks has each format, those that this build was made without, too."""
    formats = (MAN_PAGE.parents[1] / 'formats/formats.def').read_text()
    names = set(re.findall(r'^FORMAT\((\w+)\)', formats, re.M))
    table = re.search(r'^The formats show the marks.*?^\.Bl -column.*?\n(.*?)^\.El', MAN_PAGE.read_text(), re.M | re.S)
    rows = re.findall(r'^\.It (\w+) Ta .* Ta .*', table[1] if table else '', re.M)
    check('marks of formats', sorted(rows) == sorted(names), (rows, names))


def documented_fields(section):
    """The fields that head an item of this part of FILES; items of an inner list have a dot."""
    text = re.search(rf'^\.Ss {section}\n(.*?)^\.S[hs] ', MAN_PAGE.read_text(), re.M | re.S)
    fields = set()
    for part in re.split(r'^(?=\.Bl )', text[1] if text else '', flags=re.M):
        dot = '.' if '-offset indent' in part.splitlines()[0] else ''
        for item in re.findall(r'^\.It Li (.*)', part, re.M):
            fields |= {dot + name.strip() for name in item.split(',')}
    return fields


def written_fields(folder):
    """What a run writes that meets all there is: a mapping, a blacklist, a warning, equal names, a boundary."""
    make_jar(folder / 'a.jar', ['p/A run -empty', 'p/B stop !finalize', 'q/C go',
                                ('p/Bad.class', b'\xca\xfe\xba\xbe\0\0\0\x34\0\x09')])
    make_jar(folder / 'b.jar', ['p/A run more'])
    (folder / 'other').mkdir()
    make_jar(folder / 'other' / 'a.jar', ['r/R run'])
    (folder / 'mapping.txt').write_text('com.example.First -> p.A:\n')
    (folder / 'blacklist.txt').write_text('-keeppackage q/\n')
    done = run('instrument', '--output', folder / 'out', '--mapping', folder / 'mapping.txt',
               '--blacklist', folder / 'blacklist.txt', '--explain', folder / 'explain',
               '--json', folder / 'json', folder / 'a.jar', folder / 'b.jar',
               folder / 'other' / 'a.jar')
    check('a run', done.returncode == 0, done.stderr)
    explained = {name for line in (folder / 'explain').read_text().splitlines()
                 for name in json.loads(line)}
    counts = json.loads((folder / 'json').read_text())
    lists = [row for value in counts.values() if isinstance(value, list) for row in value]
    return explained, set(counts) | {'.' + name for row in lists for name in row}


def check_fields():
    with tempfile.TemporaryDirectory() as folder:
        explained, counts = written_fields(pathlib.Path(folder))
    for section, written in [('Decisions', explained), ('Counts', counts)]:
        known = documented_fields(section) - {'lock_gap'}  # of code that no compiler makes
        check(f'{section}: written and in the man page', known == written,
              f'only written: {written - known}\nonly documented: {known - written}')


def check_environment():
    """Every variable that the command reads heads an item of ENVIRONMENT, or is named there."""
    folders = [MAN_PAGE.parent.parent / room for room in ("cli", "abi", "live", "process")]
    sources = ''.join(path.read_text() for folder in folders for path in folder.glob('*.[ch]'))
    named = dict(re.findall(r'^#define (\w+) "(\w+)"', sources, re.M))
    read = {named.get(name, name.strip('"')) for name in re.findall(r'getenv\(("?\w+"?)\)', sources)}
    section = re.search(r'^\.Sh ENVIRONMENT\n(.*?)^\.Sh ', MAN_PAGE.read_text(), re.M | re.S)
    known = set(re.findall(r'\bEv (\w+)', section[1] if section else ''))
    check('variables', 'NO_COLOR' in read and read <= known, f'{read - known}')


def main():
    commands = re.findall(r'^  (\w+) ', run('help').stdout, re.M)
    check('commands', 'instrument' in commands and 'symbolize' in commands, commands)
    tables = in_tables()
    check('tables', set(tables) <= set(commands) and len(tables) >= 5, tables)
    for command in set(commands) - {'fleet'}:  # which has a page of its own
        options = in_help(command)
        check(f'{command}: help and man page', options == in_man_page(command),
              f'{options}\n{in_man_page(command)}')
        check(f'{command}: table and help', options == tables.get(command, []),
              f'{options}\n{tables.get(command)}')
        check(f'{command}: each once', len(options) == len(set(options)), options)
        for option in options:
            error = run(command, f'--{option}').stderr
            check(f'{command} --{option}', 'there is no option' not in error, error)
    check_fields()
    check_environment()
    check_marks()
    return have_failed()


if __name__ == '__main__':
    sys.exit(main())
