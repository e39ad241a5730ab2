"""What tests of whole runs share: a scratch folder, inputs, and the program run in it."""
import os
import pathlib
import resource
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'cli'))
from inputs import Folder, make_class  # noqa: E402

def argument():
    """The next one of the command line: a path."""
    return os.path.abspath(sys.argv.pop(1))


BEAT = argument()
HESITANT = argument()
MESSAGE = '1048574,1,android.os.Handler dispatchMessage (Landroid.os.Message;)V\n'


def limit_files(size):
    """In a new process: no file may become larger, and the write that would make it so fails."""
    def apply():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return apply


class Session(Folder):
    def start(self, *arguments, **options):
        return subprocess.run([BEAT, 'instrument', *map(str, arguments)], cwd=self.root,
                              capture_output=True, text=True, timeout=240, **options)

    def instrument(self, *arguments, code=0):
        done = self.start(*arguments)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done.stderr + done.stdout

    def folder(self, name, *classes):
        for text in classes:
            path = self.root / name / (text.split()[0].split(':')[0] + '.class')
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(make_class(text))
        return name
