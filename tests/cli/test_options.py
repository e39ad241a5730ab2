#!/usr/bin/env python3
"""Help and man page describe the same options, each once, and the command knows them.

usage: test_options.py METHODBEAT MAN_PAGE
"""
import pathlib
import re
import subprocess
import sys

from checks import check, have_failed

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


def main():
    commands = re.findall(r'^  (\w+) ', run('help').stdout, re.M)
    check('commands', 'instrument' in commands and 'symbolize' in commands, commands)
    for command in commands:
        options = in_help(command)
        check(f'{command}: help and man page', options == in_man_page(command),
              f'{options}\n{in_man_page(command)}')
        check(f'{command}: each once', len(options) == len(set(options)), options)
        for option in options:
            error = run(command, f'--{option}').stderr
            check(f'{command} --{option}', 'there is no option' not in error, error)
    return have_failed()


if __name__ == '__main__':
    sys.exit(main())
