#!/usr/bin/env python3
"""The command that samples/release.sh builds for other machines writes the same bytes as this build, wherever something
here can run it: as it is, under qemu, under Wine. Of what nothing here runs, its file is looked at.

usage: targets.py METHODBEAT [TARGET...]
"""
import contextlib
import glob
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', part) for part in ('support', 'cli')]
import disturbed  # noqa: E402
import judge  # noqa: E402
import install  # noqa: E402
from install import BUILT, CACHE  # noqa: E402
from traces import MAP, MESSAGE, enter, fnv, leave, trace  # noqa: E402

WINE = '/usr/lib/wine/wine64'
MOST_BYTES = 2500000  # of an archive
FORMATS = ('text', 'json', 'html', 'folded', 'chrome', 'perfetto', 'pprof', 'speedscope', 'callgrind', 'nanoscope',
           'art', 'matrix')
CHECKED = ('linux-x64', *install.OTHERS)
RECORDING = ('run', 'jvms', 'attach', 'top')
# Those of tests/cli that start no program under the recorder, and load nothing into the command.
CLI_TESTS = ('report', 'report_damage', 'report_look', 'formats', 'marks', 'output', 'tune', 'symbolize', 'builds', 'hostile_names',
             'ports')


def build():
    """The targets that release.sh builds by itself, or those of the command line."""
    said = install.release(*sys.argv[2:])
    print(said, end='')
    return [target for target in CHECKED if os.path.isdir(os.path.join(BUILT, target))]


def start_of(target):
    """The words that start a command, None where nothing here can."""
    command = os.path.join(BUILT, target, 'methodbeat' + '.exe' * target.startswith('windows'))
    starts = {'linux-x64': (), 'linux-arm64': (shutil.which('qemu-aarch64'),), 'windows-x64': (WINE,)}
    words = starts.get(target)
    return (*words, command) if words is not None and all(word and os.path.exists(word) for word in words) else None


@contextlib.contextmanager
def open_session(start):
    """Wine's services begin with its first program and end with its last one. Where the first is killed meanwhile, they
    may wait for each other for ever, with the streams of the program that they came from; here a shell is the first."""
    if WINE not in start:
        yield
        return
    with subprocess.Popen((WINE, 'cmd'), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as shell:
        shell.stdout.readline()
        try:
            yield
        finally:
            shell.kill()


# ---- What is compared ----

def make_inputs(folder):
    """Of everything that the commands read, something."""
    jar = judge.corpus('guava')
    shutil.copy(jar, os.path.join(folder, 'guava.jar'))
    with zipfile.ZipFile(jar) as archive:
        some = [name for name in archive.namelist() if name.startswith('com/google/common/base/')]
        archive.extractall(os.path.join(folder, 'classes'), some)
    words = []
    for i in range(200):
        words += [enter(MESSAGE, 40 * i), enter(1, 40 * i + 1), enter(2, 40 * i + 2), leave(2, 40 * i + 30 - i % 7),
                  leave(1, 40 * i + 31), leave(MESSAGE, 40 * i + 32)]
    rings = [{'words': words}, {'words': words[1:5] * 20, 'name': 'Größe', 'thread': 78, 'main': 0}]
    for name, more in (('new', words), ('old', words[:900])):
        with open(os.path.join(folder, f'{name}.mbtrace'), 'wb') as file:
            file.write(trace([{**rings[0], 'words': more}, rings[1]], mapping_hash=fnv(MAP.encode()), wall=1790000000 * 10 ** 9))
    with open(os.path.join(folder, 'map.txt'), 'w', encoding='utf-8', newline='') as file:
        file.write(MAP)
    fuzz = os.path.join(judge.TESTS, 'fuzz', 'corpus')
    shutil.copy(os.path.join(fuzz, 'symbolize', 'log.txt'), os.path.join(folder, 'log.txt'))
    shutil.copytree(os.path.join(fuzz, 'issues'), os.path.join(folder, 'spool'))


def commands():
    """name -> arguments; each is run in a folder with the inputs, and what it leaves there is compared."""
    yield 'instrument', ('instrument', '--output', 'out', '--explain', 'why.txt', '--json', 'counts.json', 'guava.jar')
    yield 'instrument again', ('instrument', '--output', 'out', '--compression', 'best', '--state', 'state',
                               '--exceptions', 'finally', 'guava.jar')
    yield 'instrument a folder', ('instrument', '--output', 'folders', 'classes')
    yield 'instrument into one', ('instrument', '--output-jar', 'all.jar', 'guava.jar', 'classes')
    yield 'collect', ('collect', '--output', 'names', 'guava.jar')
    yield 'number', ('number', '--output', 'numbered.txt', '--slices', 'slices', '--ledger', 'ledger', 'names')
    for name in FORMATS:
        yield f'report {name}', ('report', '--method-map', 'map.txt', '--format', name, 'new.mbtrace')
    yield 'report diff', ('report', '--method-map', 'map.txt', '--diff', 'old.mbtrace', 'new.mbtrace')
    yield 'report page', ('report', '--method-map', 'map.txt', '--output', 'page.html', 'new.mbtrace')
    yield 'tune', ('tune', '--method-map', 'map.txt', '--overhead', '5%', 'new.mbtrace')
    yield 'records', ('report', '--format', 'records', '--method-map', 'map.txt', 'new.mbtrace')
    for name in 'text', 'json', 'csv':
        yield f'issues {name}', ('issues', '--format', name, 'spool')
    yield 'fleet rows', ('fleet', 'rows', '-o', 'rows.ndjson.zst', 'spool', 'new.mbtrace')
    yield 'symbolize', ('symbolize', '--method-map', 'map.txt', 'log.txt')
    yield 'help', ('help',)
    yield 'a jar that is none', ('instrument', '--output', 'out', 'log.txt')
    yield 'an absent trace', ('report', 'absent.mbtrace')


def files_of(folder):
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, '**'), recursive=True)):
        if os.path.isfile(path):
            with open(path, 'rb') as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


def run_all(start, inputs, folder):
    """name -> (exit code, both outputs) of all commands, one after the other, and the files in the end."""
    shutil.copytree(inputs, folder)
    ended = {}
    for name, arguments in commands():
        done = subprocess.run((*start, *arguments), cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                              check=False)
        ended[name] = done.returncode, done.stdout, done.stderr
    return ended, files_of(folder)


def compare(target, ours, theirs):
    equal = 0
    for name, (code, said, complaint) in ours[0].items():
        other = theirs[0][name]
        if name == 'help':
            continue
        # Times of the run are on standard error, and what Wine says of programs of its own.
        equal += judge.check((code, said) == other[:2] and bool(complaint) == bool(re.sub(rb'(?m)^wine: .*\n?', b'', other[2])),
                             f'{target}: {name}: {code} {other[0]} {complaint[-300:]} {other[2][-300:]}')
    names = sorted(name for name in ours[1].keys() | theirs[1].keys() if name != 'state'
                   and ours[1].get(name) != theirs[1].get(name))
    judge.check(not names, f'{target}: these files differ: {names[:10]}')
    print(f'{target}: {equal} commands and {len(ours[1])} files as here')


def check_words(target, start):
    """It says what it is, and what it is not."""
    said = judge.run((*start, '--version')).stdout
    judge.check(target in said, f'{target}: {said!r}')
    listed = re.findall(r'^  ([a-z]+) ', judge.run((*start, 'help')).stdout, re.M)
    has_recorder = target.startswith('linux')
    judge.check('report' in listed and has_recorder == bool(set(RECORDING) & set(listed)), f'{target}: help: {listed}')
    for name in () if has_recorder else RECORDING:
        done = judge.run((*start, name, '--help'))
        judge.check(done.returncode == 2 and f"'{name}' needs Linux: here, 'methodbeat instrument' puts probes in at build "
                    "time, and 'methodbeat report' reads a trace from there" in done.stderr,
                    f'{target}: {name}: {done.returncode} {done.stderr}')


def check_cli(target, command):
    """The tests of this build's command, run with that one."""
    more = {'ports': [judge.ROOT]}
    for name in CLI_TESTS:
        done = judge.run((sys.executable, os.path.join(judge.TESTS, 'cli', f'test_{name}.py'), command, *more.get(name, ())))
        judge.check(done.returncode == 0, f'{target}: {name}: {done.stdout[-2000:]} {done.stderr[-2000:]}')


# ---- What the files are ----

def check_elf(target, data):
    """It asks for no loader, and so for no library."""
    at, size, count = struct.unpack_from('<Q14xHH', data, 32)
    kinds = [struct.unpack_from('<I', data, at + i * size)[0] for i in range(count)]
    judge.check(data[:4] == b'\x7fELF' and 3 not in kinds and 2 not in kinds, f'{target}: program headers {kinds}')


def check_macho(target, data):
    """One library, the system's; macOS 11; on arm64 a signature without an identity, whose page hashes are right."""
    at, libraries, oldest, signature = 32, [], None, None
    for _ in range(struct.unpack_from('<I', data, 16)[0]):
        kind, size = struct.unpack_from('<II', data, at)
        if kind == 0xc:
            libraries.append(data[at + 24:at + size].split(b'\0')[0])
        elif kind == 0x32:
            oldest = struct.unpack_from('<I', data, at + 12)[0] >> 16
        elif kind == 0x1d:
            signature = struct.unpack_from('<II', data, at + 8)
        at += size
    judge.check(libraries == [b'/usr/lib/libSystem.B.dylib'] and oldest == 11, f'{target}: {libraries} {oldest}')
    judge.check((signature is not None) == ('arm64' in target), f'{target}: signature {signature}')
    if signature is not None:
        check_signature(target, data, data[signature[0]:sum(signature)])


def check_signature(target, data, blob):
    for i in range(struct.unpack_from('>I', blob, 8)[0]):
        at = struct.unpack_from('>4xI', blob, 12 + 8 * i)[0]
        if struct.unpack_from('>I', blob, at)[0] != 0xfade0c02:
            continue
        flags, hashes, _, _, pages, limit = struct.unpack_from('>IIIIII', blob, at + 12)
        size, _, _, shift = struct.unpack_from('>BBBB', blob, at + 36)
        wrong = [page for page in range(pages) if blob[at + hashes + page * size:][:size] !=
                 hashlib.sha256(data[page << shift:min((page + 1) << shift, limit)]).digest()[:size]]
        judge.check(flags & 2 and pages and not wrong, f'{target}: flags {flags:x}, wrong pages {wrong[:5]} of {pages}')
        return
    judge.check(False, f'{target}: no directory of code is signed')


def check_pe(target, data):
    """Of that processor, no times, and only libraries that Windows 10 has."""
    header = struct.unpack_from('<I', data, 60)[0]
    machine = {'windows-x64': 0x8664, 'windows-arm64': 0xaa64}[target]
    judge.check(struct.unpack_from('<4sHxxI', data, header) == (b'PE\0\0', machine, 0), f'{target}: a time, or another machine')
    libraries = {name.lower() for name in re.findall(rb'[\w-]+\.dll\b', data, re.I)}
    odd = [name for name in libraries if not re.match(rb'kernel32|kernelbase|advapi32|shell32|ntdll|ws2_32|api-ms-win-', name)]
    judge.check(not odd, f'{target}: {odd}')


CHECKS = {'linux': check_elf, 'macos': check_macho, 'windows': check_pe}


def open_archive(path):
    """name -> (content, mode)"""
    if path.endswith('.zip'):
        with zipfile.ZipFile(path) as archive:
            return {entry.filename: (archive.read(entry), entry.external_attr >> 16 & 0o777, entry.date_time[0])
                    for entry in archive.infolist()}
    with gzip.open(path) as file, tarfile.open(fileobj=io.BytesIO(file.read())) as archive:
        return {entry.name: (archive.extractfile(entry).read(), entry.mode, 1980 if entry.mtime == 315532800 else entry.mtime)
                for entry in archive}


def check_archive(target):
    """What is in it, how large it is, and that the sums and the bill tell of it."""
    folder = os.path.join(BUILT, 'archives')
    path, = glob.glob(os.path.join(folder, f'methodbeat-*-{target}.*'))
    name, files = os.path.basename(path), open_archive(path)
    command = 'methodbeat' + '.exe' * target.startswith('windows')
    top = re.sub(r'\.tar\.gz$|\.zip$', '', name)
    with open(os.path.join(BUILT, target, command), 'rb') as file:
        own = file.read()
    judge.check(files.get(f'{top}/bin/{command}') == (own, 0o755, 1980), f'{name}: the command')
    manual = re.findall(r'^\.It Xr (methodbeat-\w+) 1', files[f'{top}/share/man/man1/methodbeat.1'][0].decode(), re.M)
    recorder = [f'lib/methodbeat/{folder}lib{library}.so' for folder in ('', 'musl/')
                for library in ('methodbeat', 'methodbeat-agent') if target.startswith('linux')]
    expected = {f'{top}/{part}' for part in ('LICENSE', 'CHANGELOG.md', 'third-party.txt', f'bin/{command}', *recorder,
                                             'share/methodbeat/methodbeat-runtime.jar', 'share/methodbeat/methodbeat-noop.jar',
                                             *(f'share/man/man1/{page}.1' for page in ('methodbeat', *manual)),
                                             *(f'share/{path}' for path in ('bash-completion/completions/methodbeat.bash',
                                                                            'zsh/site-functions/_methodbeat',
                                                                            'fish/vendor_completions.d/methodbeat.fish')))}
    judge.check(set(files) == expected, f'{name}: {sorted(files)}')
    said = files[f'{top}/third-party.txt'][0].decode()
    judge.check(all(f'==== {word}' in said for word in ('libdeflate', 'libzip', 'protobuf-c', 'uthash', 'zlib',
                                                        'libzstd')), f'{name}: licences')
    size = os.path.getsize(path)
    judge.check(size <= MOST_BYTES, f'{name}: {size} bytes')
    with open(path, 'rb') as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    with open(os.path.join(folder, 'SHA256SUMS'), encoding='ascii') as sums:
        judge.check(f'{digest}  {name}\n' in sums.readlines(), f'{name}: SHA256SUMS')
    with open(os.path.join(folder, 'sbom.spdx.json'), encoding='utf-8') as file:
        bill = json.load(file)
    of_name = {package['name']: package for package in bill['packages']}
    linked = {relation['relatedSpdxElement'] for relation in bill['relationships']
              if relation['spdxElementId'] == f'SPDXRef-methodbeat-{target}'}
    judge.check(of_name[f'methodbeat-{target}']['checksums'][0]['checksumValue'] == digest
                and linked <= {package['SPDXID'] for package in bill['packages']} and len(linked) >= 6, f'{name}: {linked}')
    CHECKS[target.split('-')[0]](target, own)
    print(f'{name}: {size} bytes, the command {len(own)}')


def check_same_again():
    """Packed once more, they are the same bytes."""
    before = files_of(os.path.join(BUILT, 'archives'))
    build()
    judge.check(files_of(os.path.join(BUILT, 'archives')) == before, 'other bytes the second time')


def main():
    targets = build()
    inputs = judge.scratch_folder('inputs')
    make_inputs(inputs)
    ours = run_all((judge.METHODBEAT,), inputs, judge.scratch('here'))
    os.environ.update(WINEPREFIX=os.path.join(CACHE, 'wine'), WINEDEBUG='-all')
    for target in targets:
        check_archive(target)
        start = start_of(target)
        if start is None:
            print(f'{target}: nothing here runs it')
            continue
        with open_session(start):
            check_words(target, start)
            compare(target, ours, run_all(start, inputs, judge.scratch(target)))
            disturbed.check_disturbed(start, target, inputs)
        if len(start) == 1:
            check_cli(target, start[0])
    check_same_again()
    judge.finish()


main()
