#!/usr/bin/env python3
"""The table of options, help and the man pages have the same options, each once; each is taken by its commands and by no
other, and some test says it. The pages have the same fields of JSON as a real run writes.

usage: test_manual.py METHODBEAT PAGE.1... COMPLETION...
"""
import functools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'src/cli'))

import options as table  # noqa: E402
from checks import check, have_failed  # noqa: E402
from inputs import make_jar  # noqa: E402

METHODBEAT, FILES = sys.argv[1], [pathlib.Path(path) for path in sys.argv[2:]]
PAGES = {path.stem: path.read_text() for path in FILES if path.suffix == '.1'}
SHELLS = {path.name: path for path in FILES if path.suffix != '.1'}
MAIN = PAGES['methodbeat']


@functools.cache
def run(*arguments):
    return subprocess.run([METHODBEAT, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True)


def page_of(command):
    return PAGES['methodbeat-' + command.split()[0]]


def in_man_page(command):
    """Options that head an item of the command's page, or of its part of it."""
    items = re.findall(r'^\.It .*Fl Fl .*', page_of(command), re.M)
    return sorted(set(re.findall(r'Fl Fl ([a-z-]+)', '\n'.join(items))))


def in_help(command):
    return sorted(re.findall(r'^ +(?:-\w, )?--([a-z-]+)', run('help', *command.split()).stdout, re.M))


def in_tables():
    """Options by command."""
    options = {}
    for option in table.read_options():
        for command in option.commands:
            options.setdefault(command, []).append(option.name)
    return {command: sorted(names) for command, names in options.items()}


def said_in_tests():
    """All that tests, and what they run, say."""
    folders = [ROOT / 'tests', ROOT / 'samples']
    return '\n'.join(path.read_text(errors='replace') for folder in folders for path in folder.rglob('*')
                     if path.suffix in ('.py', '.sh', '.c', '.bzl', '.gradle', '.java', '.mjs') and path.is_file())


def check_rows(tables):
    """Each option in all places, and in no other command."""
    for command, options in tables.items():
        check(f'{command}: each once', len(options) == len(set(options)), options)
        check(f'{command}: help', in_help(command) == options, f'{in_help(command)}\n{options}')
        others = {name for names in tables.values() for name in names} - set(options)
        shown = run('help', *command.split()).stdout
        for row in table.read_options():
            if command in row.commands and row.choices and row.kind != 'format' and not row.is_optional:
                check(f'{command} --{row.name}: values', f'--{row.name} {"|".join(row.choices)}\n' in shown + '\n'
                      or f'--{row.name} {"|".join(row.choices)} ' in shown, (row.choices, shown))
        for option in options:
            error = run(*command.split(), f'--{option}').stderr
            check(f'{command} --{option}', 'there is no option' not in error, error)
        for other in sorted(others)[len(command)::len(tables)]:  # all of them take a minute
            if not any(option.startswith(other) for option in options):  # the beginning of a name stands for it
                done = run(*command.split(), f'--{other}')
                check(f'{command} has no --{other}', done.returncode == 2 and f'there is no option --{other}' in done.stderr,
                      done.stderr)
    for command in {command.split()[0] for command in tables}:
        wanted = sorted({name for other, names in tables.items() if other.split()[0] == command for name in names})
        check(f'{command}: page', in_man_page(command) == wanted, f'{in_man_page(command)}\n{wanted}')
        check(f'{command}: summary', re.search(r'^\.Nd (.*)', page_of(command), re.M)[1] in run('help').stdout, command)


def check_nearest(tables):
    """A name with a letter too many is refused, with the name that was meant."""
    for command, options in tables.items():
        for option in options:
            error = run(*command.split(), f'--{option}q').stderr
            check(f'{command} --{option}q', f'did you mean --{option}?' in error or len(option) < 4, error)


def check_tests(tables):
    said = said_in_tests()
    for option in sorted({name for names in tables.values() for name in names}):
        check(f'--{option}: in a test', re.search(rf'--{option}(?![a-z-])', said))


def complete_in_bash(words):
    """What the last of the words can be, as the shell calls the function."""
    script = ('. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _methodbeat; '
              '[ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(['bash', '-c', script, 'bash', SHELLS['methodbeat.bash'], *words], capture_output=True, text=True)
    check(f'bash: {words}', done.returncode == 0 and not done.stderr, done.stderr)
    return done.stdout.split()


def complete_in_fish(words):
    done = subprocess.run(['fish', '--no-config', '-c', f'source {SHELLS["methodbeat.fish"]}; complete -C "{" ".join(words)}"'],
                          capture_output=True, text=True)
    return [line.split('\t')[0] for line in done.stdout.splitlines()]


def options_in_zsh(command):
    """Of the case of a command."""
    case = re.search(rf"^  \('{command}'\)\n(.*?);;\n", SHELLS['_methodbeat'].read_text(), re.M | re.S)
    return re.findall(r"'(?:\([^)]*\))?--([a-z-]+)[=\[]", case[1] if case else '')


def check_completions(tables, commands):
    """Each option and each word of a choice in three shells; those that are here run what was made for them."""
    shells = {'bash': complete_in_bash, **({'fish': complete_in_fish} if shutil.which('fish') else {})}
    check('zsh: syntax', not shutil.which('zsh') or subprocess.run(['zsh', '-n', SHELLS['_methodbeat']]).returncode == 0)
    for shell, complete in shells.items():
        check(f'{shell}: commands', set(commands) <= set(complete(['methodbeat', ''])), complete(['methodbeat', '']))
        check(f'{shell}: topics', {'run', 'settings', 'marks'} <= set(complete(['methodbeat', 'help', ''])))
        check(f'{shell}: parts', {'rows', 'load', 'ask'} <= set(complete(['methodbeat', 'fleet', ''])))
    for command, options in tables.items():
        words = ['methodbeat', *command.split()]
        check(f'zsh: {command}', sorted(options_in_zsh(command)) == options, options_in_zsh(command))
        for shell, complete in shells.items():
            found = sorted({word[2:].rstrip('=') for word in complete([*words, '--']) if word.startswith('--')} - {'help'})
            check(f'{shell}: {command}', found == options, f'{found}\n{options}')
    for row in table.read_options():
        if row.choices and not row.is_optional:
            for shell, complete in shells.items():
                for before in ([f'--{row.name}'], [f'--{row.name}', '=']) if shell == 'bash' else ([f'--{row.name}'],):
                    found = complete(['methodbeat', *row.commands[0].split(), *before, ''])
                    check(f'{shell}: values of --{row.name}', set(row.choices) <= set(found), found)


def check_topics(tables):
    """help lists all settings and marks that the pages have, and explains an option alone."""
    shown = run('help', 'settings').stdout
    wanted = re.findall(r'^\.It (?:Li (\w+)=|Cm (\w+) Ns = Ns Ar value)', MAIN, re.M)
    listed = re.findall(r'^  (\w+) ', shown, re.M)
    check('help settings', sorted(listed) == sorted(a or b for a, b in wanted) and len(listed) > 30, (listed, wanted))
    check('help setting', run('help', 'setting').stdout == shown)
    marks = run('help', 'marks').stdout
    of_page = re.search(r'^Marks on a row.*?^\.Bl.*?\n(.*?)^\.El', PAGES['methodbeat-report'], re.M | re.S)[1]
    for mark in re.findall(r'^\.It Li (\S+)', of_page, re.M):
        check(f'help marks: {mark}', f'\n  {re.sub("[0-9]+%", "", mark)} ' in marks, marks)
    for command, options in tables.items():
        for option in options:
            done = run('help', *command.split(), f'--{option}')
            check(f'help {command} --{option}', done.stdout and done.stdout.lstrip('\n') in run('help', *command.split()).stdout, done)
    done = run('help', 'run', '--nosuch')
    check('help of no option', done.returncode == 2 and 'there is no option --nosuch' in done.stderr, done.stderr)


def check_marks():
    """The table of marks has each format, those that this build was made without, too."""
    formats = (ROOT / 'src/formats/formats.def').read_text()
    names = {name.replace('_', '-') for name in re.findall(r'^FORMAT\((\w+),', formats, re.M)}
    table = re.search(r'^The formats show the marks.*?^\.Bl -column.*?\n(.*?)^\.El', PAGES['methodbeat-report'], re.M | re.S)
    rows = re.findall(r'^\.It ([\w-]+) Ta .* Ta .*', table[1] if table else '', re.M)
    check('marks of formats', sorted(rows) == sorted(names), (rows, names))


def documented_fields(section):
    """The fields that head an item of this part of FILES; items of an inner list have a dot."""
    text = re.search(rf'^\.Ss {section}\n(.*?)^\.S[hs] ', MAIN, re.M | re.S)
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
    folders = [ROOT / "src" / room for room in ("cli", "abi", "live", "process")]
    sources = ''.join(path.read_text() for folder in folders for path in folder.glob('*.[ch]'))
    named = dict(re.findall(r'^#define (\w+) "(\w+)"', sources, re.M))
    read = {named.get(name, name.strip('"')) for name in re.findall(r'getenv\(("?\w+"?)\)', sources)}
    section = re.search(r'^\.Sh ENVIRONMENT\n(.*?)^\.Sh ', MAIN, re.M | re.S)
    known = set(re.findall(r'\bEv (\w+)', section[1] if section else ''))
    check('variables', 'NO_COLOR' in read and read <= known, f'{read - known}')


def check_readme(commands, tables):
    """Each line of the README, and each example of a page, names a subcommand and options that there are."""
    text = (ROOT / 'README.md').read_text()
    lines = re.findall(r'^ {4}(?:\$ )?methodbeat (\w+)(.*)', text, re.M)
    lines += [row for page in PAGES.values() for row in re.findall(r'^\.Dl (?:.*\| )?methodbeat (\w+)(.*)', page, re.M)]
    for command in 'run', 'attach', 'report':
        check(f'{command}: examples', '\n.Sh EXAMPLES\n' in page_of(command))
    unknown = [(command, option) for command, words in lines
               for option in re.findall(r'--([a-z-]+)', re.split('#| java ', words)[0])
               if not any(option in names for name, names in tables.items() if name.split()[0] == command)]
    check('README', len(lines) >= 6 and {command for command, _ in lines} <= set(commands) and not unknown, unknown)


def main():
    commands = re.findall(r'^  (\w+) ', run('help').stdout, re.M)
    check('commands', 'instrument' in commands and 'symbolize' in commands, commands)
    tables = in_tables()
    known = {command: options for command, options in tables.items() if command.split()[0] in commands}
    check('tables', len(known) >= 12, known)
    check('pages', {'methodbeat'} | {f'methodbeat-{command}' for command in commands} - {'methodbeat-help'} <= set(PAGES), PAGES.keys())
    check_rows(known)
    check_nearest(known)
    check_tests(tables)
    check_completions(tables, commands)
    check_fields()
    check_environment()
    check_marks()
    check_topics(known)
    check_readme(commands, tables)
    return have_failed()


if __name__ == '__main__':
    sys.exit(main())
