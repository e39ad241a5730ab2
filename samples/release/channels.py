#!/usr/bin/env python3
"""Packages of the command for those who install it by Gradle or Maven, npm, pip or dpkg, from what was built.

BUILT has a folder TARGET (linux-x64, linux-arm64, macos-x64, macos-arm64, windows-x64, windows-arm64) for each
command, methodbeat or methodbeat.exe, with the recorder's libraries beside it if there are any; a folder jars,
with those of methodbeat-{runtime,noop,gradle}.jar and methodbeat-android.aar that there are; and third-party.txt,
the licences of what is linked into the commands. ARCHIVES has methodbeat-VERSION-TARGET.tar.gz or .zip, by which
Homebrew, Scoop and winget install. OUTPUT must not exist. What comes out is the same bytes each time;
SOURCE_DATE_EPOCH, or else the last commit, dates it.

usage: channels.py BUILT OUTPUT [ARCHIVES]
"""
import os
import subprocess
import sys

import debian
import manifests
import maven
import npm
import pypi
from built import ROOT, TARGETS, Built, version


def when():
    given = os.environ.get('SOURCE_DATE_EPOCH')
    return int(given or subprocess.check_output(('git', '-C', ROOT, 'log', '-1', '--format=%ct')))


def main():
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    built, output = Built(sys.argv[1]), sys.argv[2]
    if not built.targets and not built.jars:
        raise SystemExit(f'{sys.argv[1]}: no command: none of {", ".join(TARGETS)} has one')
    if os.path.exists(output):
        raise SystemExit(f'{output}: is there already')
    number = version()
    if len(sys.argv) == 4 and built.targets:
        manifests.write(sys.argv[3], number, output)
    maven.write(built, number, os.path.join(output, 'maven'))
    if built.targets:
        npm.write(built, number, os.path.join(output, 'npm'))
        pypi.write(built, number, os.path.join(output, 'pypi'))
        debian.write(built, number, os.path.join(output, 'debian'), when())
    print(f'methodbeat {number}, for {", ".join((*built.targets, *built.jars))}')


main()
