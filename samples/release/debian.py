"""Debian: a package for each of its machines, with the manual, the recorder and the jars. What libraries a command needs
that is not static, dpkg-shlibdeps says; it is Debian's and has to be there."""
import email.utils
import lzma
import os
import re
import subprocess
import tempfile

import fixed
from built import HOMEPAGE, SUMMARY, TARGETS, is_static, source

MAINTAINER = 'The methodbeat authors <methodbeat@example.org>'
MANUALS = ('methodbeat.1', 'methodbeat-fleet.1')
CONTROL = '''Package: methodbeat
Version: {version}
Architecture: {machine}
Maintainer: {maintainer}
Installed-Size: {size}
{depends}Section: java
Priority: optional
Homepage: {homepage}
Description: {summary}
 methodbeat puts probes into the classes of a Java or Android program at
 build time, or as they load; a recorder notes all calls of all threads, and
 reports tell where the time went, in text, as a page or for other viewers.
 .
 The command needs neither a JVM nor a class path.
'''
COPYRIGHT = '''Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: methodbeat
Source: {homepage}

Files: *
Copyright: 2026, the methodbeat authors
License: BSD-3-clause
'''
CHANGELOG = '''methodbeat ({version}) unstable; urgency=medium

  * Release {version}.

 -- {maintainer}  {date}
'''
# Said of what has to run on any Linux.
OVERRIDES = '''# It is one file for every release, as the archives have it.
methodbeat: statically-linked-binary [usr/bin/methodbeat]
methodbeat: embedded-library *
'''


def needed(command):
    """The line of control about libraries, if there are any."""
    if is_static(command):
        return ''
    with tempfile.TemporaryDirectory() as folder:
        fixed.write(os.path.join(folder, 'debian', 'control'), b'Source: methodbeat\n\nPackage: methodbeat\nArchitecture: any\n')
        fixed.write(os.path.join(folder, 'methodbeat'), command)
        done = subprocess.run(('dpkg-shlibdeps', '-O', '-emethodbeat'), cwd=folder, capture_output=True, text=True,
                              check=False)
    found = re.search(r'^shlibs:Depends=(.*)$', done.stdout, re.M)
    if done.returncode != 0 or not found:
        raise SystemExit(f'dpkg-shlibdeps: {done.stderr.strip()}')
    return f'Depends: {found[1]}\n'


def copyright_text(licence):
    lines = licence.decode().splitlines()
    return COPYRIGHT.format(homepage=HOMEPAGE) + ''.join(f' {line}\n' if line.strip() else ' .\n' for line in lines)


def contents(built, version, name, time):
    """(path, content, mode) without folders"""
    docs = 'usr/share/doc/methodbeat'
    changes = CHANGELOG.format(version=version, maintainer=MAINTAINER, date=email.utils.formatdate(time))
    yield 'usr/bin/methodbeat', built.command(name), 0o755
    for library, content in built.libraries(name):
        yield f'usr/lib/methodbeat/{library}', content, 0o644
    for jar, content in built.jars.items():
        if jar in ('methodbeat-runtime.jar', 'methodbeat-noop.jar'):
            yield f'usr/share/methodbeat/{jar}', content, 0o644
    for manual in MANUALS:
        yield f'usr/share/man/man1/{manual}.gz', fixed.gz(source('src', 'cli', manual)), 0o644
    yield f'{docs}/changelog.gz', fixed.gz(changes.encode()), 0o644
    yield f'{docs}/copyright', copyright_text(built.licence).encode(), 0o644
    if is_static(built.command(name)):
        yield 'usr/share/lintian/overrides/methodbeat', OVERRIDES.encode(), 0o644


def with_folders(files):
    """In the order of dpkg-deb: each folder before what is in it."""
    folders = {path.rpartition('/')[0] for path, _, _ in files}
    above = {'/'.join(folder.split('/')[:i + 1]) for folder in folders for i in range(folder.count('/') + 1)}
    yield './', b'', 0o755
    for path, content, mode in sorted([*((f'{folder}/', b'', 0o755) for folder in above), *files]):
        yield f'./{path}', content, mode


def package(built, version, name, time):
    files = list(contents(built, version, name, time))
    control = CONTROL.format(version=version, machine=TARGETS[name].debian, maintainer=MAINTAINER, homepage=HOMEPAGE,
                             depends=needed(built.command(name)), summary=SUMMARY[0].lower() + SUMMARY[1:],
                             size=sum(-(-len(content) // 1024) for _, content, _ in files))
    sums = ''.join(f"{fixed.digest(content, 'md5')}  {path}\n" for path, content, _ in sorted(files))
    said = fixed.tar([('./', b'', 0o755), ('./control', control.encode(), 0o644), ('./md5sums', sums.encode(), 0o644)],
                     time)
    return fixed.ar([('debian-binary', b'2.0\n'), ('control.tar.xz', lzma.compress(said)),
                     ('data.tar.xz', lzma.compress(fixed.tar(with_folders(files), time), preset=6))], time)


def write(built, version, folder, time):
    for name in built.targets:
        machine = TARGETS[name].debian
        if machine:
            fixed.write(os.path.join(folder, f'methodbeat_{version}_{machine}.deb'),
                        package(built, version, name, time))
