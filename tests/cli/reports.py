"""What the suites of report and records share: a folder with a method map and one trace at a time, and
rings to draw traces of. The first argument of each is the methodbeat binary."""
import pathlib
import subprocess
import sys

from traces import ENDED, MAP, MESSAGE, enter, leave

METHODBEAT = str(pathlib.Path(sys.argv[1]).resolve())
FORMATS = ['text', 'json', 'matrix', 'folded', 'chrome', 'html']


def squeeze(text):
    return ' '.join(text.split())


def main_ring(**changes):
    """Two messages, 1000 and 10 ms."""
    words = [enter(MESSAGE, 0), enter(1, 0), enter(2, 100), leave(2, 900), leave(1, 1000),
             leave(MESSAGE, 1000), enter(MESSAGE, 1010), leave(MESSAGE, 1020)]
    return {'words': words, **changes}


def pool_ring(**changes):
    """Two calls that follow each other, and one that has no entry."""
    words = [leave(2, 40), enter(3, 50), leave(3, 51), enter(3, 60), enter(3, 61), leave(3, 69),
             leave(3, 70)]
    return {'words': words, 'thread': 80, 'name': 'pool', 'main': 0, 'state': ENDED, **changes}


def lapped_ring(**changes):
    """Positions 4 to 11 of 12, the oldest in slot 4."""
    words = [enter(1, 8), leave(1, 9), enter(2, 10), leave(2, 11), leave(3, 4), leave(3, 5),
             enter(1, 6), leave(1, 7)]
    return {'words': words, 'capacity': 8, 'written': 12, 'thread': 81, 'name': 'lapped',
            'main': 0, **changes}


class Bench:
    """A folder with a method map and one trace at a time."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.map = self.write('methodMapping.txt', MAP.encode())

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def run(self, command, data, *options):
        path = self.write('sample.mbtrace', data)
        result = subprocess.run([METHODBEAT, command, *options, path], capture_output=True,
                                text=True)
        return result.returncode, result.stdout, result.stderr

    def report(self, data, *options, trust='--show=trust'):
        """With all that is known of how far to trust it; trust=None: as it is by default."""
        return self.run('report', data, '--method-map', self.map, *options, *[trust] * (trust is not None))

    def records(self, data, *options, form=''):
        """The records themselves, as text, or in another form."""
        return self.run('report', data, '--format', f'records-{form}' if form else 'records', *options)
