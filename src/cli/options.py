#!/usr/bin/env python3
"""Man pages and completions of shells, from the table of options.

usage: options.py man PAGE.1 OUTPUT          PAGE.1: a name of pages()
       options.py bash|zsh|fish OUTPUT

A line `.\\" OPTIONS COMMAND, ...` of a page becomes the list of the options that these commands have.
"""
import ast
import glob
import os
import re
import sys
import textwrap
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
FORMATS = os.path.join('..', 'formats', 'formats.def')
LITERAL = r'"(?:\\.|[^"\\])*"'
ROW = re.compile(rf'^/\* ((?:(?!\*/).)*?) \*/\nCLI_OPTION\(({LITERAL}), ({LITERAL}), (\w+), ([\w.]+),\s*({LITERAL}),'
                 rf'\s*((?:{LITERAL}\s*)+)(.*?)\)\n(?=\n|\Z)', re.M | re.S)


class Option(NamedTuple):
    name: str
    commands: list
    kind: str
    word: str     # stands for the value; '' for flags
    help: str
    manual: str   # mdoc
    letter: str
    choices: list
    is_optional: bool  # the value may be left out


def text_of(literals):
    return ''.join(ast.literal_eval(literal) for literal in re.findall(LITERAL, literals))


def read(*names):
    with open(os.path.join(HERE, *names), encoding='utf-8') as file:
        return file.read()


def read_options():
    source = read('options.def')
    formats = [name.replace('_', '-') for name in read_names('FORMAT', FORMATS)]
    options = []
    for manual, name, commands, kind, _place, word, line, extra in ROW.findall(source):
        letter = re.search(r"\.letter = '(\w)'", extra)
        choices = re.findall(r'\{"([\w-]+)",\s', extra)
        word = text_of(word)
        if '|' in word:
            choices = word.split('|')
        elif kind == 'format':
            choices = formats
        options.append(Option(text_of(name), text_of(commands).split(', '), kind, word, text_of(line),
                              re.sub(r'^ \* ', '', manual, flags=re.M), letter[1] if letter else '', choices,
                              '.otherwise' in extra))
    if len(options) != source.count('\nCLI_OPTION('):
        sys.exit(f'options.def: {source.count(chr(10) + "CLI_OPTION(")} rows, of which {len(options)} can be read')
    return options


def read_names(macros, *path):
    """The names in the rows of these macros, each once."""
    return list(dict.fromkeys(re.findall(rf'^(?:{macros})\((\w+)[,)]', read(*path), re.M)))


# ---- Man pages ----

def value_in_manual(option):
    if option.kind == 'flag':
        return ''
    if option.is_optional:
        return f' Ns Op Ns = Ns Cm {option.word}'
    if option.choices and option.kind != 'format':
        return ' Ar ' + ' | '.join(option.choices)
    return ' Ar ' + option.word.replace('%', ' Ns %')


def item(option):
    letter = f'Fl {option.letter} , ' if option.letter else ''
    return f'.It {letter}Fl Fl {option.name}{value_in_manual(option)}\n{option.manual}\n'


def wrap(text):
    """Text in lines of 80 columns at most, where each sentence begins one; macros and literal displays stay."""
    is_literal, waiting = False, ''
    for line in [*text.splitlines(), '.']:
        is_literal = (is_literal or line.startswith('.Bd -literal')) and not line.startswith('.Ed')
        is_text = not is_literal and not line.startswith('.')
        if waiting and (not is_text or waiting[-1] in '.!?'):
            yield from textwrap.wrap(waiting, 80, break_long_words=False, break_on_hyphens=False)
            waiting = ''
        if is_text:
            waiting = f'{waiting} {line}'.strip()
        elif line != '.':
            yield line


def read_rows(macro, path):
    """(text in the manual, name, the rest of the row) of each row of a table."""
    return [(re.sub(r'^ \* ', '', text, flags=re.M), name.replace('_', '-'), rest)
            for text, name, rest in re.findall(rf'^/\* ((?:(?!\*/).)*?) \*/\n{macro}\((\w+), (.*?)\)$', read(path), re.M | re.S)]


def questions_in_manual():
    rows = read_rows('QUESTION', os.path.join('..', 'issues', 'fleet', 'questions.def'))
    return '.Bl -tag -width regressed\n' + ''.join(f'.It Cm {name}\n{text}\n' for text, name, _ in rows) + '.El\n'


def formats_in_manual():
    """The list of formats, and the table of their marks."""
    extensions = {name: extension for path in glob.glob(os.path.join(HERE, '..', 'formats', '*.c')) for name, extension in
                  re.findall(r'\.name = "([\w-]+)",\s*\.extension = "([\w.]+)"', read(path))}
    rows = [(text, name, *map(text_of, re.findall(LITERAL, rest)[:2])) for text, name, rest in read_rows('FORMAT', FORMATS)]
    listed = ''.join(f'.It Cm {name} Pq Pa {extensions[name]}\n{text}\n' for text, name, _, _ in rows)
    marked = ''.join(f'.It {name} Ta {marks} Ta {of_calls}\n' for _, name, marks, of_calls in rows)
    return (f'.Bl -tag -width Ds\n{listed}.El\n',
            '.Bl -column "speedscope" "attributes of the trace" "open, inferred, sampled"\n'
            f'.It Sy format Ta Sy "~  ^  ?61%  +-7%" Ta Sy "of a call"\n{marked}.El\n')


def pages():
    """The sources of all pages."""
    return sorted([os.path.join(HERE, 'methodbeat.1'), *glob.glob(os.path.join(HERE, 'manual', '*.1'))])


def manual(page):
    """The text of a page, from its source."""
    options = read_options()

    def fill(match):
        commands = match[1].split(', ')
        return '.Bl -tag -width Ds\n' + ''.join(item(option) for option in options
                                               if set(commands) & set(option.commands)) + '.El\n'
    text = re.sub(r'^\.\\" OPTIONS (.*)\n', fill, read(page), flags=re.M)
    listed, marked = formats_in_manual()
    text = text.replace('.\\" FORMATS\n', listed).replace('.\\" MARKS\n', marked)
    text = text.replace('.\\" QUESTIONS\n', questions_in_manual())
    return ''.join(line + '\n' for line in wrap(text))


# ---- Completions ----

FILES = ('FILE', 'PATH', 'DIR', 'FOLDER', 'TRACE', 'OLD', 'NAMES', 'MAP', 'SLICE', 'SPOOL', 'LAKE', 'LIST')


def commands():
    """command -> its parts"""
    parts = {'fleet': read_names('CLI_FLEET', 'commands.def')}
    names = read_names('CLI_COMMAND|CLI_RECORDING', 'commands.def')
    return {name: parts.get(name, []) for name in names}


def topics():
    """What help takes for a command."""
    return [*commands(), *read_names('CLI_TOPIC', 'commands.def')]


def summaries():
    """command, or 'fleet PART' -> what it does"""
    return dict(found for path in glob.glob(os.path.join(HERE, '*.c'))
                for found in re.findall(r'\.name = "([a-z ]+)",\s*\.summary = "(.*?)"', read(path)))


def by_command():
    """(command or 'fleet PART', its options), the parts right after their command"""
    options = read_options()
    for command, parts in commands().items():
        for name in [command, *(f'{command} {part}' for part in parts)]:
            yield name, [option for option in options if name in option.commands]


def is_file(option):
    return option.kind != 'flag' and not option.choices and option.word in FILES


def bash():
    cases, values = [], []
    for name, options in by_command():
        words = [f'--{option.name}{"=" * option.is_optional}' for option in options]
        words += [f'-{option.letter}' for option in options if option.letter]
        words += commands().get(name, [])
        cases.append(f"        '{name}') words='{' '.join(words + ['--help'])}' ;;\n")
        for option in options:
            pattern = f"'{name} --{option.name}'" + (f"|'{name} -{option.letter}'" if option.letter else '')
            if option.choices and not option.is_optional:
                values.append(f"        {pattern}) words='{' '.join(option.choices)}' ;;\n")
            elif option.kind != 'flag' and not is_file(option) and not option.is_optional:
                values.append(f'        {pattern}) return ;;\n')
            elif is_file(option):
                values.append(f'        {pattern}) COMPREPLY=($(compgen -f -- "$word")); return ;;\n')
    names, helped = ' '.join(commands()), ' '.join(topics())
    return f"""# Completion of methodbeat for bash, made from its table of options.
_methodbeat() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} name=${{COMP_WORDS[1]}} words=
    COMPREPLY=()
    [ "$before" != = ] || before=${{COMP_WORDS[COMP_CWORD - 2]}}
    [ "$word" != = ] || {{ word=; before=${{COMP_WORDS[COMP_CWORD - 1]}}; }}
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W '{names} --help --version' -- "$word"))
        return
    fi
    if [ "$COMP_CWORD" -gt 2 ] && [ "$name" = fleet ]; then
        name="fleet ${{COMP_WORDS[2]}}"
    fi
    case "$name $before" in
{''.join(values)}    esac
    if [ -n "$words" ]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        return
    fi
    case "$name" in
        help) words='{helped}' ;;
{''.join(case for case in cases if "'help')" not in case)}    esac
    case "$word" in
        -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
        *) COMPREPLY=($(compgen -f -- "$word") $([ "$name" != help ] && [ "$name" != fleet ] || compgen -W "$words" -- "$word")) ;;
    esac
}}
complete -o filenames -F _methodbeat methodbeat
"""


def zsh_text(text):
    return text.replace("'", "'\\''").replace('[', '\\[').replace(']', '\\]').replace(':', '\\:')


def zsh_option(option):
    sign = '' if option.kind == 'flag' else '=-' if option.is_optional else '='
    value = '' if option.kind == 'flag' else \
        f':{option.word or option.name}:({" ".join(option.choices)})' if option.choices else \
        f':{zsh_text(option.word)}:_files' if is_file(option) else f':{zsh_text(option.word)}: '
    if option.letter:
        return (f"'(-{option.letter} --{option.name})-{option.letter}[{zsh_text(option.help)}]{value}' "
                f"'(-{option.letter} --{option.name})--{option.name}{sign}[{zsh_text(option.help)}]{value}'")
    return f"'--{option.name}{sign}[{zsh_text(option.help)}]{value}'"


def zsh():
    said = summaries()
    lines = ['#compdef methodbeat\n', '# Completion of methodbeat for zsh, made from its table of options.\n',
             'local -a commands\n', 'commands=(\n']
    lines += [f"  '{name}:{zsh_text(said[name])}'\n" for name in commands()]
    lines += [')\n', 'if (( CURRENT == 2 )); then\n', "  _describe -t commands command commands\n", '  return\n', 'fi\n',
              'local name=$words[2]\n', 'shift words; (( CURRENT-- ))\n', 'if [[ $name == fleet ]] && (( CURRENT > 2 )); then\n',
              '  name="fleet $words[2]"\n', '  shift words; (( CURRENT-- ))\n', 'fi\n', 'case $name in\n']
    for name, options in by_command():
        parts = commands().get(name, [])
        rest = f"'1:command:({' '.join(parts)})'" if parts else \
            f"'1:command:({' '.join(topics())})'" if name == 'help' else "'*:file:_files'"
        listed = ' \\\n      '.join([*map(zsh_option, options), rest])
        lines.append(f"  ('{name}')\n    _arguments -S {listed} ;;\n")
    return ''.join([*lines, 'esac\n'])


def fish_text(text):
    return "'" + text.replace('\\', '\\\\').replace("'", "\\'") + "'"


def fish():
    said, names, helped = summaries(), ' '.join(commands()), ' '.join(topics())
    lines = ['# Completion of methodbeat for fish, made from its table of options.\n']
    for command, parts in commands().items():
        lines.append(f"complete -c methodbeat -n 'not __fish_seen_subcommand_from {names}' -f -a {command} "
                     f'-d {fish_text(said[command])}\n')
        lines += [f"complete -c methodbeat -n '__fish_seen_subcommand_from {command}; and not __fish_seen_subcommand_from "
                  f"{' '.join(parts)}' -f -a {part} -d {fish_text(said[f'{command} {part}'])}\n" for part in parts]
    lines.append(f"complete -c methodbeat -n '__fish_seen_subcommand_from help' -f -a '{helped}'\n")
    for name, options in by_command():
        test = '; and '.join(f'__fish_seen_subcommand_from {word}' for word in name.split())
        for option in options:
            letter = f' -s {option.letter}' if option.letter else ''
            value = '' if option.kind == 'flag' else f" -x -a '{' '.join(option.choices)}'" if option.choices else \
                ' -r -F' if is_file(option) else ' -x'
            lines.append(f"complete -c methodbeat -n '{test}'{letter} -l {option.name}{value} -d {fish_text(option.help)}\n")
    return ''.join(lines)


# shell -> where its file lies below share, and what makes it
SHELLS = {'bash': ('bash-completion/completions/methodbeat.bash', bash), 'zsh': ('zsh/site-functions/_methodbeat', zsh),
          'fish': ('fish/vendor_completions.d/methodbeat.fish', fish)}


def main():
    kind, *page, output = sys.argv[1:]
    text = manual(os.path.abspath(page[0])) if kind == 'man' else SHELLS[kind][1]()
    with open(output, 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    main()
