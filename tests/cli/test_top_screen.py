#!/usr/bin/env python3
"""methodbeat top on a terminal: a pty that reads its screen, presses keys, changes its size and goes away.

usage: test_top_screen.py METHODBEAT
"""
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time

from checks import check, run_all
from test_top import Bench as Files
from test_top import METHODBEAT, Recorder

ENTER, LEAVE = b'\x1b[?1049h\x1b[?25l', b'\x1b[?25h\x1b[?1049l'


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, command, rows=24, columns=100):
        self.ours, theirs = pty.openpty()
        self.resize(rows, columns, theirs)
        self.before = termios.tcgetattr(theirs)
        self.theirs = theirs
        self.output = b''
        self.child = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, start_new_session=True,
                                      env={**os.environ, 'TERM': 'xterm'},
                                      preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.set_blocking(self.ours, False)

    def resize(self, rows, columns, fd=None):
        fcntl.ioctl(fd or self.ours, termios.TIOCSWINSZ, struct.pack('<HHHH', rows, columns, 0, 0))

    def read(self):
        try:
            self.output += os.read(self.ours, 1 << 20)
        except (BlockingIOError, OSError):
            pass

    def screen(self):
        """The lines of the last picture that is whole."""
        pictures = [part for part in self.output.split(b'\x1b[H')[1:] if b'\x1b[J' in part]
        text = re.sub(rb'\x1b\[[0-9?]*[a-zA-Z]', b'', pictures[-1].split(b'\x1b[J')[0]) if pictures else b''
        return [line.rstrip('\r') for line in text.decode(errors='replace').split('\r\n')]

    def wait_for(self, what, condition=None):
        """Until the screen has that text."""
        holds = condition or (lambda lines: what in '\n'.join(lines))
        end = time.monotonic() + 10
        while time.monotonic() < end and not holds(self.screen()):
            self.read()
            time.sleep(0.01)
        check(f'on the screen: {what}', holds(self.screen()), '\n'.join(self.screen()))

    def press(self, keys):
        self.output = self.output[-100000:]
        os.write(self.ours, keys)

    def end(self, what, code=0):
        """Ended, and the terminal is as it was."""
        code_there = self.child.wait(timeout=20)
        self.read()
        errors = self.child.stderr.read().decode()
        check(f'{what}: ended', code_there == code, (code_there, errors))
        check(f'{what}: modes', termios.tcgetattr(self.theirs) == self.before, termios.tcgetattr(self.theirs))
        check(f'{what}: screen', self.output.rstrip().endswith(LEAVE), self.output[-200:])
        os.close(self.theirs)
        os.close(self.ours)
        return errors


class Bench(Files):
    def start(self, *options, **size):
        recorder = Recorder(self.trace).begin()
        terminal = Terminal(self.command('--interval', '200', *options), **size)
        terminal.wait_for('own%')
        return recorder, terminal


def test_quit(bench):
    recorder, terminal = bench.start()
    modes = termios.tcgetattr(terminal.theirs)
    check('keys come one by one', not modes[3] & (termios.ICANON | termios.ECHO), modes)
    check('another screen', ENTER in terminal.output, terminal.output[:100])
    terminal.press(b'q')
    terminal.end('q')
    recorder.end()


def test_signals(bench):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        recorder, terminal = bench.start()
        terminal.child.send_signal(number)
        terminal.end(f'signal {number}')
        recorder.end()
    recorder, terminal = bench.start()
    terminal.press(b'\x03')
    terminal.end('Ctrl-C')
    recorder.end()


def test_keys_that_stop_others(bench):
    """Ctrl-Z and Ctrl-\\ would leave the terminal as it must not be."""
    recorder, terminal = bench.start()
    terminal.press(b'\x1a\x1cv')
    terminal.wait_for('is in')
    terminal.press(b'q')
    terminal.end('Ctrl-Z')
    recorder.end()


def test_a_terminal_that_goes(bench):
    recorder, terminal = bench.start()
    os.close(terminal.theirs)
    os.close(terminal.ours)
    check('hung up', terminal.child.wait(timeout=20) == 0, terminal.child.returncode)
    terminal.child.stderr.close()
    recorder.end()


def test_sorting(bench):
    recorder, terminal = bench.start()
    for key, word in {b'o': 'own', b'w': 'waits', b't': 'total', b'c': 'calls', b'm': 'mean', b'n': 'threads', b'b': 'work'}.items():
        terminal.press(key)
        terminal.wait_for(f', by {word}: ')
    recorder.say(busy=150, calls=9)
    terminal.press(b'p')
    terminal.wait_for('paused')
    terminal.press(b'q')
    terminal.end('sorting')
    recorder.end()


def test_looking_into_a_method(bench):
    recorder, terminal = bench.start()
    terminal.press(b'\x1b[B\r')
    terminal.wait_for('from code without probes')
    recorder.say(busy=100, calls=9)
    terminal.wait_for('TreeBuilder.startElement', lambda lines: any('  to  ' in line and 'TreeBuilder' in line for line in lines))
    terminal.press(b'\x1b')
    terminal.wait_for('own%', lambda lines: any('own%' in line for line in lines) and not any(' from ' in line for line in lines))
    terminal.press(b'v')
    terminal.wait_for('main-0')
    terminal.press(b'\x1b[6~\x1b[5~\x1b[1;5Z\x1b[A\x1bOB v')
    terminal.wait_for('paused')
    terminal.press(b'q')
    terminal.end('looking into')
    recorder.end()


def test_pause(bench):
    recorder, terminal = bench.start()
    terminal.press(b'p')
    terminal.wait_for('paused')
    first = terminal.screen()
    time.sleep(0.6)
    terminal.read()
    check('nothing moves', terminal.screen() == first, (first, terminal.screen()))
    terminal.press(b'p')
    terminal.wait_for('moving on', lambda lines: lines[0] != first[0] and 'q quit' in lines[-1] and len(lines) == len(first))
    terminal.press(b'q')
    terminal.end('pause')
    recorder.end()


def test_sizes(bench):
    """From the smallest to a large one, while it runs."""
    recorder, terminal = bench.start(rows=5, columns=20)
    for rows, columns in ((5, 20), (1, 1), (2, 5), (3, 10), (50, 300), (24, 80)):
        terminal.resize(rows, columns)
        terminal.press(b'jk')
        want = min(rows, 5) if rows < 10 else rows
        terminal.wait_for(f'{rows}x{columns}', lambda lines, want=want, rows=rows, columns=columns:
                          want <= len(lines) <= rows and max(map(len, lines)) <= columns)
    terminal.press(b'q')
    terminal.end('sizes')
    recorder.end()


def test_an_end(bench):
    """The last table stays until somebody quits."""
    recorder, terminal = bench.start()
    recorder.say(busy=120, calls=3)
    recorder.end()
    terminal.wait_for('its process was killed')
    time.sleep(0.5)
    terminal.press(b't')
    terminal.wait_for('by total')
    check('the last table', any('Main.main' in line for line in terminal.screen()), terminal.screen())
    terminal.press(b'q')
    terminal.end('an end')


def test_a_cut(bench):
    recorder, terminal = bench.start()
    os.truncate(bench.trace, 20000)
    errors = terminal.end('a cut', code=1)
    check('says why', 'shorter than when it was opened' in errors, errors)
    recorder.end()


def test_logs_of_a_terminal(bench):
    """--count is a log there too."""
    recorder = Recorder(bench.trace).begin()
    terminal = Terminal(bench.command('--count', '1', '--interval', '100'))
    terminal.child.wait(timeout=20)
    terminal.read()
    check('a log', ENTER not in terminal.output and b'own%' in terminal.output, terminal.output)
    terminal.child.stderr.close()
    recorder.end()


if __name__ == '__main__':
    assert METHODBEAT
    sys.exit(run_all({name: value for name, value in globals().items() if name.startswith('test_')}, Bench))
