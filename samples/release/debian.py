"""Debian: a package for each of its machines, with the manual, the recorder and the jars."""
import email.utils
import lzma
import os
import re
import textwrap

import changes
import fixed
from built import HOMEPAGE, OWNER, SUMMARY, TARGETS, source

MAINTAINER = f'{OWNER["name"]} <{OWNER["email"]}>'
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

{items}

 -- {maintainer}  {date}
'''
COLUMNS = 78
# Said of what has to run on any Linux, and in JVMs of musl, whose packages are no concern of Debian's.
OVERRIDES = '''# It is one file for every release, as the archives have it.
methodbeat: statically-linked-binary [usr/bin/methodbeat]
methodbeat: embedded-library *
# They are loaded into JVMs of containers that have musl.
methodbeat: undeclared-elf-prerequisites (libc.so) [usr/lib/methodbeat/musl/*]
methodbeat: library-not-linked-against-libc [usr/lib/methodbeat/musl/*]
'''


def needed(libraries):
    """The line of control about libraries, if there are any: the newest glibc that those for it ask for."""
    asked = [int(minor) for library, content in libraries if not library.startswith('musl/')
             for minor in re.findall(rb'\0GLIBC_2\.(\d+)(?=[.\0])', content)]
    return f'Depends: libc6 (>= 2.{max(asked)})\n' if asked else ''


def copyright_text(licence):
    lines = licence.decode().splitlines()
    return COPYRIGHT.format(homepage=HOMEPAGE) + ''.join(f' {line}\n' if line.strip() else ' .\n' for line in lines)


def changelog(version, time):
    items = '\n'.join(textwrap.fill(item, COLUMNS, initial_indent='  * ', subsequent_indent='    ')
                      for item in changes.items(changes.section(version)))
    return CHANGELOG.format(version=version, items=items, maintainer=MAINTAINER, date=email.utils.formatdate(time))


def contents(built, version, name, time):
    """(path, content, mode) without folders"""
    docs = 'usr/share/doc/methodbeat'
    said = changelog(version, time)
    yield 'usr/bin/methodbeat', built.command(name), 0o755
    for library, content in built.libraries(name):
        yield f'usr/lib/methodbeat/{library}', content, 0o644
    for path, content in built.shared():
        if path.startswith('man/'):
            path, content = f'{path}.gz', fixed.gz(content)
        yield f'usr/share/{path}'.replace('zsh/site-functions', 'zsh/vendor-completions'), content, 0o644
    yield f'{docs}/changelog.gz', fixed.gz(said.encode()), 0o644
    yield f'{docs}/copyright', copyright_text(built.licence).encode(), 0o644
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
                             depends=needed(built.libraries(name)), summary=SUMMARY[0].lower() + SUMMARY[1:],
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
