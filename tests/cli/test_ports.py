#!/usr/bin/env python3
"""What other systems do otherwise, seen on this one: texts with their ends of lines, names of their file systems.

usage: test_ports.py METHODBEAT SOURCE_ROOT
"""
import os
import pathlib
import re
import subprocess
import sys
import unicodedata
import unittest

from inputs import Folder, contents, make_class
from traces import MAP, enter, fnv, leave, trace

BEAT = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(sys.argv[2])


def of_windows(text):
    """As git and editors turn a text into one of Windows."""
    return b'\xef\xbb\xbf' + text.replace('\n', '\r\n').encode()


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)


class Ports(Folder):
    def run_beat(self, *words, code=0):
        done = run(BEAT, *words, cwd=self.root)
        self.assertEqual(done.returncode, code, f'{words}: {done.stderr}{done.stdout}')
        return done.stdout + done.stderr

    def file(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def class_files(self, folder, *classes):
        for described in classes:
            self.file(f'{folder}/{described.split()[0]}.class', make_class(described))


class Texts(Ports):
    """Of each kind that we read: what is done is the same, whatever the ends of lines."""

    TEXTS = {
        'black.txt': '[package]\n-keeppackage b/\n# a comment\n-keepclass c/C\n',
        'mapping.txt': 'com.A -> a.A:\n    void walk() -> go\ncom.D -> d.D:\n',
        'base.txt': '7,9,a.A go ()V\n9,9,d.D stop ()V\n1048574,1,android.os.Handler dispatchMessage (Landroid.os.Message;)V\n',
        'list': '-o\nout\n--blacklist\nblack.txt\n\n--mapping\nmapping.txt\n--base-method-map\nbase.txt\n--explain\nwhy\n'
                '--state\nstate\napp.jar\nwith space.jar\n',
    }

    def instrument(self, form):
        for name, text in self.TEXTS.items():
            self.file(name, form(text))
        said = self.run_beat('instrument', '@list')
        again = self.run_beat('instrument', '@list')
        tree = {name: bytes for name, bytes in self.tree('.').items() if name not in self.TEXTS and name != 'state'}
        return re.sub(r'in [\d.]+ m?s', '', said + again), tree

    def test_instrument_reads_them_alike(self):
        self.jar('app.jar', 'a/A go run', 'b/B run', 'c/C run')
        self.jar('with space.jar', 'd/D run stop')
        said, tree = self.instrument(str.encode)
        self.assertIn('7,9,a.A go ()V', self.text('out/methodMapping.txt'))
        self.assertNotIn('b.B', self.text('out/methodMapping.txt'))
        self.assertNotIn('c.C', self.text('out/methodMapping.txt'))
        self.assertEqual(self.instrument(of_windows), (said, tree))

    def test_steps_of_a_build_read_them_alike(self):
        maps = []
        self.jar('app.jar', 'a/A go run', 'd/D run stop')
        for form in (str.encode, of_windows):
            self.file('ledger', form(self.TEXTS['base.txt']))
            self.run_beat('collect', '-o', 'names', 'app.jar')
            self.run_beat('number', '-o', 'map', '--slices', 'ids', '--ledger', 'ledger', 'names')
            self.run_beat('instrument', '-q', '-o', 'out', '--ids', 'map', 'app.jar')
            maps.append((contents(self.root / 'out/app.jar'), self.tree('ids')))
        self.assertEqual(*maps)

    def test_a_trace_knows_its_map(self):
        words = [enter(1, 0), enter(2, 100), leave(2, 900), leave(1, 1000)]
        other = MAP.replace('a.Slow', 'a.Other')
        self.file('t.mbtrace', trace([{'words': words}], mapping_hash=fnv(other.encode())))
        self.file('methodMapping.txt', MAP)
        self.run_beat('report', 't.mbtrace', code=2)
        for form in (of_windows, lambda text: text.replace('\n', '\r\n').encode(), str.encode):
            self.file('old.txt', form(other))
            self.assertIn('a.Other.load', self.run_beat('report', 't.mbtrace'), 'found beside it')
            self.assertIn('a.Other.load', self.run_beat('report', '--method-map', 'old.txt', 't.mbtrace'))
        self.file('old.txt', of_windows(MAP))
        self.assertIn(f'not {fnv(MAP.encode()):016x}',
                      self.run_beat('report', '--method-map', 'old.txt', 't.mbtrace', code=1), 'its hash as it was written')


class Names(Ports):
    def test_outputs_have_names_that_no_machine_takes_for_one(self):
        self.jar('a/Größe.jar', 'a/A go')
        self.jar('b/GRÖßE.jar', 'b/B go')
        self.jar('c/größe.JAR', 'c/C go')
        self.run_beat('instrument', '-q', '-o', 'out', 'c/größe.JAR', 'b/GRÖßE.jar', 'a/Größe.jar')
        self.assertEqual(set(self.tree('out')) - {'methodMapping.txt', 'ignoreMethodMapping.txt'},
                         {'Größe.jar', 'GRÖßE-2.jar', 'größe-3.JAR'})

    def test_case_is_folded_as_unicode_says(self):
        """The table against Python's: its version may be a later one, which adds letters and changes none."""
        table = {}
        text = (ROOT / 'src/base/platform_folder.c').read_text()
        for row in re.findall(r'\{(0x\w+), (0x\w+), (\d), (-?\d+)\}', text):
            first, last, step, distance = (int(value, 0) for value in row)
            self.assertTrue(not table or max(table) < first, f'{first:x} is not in order')
            table.update({point: point + distance for point in range(first, last + 1, step)})
        for point in [*range(0xd800), *range(0xe000, 0x110000)]:
            folds = [letter for letter in (chr(point).casefold(), chr(point).lower()) if len(letter) == 1]
            expected = ord((folds + [chr(point)])[0])
            if point in table or unicodedata.unidata_version == '14.0.0':
                self.assertEqual(table.get(point, point), expected, f'{point:x}')


class Disks(Ports):
    """Where case does not count: NTFS, as macOS and Windows mount it."""

    def mount(self, *options):
        image, folder = self.root / 'image', self.root / 'disk'
        with open(image, 'wb') as file:
            file.truncate(16 << 20)
        folder.mkdir()
        try:
            made = run('mkntfs', '-q', '-F', '-f', image).returncode == 0
            device = run('losetup', '-f', '--show', image).stdout.strip() if made else ''
        except FileNotFoundError as reason:
            self.skipTest(str(reason))
        if not device:
            self.skipTest('no loop device here')
        self.addCleanup(run, 'losetup', '-d', device)
        done = run('lowntfs-3g', '-o', ','.join(('ignore_case', *options)), device, folder)
        if done.returncode != 0:
            self.skipTest(f'no FUSE here: {done.stderr.strip()}')
        self.addCleanup(run, 'umount', folder)
        return folder

    def instrument(self, folder, code=0):
        return self.run_beat('instrument', '-q', '-o', folder / 'out', 'classes', code=code)

    def test_no_class_is_lost(self):
        disk = self.mount()
        for one, other in (('a', 'A'), ('p/é', 'p/É'), ('q/X', 'Q/X')):
            self.class_files('classes', f'{one} run', f'{other} run', 'other/Other run')
            said = self.instrument(disk, code=1)
            self.assertIn('case does not count here', said)
            self.assertIn(f"{other.split('/')[0] if one[0] == 'q' else other.split('/')[-1]}", said)
            self.assertEqual(os.listdir(disk), [], 'nothing is there')
            self.run_beat('instrument', '-q', '-o', 'counts', 'classes')
            self.assertLessEqual({f'classes/{one}.class', f'classes/{other}.class'}, set(self.tree('counts')))
            (self.root / f'classes/{one}.class').unlink()
            (self.root / f'classes/{other}.class').unlink()

    def test_what_is_there_stays(self):
        disk = self.mount()
        self.class_files('classes', 'a run')
        self.instrument(disk)
        before = self.tree('disk')
        self.class_files('classes', 'A run', 'B run')
        said = self.instrument(disk, code=1)
        self.assertIn('classes/a.class', said.replace('A', 'a'))
        self.assertIn("'A.class'" if '/a.class:' in said else "'a.class'", said)
        self.assertEqual(self.tree('disk'), before)

    def test_a_class_that_changes_its_case_stays(self):
        disk = self.mount()
        for name in ('a', 'A', 'a'):
            for old in (self.root / 'classes').glob('*'):
                old.unlink()
            self.class_files('classes', f'{name} run')
            self.instrument(disk)
            self.assertEqual([file.lower() for file in os.listdir(disk / 'out/classes')], ['a.class'])
            self.assertEqual((disk / f'out/classes/{name}.class').read_bytes(),
                             next((disk / 'out/classes').iterdir()).read_bytes())

    def test_names_that_the_disk_refuses_are_named(self):
        disk = self.mount('windows_names')
        self.class_files('classes', 'a run', 'b:c run')
        said = self.instrument(disk, code=1)
        self.assertIn('classes/b:c.class: cannot', said)
        self.assertEqual(os.listdir(disk), [], 'nothing is there')

    def test_a_second_run_has_nothing_to_do(self):
        disk = self.mount()
        self.class_files('classes', 'a/A run', 'b/B run')
        self.jar('app.jar', 'c/C run')
        words = ('instrument', '-q', '-o', disk / 'out', '--state', disk / 'state', 'classes', 'app.jar')
        self.run_beat(*words)
        before = {path: path.stat().st_mtime_ns for path in disk.rglob('*') if path.is_file()}
        self.run_beat(*words)
        after = {path: path.stat().st_mtime_ns for path in disk.rglob('*') if path.is_file()}
        self.assertEqual({path.name for path in after if after[path] != before[path]} - {'state'}, set())


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
