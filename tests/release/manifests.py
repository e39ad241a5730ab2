"""The formula for Homebrew and the manifests for Scoop and winget, whose clients are for other systems: each names
archives that are there, by the sum that they have, and where in them the command is. The fields are those that the
three document; what they wrote was valid by the schemas of Scoop and of winget 1.6 when it was compared by hand.

usage: manifests.py METHODBEAT
"""
import json
import os
import re
import shutil
import tarfile
import zipfile

import install
from install import VERSION, judge

TARGETS = ('linux-x64', *install.OTHERS)
SHA = '[0-9a-fA-F]{64}'


def names(archive):
    with zipfile.ZipFile(archive) as file:
        return file.namelist()


def named(folder, what, url, digest):
    """The archive that a manifest names; it has the sum that the manifest says."""
    path = os.path.join(folder, os.path.basename(url))
    judge.check(re.fullmatch(rf'https://\S+/v{re.escape(VERSION)}/methodbeat-{re.escape(VERSION)}-\S+', url)
                and os.path.exists(path), f'{what} names {url}')
    judge.check(install.sum256(install.read(path)) == digest.lower(), f'{what}: another sum of {url}')
    return path


def by_homebrew(folder, out):
    text = judge.read(os.path.join(out, 'homebrew', 'methodbeat.rb'))
    rows = re.findall(rf'on_(arm|intel) do\n +url "(.*?)"\n +sha256 "({SHA})"\n', text)
    found = [(processor, os.path.basename(named(folder, 'Homebrew', url, digest))) for processor, url, digest in rows]
    judge.check([name.split('.tar')[0].split(f'{VERSION}-')[1] for _, name in found]
                == ['macos-arm64', 'macos-x64', 'linux-arm64', 'linux-x64'] and
                all((processor == 'arm') == ('arm64' in name) for processor, name in found), f'Homebrew: {found}')
    judge.check(re.match('class Methodbeat < Formula\n', text) and len(re.findall(r'\bdo$|^class|  def ', text, re.M))
                == len(re.findall(r'^ *end$', text, re.M)), f'Homebrew: {text}')
    judge.check(len(re.search(r'desc "(.*)"', text)[1]) <= 80, 'Homebrew wants 80 characters of description')
    if shutil.which('ruby'):
        judge.must(('ruby', '-c', os.path.join(out, 'homebrew', 'methodbeat.rb')))


def by_scoop(folder, out):
    said = json.loads(judge.read(os.path.join(out, 'scoop', 'methodbeat.json')))
    judge.check(said['version'] == VERSION and all(said.get(name) for name in ('description', 'homepage', 'license')),
                f'Scoop: {said}')
    judge.check(list(said['architecture']) == ['64bit', 'arm64'], f'Scoop: {said}')
    for machine in said['architecture'].values():
        path = named(folder, 'Scoop', machine['url'], machine['hash'])
        inner = '/'.join((machine['extract_dir'], *machine['bin'].split('\\')))
        judge.check(inner in names(path), f'Scoop: {path} has no {inner}')


def by_winget(folder, out):
    texts = {name: judge.read(os.path.join(out, 'winget', f'methodbeat.methodbeat{name}.yaml'))
             for name in ('', '.locale.en-US', '.installer')}
    kinds = [re.search(r'^ManifestType: (.*)$', text, re.M)[1] for text in texts.values()]
    judge.check(kinds == ['version', 'defaultLocale', 'installer'] and all(
        f'PackageIdentifier: methodbeat.methodbeat\nPackageVersion: {VERSION}\n' in text
        and text.endswith('ManifestVersion: 1.6.0\n') for text in texts.values()), f'winget: {texts}')
    rows = re.findall(r'- Architecture: (\S+)\n.*\n  - RelativeFilePath: (\S+)\n.*\n  InstallerUrl: (\S+)\n'
                      rf'  InstallerSha256: ({SHA})\n', texts['.installer'])
    judge.check([row[0] for row in rows] == ['x64', 'arm64'], f'winget: {rows}')
    for _, inner, url, digest in rows:
        path = named(folder, 'winget', url, digest)
        judge.check(inner.replace('\\', '/') in names(path), f'winget: {path} has no {inner}')


def main():
    install.release()
    out = os.path.join(install.BUILT, 'channels')
    folder = shutil.copytree(os.path.join(install.BUILT, 'archives'), judge.scratch('archives'))
    for channel in by_homebrew, by_scoop, by_winget:
        channel(folder, out)
    with tarfile.open(os.path.join(folder, f'methodbeat-{VERSION}-linux-x64.tar.gz')) as archive:
        archive.extractall(judge.scratch('unpacked'))
    install.works('an archive', (judge.scratch('unpacked', f'methodbeat-{VERSION}-linux-x64', 'bin', 'methodbeat'),))
    install.refuses('no archives', install.pack(install.BUILT, judge.scratch('none'), judge.scratch_folder('empty')),
                    f'no archive named methodbeat-{VERSION}-TARGET')
    with zipfile.ZipFile(os.path.join(folder, f'methodbeat-{VERSION}-windows-x64.zip'), 'w') as archive:
        archive.writestr('readme.txt', '')
    install.refuses('an archive without a command', install.pack(install.BUILT, judge.scratch('none'), folder),
                    'windows-x64.zip: has 0 of methodbeat.exe')
    judge.check(not os.path.exists(judge.scratch('none')), 'half of an output')
    print(f'{len(TARGETS)} archives')
    judge.finish()


main()
