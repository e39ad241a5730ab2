#!/usr/bin/env python3
"""The tune subcommand: from a trace drawn by hand to a blacklist, and back through instrument.

usage: test_tune.py METHODBEAT
"""
import os
import pathlib
import subprocess
import sys

from checks import check, run_all
from inputs import make_class, make_jar
from traces import enter, leave, trace

METHODBEAT = os.path.abspath(sys.argv[1])
SPACED = make_class('a/My_Spaced my_test go').replace(b'y_', b'y ')
ODD = make_class('a/Odd my_test').replace(b'my_test', b'my:test')
CLASSES = ['a/B go go(I)V go(La/B;)V go([[J)La/B; !<init> <clinit>', 'a/B$C go', 'a/B$1 $x y$_z',
           'NoPackage go', ('a/My Spaced.class', SPACED), ('a/Odd.class', ODD)]


class Bench:
    """A folder with a jar, instrumented, and a trace of it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        make_jar(self.folder / 'app.jar', CLASSES)
        self.instrument('out')
        self.methods = self.traced('out')

    def run(self, *arguments):
        done = subprocess.run([METHODBEAT, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True)
        return done.returncode, done.stdout, done.stderr

    def instrument(self, folder, *options):
        code, _, error = self.run('instrument', '-q', '-o', folder, *options, 'app.jar')
        check(f'instrument into {folder}', code == 0 and not error, error)

    def traced(self, folder):
        """Names by id, without the message."""
        lines = (self.folder / folder / 'methodMapping.txt').read_text().splitlines()
        return {int(number): name.replace(r'\s', ' ') for number, _, name in (line.split(',', 2) for line in lines[:-1])}

    def record(self, calls, busy_ms=1):
        """Calls by id of 100 ns each, inside a call of the first method."""
        words = [enter(1, 0)]
        for number, count in calls.items():
            for _ in range(count):
                ns = 100 * len(words)
                words += [enter(number, 0) + ns, leave(number, 0) + ns + 100]
        words.append(leave(1, busy_ms))
        (self.folder / 'app.mbtrace').write_bytes(trace([{'words': words}]))

    def tune(self, *options):
        return self.run('tune', *options, '--method-map', 'out/methodMapping.txt', 'app.mbtrace')

    def rules(self, *options):
        """The methods that are named, as the method map has them, and the comments in front."""
        code, text, error = self.tune(*options)
        check(f'tune {options}', code == 0 and not error, error)
        (self.folder / 'hot.txt').write_text(text)
        lines = text.splitlines()
        names = [line.split(' # ')[0].removeprefix('-keepmethod ').replace('/', '.').replace(r'\s', ' ')
                 for line in lines if not line.startswith('#')]
        return names, [line for line in lines if line.startswith('#')]


def test_the_fewest_that_make_it_cheap(bench):
    """20 ns a call: 1901 calls are 38 of 1000 us, and the 401 that are left 8 of 962."""
    bench.record({2: 300, 3: 900, 4: 100, 5: 600})
    names, told = bench.rules('--overhead', '1%')
    check('fewest', names == [bench.methods[3], bench.methods[5]], names)
    check('told', told == ['# Probes make about 4.0 % (3.1 to 5.0 %) of the time without them, at 20 ns a call.',
                           '# Without those of the 2 methods below it is about 0.8 % (0.7 to 1.1 %).'], told)
    text = (bench.folder / 'hot.txt').read_text()
    check('behind the rule', ' # 900 calls, mean 100 ns, probes 18.0 us\n' in text, text)
    check('default', bench.rules()[0] == [], text)
    check('a number', bench.rules('--overhead=3')[0] == [bench.methods[3]], text)
    names, told = bench.rules()
    check('cheap enough', told[1:] == ['# So there is nothing to leave out.'], told)


def test_none_of_the_listed_has_probes_afterwards(bench):
    """Overloads, constructors, nested classes: whatever number of methods it is."""
    bench.record({number: 100 + 10 * number for number in bench.methods if number > 1})
    lengths = set()
    for percent in range(0, 6):
        names, _ = bench.rules('--overhead', percent)
        bench.instrument('again', '--blacklist', 'hot.txt')
        left = set(bench.methods.values()) - set(names)
        check(f'{percent} %', set(bench.traced('again').values()) == left, names)
        check('each once', len(set(names)) == len(names), names)
        lengths.add(len(names))
        check('with spaces', percent > 0 or 'a.My Spaced my test ()V' in names, names)
    named = [name for name in bench.methods.values() if 'my:test' not in name]
    check('all but what cannot be named', max(lengths) == len(named) and len(lengths) > 3, lengths)


def test_a_method_that_no_rule_can_name(bench):
    odd, = [number for number, name in bench.methods.items() if 'my:test' in name]
    bench.record({odd: 2000, 2: 10})
    names, told = bench.rules('--overhead=1')
    check('others go instead', set(names) == {bench.methods[2], bench.methods[1]}, names)
    check('what is left is told', told == [
        '# Probes make about 67.3 % (47.4 to 101.1 %) of the time without them, at 200 ns a call.',
        '# Without those of the 2 methods below it is about 66.9 % (47.2 to 100.6 %).'], told)


def test_no_calls(bench):
    (bench.folder / 'app.mbtrace').write_bytes(trace([]))
    names, told = bench.rules()
    check('none', names == [] and len(told) == 2, told)


def test_errors(bench):
    bench.record({2: 10})
    for options in (['--overhead=-1'], ['--overhead=5.5'], ['--overhead=%'], ['--overhead=1001']):
        code, text, error = bench.tune(*options)
        check(f'{options}', code == 2 and text == '' and '0% to 1000%' in error, error)
    code, text, error = bench.run('tune', 'app.mbtrace')
    check('no map', code == 2 and text == '' and 'app.mbtrace: no methodMapping.txt' in error, error)
    code, text, error = bench.run('tune')
    check('no trace', code == 2 and 'one trace file is needed' in error, error)
    code, text, error = bench.run('tune', 'none.mbtrace')
    check('no such trace', code == 1 and 'none.mbtrace' in error, error)
    os.rename(bench.folder / 'out/methodMapping.txt', bench.folder / 'methodMapping.txt')
    code, text, error = bench.run('tune', 'app.mbtrace')
    check('the map beside it', code == 0 and text.startswith('# Probes'), error)
    code, text, error = bench.run('help', 'tune')
    check('help', code == 0 and '--overhead N%' in text, text)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
