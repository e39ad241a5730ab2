"""The small runs that are made to fail: inputs of each kind, and outputs of an earlier build."""
import atexit
import functools
import io
import os
import random
import zipfile

from bench import judge, tree, Saved
from inputs import class_entry, make_jar

STATE = 'state/state'
MANY = 4000  # classes


def noise(size):
    """Bytes that do not pack well, the same each time."""
    return random.Random(size).randbytes(size)


def beside(arguments):
    """Arguments of a run that writes other files into the folders that this one writes to."""
    words = list(arguments)
    for option, default in (('--method-map', 'out/methodMapping.txt'),
                            ('--ignore-map', 'out/ignoreMethodMapping.txt')):
        if option not in words:
            words[:0] = [option, default]
    named = [word + ASIDE if before in PATHS else word for before, word in zip(['', *words], words)]
    return [word for word in named if not word.startswith('in/')] + ['in/aside.jar']


def class_files(folder, *classes):
    for described in classes:
        name, content = class_entry(described)
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(content)


def jar_bytes(*entries):
    stream = io.BytesIO()
    make_jar(stream, entries)
    return stream.getvalue()


def write_aar(path, *classes):
    with zipfile.ZipFile(path, 'w') as aar:
        for name, content in (('AndroidManifest.xml', b'<manifest/>'),
                              ('classes.jar', jar_bytes(*classes)),
                              ('libs/inner.jar', jar_bytes('inner/I run')),
                              ('res/raw/noise', noise(3000))):
            aar.writestr(zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6)), content)


def old_inputs(folder):
    """What the last build was made of."""
    source = os.path.join(folder, 'in')
    os.makedirs(source)
    make_jar(os.path.join(source, 'app.jar'), ['a/A go', 'b/B run stop', ('res.txt', b'text')])
    make_jar(os.path.join(source, 'lib.jar'), ['l/L one', ('META-INF/noise', noise(70000))])
    make_jar(os.path.join(source, 'same.jar'), ['s/Same always'])
    make_jar(os.path.join(source, 'aside.jar'), ['x/Aside run'])
    class_files(os.path.join(source, 'classes'), 'c/C call', 'c/Gone away', 'c/d/D done')
    write_aar(os.path.join(source, 'feature.aar'), 'f/F first')


def new_inputs(folder):
    """All but one are another, a class is gone, one is new, one cannot be read."""
    source = os.path.join(folder, 'in')
    make_jar(os.path.join(source, 'app.jar'),
             ['a/A go -empty', 'b/B run stop start', ('bad/Bad.class', b'\xca\xfe\xba\xbe'),
              ('res.txt', b'text')])
    make_jar(os.path.join(source, 'lib.jar'), ['l/L one two', ('META-INF/noise', noise(70000))])
    os.unlink(os.path.join(source, 'classes/c/Gone.class'))
    class_files(os.path.join(source, 'classes'), 'c/C call again', 'c/e/New here')
    write_aar(os.path.join(source, 'feature.aar'), 'f/F first second')


ASIDE = '.aside'
PATHS = ('--output-jar', '--method-map', '--ignore-map', '--explain', '--json', '--state')
ALL = ('in/app.jar', 'in/classes', 'in/feature.aar', 'in/lib.jar', 'in/same.jar')
ELSEWHERE = ('--method-map', 'maps/m.txt', '--ignore-map', 'maps/i.txt', '--explain',
             'why/why.json', '--json', 'json/counts')

# Name to arguments; a run with old outputs is made after one of the same arguments on old inputs.
RUNS = {
    'jar': ('-j1', '-o', 'out', 'in/app.jar'),
    'folder': ('-j1', '-o', 'out', 'in/classes'),
    'merged': ('-j1', '--output-jar', 'out/all.jar', '--keep-resources', *ALL),
    'AAR': ('-j1', '-o', 'out', 'in/feature.aar'),
    'all, -j3': ('-j3', '-o', 'out', *ELSEWHERE, *ALL),
    'state': ('-j1', '-o', 'out', '--state', STATE, *ELSEWHERE, *ALL),
    'state, -j3': ('-j3', '-o', 'out', '--state', STATE, *ALL),
    'merged state': ('-j1', '--output-jar', 'out/all.jar', '--state', STATE, *ALL),
}


# Long enough to be killed at parts of their duration.
LARGE = {
    'large': (('-j2', '-o', 'out', *ELSEWHERE, 'in/large.jar', 'in/classes'), {}),
    'large, two file systems': (('-j2', '-o', 'out', *ELSEWHERE, 'in/large.jar', 'in/classes'),
                                {'maps': 'tmpfs'}),
}

# The same with some folders on mounts of their own: of the same file system, or of others.
MOUNTED = {
    'state, mounted': (('-j1', '-o', 'out', '--state', STATE, *ALL),
                       {'out/classes': '--bind', 'state': 'tmpfs'}),
    'two mounts': (('-j1', '-o', 'out', *ELSEWHERE, *ALL), {'maps': '--bind', 'why': '--bind'}),
    'two file systems': (('-j1', '-o', 'out', *ELSEWHERE, *ALL),
                         {'maps': 'tmpfs', 'json': 'tmpfs'}),
}


mounted = []


def unmount():
    while mounted:
        judge.must(('umount', mounted.pop()))


atexit.register(unmount)  # of a suite that cannot go on, too


def mount(folder, mounts):
    for name, kind in mounts.items():
        place = os.path.join(folder, name)
        os.makedirs(place)
        origin = judge.scratch_folder('mounts', os.path.basename(folder), name)
        how = ('--bind', origin) if kind == '--bind' else ('-t', 'tmpfs', 'tmpfs')
        judge.must(('mount', *how, place))
        mounted.append(place)


FAR = 'out/classes/.methodbeat-'  # in a mount below the folder of outputs


def is_far_remnant(name, what):
    """An empty staging folder or a lock there is found by a run that has something to put there."""
    return name.startswith(FAR) and not what[1]


def title(name, over_old):
    return f'{name} over {"old" if over_old else "none"}'


class Run:
    """One of those above in a folder of its own, over outputs of an earlier one or over none."""

    def __init__(self, name, over_old, bench=0):
        arguments, mounts = {**MOUNTED, **LARGE}.get(name) or (RUNS[name], {})
        self.name = title(name, over_old)
        self.command = (judge.METHODBEAT, 'instrument', '-q', *arguments)
        self.beside = (judge.METHODBEAT, 'instrument', '-q', *beside(arguments))
        self.has_state = STATE in self.command
        self.folder = judge.scratch_folder('runs', f'{self.name} {bench}'.replace(' ', '-'))
        mount(self.folder, mounts)
        old_inputs(self.folder)
        if name in LARGE:
            make_jar(os.path.join(self.folder, 'in', 'large.jar'),
                     [f'p{i % 40}/C{i} go stop -empty' for i in range(MANY)])
        if over_old:
            judge.must(self.command, cwd=self.folder)
        new_inputs(self.folder)
        self.saved = Saved(self.folder)
        self.before = self.saved.tree
        judge.must(self.command, cwd=self.folder)
        self.after = self.files(True)
        self.saved.put_back()

    @staticmethod
    @functools.cache
    def of(name, over_old, bench):
        """The run for one of several benches; None, and a failed check, if it fails by itself."""
        try:
            return Run(name, over_old, bench)
        except SystemExit as failure:
            judge.check(False, f'{title(name, over_old)}, without a fault: {failure}')
            return None

    def files(self, are_new):
        """The tree; of a new state not what is in it, which names inodes and times."""
        found = tree(self.folder)
        if are_new and STATE in found:
            found[STATE] = (found[STATE][0], None)
        return found
