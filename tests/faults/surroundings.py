"""Hostile surroundings: streams that are closed or full, limits, a folder that is gone, no
arguments at all, names and paths nobody would choose. Right outputs, or a line that says
why there are none.

usage: surroundings.py METHODBEAT FAILING RECORDED
"""
import ctypes
import json
import os
import resource
import shutil
import stat
import subprocess
import sys

from bench import STAGING, Saved, differences, judge, may_mount, tree
from runs import ALL, new_inputs, old_inputs

FULL = '/dev/full'
PATH_MAX = 4096
NOBODY = 65534
NAME_MAX = 255
FORMATS = ('text', 'json', 'matrix', 'folded', 'chrome', 'html', 'speedscope', 'callgrind',
           'nanoscope', 'art', 'perfetto', 'pprof')
LOADER_FAILED = 127  # ld.so had no room to load the libraries


def started(arguments, prepare=None, folder=None, **more):
    """A run of methodbeat, after prepare() in the child."""
    return judge.run((judge.METHODBEAT, *arguments), cwd=folder or HERE, preexec_fn=prepare, **more)


def instrument(output, *more, inputs=ALL, **how):
    return started(('instrument', '-o', output, *more, *inputs), **how)


def output(name):
    return tree(os.path.join(HERE, name))


def contents(files):
    """Without permissions."""
    return {name: (0, content) for name, (_, content) in files.items()}


def check_right(what, done, name):
    wrong = differences(output(name), EXPECTED)
    judge.check(done.returncode == 0 and not wrong,
                f'{what}: exit code {done.returncode}, {done.stderr!r} {wrong}')


def check_refused(what, done, *words):
    """Exit code 1, a line with one of the words, nothing left where outputs would be."""
    judge.check(done.returncode == 1 and any(word in done.stderr for word in words),
                f'{what}: exit code {done.returncode}, {done.stderr!r}')
    left = set(os.listdir(HERE)) - KEPT
    judge.check(not left, f'{what}: leaves {left}')


def check_clean(what):
    strays = [name for name in tree(HERE) if STAGING in name]
    judge.check(not strays, f'{what}: {strays}')


def close_streams(numbers):
    def close():
        for number in numbers:
            os.close(number)
    return close


def check_closed_streams():
    """No output gets the number of a closed stream, and so no message."""
    for numbers in ((0,), (2,), (0, 2), (0, 1, 2), (1, 2), (1,)):
        what = f'closed {numbers}'
        for jobs in ('-j1', '-j3'):
            done = instrument('closed', '-q', jobs, prepare=close_streams(numbers))
            check_right(what, done, 'closed')
            done = instrument('closed-too', jobs, prepare=close_streams(numbers))
            judge.check(done.returncode == 0 and not differences(output('closed-too'), EXPECTED),
                        f'{what}, with a summary: {done.returncode} {done.stderr!r}')
            for name in ('closed', 'closed-too'):
                shutil.rmtree(os.path.join(HERE, name), ignore_errors=True)
    for command in PRINTING:
        done = started(command, prepare=close_streams((1,)))
        judge.check(done.returncode == 1 and 'standard output: ' in done.stderr,
                    f'{command[0]} without a standard output: {done.returncode} {done.stderr!r}')
        done = started(command, prepare=close_streams((0, 2)))
        judge.check(done.returncode == 0, f'{command[0]} without 0 and 2: {done.returncode}')
    done = started(('symbolize', '--method-map', 'right/methodMapping.txt'),
                   prepare=close_streams((0,)))
    judge.check(done.returncode == 1 and 'Bad file' in done.stderr,
                f'symbolize without input: {done.returncode} {done.stderr!r}')


def to_full_device():
    os.dup2(os.open(FULL, os.O_WRONLY), 1)


def check_full_output():
    """What prints says that it could not; what instruments has done its work, and says so too."""
    for command in (*PRINTING, ('help',), ('--version',), ('instrument', '--help')):
        done = started(command, prepare=to_full_device)
        judge.check(done.returncode == 1 and done.stderr.count('standard output: ') == 1,
                    f'{command} into {FULL}: {done.returncode} {done.stderr!r}')
    done = instrument('full', prepare=to_full_device)
    check_right('a summary that cannot be printed', done, 'full')
    judge.check('No space left' in done.stderr, f'a summary that is lost is told: {done.stderr!r}')


def limit(kind, value):
    def apply():
        resource.setrlimit(kind, (value, value))
    return apply


def check_limit(what, kind, values, words):
    """For each value: the outputs are right, or refused by one of the words; both happen."""
    codes = set()
    for value in values:
        done = instrument('limited', '-q', prepare=limit(kind, value))
        codes.add(done.returncode)
        if done.returncode == 0:
            check_right(f'{what} {value}', done, 'limited')
            shutil.rmtree(os.path.join(HERE, 'limited'))
        elif done.returncode != LOADER_FAILED:
            check_refused(f'{what} {value}', done, *words)
    judge.check({0, 1} <= codes <= {0, 1, LOADER_FAILED}, f'{what}: exit codes {codes}')


def check_limits():
    check_limit('RLIMIT_NOFILE', resource.RLIMIT_NOFILE, range(3, 24), ('Too many open files',))
    mebibyte = 1 << 20
    check_limit('RLIMIT_AS', resource.RLIMIT_AS, range(4 * mebibyte, 64 * mebibyte, mebibyte),
                ('out of memory', 'Cannot allocate memory'))
    check_limit('RLIMIT_FSIZE', resource.RLIMIT_FSIZE, (0, 1, 100, 1000, 70000, 1 << 30),
                ('File too large',))


def check_full_disks():
    """A disk of every small size, and one of every small number of files."""
    words = ('--method-map', 'disk/maps/m', '--state', 'disk/state')
    for option, sizes, unit in (('size', (*range(8, 200, 8), *range(200, 3000, 100)), 'k'),
                                ('nr_inodes', range(2, 48), '')):
        codes = set()
        for size in sizes:
            disk = os.path.join(HERE, 'disk')
            os.makedirs(disk)
            judge.must(('mount', '-t', 'tmpfs', '-o', f'{option}={size}{unit}', 'tmpfs', disk))
            done = instrument('disk/out', '-q', *words)
            codes.add(done.returncode)
            if done.returncode == 0:
                judge.check(not differences(*(jars_of(files) for files in (output('disk/out'),
                                                                           EXPECTED))),
                            f'{option} {size}: other outputs')
            else:
                judge.check(done.returncode == 1 and 'No space left' in done.stderr,
                            f'{option} {size}: {done.returncode} {done.stderr!r}')
                judge.check(not os.listdir(disk), f'{option} {size}: leaves {os.listdir(disk)}')
            judge.must(('umount', disk))
            os.rmdir(disk)
        judge.check(codes == {0, 1}, f'{option}: exit codes {codes}')


def bytes_of(path):
    with open(path, 'rb') as file:
        return file.read()


def check_full_disks_of_reports():
    """With less and less room beside an old report: the new one whole, or the old one and a line that says why."""
    disk, whole = os.path.join(HERE, 'disk'), os.path.join(HERE, 'whole')
    os.makedirs(disk)
    for name in FORMATS:
        report = ('report', '--method-map', 'map', '--format', name, '--output')
        if started((*report, whole, 'trace')).returncode == 2:
            continue  # built without it
        expected = bytes_of(whole)
        pages = len(expected) // 4096
        codes = set()
        for room in sorted({0, pages // 2, pages, pages + 200}):
            judge.must(('mount', '-t', 'tmpfs', '-o', f'size={4 * (room + 1)}k', 'tmpfs', disk))
            with open(os.path.join(disk, 'out'), 'w', encoding='utf-8') as file:
                file.write('old')
            done = started((*report, 'disk/out', 'trace'))
            codes.add(done.returncode)
            judge.check(os.listdir(disk) == ['out'], f'{name}, {room}: leaves {os.listdir(disk)}')
            found = bytes_of(os.path.join(disk, 'out'))
            if done.returncode == 0:
                judge.check(found == expected, f'{name}, {room}: {len(found)} of {len(expected)} bytes')
            else:
                judge.check(done.returncode == 1 and found == b'old' and 'No space left' in done.stderr
                            and len(done.stderr.splitlines()) == 1,
                            f'{name}, {room}: {done.returncode} {done.stderr!r} {len(found)}')
            judge.must(('umount', disk))
        judge.check(codes == {0, 1} or not expected, f'{name}: exit codes {codes}')


def jars_of(files):
    return {name: what for name, what in files.items() if name.endswith(('.jar', '.aar', '.class'))}


def check_unwritable():
    """A folder of one output where nothing may be written: the others stay as they are."""
    folder = judge.scratch_folder('unwritable')
    old_inputs(folder)
    binary = shutil.copy(judge.METHODBEAT, os.path.join(folder, 'methodbeat'))
    command = (binary, 'instrument', '-q', '-o', 'out', '--method-map', 'maps/m', '--json',
               'json/j', *ALL)
    judge.must(command, cwd=folder)
    new_inputs(folder)
    os.chmod(os.path.dirname(folder), 0o755)
    is_root = os.geteuid() == 0
    for at, folders, names in os.walk(folder):
        for name in [at, *(os.path.join(at, each) for each in folders + names)] if is_root else ():
            os.chown(name, NOBODY, NOBODY)
    saved = Saved(folder)
    for name in ('maps', 'json', 'out', 'out/classes/c'):
        os.chmod(os.path.join(folder, name), 0o555)
        done = judge.run(command, cwd=folder, preexec_fn=(lambda: os.setuid(NOBODY)) if is_root
                         else None)
        os.chmod(os.path.join(folder, name), 0o755)
        judge.check(done.returncode == 1 and 'Permission denied' in done.stderr,
                    f'{name} cannot be written to: {done.returncode} {done.stderr!r}')
        wrong = differences(tree(folder), saved.tree)
        judge.check(not wrong, f'{name} cannot be written to: {wrong}')
        saved.put_back()


def check_umask():
    for mask in (0o077, 0, 0o022):
        done = instrument('masked', '-q', umask=mask)
        found = output('masked')
        judge.check(done.returncode == 0 and not differences(contents(found), contents(EXPECTED)),
                    f'umask {mask:o}: {done.stderr!r}')
        modes = {mode for mode, content in found.values() if content is not None}
        judge.check(modes == {0o666 & ~mask}, f'umask {mask:o}: {[f"{mode:o}" for mode in modes]}')
        top = stat.S_IMODE(os.stat(os.path.join(HERE, 'masked')).st_mode)
        judge.check(top == 0o777 & ~mask, f'umask {mask:o}: the folder has {top:o}')
        shutil.rmtree(os.path.join(HERE, 'masked'))


def check_environment():
    for what, environment in (
            ('an empty environment', {}),
            ('no HOME, no TMPDIR', {'PATH': os.environ['PATH']}),
            ('a TMPDIR that is not there', {'TMPDIR': '/nonexistent'}),
            ('LC_ALL=C', {'LC_ALL': 'C'}),
            ('LC_ALL=C.UTF-8', {'LC_ALL': 'C.UTF-8'}),
            ('a locale that is not there', {'LC_ALL': 'xx_XX.UTF-8'}),
            ('another time zone', {'TZ': 'Asia/Kathmandu'}),
            ('no terminal', {'TERM': ''})):
        done = instrument('environment', '-q', env=environment)
        check_right(what, done, 'environment')
        shutil.rmtree(os.path.join(HERE, 'environment'))


def check_gone_folder():
    """Absolute paths work in a working folder that is deleted, relative ones say what is wrong."""
    gone = judge.scratch_folder('gone')

    def leave():
        os.rmdir(gone)

    inputs = [os.path.join(HERE, name) for name in ALL]
    done = instrument(os.path.join(HERE, 'absolute'), '-q', inputs=inputs, folder=gone,
                      prepare=leave)
    check_right('a deleted working folder', done, 'absolute')
    shutil.rmtree(os.path.join(HERE, 'absolute'))
    os.makedirs(gone)
    done = instrument('out', '-q', inputs=inputs, folder=gone, prepare=leave)
    check_refused('an output in a deleted working folder', done, 'No such file or directory')


def check_no_arguments():
    """Not even a name."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 2)
        ctypes.CDLL(None).execv(judge.METHODBEAT.encode(), (ctypes.c_char_p * 1)(None))
        os._exit(99)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    judge.check(code == 2, f'no argument at all: exit code {code}')


def check_long_paths():
    longest = 'd/' * (PATH_MAX // 2) + 'x'
    name = 'n' * (NAME_MAX + 1)
    for what, arguments in (
            ('a long output', ('-o', longest, 'in/app.jar')),
            ('a long name of an output', ('-o', name, 'in/app.jar')),
            ('a long input', ('-o', 'out', longest)),
            ('a long state', ('-o', 'out', '--state', longest, 'in/app.jar')),
            ('a long map', ('-o', 'out', '--method-map', longest, 'in/app.jar')),
            ('a long name of a map', ('-o', 'out', '--json', name, 'in/app.jar')),
            ('a long argument file', ('-o', 'out', '@' + longest))):
        done = started(('instrument', '-q', *arguments))
        judge.check(done.returncode in (1, 2) and 'too long' in done.stderr,
                    f'{what}: {done.returncode} {done.stderr[-100:]!r}')
        judge.check(len(done.stderr.splitlines()) <= 2, f'{what}: one line')
        judge.check(set(os.listdir(HERE)) == KEPT, f'{what} leaves {os.listdir(HERE)}')
    longest = os.path.join(HERE, 'w' * NAME_MAX)
    done = instrument(longest, '-q')
    check_right('the longest name', done, longest)
    shutil.rmtree(longest)


def check_deep_folder():
    """A working folder whose path is longer than a path may be."""
    top = judge.scratch_folder('deep')
    home = os.getcwd()
    os.chdir(top)
    for _ in range(PATH_MAX // 100 + 5):
        os.mkdir('n' * 100)
        os.chdir('n' * 100)
    shutil.copytree(os.path.join(HERE, 'in'), 'in')
    done = subprocess.run([judge.METHODBEAT, 'instrument', '-q', '-o', 'out', *ALL],
                          capture_output=True, text=True, check=False)
    wrong = differences(tree('out'), EXPECTED) if done.returncode == 0 else []
    judge.check(done.returncode == 0 and not wrong or
                done.returncode in (1, 2) and 'too long' in done.stderr and os.listdir() == ['in'],
                f'a deep working folder: {done.returncode} {done.stderr[-200:]!r} {wrong}')
    os.chdir(home)


def check_odd_names():
    """Line breaks and the like are kept in names of files, and shown so that lines stay lines."""
    folder = os.path.join(HERE, 'odd')
    for number, name in enumerate(('two\nlines', 'esc\x1b[31m', 'quote"\\', ' ', 'ünï', '-o',
                                   '%s%n')):
        os.makedirs(folder)
        os.makedirs(os.path.join(folder, name))
        shutil.copy(os.path.join(HERE, 'in/app.jar'), os.path.join(folder, name, name + '.jar'))
        done = started(('instrument', '-q', '-o', f'./{name}/out', '--json', f'./{name}/json',
                        '--state', f'./{name}/state', f'./{name}/{name}.jar'), folder=folder)
        judge.check(done.returncode == 0, f'{name!r}: {done.returncode} {done.stderr!r}')
        judge.check(all(character.isprintable() or character == '\n' for character in done.stderr)
                    and all(line.startswith('methodbeat: ') for line in done.stderr.splitlines()),
                    f'{name!r} is shown as {done.stderr!r}')
        jar = os.path.join(folder, name, 'out', name + '.jar')
        judge.check(os.path.exists(jar), f'{name!r}: the output has that name')
        told = json.loads(judge.read(os.path.join(folder, name, 'json')))
        judge.check(name in json.dumps(told, ensure_ascii=False) or number in (1, 2, 0),
                    f'{name!r} is in the report')
        done = started(('instrument', '-q', '-o', 'none', f'./{name}/no such'), folder=folder)
        judge.check(done.returncode == 1 and len(done.stderr.splitlines()) == 1,
                    f'{name!r} in an error: {done.stderr!r}')
        shutil.rmtree(folder)


HERE = judge.scratch_folder('here')
RECORDED = os.path.abspath(sys.argv[3])
PRINTING = (('report', '--format', 'records', 'trace'), ('report', '--method-map', 'map', 'trace'),
            ('symbolize', '--method-map', 'right/methodMapping.txt', 'right/methodMapping.txt'))


def main():
    checks = [check_closed_streams, check_full_output, check_limits, check_unwritable, check_umask,
              check_environment, check_gone_folder, check_no_arguments, check_long_paths,
              check_deep_folder, check_odd_names]
    if may_mount():
        checks += [check_full_disks, check_full_disks_of_reports]
    else:
        print('a full disk: not allowed to mount one here')
    for check in checks:
        check()
        check_clean(check.__name__)
        for name in set(os.listdir(HERE)) - KEPT:
            shutil.rmtree(os.path.join(HERE, name), ignore_errors=True)
    print(f'{len(checks)} kinds of surroundings')
    judge.finish()


old_inputs(HERE)
new_inputs(HERE)
judge.must((judge.METHODBEAT, 'instrument', '-q', '-o', 'right', *ALL), cwd=HERE)
with open(os.path.join(HERE, 'map'), 'w', encoding='utf-8') as file:
    file.write('1,1,a.A run ()V\n')
judge.must((RECORDED, 'trace', 'map'), cwd=HERE)
EXPECTED = output('right')
KEPT = set(os.listdir(HERE))
main()
