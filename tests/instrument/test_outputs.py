#!/usr/bin/env python3
"""What becomes of the outputs of a run, also when the system has no room for them.

usage: test_outputs.py METHODBEAT HESITANT
"""
import json
import os
import unittest
import zipfile

from session import HESITANT, MESSAGE, Session, limit_files, make_class


class Outputs(Session):
    def test_a_mapping_file_without_room_fails_the_run_and_does_not_hang_it(self):
        self.jar('app.jar', *(f'some/pack/C{i} ' + ' '.join(f'm{k}' for k in range(30))
                              for i in range(1000)))
        self.instrument('-o', 'out', '-j3', 'app.jar')
        old = self.tree('out')
        jar_size = len(old['app.jar'])
        map_size = len(old['methodMapping.txt'])
        self.assertGreater(map_size, jar_size + 100000, 'the limit must be met by the map')
        hesitant = {**os.environ, 'LD_PRELOAD': HESITANT, 'ASAN_OPTIONS':
                    os.environ.get('ASAN_OPTIONS', '') + ':verify_asan_link_order=0'}
        for limit in (jar_size + 1000, map_size - 1):
            for jobs in (1, 3, 16, 16, 16):
                with self.subTest(limit=limit, jobs=jobs):
                    done = self.start('-o', 'out', f'-j{jobs}', 'app.jar',
                                      preexec_fn=limit_files(limit), env=hesitant)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn('methodMapping.txt: ', done.stderr)
                    self.assertEqual(self.tree('out'), old)

    def test_probes_that_were_there_are_told(self):
        self.jar('app.jar', 'a/A go', 'b/B go', 'c/C -empty')
        said = self.instrument('-o', 'out', 'app.jar')
        self.assertNotIn('came with probes', said)
        said = self.instrument('-o', 'again', '--json', 'j', 'out/app.jar')
        self.assertIn('2 classes came with probes and stayed as they were\n', said)
        self.assertEqual(json.loads(self.text('j'))['instrumented_classes'], 2)

    def test_methods_that_would_be_huge_are_told(self):
        self.jar('app.jar', 'a/A go ~huge +large')
        said = self.instrument('-o', 'out', '--json', 'j', 'app.jar')
        self.assertIn('1 method stayed without probes, with which HotSpot would never compile it: over 8,000 bytes', said)
        counts = json.loads(self.text('j'))
        self.assertEqual([counts[name] for name in ('huge_methods', 'skipped_methods')], [1, 2])
        self.assertIn('a.A huge', self.text('out/ignoreMethodMapping.txt'))
        said = self.instrument('-o', 'out', '--trace-huge', 'app.jar')
        self.assertNotIn('HotSpot', said)
        self.assertIn('a.A huge', self.text('out/methodMapping.txt'))

    def test_outputs_that_got_a_number_are_told(self):
        self.jar('x/g.jar', 'a/A go')
        self.jar('y/g.jar', 'b/B go')
        said = self.instrument('-o', 'out', '--json', 'j', 'y/g.jar', 'x/g.jar')
        self.assertIn('1 output got a number, since inputs have equal names\n', said)
        self.assertEqual(json.loads(self.text('j'))['renamed_outputs'],
                         [{'input': 'y/g.jar', 'output': 'out/g-2.jar'}])
        said = self.instrument('-o', 'out', '--json', 'j', 'y/g.jar')
        self.assertNotIn('number', said)
        self.assertEqual(json.loads(self.text('j'))['renamed_outputs'], [])

    def test_signatures_that_were_taken_are_told(self):
        for name, spec in (('app.jar', 'a/A go'), ('quiet.jar', 'b/B -empty'), ('plain.jar', 'c/C go')):
            self.jar(name, spec)
        for name in ('app.jar', 'quiet.jar'):
            with zipfile.ZipFile(self.root / name, 'a') as jar:
                jar.writestr('META-INF/KEY.SF', 'Signature-Version: 1.0\n')
        said = self.instrument('-o', 'out', '--json', 'j', 'app.jar', 'quiet.jar', 'plain.jar')
        self.assertIn('1 signed jar lost the signature: classes changed\n', said)
        self.assertEqual(json.loads(self.text('j'))['unsigned_jars'], 1)
        names = [zipfile.ZipFile(self.root / 'out' / name).namelist() for name in ('app.jar', 'quiet.jar')]
        self.assertEqual(['META-INF/KEY.SF' in each for each in names], [False, True])
        with zipfile.ZipFile(self.root / 'outer.jar', 'w') as jar:
            jar.write(self.root / 'plain.jar', 'lib/plain.jar')
            jar.writestr('META-INF/KEY.RSA', 'x')
        said = self.instrument('-o', 'out', '--json', 'j', 'outer.jar')
        self.assertEqual(json.loads(self.text('j'))['unsigned_jars'], 1)
        said = self.instrument('-o', 'out', '--json', 'j', 'plain.jar')
        self.assertNotIn('signature', said)

    def test_a_beat_class_among_the_inputs_must_be_one(self):
        self.jar('app.jar', 'a/A go', 'my/Beat i o')
        said = self.instrument('-o', 'out', '--beat-class', 'my.Beat', 'app.jar', code=2)
        self.assertIn('app.jar', said)
        self.assertIn('the beat class has no static methods i(int) and o(int)', said)
        self.assertFalse((self.root / 'out').exists())
        self.jar('app.jar', 'a/A go', 'my/Beat -i(I)V -o(I)V')
        self.instrument('-o', 'out', '--beat-class', 'my.Beat', 'app.jar')
        said = self.instrument('-o', 'new', '--beat-class', 'my.Beat', '--exceptions=catch',
                               'app.jar', code=2)
        self.assertIn('the beat class has no static method c(int): give --exceptions=finally', said)
        self.assertFalse((self.root / 'new').exists())
        self.jar('app.jar', 'a/A go', 'my/Beat -i(I)V -o(I)V -c(I)V')
        self.instrument('-o', 'new', '--beat-class', 'my.Beat', '--exceptions=catch', 'app.jar')

    def test_the_beat_class_decides_what_exceptions_record(self):
        """Ours has a c; of another it is not known."""
        told = 'probes are those of --exceptions=finally, since my/Beat may have no c(int)'
        for name, probes, mode in (('methodbeat.MethodBeat', None, 'catch'),
                                   ('my/Beat', None, 'finally'), ('my.Beat', 'catch', 'catch'),
                                   ('my.Beat', 'finally', 'finally')):
            with self.subTest(f'{name} {probes}'):
                given = [f'--exceptions={probes}'] if probes else []
                self.jar('app.jar', 'a/A go')
                said = self.instrument('-o', 'out', '--beat-class', name, *given, 'app.jar')
                self.assertEqual(told in said, name == 'my/Beat', said)
                self.instrument('-o', 'same', '--beat-class', name, f'--exceptions={mode}',
                                'app.jar')
                self.assertEqual(self.tree('out')['app.jar'], self.tree('same')['app.jar'])
        self.assertNotIn(told, self.instrument('-q', '-o', 'out', '--beat-class', 'my.Beat',
                                               'app.jar'))

    def test_resources_are_kept_with_a_manifest_that_streams_find(self):
        manifest = b'Manifest-Version: 1.0\r\nMain-Class: a.A\r\n\r\n'
        digests = b'Name: a/A.class\r\nSHA-256-Digest: abc=\r\n\r\n'
        self.jar('a.jar', 'A go', ('META-INF/MANIFEST.MF', manifest + digests), ('LIST', b'text'))
        self.jar('b.jar', 'b/B go', ('META-INF/MANIFEST.MF', b'Manifest-Version: 1.0\r\n\r\n'))
        said = self.instrument('--output-jar', 'all.jar', '--keep-resources', 'a.jar', 'b.jar')
        self.assertNotIn('MANIFEST', said)
        with zipfile.ZipFile(self.root / 'all.jar') as jar:
            self.assertEqual(jar.namelist(),
                             ['META-INF/MANIFEST.MF', 'A.class', 'LIST', 'b/B.class'])
            self.assertEqual(jar.read('META-INF/MANIFEST.MF'), manifest)
        said = self.instrument('-o', 'out', '--keep-resources', 'a.jar', code=2)
        self.assertIn('--keep-resources is for --output-jar', said)

    def activity(self, text, **form):
        self.jar('app.jar', (text.split(':')[0] + '.class', make_class(text, **form)))
        return self.instrument('-o', 'out', '--json', 'j', '--explain', 'e', *self.options, 'app.jar')

    def test_a_limit_of_an_untraced_focus_method_is_told_and_counted_right(self):
        self.options = []
        said = self.activity('my/Main:android/app/Activity !-+onWindowFocusChanged(Z)V')
        self.assertIn('my/Main.class: onWindowFocusChanged is not reported: ', said)
        counts = json.loads(self.text('j'))
        self.assertEqual([counts[name] for name in ('traced_methods', 'ignored_methods',
                                                    'skipped_methods', 'activities')],
                         [0, 1, 0, 0])
        self.assertNotIn('65535', self.text('e'))
        self.instrument('-o', 'out', '--strict', *self.options, 'app.jar', code=1)

    def test_a_limit_makes_no_line_without_a_name(self):
        self.options = ['--rules', 'matrix']
        said = self.activity('my/Main:android/app/Activity !+onWindowFocusChanged(Z)V', flags=0x421)
        self.assertIn('onWindowFocusChanged is not reported: ', said)
        self.assertEqual(self.text('out/ignoreMethodMapping.txt'), 'ignore methods:\n')
        self.assertEqual(self.text('out/methodMapping.txt'), MESSAGE)

    def test_a_full_pool_drops_no_override_in_silence(self):
        self.options = []
        for constants in (65534, 65528):  # none is left; too few for what an override needs
            said = self.activity('my/Main:android/app/Activity go', constants=constants)
            self.assertIn('onWindowFocusChanged is not reported: constant pool over 65535', said)
            self.assertEqual(json.loads(self.text('j'))['activities'], 0)


if __name__ == '__main__':
    unittest.main()
