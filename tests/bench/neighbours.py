"""Other work on the machine, beside what a bench judges."""
import contextlib
import subprocess
import sys


@contextlib.contextmanager
def busy_loops(count):
    """That number of processes that spin, until the block ends."""
    loops = [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
