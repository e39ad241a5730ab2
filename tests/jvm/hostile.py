"""Bad input and bad luck: a clear error, the outputs of the run before intact, no stray files."""
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

MEBIBYTE = 1 << 20
HEADSTART = 5000  # entries before the first class: others rewrite classes while these are listed
STAGING = '.methodbeat-'
# Parts of a whole run's duration; it ends with the commit.
KILLED_AT = (0.02, 0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.88, 0.94, 0.97, 0.99, 1.01)
ATTEMPTS = 5  # on a machine whose speed varies


def read_bytes(path):
    with open(path, 'rb') as file:
        return file.read()


def write_bytes(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(content)
    return path


def tree(folder):
    return {os.path.relpath(os.path.join(at, name), folder): read_bytes(os.path.join(at, name))
            for at, _, names in os.walk(folder) for name in names}


def jar_of(folder, path):
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as jar:
        for name in judge.class_names(folder):
            jar.write(os.path.join(folder, name), name)
    return path


def damaged_jars(good):
    """Name and bytes of each broken copy."""
    central = good.rindex(b'PK\x05\x06')
    first = struct.unpack_from('<I', good, central + 16)[0]

    def patched(at, value, size=4):
        return good[:at] + value.to_bytes(size, 'little') + good[at + size:]

    for size in (0, 1, 21, 100, len(good) // 2, len(good) - 1):
        yield f'cut to {size}', good[:size]
    yield 'wrong CRC', patched(first + 16, 0x12345678)
    yield 'too small a size', patched(first + 24, 5)
    yield 'too large a size', patched(first + 24, 0x7ffffff0)
    yield 'packed beyond the end', patched(first + 20, 0x7ffffff0)
    yield 'an offset beyond the end', patched(first + 42, 0x7ffffff0)
    yield 'a directory beyond the end', patched(central + 16, 0x7ffffff0)
    yield 'too many entries', patched(central + 10, 0xfff0, 2)


def refused(what, output, *inputs, code=1, **more):
    """The run fails with a message, and what was there before is untouched, with nothing beside."""
    before = tree(os.path.dirname(output))
    done = judge.run((judge.METHODBEAT, 'instrument', '-q', '-o', output, *inputs), **more)
    judge.check(done.returncode == code and 'methodbeat: ' in done.stderr,
                f'{what}: exit code {done.returncode}, {done.stderr!r}')
    judge.check(tree(os.path.dirname(output)) == before, f'{what}: the outputs are as before')


def check_jars(good, output):
    count = 0
    for what, content in damaged_jars(read_bytes(good)):
        refused(what, output, write_bytes(judge.scratch('bad', 'app.jar'), content))
        count += 1
    bomb = judge.scratch('bomb', 'app.jar')
    with zipfile.ZipFile(bomb, 'w', zipfile.ZIP_DEFLATED) as jar:
        jar.writestr('a/Zeros.class', bytes(64 * MEBIBYTE))
    content = read_bytes(bomb)
    at = content.rindex(b'PK\x01\x02') + 24
    refused('a bomb', output, write_bytes(bomb, content[:at] + struct.pack('<I', 4000) +
                                          content[at + 4:]))
    return count + 1


def check_escapes(plain):
    """Entry names may not lead out of the output, whatever is done about them."""
    name = judge.class_names(plain)[0]
    evil = judge.scratch('evil', 'app.jar')
    with zipfile.ZipFile(evil, 'w') as jar:
        for path in ('../escaped.class', '/escaped.class', 'a/../../escaped.class'):
            jar.writestr(zipfile.ZipInfo(path), read_bytes(os.path.join(plain, name)))
    parent = judge.scratch_folder('cage')
    judge.run((judge.METHODBEAT, 'instrument', '-o', os.path.join(parent, 'out'), evil))
    found = [path for path in tree(parent) if not path.startswith('out' + os.sep)]
    judge.check(not found and not os.path.exists('/escaped.class'), f'nothing escapes: {found}')


def check_threads(source):
    """What is found out while classes are rewritten must not depend on who is how far."""
    expected = None
    for number in range(1, 6):
        output = judge.scratch_folder(f'threads{number}')
        judge.instrument('-q', '--compression=store', f'--jobs={number}', '-o', output, source)
        expected = expected or tree(output)
        judge.check(tree(output) == expected, f'{number} threads write what one writes')


def check_classes(plain):
    """A class with each byte broken in turn: none is lost, none ends the run."""
    name = min(judge.class_names(plain),
               key=lambda each: abs(os.path.getsize(os.path.join(plain, each)) - 1500))
    good = read_bytes(os.path.join(plain, name))
    source = judge.scratch('broken.jar')
    with zipfile.ZipFile(source, 'w') as jar:
        for number in range(HEADSTART):
            jar.writestr(f'{number}.txt', b'')
        for at in reversed(range(len(good))):  # code first: only rewriting reads all of it
            for value in sorted({0, 0xff, good[at] ^ 1}):
                jar.writestr(f'{at}/{value}.class', good[:at] + bytes((value,)) + good[at + 1:])
    done = judge.instrument('-q', '-o', judge.scratch('broken-out'), source)
    judge.check('warning' in done.stderr, 'broken classes are reported')
    judge.check(judge.class_names(judge.scratch('broken-out', 'broken.jar')) ==
                judge.class_names(source), 'no broken class is lost')
    check_threads(source)
    return len(judge.class_names(source))


def check_full(good, output):
    """A file size limit and, where we may mount one, a full disk."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    refused('a file size limit', output, good, preexec_fn=limit)
    folder = judge.scratch_folder('tiny')
    script = ('mount -t tmpfs -o size=16k tmpfs "$1" || exit 99; '
              '"$2" instrument -q -o "$1/out" "$3"; code=$?; '
              '[ -z "$(ls -A "$1")" ] || { echo "left: $(ls -A "$1")"; exit 98; }; exit $code')
    done = judge.run(('unshare', '-m', 'sh', '-c', script, 'sh', folder, judge.METHODBEAT, good))
    if done.returncode == 99 or 'unshare' in done.stderr:
        print('a full disk: not allowed to mount one here')
    else:
        judge.check(done.returncode == 1 and 'methodbeat: ' in done.stderr,
                    f'a full disk: {done.returncode} {done.stdout} {done.stderr}')


def kill_after(delay, command, folder):
    """The exit code, and the files there were when kill -9 came."""
    child = subprocess.Popen(command)
    time.sleep(delay)
    os.kill(child.pid, signal.SIGSTOP)  # to look at it; it does nothing any more from here on
    os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    meanwhile = tree(folder)
    child.kill()
    return child.wait(), meanwhile


def put_right(output):
    """By a run that fails: what the killed one left is looked for before anything else."""
    done = judge.run((judge.METHODBEAT, 'instrument', '-q', '-o', output, output + '.missing'))
    judge.check(done.returncode == 1, f'a missing input: {done.returncode} {done.stderr}')


def kill_and_judge(command, delay, before, after):
    """The exit code, and whether new files were under way and the old outputs stayed."""
    output = command[-2]
    for name, content in before.items():
        write_bytes(os.path.join(output, name), content)
    code, meanwhile = kill_after(delay, command, output)
    put_right(output)
    left = tree(output)
    what = {name: 'old' if content == before.get(name) else 'new' if content == after.get(name)
            else 'neither' for name, content in left.items()}
    judge.check(code in (0, -signal.SIGKILL) and left in ((after,) if code == 0 else (after, before)),
                f'killed after {delay} s: exit code {code}, {what}')
    return code, left == before and any(name.startswith(STAGING) for name in meanwhile)


def check_killed(output, jar):
    """kill -9 all over a run: once the next one has begun, the outputs are those before, or all are
    those of a whole run."""
    before = tree(output)
    command = [judge.METHODBEAT, 'instrument', '-q', '-j', '1', '-o']
    killed = at_work = 0
    for _ in range(ATTEMPTS):
        began = time.monotonic()
        judge.must((*command, judge.scratch('whole', 'out'), jar))
        duration = time.monotonic() - began
        after = tree(judge.scratch('whole', 'out'))
        for part in KILLED_AT:
            code, stayed = kill_and_judge((*command, output, jar), part * duration, before, after)
            killed += code != 0
            at_work += stayed
        if at_work > 0:
            break
    judge.check(at_work > 0, 'it was killed at its work at least once')
    judge.check(set(before) == set(after) and all(before[name] != after[name] for name in before),
                'each output is another')
    judge.must((*command, output, jar))
    beside = {*os.listdir(output), *os.listdir(os.path.dirname(output))} - {*after, 'out'}
    judge.check(tree(output) == after and not beside, f'the next run is whole, without {beside}')
    return killed, at_work


def main():
    sources = os.path.join(judge.ROOT, 'samples', 'java', 'release8')
    plain = judge.compile_java(judge.scratch('plain'), (sources,))
    good = jar_of(plain, judge.scratch('good', 'app.jar'))
    output = judge.scratch('results', 'out')
    judge.instrument('-q', '-o', output, good)
    damages = check_jars(good, output)
    check_escapes(plain)
    classes = check_classes(plain)
    check_full(good, output)
    refused('an output that is a file', write_bytes(judge.scratch('file', 'out'), b'mine'), good)
    large = judge.scratch('large', 'app.jar')
    shutil.copy(judge.corpus('groovy'), large)
    killed, at_work = check_killed(output, large)
    print(f'{damages} damaged jars, {classes} broken classes, killed {killed} times, '
          f'{at_work} of them at work')
    judge.finish()


main()
