"""The AAR that samples/release.sh makes: its files, what is beside it for Maven, and of each library what Android's linker
looks at.

There is no NDK here. Clang stands in for its compilers, with Debian's headers and linkers, and a libc.so
and liblog.so that export what bionic.symbols says that Android 6 has. The libraries are looked at, not run.

usage: aar.py METHODBEAT LIBRARY [OUTPUT.aar]   LIBRARY: the recorder for this machine; the AAR stays if it is named
"""
import glob
import os
import re
import shutil
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import consumer  # noqa: E402
import judge  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(judge.ROOT, 'samples', 'android', 'make-aar.sh')
RELEASE = os.path.join(judge.ROOT, 'samples', 'release.sh')
# ABI: the NDK's name for the machine, Debian's, and the machine as readelf tells it.
MACHINES = {
    'arm64-v8a': ('aarch64-linux-android23', 'aarch64-linux-gnu', 'AArch64'),
    'armeabi-v7a': ('armv7a-linux-androideabi23', 'arm-linux-gnueabi', 'ARM'),
    'x86_64': ('x86_64-linux-android23', 'x86_64-linux-gnu', 'Advanced Micro Devices X86-64'),
}
MOST_BYTES = 420000  # of a library, without its symbols
WRAPPER = '''#!/bin/sh
for word; do
    case $word in -c|-E|-S|-fsyntax-only) exec {compile} "$@" ;; esac
done
exec {compile} -nostdlib "$@" {link}
'''
# What the NDK links to each library from its crtbegin_so.o, compiler-rt and unwinder. Where the variables
# of a thread lie is asked of the library's own code, as the linker knows nothing of them before level 29.
START = '''#include <pthread.h>
#include <stdlib.h>
extern int __cxa_atexit(void (*function)(void *), void *argument, void *library);
#pragma GCC visibility push(hidden)
void *__dso_handle;
int atexit(void (*function)(void)) { return __cxa_atexit((void (*)(void *))function, 0, &__dso_handle); }
void __aeabi_unwind_cpp_pr0(void) {}
void __aeabi_unwind_cpp_pr1(void) {}
static pthread_once_t once;
static pthread_key_t key;
static void make_key(void) { (void)pthread_key_create(&key, free); }
void *__emutls_get_address(void *variable)
{
    (void)pthread_once(&once, make_key);
    (void)pthread_setspecific(key, calloc(1, 8));
    return pthread_getspecific(key) ? pthread_getspecific(key) : variable;
}
'''
ENTRIES = ['AndroidManifest.xml', 'R.txt', 'classes.jar', *(f'jni/{abi}/libmethodbeat.so' for abi in MACHINES),
           'proguard.txt']


def put(text, *names, executable=False):
    path = judge.scratch(*names)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    if executable:
        os.chmod(path, 0o755)
    return path


def symbols():
    """Name of the library to what it exports."""
    found = {}
    for line in judge.read(os.path.join(HERE, 'bionic.symbols')).splitlines():
        if line in ('libc', 'liblog'):
            names = found.setdefault(line, set())
        elif not line.startswith('#'):
            names.update(line.split())
    return found


def headers(target):
    jdk = os.path.join(judge.jdk(), 'include')
    own = f'/usr/{target}/include'
    if not os.path.isfile(os.path.join(own, 'stdio.h')):
        own = f'/usr/include/{target}'
    return (jdk, os.path.join(jdk, 'linux'), os.path.join(judge.ROOT, 'tests', 'jni', 'android_log'), own,
            '/usr/include')


def make_compiler(folder, abi):
    """The compiler of one machine, by the name that the NDK's has."""
    triple, target, _ = MACHINES[abi]
    clang = f'clang-14 --target={triple} -Wno-unused-command-line-argument'
    compile_it = ' '.join((clang, '-nostdlibinc', '-Wno-macro-redefined',
                           *(f'-idirafter {path}' for path in headers(target)),
                           f'-include {HERE}/bionic.h'))
    link = f'--ld-path=/usr/bin/{target}-ld'
    for library, names in symbols().items():
        source = put('.text\n' + ''.join(f'.globl {name}\n.type {name}, %function\n{name}:\n'
                                         for name in sorted(names)), abi, f'{library}.s')
        judge.must((*clang.split(), link, '-nostdlib', '-shared', f'-Wl,-soname,{library}.so', source,
                    '-o', judge.scratch(abi, f'{library}.so')))
    start = judge.scratch(abi, 'start.o')
    judge.must((*compile_it.split(), '-c', '-fPIC', put(START, abi, 'start.c'), '-o', start))
    libgcc = judge.must((f'{target}-gcc', '-print-libgcc-file-name')).stdout.strip()
    put(WRAPPER.format(compile=compile_it, link=f'{link} {start} -L{os.path.dirname(start)} {libgcc} -lc'),
        folder, f'{triple}-clang', executable=True)


def make_ndk():
    """A folder that takes the place of the NDK."""
    folder = judge.scratch_folder('ndk', 'toolchains', 'llvm', 'prebuilt', 'linux-x86_64', 'bin')
    for abi in MACHINES:
        make_compiler(folder, abi)
    put('#!/bin/sh\nexec ar "$@"\n', folder, 'llvm-ar', executable=True)
    put('#!/bin/sh\nfor word; do :; done\n'
        'case $(readelf -h "$word") in *AArch64*) to=aarch64-linux-gnu- ;; *X86-64*) to= ;; '
        '*) to=arm-linux-gnueabi- ;; esac\nexec "${to}strip" "$@"\n', folder, 'llvm-strip', executable=True)
    return judge.scratch('ndk')


def judge_library(path, abi):
    """What the linker of Android 6 asks of it."""
    def readelf(option):
        return judge.must(('readelf', '-W', option, path)).stdout

    _, _, machine = MACHINES[abi]
    judge.check(f'Machine:                           {machine}' in readelf('-h'), f'{abi}: the machine')
    needed = re.findall(r'\(NEEDED\).*\[(.*)\]', readelf('-d'))
    judge.check(sorted(needed) == ['libc.so', 'liblog.so'], f'{abi}: needs {needed}')
    judge.check('[libmethodbeat.so]' in readelf('-d'), f'{abi}: its name')
    judge.check('TEXTREL' not in readelf('-d'), f'{abi}: text is relocated')
    known = set().union(*symbols().values())
    table = [line.split() for line in readelf('--dyn-syms').splitlines() if ' UND ' in line]
    names = {words[7] for words in table if len(words) > 7}
    strong = {words[7] for words in table if len(words) > 7 and words[4] != 'WEAK'}
    judge.check(strong <= known and len(strong) > 50, f'{abi}: needs {sorted(strong - known)}')
    judge.check(not any('@' in name for name in names), f'{abi}: versions of symbols {sorted(names)}')
    defined = {words[7].split('@')[0] for words in map(str.split, readelf('--dyn-syms').splitlines())
               if len(words) > 7 and words[4] == 'GLOBAL' and words[6] not in ('UND', 'ABS')}
    judge.check({'JNI_OnLoad', 'Agent_OnAttach', 'beat_i'} <= defined, f'{abi}: exports {sorted(defined)}')
    judge.check(not re.search(r'TLS|TPOFF|DTPMOD', readelf('-r') + readelf('-l')), f'{abi}: has ELF TLS')
    loads = [line.split() for line in readelf('-l').splitlines() if line.split()[:1] == ['LOAD']]
    judge.check(loads and all(int(words[-1], 16) >= 0x4000 for words in loads), f'{abi}: pages {loads}')
    judge.check(re.search(r'GNU_STACK .* RW ', readelf('-l')), f'{abi}: the stack')
    judge.check(os.path.getsize(path) <= MOST_BYTES, f'{abi}: {os.path.getsize(path)} bytes, of {MOST_BYTES}')
    print(f'{abi}: {os.path.getsize(path)} bytes, needs {needed}, {len(names)} symbols of {len(known)}, '
          f'segments aligned to {loads[0][-1]}, no ELF TLS, no versions', flush=True)


def judge_aar(path):
    folder = judge.scratch_folder('unpacked')
    with zipfile.ZipFile(path) as aar:
        files = sorted(name for name in aar.namelist() if not name.endswith('/'))
        judge.check(files == sorted(ENTRIES), f'files {files}')
        aar.extractall(folder)
    with zipfile.ZipFile(os.path.join(folder, 'classes.jar')) as jar:
        names = set(jar.namelist())
    judge.check({'methodbeat/MethodBeat.class', 'methodbeat/AndroidMonitors.class'} <= names, f'classes {names}')
    judge.check(not any(name.startswith(('android/', 'dalvik/', 'java/', 'jdk/')) for name in names), 'no stubs in it')
    judge.check('-keep class methodbeat.**' in judge.read(os.path.join(folder, 'proguard.txt')), 'rules')
    for abi in MACHINES:
        judge_library(os.path.join(folder, 'jni', abi, 'libmethodbeat.so'), abi)
    print(f'AAR of {os.path.getsize(path)} bytes', flush=True)
    return folder


def judge_other_folder():
    """The script empties the folder that it builds in: none that holds something else."""
    path = put('not to be lost', 'other', 'file')
    done = judge.run((SCRIPT, judge.scratch('other.aar'), os.path.dirname(path)))
    judge.check(done.returncode == 1 and 'not empty' in done.stderr and os.path.exists(path), done.stderr)


def release():
    """The AAR as it goes to a Maven repository, with the sources of its classes."""
    done = judge.run((RELEASE, '--output', judge.scratch('release'), 'android'), env={**os.environ, 'ANDROID_NDK_HOME': make_ndk()})
    if done.returncode == 77:
        judge.skip(done.stderr.strip())
    made = glob.glob(judge.scratch('release', 'channels', 'maven', '**', '*.aar'), recursive=True)
    if not judge.check(done.returncode == 0 and len(made) == 1, f'release.sh: {done.stdout} {done.stderr}'):
        judge.finish()
    base = made[0].removesuffix('.aar')
    judge.check('<packaging>aar</packaging>' in judge.read(f'{base}.pom'), 'its POM')
    with zipfile.ZipFile(f'{base}-sources.jar') as jar:
        judge.check({'methodbeat/MethodBeat.java', 'methodbeat/AndroidMonitors.java'} <= set(jar.namelist()), 'its sources')
    with zipfile.ZipFile(made[0]) as aar:
        judge.check({entry.date_time[0] for entry in aar.infolist()} == {1980}, 'times in it')
    return made[0]


for tool in ('clang-14', 'zip', *(f'{target}-gcc' for _, target, _ in MACHINES.values())):
    if not shutil.which(tool):
        judge.skip(f'{tool} is not installed')
judge_other_folder()
result = release()
if len(sys.argv) > 3:
    shutil.copy(result, sys.argv[3])
consumer.judge_consumer(judge_aar(result), os.path.abspath(sys.argv[2]))
judge.finish()
