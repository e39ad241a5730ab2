#!/usr/bin/env python3
"""methodbeat instrument as a user meets it: files in, files out, exit codes, messages.

usage: test_instrument.py METHODBEAT CUT_SHORT
"""
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

from inputs import contents, make_class, make_jar

BEAT = os.path.abspath(sys.argv[1])
CUT_SHORT = os.path.abspath(sys.argv[2])
MESSAGE = '1048574,1,android.os.Handler dispatchMessage (Landroid.os.Message;)V\n'


class Instrument(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.root = pathlib.Path(self.scratch.name)

    def run_beat(self, *arguments, code=0):
        done = subprocess.run([BEAT, 'instrument', *map(str, arguments)], cwd=self.root,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done.stderr + done.stdout

    def jar(self, name, *entries):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        make_jar(self.root / name, entries)
        return name

    def text(self, name):
        return (self.root / name).read_text()

    def tree(self, name):
        base = self.root / name
        return {str(p.relative_to(base)): p.read_bytes() for p in base.rglob('*') if p.is_file()}

    # --- what comes out ---

    def test_a_jar_and_its_maps(self):
        self.jar('app.jar', 'b/B run -empty stop', ('res.txt', b'text'), 'a/A go')
        said = self.run_beat('-o', 'out', 'app.jar')
        self.assertIn('traced 3 methods in 2 of 2 classes (1 ignored)', said)
        self.assertEqual(self.text('out/methodMapping.txt'),
                         '1,9,a.A go ()V\n2,9,b.B run ()V\n3,9,b.B stop ()V\n' + MESSAGE)
        self.assertEqual(self.text('out/ignoreMethodMapping.txt'),
                         'ignore methods:\nb.B empty ()V\n')
        before, after = contents(self.root / 'app.jar'), contents(self.root / 'out/app.jar')
        self.assertEqual(list(before), list(after))
        self.assertEqual(after['res.txt'], b'text')
        self.assertIn(b'methodbeat/MethodBeat', after['a/A.class'])

    def test_without_traced_methods_a_jar_is_copied(self):
        self.jar('app.jar', 'a/A -empty', ('META-INF/X.SF', b'sig'))
        self.run_beat('-o', 'out', 'app.jar')
        self.assertEqual(self.text('out/methodMapping.txt'), MESSAGE)
        self.assertEqual((self.root / 'out/app.jar').read_bytes(),
                         (self.root / 'app.jar').read_bytes())

    def test_a_second_run_changes_nothing(self):
        self.jar('app.jar', 'a/A go')
        self.run_beat('-o', 'out', 'app.jar')
        self.run_beat('-o', 'again', 'out/app.jar')
        self.assertEqual((self.root / 'out/app.jar').read_bytes(),
                         (self.root / 'again/app.jar').read_bytes())

    def test_signatures_go_when_a_class_changes(self):
        manifest = (b'Manifest-Version: 1.0\r\n\r\nName: a/A.class\r\nSHA-256-Digest: abc=\r\n\r\n')
        self.jar('app.jar', ('META-INF/MANIFEST.MF', manifest), ('META-INF/K.SF', b'x'),
                 ('META-INF/K.RSA', b'y'), 'a/A go')
        self.run_beat('-o', 'out', 'app.jar')
        after = contents(self.root / 'out/app.jar')
        self.assertEqual(list(after), ['META-INF/MANIFEST.MF', 'a/A.class'])
        self.assertNotIn(b'Digest', after['META-INF/MANIFEST.MF'])

    def test_folders_and_single_classes(self):
        folder = self.root / 'classes' / 'a'
        folder.mkdir(parents=True)
        (folder / 'A.class').write_bytes(make_class('a/A go'))
        (folder / 'E.class').write_bytes(make_class('a/E -go'))
        (folder / 'x.properties').write_bytes(b'k=v')
        (self.root / 'B.class').write_bytes(make_class('b/B go'))
        self.run_beat('-o', 'out', 'classes', 'B.class')
        tree = self.tree('out')
        self.assertEqual(sorted(tree), ['B.class', 'classes/a/A.class', 'classes/a/E.class',
                                        'classes/a/x.properties', 'ignoreMethodMapping.txt',
                                        'methodMapping.txt'])
        self.assertEqual(tree['classes/a/E.class'], make_class('a/E -go'))
        self.assertEqual(tree['classes/a/x.properties'], b'k=v')
        self.assertNotEqual(tree['classes/a/A.class'], make_class('a/A go'))

    def test_a_class_that_left_a_folder_leaves_its_output(self):
        for name in ('p/A', 'p/B'):
            (self.root / 'in/p').mkdir(parents=True, exist_ok=True)
            (self.root / f'in/{name}.class').write_bytes(make_class(name))
        self.run_beat('-o', 'out', 'in')
        (self.root / 'out/in/p/mine.txt').write_text('not ours')
        (self.root / 'in/p/B.class').unlink()
        self.run_beat('-o', 'out', 'in')
        self.assertEqual(sorted(path.name for path in (self.root / 'out/in/p').iterdir()),
                         ['A.class', 'mine.txt'])

    def test_jars_inside_an_aar(self):
        self.jar('classes.jar', 'a/A go')
        self.jar('plain.jar', 'a/P -go')
        self.jar('lib.aar', ('AndroidManifest.xml', b'<x/>'),
                 ('classes.jar', (self.root / 'classes.jar').read_bytes()),
                 ('libs/plain.jar', (self.root / 'plain.jar').read_bytes()))
        self.run_beat('-o', 'out', 'lib.aar')
        after = contents(self.root / 'out/lib.aar')
        self.assertEqual(list(after), ['AndroidManifest.xml', 'classes.jar', 'libs/plain.jar'])
        self.assertEqual(after['libs/plain.jar'], (self.root / 'plain.jar').read_bytes())
        with zipfile.ZipFile(io.BytesIO(after['classes.jar'])) as inner:
            self.assertIn(b'methodbeat', inner.read('a/A.class'))
        self.assertIn('1,9,a.A go ()V', self.text('out/methodMapping.txt'))

    def test_one_merged_jar(self):
        self.jar('a.jar', 'b/B go', ('META-INF/MANIFEST.MF', b'x'), ('module-info.class', b'x'),
                 ('META-INF/versions/9/b/B.class', make_class('b/B go more')), ('d/', b''))
        self.jar('b.jar', 'a/A go', 'b/B other', ('r.txt', b'r'))
        said = self.run_beat('--output-jar', 'out/all.jar', 'a.jar', 'b.jar')
        self.assertIn('b.jar!b/B.class: left out: another one is in a.jar', said)
        with zipfile.ZipFile(self.root / 'out/all.jar') as jar:
            self.assertEqual(jar.namelist(), ['a/A.class', 'b/B.class'])
            self.assertEqual({i.date_time for i in jar.infolist()}, {(1980, 1, 1, 0, 0, 0)})
        self.assertEqual(self.text('out/methodMapping.txt'),
                         '1,9,a.A go ()V\n2,9,b.B go ()V\n' + MESSAGE)
        self.run_beat('--output-jar', 'all.jar', '--keep-resources', 'a.jar', 'b.jar')
        self.assertEqual(list(contents(self.root / 'all.jar')),
                         ['a/A.class', 'b/B.class', 'r.txt'])

    def test_equal_names_are_told_apart_whatever_their_order(self):
        self.jar('x/app.jar', 'a/A go')
        self.jar('y/app.jar', 'b/B go')
        self.run_beat('-o', 'out', 'x/app.jar', 'y/app.jar')
        self.run_beat('-o', 'turned', 'y/app.jar', 'x/app.jar')
        self.assertEqual(list(contents(self.root / 'out/app.jar')), ['a/A.class'])
        self.assertEqual(list(contents(self.root / 'out/app-2.jar')), ['b/B.class'])
        self.assertEqual(self.tree('out'), self.tree('turned'))

    def test_threads_and_order_do_not_show(self):
        names = []
        for n in range(12):
            names.append(self.jar(f'in/j{n}.jar', *[
                f'p{n % 3}/C{k} ' + ' '.join(f'm{i}' for i in range(n + k % 5)) for k in range(60)]))
        self.run_beat('-o', 'one', '-j', '1', *names)
        self.run_beat('-o', 'many', '-j', '7', *reversed(names))
        self.assertEqual(self.tree('one'), self.tree('many'))
        merged = ['--method-map', 'm.txt', '--ignore-map', 'i.txt', *names]
        self.run_beat('--output-jar', 'one.jar', '-j', '1', *merged)
        self.run_beat('--output-jar', 'many.jar', '-j', '7', *merged)
        self.assertEqual((self.root / 'one.jar').read_bytes(),
                         (self.root / 'many.jar').read_bytes())

    # --- ids ---

    def test_a_base_map_keeps_ids(self):
        self.jar('app.jar', 'a/A go', 'c/C go')
        self.run_beat('-o', 'out', 'app.jar')
        self.jar('app.jar', 'a/A first go', 'b/B go')
        self.run_beat('-o', 'next', '--base-method-map', 'out/methodMapping.txt', 'app.jar')
        self.assertEqual(self.text('next/methodMapping.txt'),
                         '1,9,a.A go ()V\n2,9,c.C go ()V\n3,9,a.A first ()V\n4,9,b.B go ()V\n'
                         + MESSAGE)

    def test_an_empty_base_map_is_told(self):
        self.jar('app.jar', 'a/A go')
        (self.root / 'base.txt').write_text('')
        said = self.run_beat('-o', 'out', '--base-method-map', 'base.txt', 'app.jar')
        self.assertIn('base.txt: is empty, so no method keeps its id', said)
        self.run_beat('-o', 'out', '--base-method-map', 'base.txt', '--strict', 'app.jar', code=1)

    def test_copies_of_a_class_share_ids(self):
        self.jar('x.jar', 'a/A go', ('META-INF/versions/9/a/A.class', make_class('a/A go more')))
        self.jar('y.jar', 'a/A -more go')
        self.run_beat('-o', 'out', 'x.jar', 'y.jar')
        self.assertEqual(self.text('out/methodMapping.txt'),
                         '1,9,a.A go ()V\n2,9,a.A more ()V\n' + MESSAGE)
        self.assertEqual(self.text('out/ignoreMethodMapping.txt'), 'ignore methods:\n')

    def test_more_ids_than_there_are(self):
        self.jar('app.jar', 'a/A go more')
        (self.root / 'base.txt').write_text('1048572,1,x.X y ()V\n')
        said = self.run_beat('-o', 'out', '--base-method-map', 'base.txt', 'app.jar', code=1)
        self.assertIn('ids are needed', said)
        self.assertFalse((self.root / 'out').exists())

    # --- what goes wrong ---

    def test_an_activity_with_all_methods_there_can_be(self):
        self.jar('app.jar', 'app/Main:android/app/Activity ' + 65535 * '-x ', 'app/Other go')
        said = self.run_beat('-o', 'out', 'app.jar')
        self.assertIn('app.jar!app/Main.class: no room for onWindowFocusChanged', said)
        before, after = contents(self.root / 'app.jar'), contents(self.root / 'out/app.jar')
        self.assertEqual(after['app/Main.class'], before['app/Main.class'])
        self.assertNotEqual(after['app/Other.class'], before['app/Other.class'])

    def test_a_bad_class_is_copied_and_told(self):
        self.jar('app.jar', ('a/Bad.class', b'\xca\xfe\xba\xbe\0\0\0\x34\0\x09'), 'a/A go')
        said = self.run_beat('-o', 'out', '--json', 'counts.json', 'app.jar')
        self.assertIn('warning: app.jar!a/Bad.class', said)
        self.assertEqual(contents(self.root / 'out/app.jar')['a/Bad.class'],
                         b'\xca\xfe\xba\xbe\0\0\0\x34\0\x09')
        counts = json.loads(self.text('counts.json'))
        self.assertEqual(counts['unreadable_classes'], 1)
        self.assertEqual(counts['traced_methods'], 1)
        self.assertEqual(counts['warnings'][0]['input'], 'app.jar!a/Bad.class')

    def test_strict_replaces_nothing(self):
        self.jar('app.jar', 'a/A go')
        self.run_beat('-o', 'out', 'app.jar')
        before = self.tree('out')
        self.jar('app.jar', ('a/Bad.class', b'nonsense'), 'a/B go')
        self.assertIn('a/Bad.class', self.run_beat('-o', 'out', '--strict', 'app.jar', code=1))
        self.assertEqual(self.tree('out'), before)

    def test_a_damaged_jar_replaces_nothing(self):
        self.jar('good.jar', 'a/A go')
        self.jar('bad.jar', 'b/B go')
        self.run_beat('-o', 'out', 'good.jar', 'bad.jar')
        before = self.tree('out')
        jar = (self.root / 'bad.jar').read_bytes()
        (self.root / 'bad.jar').write_bytes(jar[:40] + bytes([jar[40] ^ 0xff]) + jar[41:])
        self.assertIn('bad.jar', self.run_beat('-o', 'out', 'good.jar', 'bad.jar', code=1))
        (self.root / 'bad.jar').write_bytes(jar[:-30])
        self.assertIn('bad.jar', self.run_beat('-o', 'out', 'good.jar', 'bad.jar', code=1))
        self.assertEqual(self.tree('out'), before)

    def test_a_jar_cut_off_meanwhile_replaces_nothing(self):
        self.jar('app.jar', 'a/A go')
        self.run_beat('-o', 'out', 'app.jar')
        before = self.tree('out')
        self.jar('app.jar', 'b/B go', ('noise', os.urandom(300000)))
        options = os.environ.get('ASAN_OPTIONS', '') + ':verify_asan_link_order=0'
        done = subprocess.run([BEAT, 'instrument', '-o', 'out', 'app.jar'], cwd=self.root,
                              capture_output=True, text=True,
                              env={**os.environ, 'ASAN_OPTIONS': options, 'LD_PRELOAD': CUT_SHORT,
                                   'METHODBEAT_CUT': 'app.jar'})
        self.assertEqual(done.stderr, 'methodbeat: app.jar: was cut off while it was read\n')
        self.assertEqual(done.returncode, 1)
        deadline = time.monotonic() + 30
        while list(self.root.rglob('.methodbeat-*')) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(list(self.root.rglob('.methodbeat-*')), [])
        self.assertEqual(self.tree('out'), before)

    def test_an_output_is_never_an_input(self):
        self.jar('app.jar', 'a/A go')
        before = (self.root / 'app.jar').read_bytes()
        self.run_beat('-o', '.', 'app.jar', code=2)
        self.run_beat('--output-jar', 'app.jar', 'app.jar', code=2)
        self.run_beat('-o', 'out', '--explain', 'app.jar', 'app.jar', code=2)
        (self.root / 'classes').mkdir()
        self.run_beat('-o', 'classes/out', 'classes', code=2)
        self.assertEqual((self.root / 'app.jar').read_bytes(), before)

    def test_no_two_outputs_are_one(self):
        self.jar('a.jar', 'a/A go')
        for options in (['-o', 'out', '--method-map', 'out//./a.jar'],
                        ['-o', 'out', '--json', 'j', '--explain', './j'],
                        ['-o', 'out', '--state', self.root / 'out/methodMapping.txt'],
                        ['--output-jar', 'all.jar', '--ignore-map', 'all.jar']):
            self.assertIn('two outputs', self.run_beat(*options, 'a.jar', code=2))
        self.assertEqual([path.name for path in self.root.iterdir()], ['a.jar'])

    def test_wrong_usage(self):
        self.jar('app.jar', 'a/A go')
        for arguments in (['app.jar'], ['-o', 'out'], ['-o', 'out', '--output-jar', 'x', 'app.jar'],
                          ['-o', 'out', '--rules', 'none', 'app.jar'], ['-o'],
                          ['-o', 'out', '--colour', 'app.jar'], ['-o', 'out', '-j0', 'app.jar']):
            self.run_beat(*arguments, code=2)
        self.run_beat('-o', 'out', 'missing.jar', code=1)
        self.assertFalse((self.root / 'out').exists())

    # --- options ---

    def test_arguments_from_a_file(self):
        self.jar('with space.jar', 'a/A go')
        (self.root / 'list').write_text('-o\r\nout\r\n\r\nwith space.jar\r\n')
        self.run_beat('@list')
        self.assertIn('a/A.class', contents(self.root / 'out/with space.jar'))
        self.run_beat('@none', code=1)

    def test_a_blacklist_and_why(self):
        self.jar('app.jar', 'a/A go', 'b/B go', 'android/X go')
        (self.root / 'black.txt').write_text('[package]\n-keeppackage b/\n-keepclass never/Seen\n')
        said = self.run_beat('-o', 'out', '--blacklist', 'black.txt', '--explain', 'why.json',
                             'app.jar')
        self.assertIn('black.txt:3', said)
        self.assertIn('never/Seen', said)
        why = {row['class']: row for row in map(json.loads, self.text('why.json').splitlines())}
        self.assertEqual(why['a/A']['verdict'], 'trace')
        self.assertEqual(why['a/A']['id'], 1)
        self.assertEqual(why['a/A']['code_size'], 4)
        self.assertEqual(why['b/B']['verdict'], 'ignore')
        self.assertEqual(why['b/B']['source'], 'black.txt:2')
        self.assertEqual(why['android/X']['verdict'], 'ignore')

    def test_original_names(self):
        self.jar('app.jar', 'a a b')
        (self.root / 'mapping.txt').write_text(
            'com.app.Main -> a:\n    1:2:void start() -> a\n    void stop() -> b\n')
        self.run_beat('-o', 'out', '--mapping', 'mapping.txt', 'app.jar')
        self.assertEqual(self.text('out/methodMapping.txt'),
                         '1,9,com.app.Main start ()V\n2,9,com.app.Main stop ()V\n' + MESSAGE)

    def test_activities_report_focus(self):
        self.jar('lib.jar', 'lib/Base:android/app/Activity')
        self.jar('app.jar', 'app/Main:lib/Base', 'app/Other go')
        self.run_beat('-o', 'out', 'app.jar')
        self.assertNotIn(b'onWindowFocusChanged',
                         contents(self.root / 'out/app.jar')['app/Main.class'])
        self.run_beat('-o', 'out', '--classpath', 'lib.jar', 'app.jar')
        self.assertIn(b'onWindowFocusChanged',
                      contents(self.root / 'out/app.jar')['app/Main.class'])
        self.run_beat('-o', 'out2', '--activity', 'lib.Base', 'app.jar')
        self.assertEqual(self.tree('out')['app.jar'], self.tree('out2')['app.jar'])

    def test_compression(self):
        self.jar('app.jar', 'a/A go ' + ' '.join(f'method{i}' for i in range(40)))
        for how in ('store', 'fast', 'best'):
            self.run_beat('-o', how, '--compression', how, 'app.jar')
        self.assertEqual(contents(self.root / 'store/app.jar'), contents(self.root / 'best/app.jar'))
        size = {how: (self.root / how / 'app.jar').stat().st_size for how in ('store', 'best')}
        self.assertLess(size['best'], size['store'])

    # --- --state: a second run does what a full run with the first one's ids would do ---

    def project(self):
        for n in range(4):
            self.jar(f'in/j{n}.jar', *[f'p{k}/C{n} a b -empty' for k in range(8)],
                     f'shared/S m{n}', ('r.txt', bytes([n])))
        return [f'in/j{n}.jar' for n in range(4)]

    def check_again(self, inputs, *options):
        """Run with the state and in full with the old ids; both must give the same."""
        (self.root / 'old.txt').write_bytes((self.root / 'out/methodMapping.txt').read_bytes())
        said = self.run_beat('-o', 'out', '--state', 'state', *options, *inputs)
        self.run_beat('-o', 'full', '--base-method-map', 'old.txt', *options, *inputs)
        self.assertEqual({**self.tree('out')}, {**self.tree('full')})
        return said

    def stamps(self):
        return {p.name: (p.stat().st_ino, p.stat().st_mtime_ns)
                for p in (self.root / 'out').iterdir()}

    def test_nothing_changed(self):
        inputs = self.project()
        first = self.run_beat('-o', 'out', '--state', 'state', *inputs)
        before = self.stamps()
        self.assertEqual(self.check_again(inputs), first)
        self.assertEqual(self.stamps(), before)

    def test_one_jar_changed(self):
        inputs = self.project()
        self.run_beat('-o', 'out', '--state', 'state', *inputs)
        for change in (['p0/C1 a b -empty more'], ['p0/C1 b', 'new/N go', 'shared/S m0 m9'],
                       ['p0/C1 a b -empty more', 'shared/S m1'], ['p0/C1 -a'],
                       ['p9/A:android/app/Activity']):
            before = self.stamps()
            self.jar('in/j1.jar', *change)
            self.check_again(inputs)
            after = self.stamps()
            self.assertEqual({n for n in after if after[n] != before[n]} - {'j1.jar'} - {
                'methodMapping.txt', 'ignoreMethodMapping.txt'}, set())

    def test_only_bytes_changed(self):
        inputs = self.project()
        self.run_beat('-o', 'out', '--state', 'state', *inputs)
        before = self.stamps()
        self.jar('in/j1.jar', *[f'p{k}/C1 a b -empty' for k in range(8)], 'shared/S m1',
                 ('r.txt', b'other'))
        self.check_again(inputs)
        after = self.stamps()
        self.assertEqual({n for n in after if after[n] != before[n]}, {'j1.jar'})

    def test_an_activity_appears_above_an_unchanged_class(self):
        self.jar('base.jar', 'lib/Base -x')
        self.jar('app.jar', 'app/Main:lib/Base go')
        self.run_beat('-o', 'out', '--state', 'state', 'base.jar', 'app.jar')
        self.jar('base.jar', 'lib/Base:android/app/Activity -x')
        self.check_again(['base.jar', 'app.jar'])
        self.assertIn(b'onWindowFocusChanged',
                      contents(self.root / 'out/app.jar')['app/Main.class'])

    def test_what_is_no_activity_any_more_is_not_counted(self):
        self.jar('base.jar', 'lib/Base:android/app/Activity -x')
        self.jar('app.jar', 'app/Main:lib/Base -x')
        self.run_beat('-o', 'out', '--state', 'state', 'base.jar', 'app.jar')
        self.jar('base.jar', 'lib/Base -x')
        self.assertIn('in 0 of 2 classes', self.check_again(['base.jar', 'app.jar']))

    def break_code(self, name, entry):
        """Replace what methods begin with, a call, by no instruction: found by rewriting only."""
        old = contents(self.root / name)
        broken = old[entry].replace(b'\0\0\0\4\xb8', b'\0\0\0\4\xfe')
        self.assertNotEqual(broken, old[entry])
        self.jar(name, *{**old, entry: broken}.items())

    def test_an_activity_whose_code_is_broken(self):
        self.jar('base.jar', 'lib/Base go')
        self.jar('app.jar', 'app/Main:android/app/Activity go', 'app/Other go')
        self.break_code('app.jar', 'app/Main.class')
        self.run_beat('-o', 'out', '--state', 'state', 'base.jar', 'app.jar')
        before = self.tree('out')
        self.jar('base.jar', 'lib/Base go', 'lib/New go')
        said = self.run_beat('-o', 'out', '--state', 'state', 'base.jar', 'app.jar')
        self.assertIn('undefined opcode', said)
        self.assertIn('lib.New go', self.text('out/methodMapping.txt'))
        self.assertEqual(self.tree('out')['app.jar'], before['app.jar'])

    def test_outputs_that_are_not_as_they_were_left(self):
        inputs = self.project()
        self.run_beat('-o', 'out', '--state', 'state', *inputs)
        whole = self.tree('out')
        for name in ('j2.jar', 'methodMapping.txt', 'ignoreMethodMapping.txt'):
            (self.root / 'out' / name).unlink()
            self.run_beat('-o', 'out', '--state', 'state', *inputs)
            self.assertEqual(self.tree('out'), whole)
            (self.root / 'out' / name).write_bytes(b'x')
            self.run_beat('-o', 'out', '--state', 'state', *inputs)
            self.assertEqual(self.tree('out'), whole)

    def test_a_jar_with_broken_code_is_written_again(self):
        self.jar('app.jar', *[f'a/A{n} go' for n in range(4)])
        self.break_code('app.jar', 'a/A1.class')
        run = ['-o', 'out', '--compression', 'store', '--state', 'state', 'app.jar']
        self.run_beat(*run)
        whole = self.tree('out')
        (self.root / 'out/app.jar').unlink()
        self.assertIn('undefined opcode', self.run_beat(*run))
        self.assertEqual(self.tree('out'), whole)

    def test_inputs_and_options_that_change(self):
        inputs = self.project()
        self.run_beat('-o', 'out', '--state', 'state', *inputs)
        inputs.append(self.jar('in/first.jar', 'a/First go'))
        self.check_again(inputs)
        self.check_again(inputs, '--exceptions', 'returns')
        (self.root / 'black.txt').write_text('-keeppackage p1/\n')
        self.check_again(inputs, '--blacklist', 'black.txt')
        (self.root / 'black.txt').write_text('-keeppackage p2/\n')
        self.check_again(inputs, '--blacklist', 'black.txt')

    def test_a_folder_beside_jars(self):
        inputs = self.project()
        (self.root / 'classes/q').mkdir(parents=True)
        (self.root / 'classes/q/Q.class').write_bytes(make_class('q/Q go'))
        self.run_beat('-o', 'out', '--state', 'state', *inputs, 'classes')
        (self.root / 'classes/q/Q.class').write_bytes(make_class('q/Q go again'))
        self.check_again([*inputs, 'classes'])

    def test_a_damaged_state_is_none(self):
        inputs = self.project()
        self.run_beat('-o', 'out', '--state', 'state', *inputs)
        whole = self.tree('out')
        state = (self.root / 'state').read_bytes()
        for at in (0, 9, 30, 50, 90, 200, len(state) // 2, len(state) - 1):
            (self.root / 'state').write_bytes(
                state[:at] + bytes([state[at] ^ 0x40]) + state[at + 1:])
            self.run_beat('-o', 'out', '--state', 'state', *inputs)
            self.assertEqual(self.tree('out'), whole)
        for size in (0, 7, 100, len(state) - 8):
            (self.root / 'state').write_bytes(state[:size])
            self.run_beat('-o', 'out', '--state', 'state', *inputs)
            self.assertEqual(self.tree('out'), whole)

    def test_a_merged_jar_again(self):
        inputs = self.project()
        run = ['--output-jar', 'out/all.jar', '--state', 'state', *inputs]
        first = self.run_beat(*run)
        before = self.stamps()
        self.assertEqual(self.run_beat(*run).splitlines()[-1], first.splitlines()[-1])
        self.assertEqual(self.stamps(), before)
        self.jar('in/j1.jar', 'p0/C1 more')
        (self.root / 'old.txt').write_bytes((self.root / 'out/methodMapping.txt').read_bytes())
        self.run_beat(*run)
        self.run_beat('--output-jar', 'full/all.jar', '--base-method-map', 'old.txt', *inputs)
        self.assertEqual(self.tree('out'), self.tree('full'))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
