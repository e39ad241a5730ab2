"""Homebrew, Scoop and winget: a formula and manifests, which name the archives of a release and their SHA-256."""
import collections
import glob
import io
import json
import os
import tarfile
import zipfile

import fixed
from built import HOMEPAGE, LICENCE, SUMMARY, TARGETS, read

DOWNLOADS = HOMEPAGE + '/releases/download/v{version}/{name}'
Archive = collections.namedtuple('Archive', 'url digest folder command')  # the command within the folder within it

FORMULA = '''class Methodbeat < Formula
  desc "{summary}"
  homepage "{homepage}"
  version "{version}"
  license "{licence}"
{systems}
  def install
    prefix.install Dir["*"]
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/methodbeat --version")
  end
end
'''
SYSTEMS = (('macos', (('arm', 'macos-arm64'), ('intel', 'macos-x64'))),
           ('linux', (('arm', 'linux-arm64'), ('intel', 'linux-x64'))))
WINDOWS = (('windows-x64', '64bit', 'x64'), ('windows-arm64', 'arm64', 'arm64'))  # in the words of Scoop and winget
WINGET = '''# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.1.6.0.schema.json
PackageIdentifier: methodbeat.methodbeat
PackageVersion: {version}
{more}ManifestType: {kind}
ManifestVersion: 1.6.0
'''
LOCALE = '''PackageLocale: en-US
Publisher: The methodbeat authors
PackageName: methodbeat
PackageUrl: {homepage}
License: {licence}
ShortDescription: {summary}
Moniker: methodbeat
Tags:
- android
- java
- profiler
'''
INSTALLER = '''- Architecture: {cpu}
  NestedInstallerFiles:
  - RelativeFilePath: {path}
    PortableCommandAlias: methodbeat
  InstallerUrl: {url}
  InstallerSha256: {digest}
'''


def names_in(path, content):
    if path.endswith('.zip'):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return archive.namelist()
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return archive.getnames()


def found(folder, version):
    """target -> Archive, of those in a folder: methodbeat-VERSION-TARGET.tar.gz or .zip"""
    archives = {}
    for target, words in TARGETS.items():
        for path in glob.glob(os.path.join(glob.escape(folder), f'methodbeat-{version}-{target}.*')):
            if not path.endswith(('.zip', '.tar.gz')):
                continue
            content = read(path)
            command = [name for name in names_in(path, content) if os.path.basename(name) == words.command]
            if len(command) != 1:
                raise SystemExit(f'{path}: has {len(command)} of {words.command}, and should have one')
            within, _, rest = command[0].removeprefix('./').partition('/')
            archives[target] = Archive(DOWNLOADS.format(version=version, name=os.path.basename(path)),
                                       fixed.digest(content), within, rest)
    return archives


def formula(archives, version):
    systems = []
    for system, processors in SYSTEMS:
        own = [(word, archives[target]) for word, target in processors if target in archives]
        if own:
            systems += ['', f'  on_{system} do']
            for word, archive in own:
                systems += [f'    on_{word} do', f'      url "{archive.url}"', f'      sha256 "{archive.digest}"', '    end']
            systems.append('  end')
    return FORMULA.format(summary=SUMMARY, homepage=HOMEPAGE, version=version, licence=LICENCE,
                          systems='\n'.join((*systems, '')))


def scoop(archives, version):
    machines = {word: {'url': archives[target].url, 'hash': archives[target].digest, 'extract_dir': archives[target].folder,
                       'bin': archives[target].command.replace('/', '\\')}
                for target, word, _ in WINDOWS if target in archives}
    newer = {word: {'url': machine['url'].replace(version, '$version'),
                    'extract_dir': machine['extract_dir'].replace(version, '$version')}
             for word, machine in machines.items()}
    return json.dumps({'version': version, 'description': SUMMARY, 'homepage': HOMEPAGE, 'license': LICENCE,
                       'architecture': machines, 'checkver': 'github', 'autoupdate': {'architecture': newer}}, indent=4)


def winget(archives, version):
    """name -> text of the three that it wants"""
    said = {'homepage': HOMEPAGE, 'licence': LICENCE, 'summary': SUMMARY}
    installers = ''.join(
        INSTALLER.format(cpu=word, path='\\'.join((archives[target].folder, *archives[target].command.split('/'))),
                         url=archives[target].url, digest=archives[target].digest.upper())
        for target, _, word in WINDOWS if target in archives)
    parts = (('version', '', 'DefaultLocale: en-US\n'), ('defaultLocale', '.locale.en-US', LOCALE.format(**said)),
             ('installer', '.installer',
              f'InstallerType: zip\nNestedInstallerType: portable\nInstallers:\n{installers}'))
    return {f'methodbeat.methodbeat{name}.yaml': WINGET.format(kind=kind, version=version, more=more)
            for kind, name, more in parts}


def write(archives, version, output):
    """archives: the folder that they are in"""
    archives = found(archives, version)
    if not archives:
        raise SystemExit(f'no archive named methodbeat-{version}-TARGET.tar.gz or .zip')
    files = {}
    if any(target in archives for _, processors in SYSTEMS for _, target in processors):
        files['homebrew/methodbeat.rb'] = formula(archives, version)
    if any(target in archives for target, _, _ in WINDOWS):
        files['scoop/methodbeat.json'] = scoop(archives, version) + '\n'
        files.update({f'winget/{name}': text for name, text in winget(archives, version).items()})
    for name, text in files.items():
        fixed.write(os.path.join(output, *name.split('/')), text.encode())
