#!/usr/bin/env python3
"""--state: a resumed run gives what a full run with the last method map gives, whatever has changed.

usage: test_state.py METHODBEAT HESITANT
"""
import os
import random
import shutil
import unittest

from session import MESSAGE, Session, limit_files, make_class

# What an option is before and after; the files below are there.
CHANGES = {
    '--mapping': ([], ['--mapping', 'mapping.txt']),
    '--mapping gone': (['--mapping', 'mapping.txt'], []),
    '--mapping content': (['--mapping', 'changing.txt'], ['--mapping', 'changing.txt']),
    '--rules': ([], ['--rules', 'matrix']),
    '--blacklist': ([], ['--blacklist', 'black.txt']),
    '--blacklist path': (['--blacklist', 'black.txt', '--explain', 'out/e'],
                         ['--blacklist', 'black2.txt', '--explain', 'out/e']),
    '--no-default-blacklist': ([], ['--no-default-blacklist']),
    '--exceptions': ([], ['--exceptions', 'returns']),
    '--trace-huge': ([], ['--trace-huge']),
    '--beat-class': ([], ['--beat-class', 'my/Beat']),
    '--classpath': ([], ['--classpath', 'library']),
    '--classpath content': (['--classpath', 'changing'], ['--classpath', 'changing']),
    '--classpath jar': (['--classpath', 'changing.jar'], ['--classpath', 'changing.jar']),
    '--activity': ([], ['--activity', 'library.Base']),
    '--base-method-map': ([], ['--base-method-map', 'base.txt']),
    '--base-method-map content': (['--base-method-map', 'changing.map'],
                                  ['--base-method-map', 'changing.map']),
    '--explain': ([], ['--explain', 'out/e']),
    '--json': ([], ['--json', 'out/j']),
    '--compression': ([], ['--compression', 'store']),
    '--method-map': ([], ['--method-map', 'out/other.txt']),
    '--ignore-map': ([], ['--ignore-map', 'out/other.txt']),
    '--jobs': (['-j1'], ['-j3']),
    '--strict': ([], ['--strict']),
    '--quiet': ([], ['-q']),
    'nothing': ([], []),
}
MERGED_CHANGES = {
    '--keep-resources': ([], ['--keep-resources']),
    'nothing': ([], []),
}


class State(Session):
    def setUp(self):
        super().setUp()
        self.jar('a.jar', 'a/A go run -empty ~huge', 'a/Main:library/Base go', 'android/Own go',
                 ('res.txt', b'text'))
        self.jar('b.jar', 'b/B stop', 'a/A go other')
        self.folder('library', 'library/Base:android/app/Activity')
        self.write('mapping.txt', 'orig.A -> a.A:\n    void went() -> go\n')
        self.write('black.txt', '-keepclass b/B\n')
        self.write('black2.txt', '-keepclass b/B\n')
        self.write('base.txt', '7,9,b.B stop ()V\n' + MESSAGE)

    def write(self, name, text):
        (self.root / name).write_text(text)

    def before(self):
        self.write('changing.txt', 'orig.A -> a.A:\n')
        self.write('changing.map', '5,9,b.B stop ()V\n' + MESSAGE)
        self.folder('changing', 'library/Base:java/lang/Object')
        self.jar('changing.jar', 'library/Base:java/lang/Object')

    def after(self):
        self.write('changing.txt', 'other.A -> a.A:\n')
        self.write('changing.map', '6,9,b.B stop ()V\n' + MESSAGE)
        self.folder('changing', 'library/Base:android/app/Activity')
        self.jar('changing.jar', 'library/Base:android/app/Activity')

    def outputs(self):
        tree = self.tree('out')
        shutil.rmtree(self.root / 'out')
        return tree

    def expected(self, old_map, options, inputs):
        """What a run without a state gives that keeps the ids."""
        if '--base-method-map' not in options:
            self.write('last.txt', old_map)
            options = [*options, '--base-method-map', 'last.txt']
        self.instrument(*options, *inputs)
        return self.outputs()

    def check(self, where, old, new):
        inputs = ['a.jar', 'b.jar']
        self.before()
        (self.root / 'state').unlink(missing_ok=True)
        self.instrument(*where, '--state', 'state', *old, *inputs)
        old_map = self.text('out/methodMapping.txt')
        self.after()
        self.instrument(*where, '--state', 'state', *new, *inputs)
        resumed = self.outputs()
        wanted = self.expected(old_map, [*where, *new], inputs)
        left = set(resumed) - set(wanted)  # of the first run, and not asked for any more
        self.assertEqual({k: v for k, v in resumed.items() if k not in left}, wanted)

    def test_every_option_that_changes_is_seen(self):
        for what, (old, new) in CHANGES.items():
            with self.subTest(what):
                self.check(['-o', 'out'], old, new)
            # Copies differ, so that a merged jar has a warning.
            if not {'out/e', 'out/j', '--strict'} & {*old, *new}:
                with self.subTest(what + ', merged'):
                    self.check(['--output-jar', 'out/all.jar'], old, new)
        for what, (old, new) in MERGED_CHANGES.items():
            with self.subTest(what):
                self.check(['--output-jar', 'out/all.jar'], old, new)

    def test_an_unchanged_run_writes_nothing(self):
        self.jar('a.jar', 'a/A go', ('res.txt', b'text'))  # a method that met a limit is tried again
        for where in (['-o', 'out'], ['--output-jar', 'out/all.jar']):
            self.instrument(*where, '--state', 'state', 'a.jar', 'b.jar')
            times = [p.stat().st_mtime_ns for p in sorted(self.root.rglob('*'))]
            self.instrument(*where, '--state', 'state', 'a.jar', 'b.jar')
            self.assertEqual([p.stat().st_mtime_ns for p in sorted(self.root.rglob('*'))], times)

    def test_a_state_that_cannot_be_saved_replaces_nothing(self):
        self.instrument('-o', 'out', '--state', 'state', 'a.jar')
        self.jar('a.jar', 'a/A go more')
        before = self.tree('.')
        limit = len(before['state']) // 2
        self.assertGreater(limit, 10 * len(before['out/a.jar']), 'the limit must be met by the state')
        done = self.start('-o', 'out', '--state', 'state', 'a.jar', preexec_fn=limit_files(limit))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn('state: ', done.stderr)
        self.assertEqual(self.tree('.'), before)

    def test_a_class_that_others_bring_to_a_limit_is_listed_so(self):
        self.jar('a.jar', ('c/C.class', make_class('c/C:l/Base go', constants=65512)))
        self.jar('b.jar', 'l/Base stop')
        self.instrument('-o', 'out', '--state', 'state', 'a.jar', 'b.jar')
        old_map = self.text('out/methodMapping.txt')
        self.jar('b.jar', 'l/Base:android/app/Activity stop')  # c/C has no room for what an Activity gets
        self.instrument('-o', 'out', '--state', 'state', 'a.jar', 'b.jar')
        resumed = self.tree('out')
        shutil.rmtree(self.root / 'out')
        self.assertEqual(resumed, self.expected(old_map, ['-o', 'out'], ['a.jar', 'b.jar']))

    def test_random_changes_give_what_a_full_run_gives(self):
        names = ['p/A', 'p/B', 'q/C', 'q/D', 'r/E']
        methods = ['go', 'run', '-empty', 'stop', '+big', '~huge', 'y']  # limits are met in pass 2
        for seed in range(int(os.environ.get('MB_STATE_SEEDS', '6'))):
            chance = random.Random(seed)

            def some_classes():
                chosen = chance.sample(names, chance.randint(0, 4))
                return [' '.join([name, *chance.sample(methods, chance.randint(0, 4))])
                        for name in chosen]

            def change(index):
                if index == 2:
                    shutil.rmtree(self.root / 'in2', ignore_errors=True)
                    self.folder('in2', 'k/Keep go', *some_classes())
                else:
                    extra = [('broken.class', b'\xca\xfe\xba\xbe')] if chance.random() < .2 else []
                    self.jar(f'in{index}', *some_classes(), *extra)

            shutil.rmtree(self.root / 'out', ignore_errors=True)
            (self.root / 'state').unlink(missing_ok=True)
            inputs = ['in0', 'in1', 'in2']
            for index in range(3):
                change(index)
            options = ['--explain', 'out/e', '--json', 'out/j']
            old_map = MESSAGE
            for step in range(6):
                with self.subTest(seed=seed, step=step):
                    self.instrument('-o', 'out', '--state', 'state', *options, *inputs)
                    resumed = self.tree('out')
                    shutil.move(self.root / 'out', self.root / 'kept')
                    self.assertEqual(resumed, self.expected(old_map, ['-o', 'out', *options],
                                                            inputs))
                    shutil.move(self.root / 'kept', self.root / 'out')
                    old_map = self.text('out/methodMapping.txt')
                for index in range(3):
                    if chance.random() < .4:
                        change(index)


if __name__ == '__main__':
    unittest.main()
