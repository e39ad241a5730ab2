"""What ProGuard and R8 rename, --mapping gives back: a jar is obfuscated by each, instrumented with
the mapping.txt that each wrote, and every method must come out as one of the original jar."""
import json
import os
import shutil
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

WRITER = 'org.objectweb.asm.ClassWriter'
# Everything may be renamed, nothing goes away.
RULES = '''-ignorewarnings
-dontwarn **
-dontnote **
-keepattributes LineNumberTable,SourceFile
-repackageclasses ''
-allowaccessmodification
'''
KEEP_ALL = '-keep,allowobfuscation class ** { *; }\n'
# One name for all that differs in types; methods are inlined, and their parameters removed.
AGGRESSIVE = '-overloadaggressively\n-keep class org.objectweb.asm.ClassReader { public *; }\n'


def library():
    """Java 8's classes, bodiless, as the JDK keeps them for --release 8. ProGuard takes no version
    61, which is all that differs."""
    home = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which('javac'))))
    path = judge.scratch('java8.jar')
    with zipfile.ZipFile(os.path.join(home, 'lib', 'ct.sym')) as symbols, \
            zipfile.ZipFile(path, 'w') as jar:
        for name in symbols.namelist():
            releases, _, rest = name.partition('/')
            at = rest.find('java/')
            if '8' in releases and at >= 0 and rest.endswith('.sig') and '/' not in rest[:at - 1]:
                content = symbols.read(name)
                entry = rest[at:-len('.sig')] + '.class'
                if entry not in jar.NameToInfo:
                    jar.writestr(entry, content[:4] + b'\0\0\0\x34' + content[8:])
    return path


def proguard(jar, rules):
    if shutil.which('proguard') is None:
        judge.skip('proguard is not installed')
    out, mapping = judge.scratch('proguard.jar'), judge.scratch('proguard.txt')
    judge.must(('proguard', '-injars', jar, '-outjars', out, '-libraryjars', LIBRARY,
                '-printmapping', mapping, '-include', rules))
    return out, mapping


def r8(jar, rules):
    out, mapping = judge.scratch('r8.jar'), judge.scratch('r8.txt')
    judge.must(('java', *judge.BRIEF, '-cp', judge.corpus('bundletool'), 'com.android.tools.r8.R8', '--classfile',
                '--release', '--pg-conf', rules, '--pg-map-output', mapping, '--lib', LIBRARY,
                '--output', out, jar))
    return out, mapping


def methods(jar, *options):
    """(class, name, descriptor) of each method of the jar, original where a mapping tells, and the
    folder with both mapping files."""
    folder = tempfile.mkdtemp(dir=judge.scratch_folder('out'))
    explain = os.path.join(folder, 'explain.json')
    judge.instrument('-q', '-o', folder, '--explain', explain, *options, jar)
    rows = [json.loads(line) for line in judge.read(explain).splitlines()]
    return [tuple(row.get('original_' + key, row[key]) for key in ('class', 'method', 'descriptor'))
            for row in rows], folder


def lines(folder):
    traced = [name for _, name in judge.traced(os.path.join(folder, 'methodMapping.txt'))]
    return traced, judge.read(os.path.join(folder, 'ignoreMethodMapping.txt')).splitlines()[1:]


def as_line(method):
    return ' '.join(method).replace('/', '.')


def obfuscate(tool, jar, rules, original):
    """What became of the jar, and which methods the original has not: both tools also make some, with
    fewer parameters or of pieces that repeat. What comes twice fails."""
    path = judge.scratch('rules.pro')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(rules)
    renamed, mapping = tool(jar, path)
    found, folder = methods(renamed, '--mapping', mapping)
    judge.check(len(set(found)) == len(found), f'{tool.__name__}: two methods of one name')
    traced, ignored = lines(folder)
    concrete = {as_line(method) for method in found}
    judge.check(traced and ignored and set(traced) | set(ignored) <= concrete,
                f'{tool.__name__}: the mapping files carry other names')
    return renamed, mapping, found, sorted(set(found) - set(original))


def blacklist(renamed, mapping):
    """A blacklist of original names finds the renamed class."""
    path = judge.scratch('black.txt')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(f'-keepclass {WRITER}\n')
    _, folder = methods(renamed, '--mapping', mapping, '--blacklist', path)
    traced, ignored = lines(folder)
    judge.check(not any(line.startswith(WRITER + ' ') for line in traced), 'blacklist: traced')
    judge.check(sum(line.startswith(WRITER + ' ') for line in ignored) > 20, 'blacklist: ignored')
    _, folder = methods(renamed, '--mapping', mapping)
    judge.check(any(line.startswith(WRITER + ' ') for line in lines(folder)[0]), 'no blacklist')


asm = judge.corpus('asm')
LIBRARY = library()
before, _ = methods(asm)
for tool in (proguard, r8):
    renamed_jar, mapping_file, after, strange = obfuscate(tool, asm, RULES + KEEP_ALL, before)
    judge.check(not set(before) - set(after), f'{tool.__name__}: {set(before) - set(after)}')
    judge.check(len(strange) <= len(after) // 100, f'{tool.__name__}: {strange[:5]}')
    blacklist(renamed_jar, mapping_file)
    print(f'{tool.__name__}: {len(after) - len(strange)} of {len(before)} methods found again')
    _, _, after, strange = obfuscate(tool, asm, RULES + AGGRESSIVE, before)
    judge.check(len(strange) <= 1 + len(after) // 100, f'{tool.__name__}, shrunk: {strange[:5]}')
    print(f'{tool.__name__}, shrunk: {len(after) - len(strange)} of {len(after)} methods are original')
judge.finish()
