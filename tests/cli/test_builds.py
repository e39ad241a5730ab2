#!/usr/bin/env python3
"""The three steps of instrument, for builds that keep the result of each: collect, number, instrument --ids.

usage: test_builds.py METHODBEAT
"""
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

from inputs import make_class, make_jar

BEAT = pathlib.Path(sys.argv[1]).resolve()
REAL_JARS = [path for name in ('ant', 'guava', 'xercesImpl', 'bcel', 'commons-io')
             for path in [pathlib.Path(f'/usr/share/java/{name}.jar')] if path.exists()]

def jar_bytes(*entries):
    stream = io.BytesIO()
    make_jar(stream, entries)
    return stream.getvalue()


def without_access(lines):
    """Of which copies of a method have their own."""
    return set(re.sub(rb'^(\d+),\d+,', rb'\1 ', lines, flags=re.M).splitlines())


# Across jars: an Activity, a supertype that is unknown or turns out to be an input, a call from a class without
# probes, jars inside, and a class that is there three times, once with a method that is not static.
JARS = {
    'base.jar': ['lib/Base:android/app/Activity -x', 'lib/Open:gone/Outside !run', 'lib/Closed !run go', 'lib/Twice a'],
    'app.jar': ['app/Main:lib/Base go', 'app/Sub:lib/Open !run !stop', 'app/Leaf:lib/Closed !run !leap'],
    'fat.jar': ['fat/Fat:app/Leaf !run', ('BOOT-INF/lib/inner.jar', jar_bytes('in/Inner:app/Sub !run', 'app/Leaf go')),
                ('META-INF/versions/9/lib/Twice.class', make_class('lib/Twice !a b'))],
    'more.jar': ['more/More:app/Sub !more', 'lib/Twice a b', 'more/Blocked call:()V', 'other/Other call'],
}


class Builds(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)

    def run_beat(self, *arguments, code=0):
        done = subprocess.run([BEAT, *map(str, arguments)], cwd=self.root, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, f'{arguments}: {done.stderr}{done.stdout}')
        return done.stderr + done.stdout

    def tree(self, name):
        base = self.root / name
        return {str(p.relative_to(base)): p.read_bytes() for p in base.rglob('*') if p.is_file()}

    def make_jars(self):
        for name, entries in JARS.items():
            make_jar(self.root / name, entries)
        (self.root / 'blacklist.txt').write_text('-keepclass more/Blocked\n')
        return list(JARS)

    def collect(self, jars, *options):
        """NAMES by jar."""
        for jar in jars:
            self.run_beat('collect', '-o', f'names/{pathlib.Path(jar).name}', *options, jar)
        return [f'names/{pathlib.Path(jar).name}' for jar in jars]

    def rewrite(self, jars, slices, out, *options):
        """What the steps write by jar: each in a folder of its own, as in a build."""
        for jar in jars:
            name = pathlib.Path(jar).name
            self.run_beat('instrument', '-q', '--ids', f'{slices}/{name}', '-o', f'{out}/{name}',
                          '--explain', f'{out}/{name}/explain', *options, jar)
        return {name: bytes for jar in jars for name in [pathlib.Path(jar).name]
                for bytes in [(self.root / out / name / name).read_bytes()]}

    def check_equal(self, jars, *options):
        """One run, the steps with its map as ledger, and one run with the ids of steps without a ledger."""
        self.run_beat('instrument', '-q', '-o', 'one', *options, *jars)
        names = self.collect(jars, *options)
        self.run_beat('number', '-o', 'map', '--slices', 'ids', '--ledger', 'one/methodMapping.txt', *names)
        apart = self.rewrite(jars, 'ids', 'apart', *options)
        one = self.tree('one')
        self.assertEqual({name for name in apart if apart[name] != one[name]}, set())
        self.run_beat('number', '-o', 'map', '--slices', 'ids', *names)
        apart = self.rewrite(jars, 'ids', 'apart', *options)
        self.run_beat('instrument', '-q', '-o', 'by_hash', '--ids', 'map', '--explain', 'by_hash/explain', *options,
                      *jars)
        self.run_beat('instrument', '-q', '-o', 'by_base', '--base-method-map', 'by_hash/methodMapping.txt',
                      '--explain', 'by_base/explain', *options, *jars)
        by_hash = self.tree('by_hash')
        self.assertEqual(by_hash, self.tree('by_base'))
        self.assertEqual({name for name in apart if apart[name] != by_hash[name]}, set())
        for file in 'methodMapping.txt', 'ignoreMethodMapping.txt', 'explain':
            parts = [content for name, content in self.tree('apart').items() if name.endswith(f'/{file}')]
            self.assertEqual(without_access(b''.join(parts)), without_access(by_hash[file]))

    # --- equal to one run ---

    def test_steps_equal_one_run(self):
        jars = self.make_jars()
        self.check_equal(jars)
        self.check_equal(jars, '--blacklist', 'blacklist.txt')
        self.check_equal(jars, '--exceptions', 'finally')
        self.check_equal(jars, '--rules', 'matrix')

    def test_real_jars(self):
        if len(REAL_JARS) > 1:
            self.check_equal(REAL_JARS)

    def test_activities_are_known_across_inputs(self):
        jars = self.make_jars()
        make_jar(self.root / 'path.jar', ['gone/Outside:gone/Screen'])
        for known in ['--activity', 'gone.Outside'], ['--activity', 'gone/Screen', '--classpath', 'path.jar']:
            self.run_beat('instrument', '-q', '-o', 'one', *known, *jars)
            self.run_beat('number', '-o', 'map', '--slices', 'ids', '--ledger', 'one/methodMapping.txt', *known,
                          *self.collect(jars))
            apart = self.rewrite(jars, 'ids', 'apart')
            self.assertEqual(apart, {name: self.tree('one')[name] for name in jars})
            with zipfile.ZipFile(self.root / 'apart/app.jar/app.jar') as jar:
                told = [name for name in jar.namelist() if b'onWindowFocusChanged' in jar.read(name)]
            self.assertEqual(told, ['app/Main.class', 'app/Sub.class'])

    # --- what a cache keeps ---

    def test_one_class_more_changes_its_own_slice_only(self):
        jars = self.make_jars()
        names = self.collect(jars)
        for ledger in [], ['--ledger', 'map']:
            self.run_beat('number', '-o', 'map', '--slices', 'ids', *names)
            before = self.tree('ids'), self.rewrite(jars, 'ids', 'apart')
            make_jar(self.root / 'app.jar', [*JARS['app.jar'], 'app/New a !b'])
            self.collect(['app.jar'])
            self.run_beat('number', '-o', 'map', '--slices', 'ids', *ledger, *names)
            after = self.tree('ids'), self.rewrite(jars, 'ids', 'apart')
            for old, new in zip(before, after):
                self.assertEqual({name for name in new if new[name] != old[name]}, {'app.jar'})
            make_jar(self.root / 'app.jar', JARS['app.jar'])
            self.collect(['app.jar'])

    def test_names_are_small_and_say_nothing_of_place_and_time(self):
        jar = REAL_JARS[0] if REAL_JARS else self.make_jars()[0]
        (self.root / 'elsewhere').mkdir()
        (self.root / 'elsewhere/other.jar').write_bytes(pathlib.Path(self.root, jar).read_bytes())
        self.run_beat('collect', '-o', 'a', jar)
        self.run_beat('collect', '-o', 'b', 'elsewhere/other.jar')
        content = (self.root / 'a').read_bytes()
        self.assertEqual(content, (self.root / 'b').read_bytes())
        if REAL_JARS:
            self.run_beat('instrument', '-q', '-o', 'out', jar)
            count = (self.root / 'out/methodMapping.txt').read_text().count('\n') - 1
            self.assertLess(len(zlib.compress(content, 9)) / count, 9)

    def test_the_order_of_inputs_and_history_do_not_show(self):
        names = self.collect(self.make_jars())
        self.run_beat('number', '-o', 'map', '--slices', 'ids', *names)
        self.run_beat('number', '-o', 'again', '--slices', 'ids2', '--ledger', 'map', *reversed(names))
        self.assertEqual(self.tree('ids'), self.tree('ids2'))
        self.assertEqual((self.root / 'map').read_bytes(), (self.root / 'again').read_bytes())

    def test_ids_of_what_is_gone_stay_taken(self):
        names = self.collect(self.make_jars())
        self.run_beat('number', '-o', 'map', '--slices', 'ids', *names)
        self.run_beat('number', '-o', 'less', '--slices', 'ids2', '--ledger', 'map', *names[1:])
        self.run_beat('number', '-o', 'more', '--slices', 'ids2', '--ledger', 'less', *names)
        self.assertEqual(self.tree('ids'), self.tree('ids2'))

    # --- errors, after which nothing is written ---

    def test_damaged_names(self):
        names = self.collect(self.make_jars())
        whole = (self.root / names[1]).read_bytes()
        for damage, said in [(whole[:-1], 'is damaged'), (whole[:40] + b'?' + whole[41:], 'is damaged'),
                             (b'', 'is not a file of methodbeat collect'), (b'PK', 'is not a file of methodbeat'),
                             (b'mb collect 1', 'is of another version of methodbeat collect')]:
            (self.root / names[1]).write_bytes(damage)
            error = self.run_beat('number', '-o', 'map', '--slices', 'ids', *names, code=1)
            self.assertIn(f'{names[1]}: {said}', error)
            self.assertFalse((self.root / 'map').exists() or (self.root / 'ids').exists())

    def test_a_slice_of_another_jar(self):
        jars = self.make_jars()
        self.run_beat('number', '-o', 'map', '--slices', 'ids', *self.collect(jars))
        error = self.run_beat('instrument', '--ids', 'ids/app.jar', '-o', 'out', 'base.jar', code=1)
        self.assertRegex(error, r'base.jar!lib/Closed.class: \w+\(\)V: .* it has no id in ids/app.jar')
        self.assertFalse((self.root / 'out').exists())
        for slice, said in [('names/app.jar', 'is not a file of methodbeat number'), ('none', 'No such file')]:
            self.assertIn(said, self.run_beat('instrument', '--ids', slice, '-o', 'out', 'app.jar', code=1))

    def test_other_options(self):
        jars = self.make_jars()
        names = self.collect(jars)
        self.collect(jars[:1], '--exceptions', 'finally')
        said = 'was collected with other --rules, --exceptions or --beat-class'
        self.assertIn(said, self.run_beat('number', '-o', 'map', '--slices', 'ids', *names, code=2))
        self.collect(jars)
        self.run_beat('number', '-o', 'map', '--slices', 'ids', *names)
        error = self.run_beat('instrument', '--ids', 'ids/app.jar', '--rules', 'matrix', '-o', 'out', 'app.jar', code=2)
        self.assertIn(f'ids/app.jar: {said}', error)
        error = self.run_beat('instrument', '--ids', 'ids/app.jar', '--state', 's', '-o', 'out', 'app.jar', code=2)
        self.assertIn('--ids goes without --base-method-map, --state', error)

    def test_a_full_room(self):
        """All ids but one are taken: a method more gets that one, and two find no room."""
        with (self.root / 'ledger').open('w') as ledger:
            ledger.writelines(f'{id},1,x.X y{id} ()V\n' for id in range(1, 0xffffe) if id != 77)
        make_jar(self.root / 'one.jar', ['p/One a'])
        make_jar(self.root / 'two.jar', ['p/Two b'])
        names = self.collect(['one.jar', 'two.jar'])
        error = self.run_beat('number', '-o', 'map', '--slices', 'ids', '--ledger', 'ledger', *names, code=1)
        self.assertIn('1048574 method ids are needed, but there are only 1048573', error)
        self.assertFalse((self.root / 'map').exists() or (self.root / 'ids').exists())
        said = self.run_beat('number', '-o', 'map', '--slices', 'ids', '--ledger', 'ledger', names[0])
        self.assertIn('1048573 of 1048573 ids are taken, over 85 %', said)
        self.rewrite(['one.jar'], 'ids', 'out')
        self.assertTrue((self.root / 'out/one.jar/methodMapping.txt').read_text().startswith('77,9,p.One a ()V\n'))

    def test_a_warning_above_85_percent(self):
        make_jar(self.root / 'one.jar', ['p/One a'])
        names = self.collect(['one.jar'])
        for taken, warns in (891287, False), (891288, True):
            with (self.root / 'ledger').open('w') as ledger:
                ledger.writelines(f'{id},1,x.X y{id} ()V\n' for id in range(1, taken))
            said = self.run_beat('number', '-o', 'map', '--slices', 'ids', '--ledger', 'ledger', *names)
            self.assertEqual(f'{taken} of 1048573 ids are taken, over 85 %' in said, warns, said)

    def test_ids_go_alone(self):
        jars = self.make_jars()
        self.run_beat('number', '-o', 'map', '--slices', 'ids', *self.collect(jars))
        (self.root / 'r8.txt').write_text('lib.Base -> a.a:\n')
        for option in '--mapping=r8.txt', '--base-method-map=map', '--classpath=app.jar', '--activity=lib.Base':
            error = self.run_beat('instrument', '--ids', 'ids/base.jar', option, '-o', 'out', 'base.jar', code=2)
            self.assertIn('--ids goes without --base-method-map, --state, --mapping, --classpath and --activity', error)
        for step in ('collect', '-o', 'names', 'base.jar'), ('number', '-o', 'map', '--slices', 'ids', 'names/base.jar'):
            self.assertIn('--mapping', self.run_beat(*step, '--mapping=r8.txt', code=2))
        self.assertFalse((self.root / 'out').exists())

    def test_two_runs_into_one_folder(self):
        """Whichever comes last, all files are of one of them; the other may have failed."""
        jars = self.make_jars()
        names = self.collect(jars)
        (self.root / 'ledger').write_text('77,9,lib.Base go ()V\n')
        steps = [['number', '-o', 'both/map', '--slices', 'both', *ledger, *names] for ledger in ([], ['--ledger=ledger'])]
        alone = []
        for step in steps:
            self.run_beat(*step)
            alone.append(self.tree('both'))
        self.assertNotEqual(*alone)
        for turn in range(10):
            shutil.rmtree(self.root / 'both')
            runs = [subprocess.Popen([BEAT, *step], cwd=self.root, stderr=subprocess.PIPE, text=True)
                    for step in (steps if turn % 2 else reversed(steps))]
            errors = [run.communicate()[1] for run in runs]
            self.assertIn(0, [run.returncode for run in runs], errors)
            self.assertIn(self.tree('both'), alone, errors)

    def test_no_output_is_an_input(self):
        names = self.collect(self.make_jars())
        for out, slices in [('map', 'names'), (names[0], 'ids'), ('ids/app.jar', 'ids')]:
            before = self.tree('.')
            self.assertIn('two outputs would have this name',
                          self.run_beat('number', '-o', out, '--slices', slices, *names, code=2))
            self.assertEqual(before, self.tree('.'))
        self.assertIn('the output is an input', self.run_beat('collect', '-o', 'app.jar', 'app.jar', code=2))

    def test_broken_classes_are_told(self):
        make_jar(self.root / 'bad.jar', ['p/P a', ('p/Bad.class', make_class('p/Bad a')[:-3])])
        self.assertIn('bad.jar!p/Bad.class', self.run_beat('collect', '-o', 'names', 'bad.jar'))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
