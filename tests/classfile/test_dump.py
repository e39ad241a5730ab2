#!/usr/bin/env python3
"""The program dump over every kind of input; what a listing says is in test_dump.c.

usage: test_dump.py DUMP
"""
import io
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from checks import Bench, check, run_all  # noqa: E402
from inputs import make_class, make_jar  # noqa: E402

DUMP = os.path.abspath(sys.argv[1])
BAD = b'\xca\xfe\xba\xbe\0\0\0\x34\0\x09'


class Dumps(Bench):
    def dump(self, *arguments, code=0):
        done = subprocess.run([DUMP, *arguments], cwd=self.folder,
                              capture_output=True, text=True, timeout=240)
        check(f'dump {arguments}: exit code', done.returncode == code, done.stderr)
        return done.stdout, done.stderr


def names(text):
    return [name for name in ('p/A', 'p/B') if name in text]


def test_classes_of_every_kind_of_input(bench):
    make_jar(bench.folder / 'app.jar', ['p/A run', ('r.txt', b'text'), 'p/B stop'])
    tree = bench.folder / 'tree' / 'p'
    tree.mkdir(parents=True)
    (tree / 'A.class').write_bytes(make_class('p/A run'))
    alone, _ = bench.dump('tree/p/A.class')
    check('a class file', names(alone) == ['p/A'], alone)
    check('a folder', bench.dump('tree')[0] == alone)
    jar, _ = bench.dump('app.jar')
    check('a jar', names(jar) == ['p/A', 'p/B'] and 'r.txt' not in jar, jar)
    check('one entry', bench.dump('app.jar!p/A.class')[0] == alone)
    both, _ = bench.dump('app.jar!p/A.class', 'app.jar!p/B.class')
    check('a blank line parts classes', both == jar and '\n\n' in both, both)


def jar_of(*entries):
    stream = io.BytesIO()
    make_jar(stream, entries)
    return stream.getvalue()


def test_jars_inside(bench):
    library = jar_of('p/B stop', ('deep!er.jar', jar_of('p/C go')))
    make_jar(bench.folder / 'app.ear', [('web.war', jar_of(
        ('WEB-INF/lib/b.jar', library), ('WEB-INF/classes/p/A.class', make_class('p/A run'))))])
    make_jar(bench.folder / 'lib.aar', [('classes.jar', jar_of('p/D run')), ('r.txt', b'text')])
    for name, content in (('A', 'p/A run'), ('B', 'p/B stop'), ('C', 'p/C go'), ('D', 'p/D run')):
        (bench.folder / f'{name}.class').write_bytes(make_class(content))
    a, b, c, d = (bench.dump(f'{name}.class')[0] for name in 'ABCD')
    inner = 'app.ear!web.war!WEB-INF/lib/b.jar'
    for argument, expected in (
            ('app.ear', [a, b, c]), ('lib.aar', [d]), ('app.ear!web.war', [a, b, c]),
            ('app.ear!web.war!WEB-INF/classes/p/A.class', [a]), (inner, [b, c]),
            (f'{inner}!p/B.class', [b]), (f'{inner}!deep!er.jar', [c]),
            (f'{inner}!deep!er.jar!p/C.class', [c]), ('lib.aar!classes.jar!p/D.class', [d])):
        text, _ = bench.dump(argument)
        check(f'classes of {argument}', text == '\n'.join(expected), text)
    for missing in ('app.ear!p/B.class', 'app.ear!web', f'{inner}!web.war',
                    f'{inner}!p/C.class', 'app.ear!web.war!WEB-INF/lib/b.jarx!p/B.class'):
        text, error = bench.dump(missing, code=1)
        check(f'{missing} is not there', not text and error.endswith(': no such entry\n'), error)


def test_jars_inside_that_are_none(bench):
    make_jar(bench.folder / 'app.war', [('WEB-INF/lib/bad.jar', b'PK, or not'), 'p/A run'])
    text, error = bench.dump('app.war', code=1)
    check('the others are listed', names(text) == ['p/A'], text)
    check('the bad one is named', 'app.war!WEB-INF/lib/bad.jar: ' in error, error)
    for argument in ('app.war!WEB-INF/lib/bad.jar', 'app.war!WEB-INF/lib/bad.jar!p/B.class'):
        check('the reason, for what is in it', bench.dump(argument, code=1)[1] == error)
    text, error = bench.dump('app.war!p/A.class')
    check('nothing of it where it is not asked for', names(text) == ['p/A'] and not error, error)


def test_what_is_listed(bench):
    (bench.folder / 'A.class').write_bytes(make_class('p/A run stop'))
    whole, _ = bench.dump('A.class')
    check('code', 'invokestatic' in whole and 'stop' in whole, whole)
    check('no code', 'invokestatic' not in bench.dump('--brief', 'A.class')[0])
    check('one method', ' stop ' not in bench.dump('--method', 'run', 'A.class')[0])
    check('one method and its descriptor',
          bench.dump('--method=run()V', 'A.class') == bench.dump('--method=run', 'A.class'))
    check('another descriptor', ' run ' not in bench.dump('--method=run(I)V', 'A.class')[0])
    check('the pool', len(bench.dump('--pool', 'A.class')[0]) > len(whole))


def test_what_goes_wrong(bench):
    make_jar(bench.folder / 'app.jar', ['p/A run', ('p/Bad.class', BAD), 'p/B stop'])
    text, error = bench.dump('app.jar', code=1)
    check('the others are listed', names(text) == ['p/A', 'p/B'], text)
    check('the bad one is named', 'app.jar!p/Bad.class' in error, error)
    _, error = bench.dump('app.jar!p/None.class', code=1)
    check('no such entry', error == 'dump: app.jar!p/None.class: no such entry\n', error)
    for arguments in ((), ('--brief',), ('--none', 'app.jar'), ('--method',)):
        _, error = bench.dump(*arguments, code=2)
        check(f'usage of {arguments}', 'usage: dump' in error, error)
    text, error = bench.dump('none.jar', 'app.jar!p/A.class', code=1)
    check('the next is listed', names(text) == ['p/A'] and 'none.jar' in error, error)


def test_names_with_exclamation_marks(bench):
    (bench.folder / 'A!B.class').write_bytes(make_class('p/A run'))
    check('a file of that name goes first', names(bench.dump('A!B.class')[0]) == ['p/A'])


def test_what_is_no_file(bench):
    os.mkfifo(bench.folder / 'pipe')
    for name in ['pipe', '/dev/null']:
        _, error = bench.dump(name, code=1)
        check(f'{name}: it does not hang', name in error, error)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Dumps))
