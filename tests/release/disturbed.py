"""What others do to a run: end it, or, on Windows as Wine does it, hold its files open or keep names for themselves."""
import contextlib
import glob
import os
import pty
import shutil
import subprocess
import time

import judge
from inputs import make_class

# Keeps a file open, which meanwhile nobody can replace, until standard input ends.
HOLD = r"""
#include <stdio.h>
#include <windows.h>
int main(int argc, char **argv)
{
    HANDLE file = CreateFileA(argv[argc - 1], GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    puts(file != INVALID_HANDLE_VALUE ? "held" : "failed");
    fflush(stdout);
    return getchar() == EOF ? 0 : 1;
}
"""


def check_kills(start, folder, jar):
    """Killed at parts of its duration over old outputs, the next run leaves what it always does."""
    for i in range(4):
        shutil.copy(jar, os.path.join(folder, f'{i}.jar'))
    command = (*start, 'instrument', '-q', '-o', 'out', *sorted(os.listdir(folder)))
    began = time.monotonic()
    judge.must(command, cwd=folder)
    duration, expected = time.monotonic() - began, judge.digests(folder)
    for i in range(4):
        delay, code = duration * (0.4 + 0.15 * i), 0
        while code == 0:  # what was faster than the first run is run again, and killed sooner
            with subprocess.Popen((*command, '--exceptions', 'returns'), cwd=folder) as child:
                time.sleep(delay)
                child.kill()
            delay, code = 0.7 * delay, child.returncode
        judge.must(command, cwd=folder)
        judge.check(judge.digests(folder) == expected, f'{start[0]}: killed {i}: {sorted(judge.digests(folder))}')


def check_names(start, folder):
    """A class that only programs of other systems can open is said to be one, and nothing is written."""
    for name in 'aux.class', 'q/Com1.class', 'con/C.class':
        path = os.path.join(folder, 'classes', name)
        os.makedirs(os.path.dirname(path))
        with open(path, 'wb') as file:
            file.write(make_class('p/C run'))
        done = judge.run((*start, 'instrument', '-q', '-o', 'out', 'classes'), cwd=folder)
        part = next(part for part in name.split('/') if part not in ('q', 'C.class'))
        expected = f"classes!{name}: Windows keeps the name '{part}' for itself: write a jar"
        judge.check(done.returncode == 1 and expected in done.stderr, f'{name}: {done.returncode} {done.stderr!r}')
        judge.check(os.listdir(folder) == ['classes'], f'{name}: {os.listdir(folder)}')
        shutil.rmtree(os.path.join(folder, 'classes'))


def in_console(command, folder):
    """The exit code of what is interrupted by the key, once it has begun to write."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execv(command[0], command)
    os.set_blocking(terminal, False)
    is_told, ended = False, (0, 0)
    for _ in range(3000):
        with contextlib.suppress(OSError):  # nothing to read, or the end
            os.read(terminal, 4096)
        if not is_told and glob.glob(os.path.join(folder, 'out', '.methodbeat-*', '*')):
            is_told = os.write(terminal, b'\x03') == 1
        ended = os.waitpid(child, os.WNOHANG)
        if ended[0]:
            break
        time.sleep(0.02)
    os.close(terminal)
    return os.waitstatus_to_exitcode(ended[1]) if ended[0] else None


def check_interrupt(start, folder, jar):
    """It takes back what it has done, as a signal's handler does."""
    for i in range(3):
        shutil.copy(jar, os.path.join(folder, f'{i}.jar'))
    before = judge.digests(folder)
    code = in_console((*start, 'instrument', '--compression', 'best', '-o', 'out', *sorted(before)), folder)
    judge.check(code == 1 and judge.digests(folder) == before and not os.path.exists(os.path.join(folder, 'out')),
                f'Ctrl-C: {code}, {sorted(judge.digests(folder))}')


@contextlib.contextmanager
def held(hold, path):
    with subprocess.Popen((*hold, path), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        judge.check(holder.stdout.readline().strip() == b'held', f'{path} is held')
        yield holder
        holder.stdin.close()


def check_held(start, folder, jar):
    """What a daemon reads is tried again for a second; then nothing is replaced, and the next run removes the rest."""
    hold = judge.scratch('hold.exe')
    judge.must(('x86_64-w64-mingw32-gcc', '-x', 'c', '-o', hold, '-'), input=HOLD)
    for name in 'one.jar', 'two.jar':
        shutil.copy(jar, os.path.join(folder, name))
    command = (*start, 'instrument', '-q', '-o', 'out', 'one.jar', 'two.jar')
    judge.must(command, cwd=folder)
    before = judge.digests(folder)
    changed = (*command, '--exceptions', 'returns')
    with held((start[0], hold), os.path.join(folder, 'out', 'two.jar')):
        done = judge.run(changed, cwd=folder)
        judge.check(done.returncode == 1 and 'two.jar' in done.stderr, f'held: {done.returncode} {done.stderr!r}')
        left = {name: digest for name, digest in judge.digests(folder).items() if '/.methodbeat-' not in name}
        judge.check(left == before, f'held: {sorted(left)}')
    with held((start[0], hold), os.path.join(folder, 'out', 'two.jar')) as holder, \
            subprocess.Popen(changed, cwd=folder) as child:
        time.sleep(0.5)
        holder.stdin.close()
        judge.check(child.wait(120) == 0, 'let go: written')
    judge.check(judge.digests(folder).keys() == before.keys() and judge.digests(folder) != before, 'let go: new files')


def check_disturbed(start, target, inputs):
    jar, small = os.path.join(inputs, 'guava.jar'), judge.scratch(f'{target}-small.jar')
    judge.must(('zip', '-q', small, '-r', '.', '-i', '*.class'), cwd=os.path.join(inputs, 'classes'))
    check_kills(start, judge.scratch_folder(f'{target}-kills'), small)
    if target.startswith('windows'):
        check_names(start, judge.scratch_folder(f'{target}-names'))
        check_interrupt(start, judge.scratch_folder(f'{target}-console'), jar)
        check_held(start, judge.scratch_folder(f'{target}-held'), small)
