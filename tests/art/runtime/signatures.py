"""Android's framework as other classes see it: each class of a jar with its members, but without code, so that the
verifier can link what inherits from it. Each body becomes "throw null".

usage: signatures.py FRAMEWORK.jar CORE.jar OUTPUT.jar    without the packages that are in CORE.jar, and android.icu
"""
import struct
import sys
import zipfile

NATIVE, ABSTRACT = 0x100, 0x400
SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
LOCALS = 256  # more than arguments can take
THROW_NULL = bytes((0x01, 0xBF))


def skip_pool(content):
    """Where the constant pool ends, and the texts in it by index."""
    texts, index, at = {}, 1, 10
    while index < struct.unpack_from('>H', content, 8)[0]:
        tag = content[at]
        if tag == 1:
            size = struct.unpack_from('>H', content, at + 1)[0]
            texts[index] = content[at + 3:at + 3 + size]
            at += 3 + size
        else:
            at += 1 + SIZES[tag]
        index += 2 if tag in (5, 6) else 1
    return at, texts


def read_members(content, at):
    """Access, name and descriptor of fields or methods, and where they end."""
    members = []
    count = struct.unpack_from('>H', content, at)[0]
    at += 2
    for _ in range(count):
        access, name, descriptor, attributes = struct.unpack_from('>4H', content, at)
        at += 8
        for _ in range(attributes):
            at += 6 + struct.unpack_from('>I', content, at + 2)[0]
        members.append((access, name, descriptor))
    return members, at


def read_bootstraps(content, at, texts):
    """The attribute that readers want where the pool has a call site, or nothing; as the end of a class."""
    count = struct.unpack_from('>H', content, at)[0]
    at += 2
    for _ in range(count):
        name, size = struct.unpack_from('>HI', content, at)
        if texts[name] == b'BootstrapMethods':
            return struct.pack('>H', 1) + content[at:at + 6 + size]
        at += 6 + size
    return struct.pack('>H', 0)


def strip(content):
    """The class without code."""
    pool_end, texts = skip_pool(content)
    code_name = next((index for index, text in texts.items() if text == b'Code'), 0)
    interfaces = struct.unpack_from('>H', content, pool_end + 6)[0]
    at = pool_end + 8 + 2 * interfaces
    out = bytearray(content[:at])
    fields, at = read_members(content, at)
    methods, at = read_members(content, at)
    out += struct.pack('>H', len(fields)) + b''.join(struct.pack('>4H', *field, 0) for field in fields)
    methods = [method for method in methods if texts[method[1]] != b'<clinit>']
    out += struct.pack('>H', len(methods))
    code = struct.pack('>HHI', 1, LOCALS, len(THROW_NULL)) + THROW_NULL + struct.pack('>HH', 0, 0)
    for access, name, descriptor in methods:
        has_code = not access & (NATIVE | ABSTRACT)
        out += struct.pack('>4H', access, name, descriptor, has_code)
        if has_code:
            out += struct.pack('>HI', code_name, len(code)) + code
    return bytes(out + read_bootstraps(content, at, texts))


def main():
    with zipfile.ZipFile(sys.argv[2]) as core:
        known = {name.rpartition('/')[0] for name in core.namelist() if name.endswith('.class')}
    with zipfile.ZipFile(sys.argv[1]) as framework, zipfile.ZipFile(sys.argv[3], 'w') as out:
        for name in sorted(framework.namelist()):
            if name.endswith('.class') and name.rpartition('/')[0] not in known and not name.startswith('android/icu/'):
                out.writestr(name, strip(framework.read(name)))


main()
