#!/usr/bin/env python3
"""methodbeat instrument as a user meets it: files in, files out, exit codes, messages.

usage: test_instrument.py METHODBEAT CUT_SHORT
"""
import io
import json
import os
import shutil
import subprocess
import sys
import unittest
import zipfile
import zlib

from inputs import Folder, contents, make_class
from traces import fnv

BEAT = os.path.abspath(sys.argv[1])
CUT_SHORT = os.path.abspath(sys.argv[2])
MESSAGE = '1048574,1,android.os.Handler dispatchMessage (Landroid.os.Message;)V\n'


def forget_zip64(path, count):
    """As writers do that know of no ZIP64: the count wraps, and records of ZIP64 are missing."""
    whole = path.read_bytes()
    end = bytearray(whole[-22:])
    end[8:12] = 2 * (count & 0xffff).to_bytes(2, 'little')
    records = whole.find(b'PK\6\6', len(whole) - 22 - 76)
    path.write_bytes(whole[:records if records >= 0 else -22] + end)


class Instrument(Folder):
    def run_beat(self, *arguments, code=0):
        done = subprocess.run([BEAT, 'instrument', *map(str, arguments)], cwd=self.root,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done.stderr + done.stdout

    # --- what comes out ---

    def test_a_jar_and_its_maps(self):
        self.jar('app.jar', 'b/B run -empty stop', ('res.txt', b'text'), 'a/A go')
        said = self.run_beat('-o', 'out', 'app.jar')
        self.assertIn('traced 3 methods in 2 of 2 classes (1 ignored)', said)
        self.assertIn('record it: methodbeat run java -jar out/app.jar\n', said)
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

    def test_only_signatures_go(self):
        kept = ['META-INF/sub/x.RSA', 'META-INF/SIG-K.json', 'x.SF', 'META-INF/SIGNED']
        gone = ['META-INF/k.rsa', 'meta-inf/K.sf', 'META-INF/SIG-K', 'META-INF/sig-k.p7', 'META-INF/K.EC']
        self.jar('app.jar', *[(name, b'x') for name in kept + gone], 'a/A go')
        self.jar('same.jar', *[(name, b'x') for name in kept + gone], 'b/B -go')
        self.run_beat('-o', 'out', 'app.jar', 'same.jar')
        self.assertEqual(list(contents(self.root / 'out/app.jar')), [*kept, 'a/A.class'])
        self.assertEqual((self.root / 'out/same.jar').read_bytes(),
                         (self.root / 'same.jar').read_bytes())

    def test_no_entry_is_lost_where_their_count_is_too_large_for_its_field(self):
        for count in 65535, 65536, 70001:
            for is_zip64 in True, False:
                with zipfile.ZipFile(self.root / 'many.jar', 'w') as jar:
                    jar.writestr('a/A.class', make_class('a/A go'))
                    for i in range(count - 1):
                        jar.writestr(f'e{i}', '')
                if not is_zip64:
                    forget_zip64(self.root / 'many.jar', count)
                self.run_beat('-o', 'out', 'many.jar')
                with zipfile.ZipFile(self.root / 'out/many.jar') as jar:
                    self.assertEqual(len(jar.namelist()), count)

    def test_what_stands_around_the_entries_stays(self):
        script = b'#!/bin/sh\nexec java -jar "$0" "$@"\n'
        self.jar('x.jar', 'a/A go')
        with zipfile.ZipFile(self.root / 'x.jar', 'a') as jar:
            jar.comment = b'a comment \xff'
        for name in 'plain.jar', 'shifted.jar':
            (self.root / name).write_bytes(script + (self.root / 'x.jar').read_bytes())
            (self.root / name).chmod(0o755)
        with zipfile.ZipFile(self.root / 'shifted.jar', 'a') as jar:
            jar.writestr('b', 'makes Python write all offsets anew')
        (self.root / self.jar('same.jar', 'a/A -go')).chmod(0o755)
        self.run_beat('-o', 'out', 'plain.jar', 'shifted.jar', 'same.jar')
        self.assertTrue(os.access(self.root / 'out/same.jar', os.X_OK))
        for name in 'plain.jar', 'shifted.jar':
            after = self.root / 'out' / name
            self.assertTrue(after.read_bytes().startswith(script + b'PK'))
            self.assertTrue(os.access(after, os.X_OK))
            with zipfile.ZipFile(after) as jar:
                self.assertEqual(jar.comment, b'a comment \xff')
                self.assertIn(b'methodbeat', jar.read('a/A.class'))
                self.assertEqual(jar.infolist()[0].header_offset, len(script))

    def test_damage_in_what_is_copied_is_not_mended(self):
        for compression in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
            with zipfile.ZipFile(self.root / 'app.jar', 'w', compression) as jar:
                jar.writestr('a/A.class', make_class('a/A go'))
                jar.writestr('r', 'resource')
            whole = (self.root / 'app.jar').read_bytes()
            crc = zlib.crc32(b'resource').to_bytes(4, 'little')
            (self.root / 'app.jar').write_bytes(whole.replace(crc, b'\1\2\3\4'))
            self.run_beat('-o', 'out', 'app.jar')
            with zipfile.ZipFile(self.root / 'out/app.jar') as jar:
                self.assertEqual(jar.testzip(), 'r')

    def test_an_encrypted_entry_is_an_error(self):
        self.jar('app.jar', 'a/A go', ('r', b'resource'))
        whole = bytearray((self.root / 'app.jar').read_bytes())
        whole[whole.rindex(b'PK\1\2') + 8] |= 1
        (self.root / 'app.jar').write_bytes(whole)
        said = self.run_beat('-o', 'out', 'app.jar', code=1)
        self.assertIn('app.jar!r: @ ', said)
        self.assertIn('entry is encrypted', said)

    def test_pipes_are_no_inputs(self):
        os.mkfifo(self.root / 'pipe')
        self.jar('app.jar', 'a/A go')
        self.assertIn('pipe: neither a file nor a folder', self.run_beat('-o', 'out', 'pipe', code=1))
        said = self.run_beat('-o', 'out', '--state', 'pipe', 'app.jar', code=1)
        self.assertIn('pipe: a device, pipe or socket is in the way', said)
        said = subprocess.run([BEAT, 'collect', '-o', 'out', 'pipe'], cwd=self.root, capture_output=True, text=True,
                              timeout=240)
        self.assertEqual((said.returncode, said.stderr),
                         (1, 'methodbeat: pipe: neither a file nor a folder\n'))
        self.assertFalse((self.root / 'out').exists())

    def test_a_signal_ends_the_wait_for_a_silent_pipe(self):
        os.mkfifo(self.root / 'pipe')
        self.jar('app.jar', 'a/A go')
        with subprocess.Popen([BEAT, 'instrument', '-o', 'out', '--blacklist', 'pipe', 'app.jar'],
                              cwd=self.root, stderr=subprocess.PIPE, text=True) as run:
            with open(self.root / 'pipe', 'w'):  # opens when the other side is there
                run.terminate()
                _, said = run.communicate(timeout=240)
        self.assertEqual((run.returncode, said), (1, 'methodbeat: pipe: interrupted\n'))
        self.assertFalse((self.root / 'out').exists())

    def test_a_text_without_end_is_refused(self):
        self.jar('app.jar', 'a/A go')
        said = self.run_beat('-o', 'out', '--blacklist', '/dev/zero', 'app.jar', code=1)
        self.assertIn('/dev/zero: not a regular file, and over 1024 MiB long', said)

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

    # --- jars inside ---

    def nested(self, *entries, stored=False):
        """The bytes of a jar, its entries stored or deflated."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, 'w') as jar:
            for entry in entries:
                name, data = entry if isinstance(entry, tuple) else (
                    entry.split()[0] + '.class', make_class(entry))
                jar.writestr(zipfile.ZipInfo(name), data,
                             zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)
        return out.getvalue()

    def open_path(self, path, *inner):
        """The archive at path, or in it at the path of entries."""
        data = (self.root / path).read_bytes()
        for name in inner:
            with zipfile.ZipFile(io.BytesIO(data)) as jar:
                data = jar.read(name)
        return zipfile.ZipFile(io.BytesIO(data))

    def test_jars_below_a_folder(self):
        self.jar('lib/a.jar', 'a/A go', ('r', b'r'))
        self.jar('lib/sub/b.JAR', 'b/B go')
        self.jar('lib/same.jar', 's/S -go')
        (self.root / 'lib/sub/D.class').write_bytes(make_class('d/D go'))
        (self.root / 'lib/notes.txt').write_bytes(b'notes')
        said = self.run_beat('-o', 'out', 'lib')
        self.assertIn('traced 3 methods in 3 of 4 classes', said)
        self.assertEqual(sorted(self.tree('out/lib')),
                         ['a.jar', 'notes.txt', 'same.jar', 'sub/D.class', 'sub/b.JAR'])
        self.assertIn(b'methodbeat', self.open_path('out/lib/a.jar').read('a/A.class'))
        self.assertIn(b'methodbeat', self.open_path('out/lib/sub/b.JAR').read('b/B.class'))
        self.assertEqual((self.root / 'out/lib/same.jar').read_bytes(),
                         (self.root / 'lib/same.jar').read_bytes())
        self.run_beat('-o', 'one', '-j', '1', 'lib')
        self.assertEqual(self.tree('one'), self.tree('out'))

    def test_jars_inside_archives_at_any_depth(self):
        library = self.nested('l/L go', ('META-INF/K.SF', b's'))
        resources = self.nested(('r', b'r'))
        war = self.nested('WEB-INF/classes/w/W go', ('WEB-INF/lib/l.jar', library),
                          ('WEB-INF/lib/r.jar', resources), ('META-INF/K.SF', b's'))
        self.jar('app.ear', ('web.war', war), ('lib/l.jar', library), ('META-INF/K.SF', b's'))
        said = self.run_beat('-o', 'out', 'app.ear')
        self.assertIn('traced 3 methods in 3 of 3 classes', said)
        for path, name in [((), None), (('web.war',), 'WEB-INF/classes/w/W.class'),
                           (('lib/l.jar',), 'l/L.class'),
                           (('web.war', 'WEB-INF/lib/l.jar'), 'l/L.class')]:
            with self.open_path('out/app.ear', *path) as jar:
                self.assertNotIn('META-INF/K.SF', jar.namelist())
                self.assertTrue(name is None or b'methodbeat' in jar.read(name))
        with self.open_path('out/app.ear', 'web.war') as war:
            self.assertEqual(war.read('WEB-INF/lib/r.jar'), resources)

    def test_a_jar_inside_stays_stored_or_packed(self):
        library = self.nested('l/L go', stored=True)
        with zipfile.ZipFile(self.root / 'app.jar', 'w') as jar:
            jar.writestr(zipfile.ZipInfo('BOOT-INF/lib/s.jar'), library, zipfile.ZIP_STORED)
            jar.writestr(zipfile.ZipInfo('BOOT-INF/lib/d.jar'), library, zipfile.ZIP_DEFLATED)
        for how in 'fast', 'best', 'store':
            self.run_beat('-o', how, '--compression', how, 'app.jar')
            with self.open_path(f'{how}/app.jar') as jar:
                methods = [jar.getinfo(f'BOOT-INF/lib/{name}.jar').compress_type for name in 'sd']
                self.assertEqual(methods, [0, 0 if how == 'store' else 8])
                self.assertEqual(jar.read('BOOT-INF/lib/s.jar'), jar.read('BOOT-INF/lib/d.jar'))
            self.assertIn(b'methodbeat', self.open_path(
                f'{how}/app.jar', 'BOOT-INF/lib/s.jar').read('l/L.class'))

    def test_what_only_looks_like_a_jar_is_copied(self):
        broken = self.nested('l/L go')[:-5]
        self.jar('app.jar', 'a/A go', ('x.jar', b'no jar'), ('y.jar', broken), ('z.jar', b''))
        self.jar('lib/x.jar', 'a/A go')
        (self.root / 'lib/y.jar').write_bytes(broken)
        (self.root / 'lib/z.jar').write_bytes(make_class('a/Z go'))
        said = self.run_beat('-o', 'out', 'app.jar', 'lib')
        for place in 'app.jar!x.jar', 'app.jar!y.jar', 'app.jar!z.jar', 'lib/y.jar', 'lib/z.jar':
            self.assertRegex(said, f'warning: {place}: .*copied as it is: ')
        with self.open_path('out/app.jar') as jar:
            self.assertEqual([jar.read(f'{name}.jar') for name in 'xyz'], [b'no jar', broken, b''])
        self.assertEqual((self.root / 'out/lib/y.jar').read_bytes(), broken)
        self.run_beat('-o', 'strict', '--strict', 'app.jar', code=1)

    def test_jars_inside_jars_end_at_a_depth(self):
        data = self.nested('c0/C go')
        for depth in range(1, 12):
            data = self.nested(f'c{depth}/C go', ('inner.jar', data))
        (self.root / 'app.jar').write_bytes(data)
        said = self.run_beat('-o', 'out', 'app.jar')
        self.assertIn('traced 9 methods in 9 of 9 classes', said)
        self.assertIn('copied as it is: jars in jars over 8 deep', said)
        whole, after = data, (self.root / 'out/app.jar').read_bytes()
        for depth in range(11, 2, -1):
            with zipfile.ZipFile(io.BytesIO(after)) as jar:
                self.assertIn(b'methodbeat', jar.read(f'c{depth}/C.class'))
                after = jar.read('inner.jar')
            whole = zipfile.ZipFile(io.BytesIO(whole)).read('inner.jar')
        self.assertEqual(after, whole)

    def test_a_merged_jar_of_archives_is_a_class_path(self):
        library = self.nested('l/L go', 'META-INF/versions/9/l/L go', ('r/x', b'x'))
        self.jar('app.war', 'WEB-INF/classes/w/W go', 'Loose go', ('WEB-INF/web.xml', b'<x/>'),
                 ('WEB-INF/classes/w/w.properties', b'w'), ('WEB-INF/lib/l.jar', library),
                 ('META-INF/MANIFEST.MF', b'M: 1\n'),
                 ('WEB-INF/classes/META-INF/MANIFEST.MF', b'M: 2\n'),
                 ('WEB-INF/lib/bad.jar', b'bad'))
        self.jar('fat.jar', 'BOOT-INF/classes/f/F go', ('BOOT-INF/lib/l.jar', library))
        self.run_beat('--output-jar', 'all.jar', 'app.war', 'fat.jar')
        self.assertEqual(self.open_path('all.jar').namelist(),
                         ['Loose.class', 'f/F.class', 'l/L.class', 'w/W.class'])
        self.run_beat('--output-jar', 'all.jar', '--keep-resources', 'app.war', 'fat.jar')
        self.assertEqual(self.open_path('all.jar').namelist(),
                         ['META-INF/MANIFEST.MF', 'Loose.class', 'WEB-INF/lib/bad.jar',
                          'WEB-INF/web.xml', 'f/F.class', 'l/L.class', 'r/x', 'w/W.class',
                          'w/w.properties'])
        self.assertEqual(self.open_path('all.jar').read('META-INF/MANIFEST.MF'), b'M: 1\n')

    def test_the_matrix_rules_see_names_of_entries_inside(self):
        library = self.nested('l/L go', 'l/SABER go')  # R.class is part of the name
        self.jar('app.war', ('WEB-INF/classes/w/W.class', make_class('w/W go')),
                 ('WEB-INF/classes/w/ANTLR.class', make_class('w/ANTLR go')),
                 ('WEB-INF/lib/BuildConfig.jar', library))
        self.run_beat('-o', 'out', '--rules', 'matrix', 'app.war')
        self.assertEqual(self.text('out/methodMapping.txt'),
                         '1,9,l.L go ()V\n2,9,w.W go ()V\n' + MESSAGE)
        self.assertEqual(self.text('out/ignoreMethodMapping.txt'), 'ignore methods:\n')

    def test_archives_with_a_state(self):
        library = self.nested('l/L go')
        self.jar('in/fat.jar', 'f/F go', ('lib/l.jar', library))
        self.jar('in/b.jar', 'b/B go')
        self.jar('app.war', 'w/W go', ('WEB-INF/lib/l.jar', library))
        run = ['-o', 'out', '--state', 'state', 'in', 'app.war']
        self.run_beat(*run)
        before, kept = self.stamps(), (self.root / 'out/in/b.jar').stat().st_ino
        self.run_beat(*run)
        self.assertEqual(self.stamps(), before)
        self.jar('app.war', 'w/W go', ('WEB-INF/lib/l.jar', self.nested('l/L go more')))
        self.jar('in/fat.jar', 'f/F go and', ('lib/l.jar', library))
        (self.root / 'old.txt').write_bytes((self.root / 'out/methodMapping.txt').read_bytes())
        self.run_beat(*run)
        self.assertEqual((self.root / 'out/in/b.jar').stat().st_ino, kept)
        self.run_beat('-o', 'full', '--base-method-map', 'old.txt', 'in', 'app.war')
        self.assertEqual(self.tree('out'), self.tree('full'))

    # --- inputs without classes ---

    def test_dex_code_is_an_error(self):
        self.jar('app.apk', ('classes.dex', b'dex\n035\0'), ('AndroidManifest.xml', b'x'))
        self.jar('app.aab', ('base/dex/classes.dex', b'dex\n035\0'))
        (self.root / 'x.dex').write_bytes(b'dex\n035\0' + bytes(100))
        for name in 'app.apk', 'app.aab', 'x.dex':
            said = self.run_beat('-o', 'out', name, code=1)
            self.assertIn(f'{name}: holds dex code: instrument the classes that D8 or R8', said)
        self.jar('both.jar', ('classes.dex', b'dex\n035\0'), 'a/A go')
        self.run_beat('-o', 'out', 'both.jar')

    def test_a_run_without_a_class_says_what_there_was(self):
        (self.root / 'empty').mkdir()
        self.jar('apks/app.apk', ('classes.dex', b'dex\n035\0'))
        (self.root / 'apks/output.json').write_bytes(b'{}')
        self.jar('res.zip', ('a/', b''), ('a/r', b'r'), ('s', b's'), ('META-INF/MANIFEST.MF', b''))
        for path, found in [('empty', 'nothing'), ('apks', '1 resource, 1 dex file or APK'),
                            ('res.zip', '2 resources, 1 folder, 1 manifest')]:
            warning = f'{path}: no class to instrument among {found}\n'
            self.assertIn('warning: ' + warning, self.run_beat('-o', 'out', path))
            self.assertIn(warning, self.run_beat('-o', 'out', '--strict', path, code=1))
        self.assertNotIn('no class', self.run_beat('-o', 'out', 'res.zip', self.jar('a.jar', 'a/A go')))

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
                         ['META-INF/MANIFEST.MF', 'a/A.class', 'b/B.class', 'r.txt'])

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

    def test_spaces_in_names_of_classes(self):
        """As Kotlin has them between backticks. The second method must not be taken for the first."""
        self.jar('app.jar', 'a/My␣tests go␣on(La/My␣tests;)V', 'a/My tests␣go␣on(La/My␣tests;)V')
        self.run_beat('-o', 'out', 'app.jar')
        self.assertEqual(self.text('out/methodMapping.txt'),
                         '1,9,a.My tests go on (La.My\\stests;)V\n'
                         '2,9,a.My\\stests go on (La.My\\stests;)V\n' + MESSAGE)
        self.jar('app.jar', 'a/My␣tests first go␣on(La/My␣tests;)V -gone',
                 'a/My tests␣go␣on(La/My␣tests;)V')
        self.run_beat('-o', 'next', '--base-method-map', 'out/methodMapping.txt', 'app.jar')
        self.assertEqual(self.text('next/methodMapping.txt'),
                         '1,9,a.My tests go on (La.My\\stests;)V\n'
                         '2,9,a.My\\stests go on (La.My\\stests;)V\n3,9,a.My\\stests first ()V\n' + MESSAGE)
        self.assertEqual(self.text('next/ignoreMethodMapping.txt'),
                         'ignore methods:\na.My\\stests gone ()V\n')

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

    def test_the_hash_of_the_map(self):
        """As a report asks for it, of a map that is written and of one that stays."""
        self.jar('app.jar', 'a/A go', 'a/B go')
        for _ in range(2):
            said = self.run_beat('-o', 'out', '--json', 'counts.json', '--state', 'state', 'app.jar')
            hashed = f"{fnv((self.root / 'out/methodMapping.txt').read_bytes()):016x}"
            self.assertIn(f'method map out/methodMapping.txt has the hash {hashed}\n', said)
            self.assertEqual(json.loads(self.text('counts.json'))['mapping_hash'], hashed)

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

    def run_mounted(self, mounts, *arguments, code=0):
        """In a name space of its own, after these shell commands."""
        done = subprocess.run(['unshare', '-m', 'sh', '-c', f'{{ {mounts}; }} || exit 99; exec "$@"', 'sh', BEAT,
                               'instrument', *arguments], cwd=self.root, capture_output=True, text=True)
        if done.returncode == 99 or 'unshare' in done.stderr:
            self.skipTest('mounts are not allowed here')
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_two_mounts_of_one_file_system(self):
        for name in ('out', 'maps', 'origin', 'other'):
            (self.root / name).mkdir()
        mounts = 'mount --bind origin out && mount --bind other maps'
        outputs = ['-o', 'out', '--method-map', 'maps/m', '--ignore-map', 'maps/i', 'app.jar']
        self.jar('app.jar', 'a/A go')
        self.run_mounted(mounts, *outputs)
        before = self.tree('origin'), self.tree('other')
        self.assertEqual([sorted(files) for files in before], [['app.jar'], ['i', 'm']])
        self.jar('app.jar', 'b/B go')
        said = self.run_mounted(f'{mounts} && mount -o remount,bind,ro maps', *outputs, code=1)
        self.assertIn('methodbeat: maps/', said)
        self.assertEqual((self.tree('origin'), self.tree('other')), before)
        self.run_mounted(mounts, *outputs)
        self.assertIn('b.B go', self.text('other/m'))
        self.assertIn('b/B.class', contents(self.root / 'origin/app.jar'))

    def test_a_mount_below_an_output_folder(self):
        for name in ('out/classes/b', 'elsewhere', 'classes/a', 'classes/b'):
            (self.root / name).mkdir(parents=True)
        for name in ('a/A', 'b/B'):
            (self.root / f'classes/{name}.class').write_bytes(make_class(f'{name} go'))
        mounts = 'mount --bind elsewhere out/classes/b'
        self.run_mounted(mounts, '-o', 'out', 'classes')
        self.assertEqual(list(self.tree('elsewhere')), ['B.class'])
        self.assertIn('classes/a/A.class', self.tree('out'))

    def test_a_folder_of_the_user_stays(self):
        self.jar('app.jar', 'a/A go')
        for name in ('.methodbeat-notes', '.methodbeat-abcdef'):
            (self.root / 'out' / name).mkdir(parents=True)
            (self.root / 'out' / name / 'todo').write_text('mine')
        self.run_beat('-o', 'out', 'app.jar')
        for name in ('.methodbeat-notes', '.methodbeat-abcdef'):
            self.assertEqual(self.text(f'out/{name}/todo'), 'mine')

    def test_a_link_is_replaced_itself(self):
        self.jar('app.jar', 'a/A go')
        (self.root / 'out').mkdir()
        (self.root / 'store').write_text('mine')
        (self.root / 'out/app.jar').symlink_to('../store')
        self.run_beat('-o', 'out', 'app.jar')
        self.assertEqual(self.text('store'), 'mine')
        self.assertFalse((self.root / 'out/app.jar').is_symlink())

    def folder_of(self, *names):
        for name in names:
            path = self.root / f'{name}.class'
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(make_class(name.split('/', 1)[1] + ' go'))

    def test_links_below_an_output_do_not_lead_into_an_input(self):
        self.folder_of('in/p/A', 'in/p/q/B', 'shared/C')
        (self.root / 'in/lib').symlink_to('../shared')
        (self.root / 'in/empty').mkdir()
        before = self.tree('in')
        for place, target in (('p', '../../in/p'), ('p', '../../in'), ('p/q', '../../../in/p'), ('p', '../../in/empty'),
                              ('lib', '../../shared')):
            shutil.rmtree(self.root / 'out', ignore_errors=True)
            link = self.root / 'out/in' / place
            link.parent.mkdir(parents=True)
            link.symlink_to(target)
            for state in ([], ['--state', 'state']):
                said = self.run_beat('-o', 'out', *state, 'in', code=2)
                self.assertIn(f'out/in/{place}: output folder is also an input: choose another', said)
                self.assertEqual(self.tree('in'), before)
        self.run_beat('-o', 'fresh', 'in')
        shutil.rmtree(self.root / 'out')
        (self.root / 'out/in/p').mkdir(parents=True)
        self.run_mounted('mount --bind in/p out/in/p', '-o', 'out', 'in', code=2)
        self.assertEqual(self.tree('in'), before)

    def test_what_is_behind_a_link_below_an_output_stays(self):
        self.folder_of('in/p/A', 'foreign/Mine', 'foreign/sub/Mine2')
        (self.root / 'out/in').mkdir(parents=True)
        (self.root / 'out/in/lib').symlink_to('../../foreign')
        (self.root / 'out/in/Alone.class').symlink_to('../../foreign/Mine.class')
        (self.root / 'out/in/Gone.class').symlink_to('nowhere')
        before = self.tree('foreign')
        for state in ([], ['--state', 'state'], ['--state', 'state']):
            self.run_beat('-o', 'out', *state, 'in')
            self.assertEqual(self.tree('foreign'), before)
        self.folder_of('in/lib/New')  # goes there, and the others stay
        self.run_beat('-o', 'out', 'in')
        self.assertEqual(sorted(self.tree('foreign')), ['Mine.class', 'New.class', 'sub/Mine2.class'])

    def test_links_that_lead_nowhere_are_no_inputs(self):
        self.folder_of('in/p/A')
        for name, target in (('Gone.class', 'nowhere'), ('current', 'p/none'), ('self', 'self'), ('lib.jar', 'A/b')):
            (self.root / 'in/p' / name).symlink_to(target)
        os.mkfifo(self.root / 'in/p/Pipe.class')
        self.run_beat('-o', 'out', 'in')
        self.assertEqual([name for name in self.tree('out') if name.startswith('in/')], ['in/p/A.class'])

    def test_a_state_that_cannot_be_saved_replaces_nothing(self):
        self.jar('app.jar', 'a/A go')
        outputs = ['-o', 'out', '--state', 'state', 'app.jar']
        self.run_beat(*outputs)
        before = self.tree('out'), (self.root / 'state').read_bytes()
        self.jar('app.jar', 'b/B go')
        (self.root / 'file').write_text('')
        self.run_beat('-o', 'out', '--state', 'file/state', 'app.jar', code=1)
        self.assertEqual((self.tree('out'), (self.root / 'state').read_bytes()), before)

    def test_an_output_beside_an_input_folder(self):
        (self.root / 'classes/a').mkdir(parents=True)
        (self.root / 'link').symlink_to('classes')
        self.jar('app.jar', 'a/A go')
        (self.root / 'classes/a/A.class').write_bytes(contents(self.root / 'app.jar')['a/A.class'])
        self.run_beat('-o', 'classes/../out', 'classes')
        self.assertEqual(sorted(self.tree('out')), ['classes/a/A.class', 'ignoreMethodMapping.txt',
                                                    'methodMapping.txt'])
        for inside in ('link', 'link/new', 'out/../classes/new', 'new/../classes/new'):
            said = self.run_beat('-o', inside, 'classes', code=2)
            self.assertIn('inside an input folder', said)
        self.assertEqual(sorted(self.tree('classes')), ['a/A.class'])
        self.assertFalse((self.root / 'new').exists())

    def test_no_two_outputs_are_one(self):
        self.jar('a.jar', 'a/A go')
        for options in (['-o', 'out', '--method-map', 'out//./a.jar'],
                        ['-o', 'out', '--json', 'j', '--explain', './j'],
                        ['-o', 'out', '--json', 'new/../j', '--explain', 'j'],
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
        self.jar('@with space.jar', 'a/A go')
        (self.root / 'list').write_text('-o\r\nout\r\n\r\n@with space.jar\r\n')
        self.run_beat('@list')
        self.assertIn('a/A.class', contents(self.root / 'out/@with space.jar'))
        self.assertIn('none: ', self.run_beat('@none', code=1))

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
        (self.root / 'classes/R.class').write_bytes(make_class('R go'))
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
