#!/usr/bin/env python3
"""The classes that the agent defines in the boot loader, as C: those of the runtime jar, without uploads, which only a
program's own code calls, and the bridge and what LockSupport calls; supertypes first.

usage: embed.py JAVAC RUNTIME_JAR BRIDGE_SOURCE PARKS_SOURCE NOTE_SOURCE SCRATCH OUTPUT STUB...
"""
import os
import shutil
import struct
import subprocess
import sys
import zipfile

OWN = 'java/lang/$MethodBeat', 'java/lang/$MethodBeatParks', 'methodbeat/ParkNote'
ENTRY_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}


def compile_own(javac, jar, sources, scratch, stubs):
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(f'{scratch}/source')
    java = [f'{scratch}/source/{os.path.basename(name)}.java' for name in OWN]
    for source, copy in zip(sources, java):
        shutil.copyfile(source, copy)
    subprocess.run([javac, '-source', '8', '-target', '8', '-Xlint:-options', '-nowarn', '-proc:none', '-cp', jar,
                    '-d', scratch, *java, *stubs], check=True)
    for name in OWN:
        with open(f'{scratch}/{name}.class', 'rb') as file:
            yield name, file.read()


def names_of(content):
    """The names of a class file: its own, then its supertypes'."""
    pool, at, index, count = {}, 10, 1, struct.unpack_from('>H', content, 8)[0]
    while index < count:
        tag = content[at]
        if tag == 1:
            size = struct.unpack_from('>H', content, at + 1)[0]
            pool[index] = content[at + 3:at + 3 + size].decode()
            at += 3 + size
        else:
            pool[index] = struct.unpack_from('>H', content, at + 1)[0]
            at += 1 + ENTRY_SIZES[tag]
        index += 2 if tag in (5, 6) else 1
    own, above, interfaces = struct.unpack_from('>HHH', content, at + 2)
    return [pool[pool[i]] for i in (own, above, *struct.unpack_from(f'>{interfaces}H', content, at + 8))]


def in_order(classes):
    done = []
    def visit(name):
        if name in classes and name not in done:
            for above in names_of(classes[name])[1:]:
                visit(above)
            done.append(name)
    for name in sorted(classes):
        visit(name)
    return done


def main():
    javac, jar, *sources = sys.argv[1:6]
    scratch, output, *stubs = sys.argv[6:]
    with zipfile.ZipFile(jar) as archive:
        classes = {name.removesuffix('.class'): archive.read(name) for name in archive.namelist()
                   if name.startswith('methodbeat/') and name.endswith('.class') and '/Upload' not in name}
    classes.update(compile_own(javac, jar, sources, scratch, stubs))
    with open(output, 'w', encoding='ascii') as out:
        out.write('#include "agent/setup.h"\n\n')
        for number, name in enumerate(in_order(classes)):
            data = ','.join(str(byte) for byte in classes[name])
            out.write(f'static const unsigned char class_{number}[] = {{{data}}};\n')
        out.write('\nconst struct agent_class agent_classes[] = {\n')
        for number, name in enumerate(in_order(classes)):
            out.write(f'    {{"{name}", class_{number}, sizeof(class_{number})}},\n')
        out.write('};\nconst size_t agent_class_count = sizeof(agent_classes) / sizeof(agent_classes[0]);\n')


if __name__ == '__main__':
    main()
