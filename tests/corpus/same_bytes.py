"""Same input, same bytes out: for any thread count, time zone, input order and folder order."""
import hashlib
import os
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402


def unpack(jar, folder, order):
    """The classes of a jar as files that are created in the given order."""
    with zipfile.ZipFile(jar) as archive:
        for name in order(sorted(set(archive.namelist()))):
            if name.endswith('.class'):
                path = os.path.join(folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, 'wb') as file:
                    file.write(archive.read(name))
    return folder


def backwards(names):
    return list(reversed(names))


def shuffled(names):
    return sorted(names, key=lambda name: hashlib.md5(name.encode()).digest())


def main():
    guava, clojure, antlr, zxing = judge.corpus('guava', 'clojure', 'antlr', 'zxing')
    folders = [unpack(antlr, judge.scratch(f'{number}', 'classes'), order)
               for number, order in enumerate((list, backwards, shuffled))]
    inputs = (guava, 'classes', clojure, zxing)  # the folder is below where the command is run
    ways = {  # threads, inputs, which of the folders, time zone
        'two threads': (2, inputs, 0, 'UTC'),
        'one thread': (1, inputs, 0, 'UTC'),
        'another time zone': (2, inputs, 0, 'Pacific/Kiritimati'),
        'reversed inputs': (2, inputs[::-1], 0, 'America/Caracas'),
        'folder made backwards': (2, inputs, 1, 'UTC'),
        'folder made in no order': (1, inputs[2:] + inputs[:2], 2, 'UTC'),
    }
    for kind in ('folder', 'jar'):
        first = None
        for number, (what, (threads, paths, folder, zone)) in enumerate(ways.items()):
            output = judge.scratch_folder(f'{kind}{number}')
            target = ('--output', output) if kind == 'folder' else \
                ('--output-jar', os.path.join(output, 'all.jar'))
            judge.instrument(*target, '-j', threads, '--explain',
                             os.path.join(output, 'explain.json'), *paths,
                             cwd=os.path.dirname(folders[folder]), env={**os.environ, 'TZ': zone})
            found = judge.digests(output)
            first = first or found
            different = sorted(name for name in first.keys() | found.keys()
                               if first.get(name) != found.get(name))
            judge.check(not different, f'{kind}, {what}: {different[:5]}')
        print(f'{kind}: {len(first)} files are the same in {len(ways)} ways', flush=True)
    judge.finish()


main()
