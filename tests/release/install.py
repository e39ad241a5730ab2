"""What the suites 'channels' and 'targets' share: what samples/release.sh makes, and what an installed command has to do."""
import base64
import fcntl
import hashlib
import os
import sys
import zipfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', part) for part in ('support', 'cli')]
import judge  # noqa: E402
from inputs import make_jar  # noqa: E402

CHANNELS = os.path.join(judge.ROOT, 'samples', 'release', 'channels.py')
OTHERS = ('linux-arm64', 'macos-x64', 'macos-arm64', 'windows-x64', 'windows-arm64')
_locks = []
CACHE = os.environ['METHODBEAT_CACHE']
BUILT = os.environ.get('MB_RELEASED') or os.path.join(CACHE, 'targets')
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


def release(*targets):
    """What release.sh says as it makes BUILT, which MB_RELEASED names if it is to be taken as it is. Until this process
    ends, no other test makes it anew."""
    if 'MB_RELEASED' in os.environ:
        return ''
    if not _locks:
        os.makedirs(CACHE, exist_ok=True)
        _locks.append(open(f'{BUILT}.lock', 'w', encoding='ascii'))  # pylint: disable=consider-using-with
        fcntl.flock(_locks[0], fcntl.LOCK_EX)
    done = judge.run((os.path.join(judge.ROOT, 'samples', 'release.sh'), '--output', BUILT, *targets), timeout=3000)
    if done.returncode == 77:
        judge.skip(done.stderr.strip())
    if not judge.check(done.returncode == 0, f'release.sh: {done.stdout[-500:]} {done.stderr[-3000:]}'):
        judge.finish()
    return done.stdout


def pack(*folders):
    return judge.run((sys.executable, CHANNELS, *folders))


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
