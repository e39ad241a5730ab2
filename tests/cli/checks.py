"""What is wrong is printed, and all of it is found in one run."""
import json
import os
import pathlib
import struct
import subprocess
import tempfile

_failures = []


def check(what, holds, shown=''):
    if not holds:
        _failures.append(what)
        print(f'{what}\n{shown}')


def have_failed():
    return bool(_failures)


def on_a_terminal(command, columns=80, **environment):
    """What the command prints on a terminal of its own."""
    import fcntl
    import pty
    import termios
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    known = {k: v for k, v in os.environ.items() if k not in ('NO_COLOR', 'CLICOLOR_FORCE', 'TERM', 'COLUMNS')}
    process = subprocess.Popen(command, stdout=theirs, env={**known, **environment})
    os.close(theirs)
    printed = b''
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        printed += part
    os.close(ours)
    check('on a terminal: exit code', process.wait() == 0)
    return printed


class Bench:
    """A folder of a test's own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def file(self, name, content):
        """Bytes and texts as they are, all else as JSON."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, (str, bytes)) else json.dumps(content)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path


def run_all(names, bench):
    """Each test_... of the names, with a bench(folder) of its own; true if a check failed."""
    tests = [value for name, value in names.items() if name.startswith('test_')]
    assert tests
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            test(bench(folder))
    return have_failed()
