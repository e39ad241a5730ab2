"""What the suite 'channels' shares: what was built, packed for all channels, and what an installed command has to do."""
import base64
import hashlib
import os
import struct
import sys
import zipfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', part) for part in ('support', 'cli')]
import judge  # noqa: E402
from inputs import make_jar  # noqa: E402

CHANNELS = os.path.join(judge.ROOT, 'samples', 'release', 'channels.py')
OTHERS = ('linux-arm64', 'macos-x64', 'macos-arm64', 'windows-x64', 'windows-arm64')
NO_LOADER = b'\x7fELF' + struct.pack('<60x')  # a program of Linux that needs no library, and does nothing
VERSION = judge.must((judge.METHODBEAT, '--version')).stdout.split()[1]


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(content)


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def damage(path):
    """Change one byte in the middle."""
    with open(path, 'r+b') as file:
        file.seek(os.path.getsize(path) // 2)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes((byte[0] ^ 1,)))


def built(name, command, *libraries, jars=()):
    """A folder as channels.py takes it: this machine's command, and what stands in for those of others."""
    folder = judge.scratch_folder(name)
    for path in (command, *libraries):
        own = os.path.basename(path).partition('.so')
        judge.scratch_folder(folder, 'linux-x64')
        judge.must(('strip', '-o', os.path.join(folder, 'linux-x64', own[0] + own[1]), path))
    for path in jars:
        write(os.path.join(folder, 'jars', os.path.basename(path)), read(path))
    for target in OTHERS:
        write(os.path.join(folder, target, 'methodbeat' + ('.exe' if target.startswith('windows') else '')),
              NO_LOADER + target.encode())
    return folder


def pack(*folders):
    return judge.run((sys.executable, CHANNELS, *folders), env={**os.environ, 'SOURCE_DATE_EPOCH': '1700000000'})


def works(what, command, **more):
    """In an empty folder it ends in a jar with probes, and its exit code is the command's."""
    folder = judge.scratch_folder(f'empty {what}')
    make_jar(os.path.join(folder, 'app.jar'), ['app/Main run'])
    done = judge.run((*command, 'instrument', '--output', 'out', 'app.jar'), cwd=folder, **more)
    judge.check(done.returncode == 0, f'{what}: {done.returncode} {done.stdout} {done.stderr}')
    if done.returncode == 0:
        judge.check([name.split()[:2] for _, name in judge.traced(os.path.join(folder, 'out', 'methodMapping.txt'))]
                    == [['app.Main', 'run']], f'{what}: the map')
        with zipfile.ZipFile(os.path.join(folder, 'out', 'app.jar')) as jar:
            judge.check(b'methodbeat/MethodBeat' in jar.read('app/Main.class'), f'{what}: no probes')
    for arguments, code, said in ((('--version',), 0, VERSION), (('instrument', 'gone.jar'), 2, '--output')):
        done = judge.run((*command, *arguments), cwd=folder, **more)
        judge.check(done.returncode == code and said in done.stdout + done.stderr,
                    f'{what}: {arguments}: {done.returncode} {done.stdout} {done.stderr}')


def refuses(what, done, *said):
    """It fails and says all of this."""
    text = done.stdout + done.stderr
    judge.check(done.returncode != 0 and all(word in text for word in said), f'{what}: {done.returncode} {text}')


def sum64(content):
    return base64.b64encode(hashlib.sha512(content).digest()).decode()


def sum256(content):
    return hashlib.sha256(content).hexdigest()
