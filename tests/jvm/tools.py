"""The tools that judge must be able to say no: the counting stub, and the linker of classes."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

# way of Calls.java: in, out, unmatched in, unmatched out, open, threads, at
WAYS = {
    'nested': (2, 2, 0, 0, 0, 1, 0),
    'skipped': (3, 1, 2, 0, 0, 1, 0),
    'alone': (0, 1, 0, 1, 0, 1, 0),
    'twice': (1, 2, 0, 1, 0, 1, 0),
    'open': (2, 0, 0, 0, 2, 2, 0),
    'threads': (202000, 202000, 0, 0, 0, 2000, 0),
    'at': (0, 0, 0, 0, 0, 1, 1),
}
SOURCE = 'public class Victim { int value; int value() { return value; } static { boom(); } ' \
         'static void boom() { throw new Error("initialised"); } }'


def stub_counts():
    program = judge.compile_java(judge.scratch('calls'),
                                 (os.path.join(judge.TESTS, 'jvm', 'Calls.java'),),
                                 '-cp', judge.beat_runtime())
    for way, expected in WAYS.items():
        file = judge.scratch(f'{way}.count')
        done = judge.java('-cp', program, 'Calls', way, count=file)
        judge.check(done.returncode == 0, f'{way}: exit code {done.returncode} {done.stderr}')
        found = judge.totals(judge.read(file))
        judge.check(found and tuple(found.values()) == expected, f'{way}: {found}')
        told = judge.totals(judge.java('-cp', program, 'Calls', way).stderr)
        judge.check(told == found, f'{way}: {told} on standard error')
    file = judge.scratch('trace')
    judge.java('-cp', program, 'Calls', 'skipped', calls=file)
    judge.check(judge.read(file) == 'i 1\ni 2\ni 3\no 1\n', 'the list of calls')


def linker_verifies():
    source = judge.scratch('Victim.java')
    with open(source, 'w', encoding='utf-8') as file:
        file.write(SOURCE)
    folder = judge.compile_java(judge.scratch('victim'), (source,))
    judge.check(judge.link(folder) == {'Victim': 'ok'}, 'a sound class links, uninitialised')
    path = os.path.join(folder, 'Victim.class')
    with open(path, 'rb') as file:
        sound = file.read()
    at = sound.index(b'\x2a\xb4')  # aload_0, getfield
    judge.check(sound[at + 4] == 0xac, 'ireturn ends value()')
    for name, broken in (('VerifyError', sound[:at] + b'\x03' + sound[at + 1:]),  # iconst_0
                         ('ClassFormatError', sound[:-1])):
        with open(path, 'wb') as file:
            file.write(broken)
        result = judge.link(folder)['Victim']
        judge.check(result.startswith(name), f'{name} expected: {result}')


stub_counts()
linker_verifies()
print(f'{len(WAYS)} ways to call the stub, 2 broken classes')
judge.finish()
