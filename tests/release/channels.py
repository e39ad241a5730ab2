"""The packages of samples/release/channels.py, installed from files into empty folders: by npm, pip and dpkg. Each ends
in a jar with probes. A package that is damaged, or of another machine, is refused with a word about it.

usage: channels.py METHODBEAT
"""
import contextlib
import glob
import gzip
import hashlib
import http.server
import io
import json
import os
import re
import shutil
import sys
import tarfile
import threading
import xml.etree.ElementTree
import zipfile

import install
from install import VERSION, judge


# ---- All ----

def packs():
    """The same bytes twice; nothing is half made."""
    install.release()
    out = os.path.join(install.BUILT, 'channels')
    done = install.pack(install.BUILT, judge.scratch('again'), os.path.join(install.BUILT, 'archives'))
    judge.check(done.returncode == 0, f'channels.py: {done.stdout} {done.stderr}')
    judge.check(judge.digests(out) == judge.digests(judge.scratch('again')), 'other bytes the second time')
    install.refuses('an output that is there', install.pack(install.BUILT, out), 'is there already')
    install.refuses('nothing built', install.pack(judge.scratch_folder('none'), judge.scratch('no output')), 'linux-x64')
    judge.check(not os.path.exists(judge.scratch('no output')), 'an output of nothing')
    return out


# ---- Maven ----

MAVEN = '{http://maven.apache.org/POM/4.0.0}'
TOLD = ('name', 'description', 'url', 'licenses/license/name', 'licenses/license/url', 'developers/developer/name',
        'developers/developer/email', 'scm/connection', 'scm/developerConnection', 'scm/url')


def by_maven(out):
    """What Maven Central asks: who made it, sources and pages beside each jar, sums of each file."""
    poms = glob.glob(os.path.join(out, 'maven', '**', '*.pom'), recursive=True)
    judge.check(len(poms) >= 5, f'POMs: {poms}')
    for path in poms:
        name, base = os.path.basename(path), path.removesuffix('.pom')
        root = xml.etree.ElementTree.parse(path).getroot()
        lacking = [tag for tag in TOLD if not root.findtext('/'.join(MAVEN + part for part in tag.split('/')))]
        judge.check(not lacking, f'{name} lacks {lacking}')
        packaging = root.findtext(f'{MAVEN}packaging')
        if packaging == 'jar':
            with zipfile.ZipFile(f'{base}-sources.jar') as given:
                sources = {entry.removesuffix('.java') for entry in given.namelist()}
            with zipfile.ZipFile(f'{base}.jar') as given:
                classes = {entry.split('$')[0].removesuffix('.class') for entry in given.namelist() if entry.endswith('.class')}
            judge.check(classes and classes <= sources, f'{name}: no source of {classes - sources}')
            judge.check(zipfile.is_zipfile(f'{base}-javadoc.jar'), f'{name}: no pages')
        for file in (file for file in glob.glob(glob.escape(base) + '*') if not re.search(r'\.(md5|sha\d+)$', file)):
            for kind in 'md5', 'sha1', 'sha256', 'sha512':
                judge.check(judge.read(f'{file}.{kind}') == hashlib.new(kind, install.read(file)).hexdigest(), f'{file}.{kind}')


# ---- npm ----

class Registry(http.server.BaseHTTPRequestHandler):
    """What npm asks a registry, answered from a folder of packages."""
    folder = None

    def do_GET(self):
        path = os.path.join(self.folder, os.path.basename(self.path))
        content = install.read(path) if path.endswith('.tgz') and os.path.exists(path) else self._described()
        self.send_response(200 if content else 404)
        self.end_headers()
        self.wfile.write(content or b'{}')

    def _described(self):
        name = self.path[1:].replace('%2f', '/')
        path = os.path.join(self.folder, f"{name.lstrip('@').replace('/', '-')}-{VERSION}.tgz")
        if not os.path.exists(path):
            return None
        content = install.read(path)
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            said = json.load(archive.extractfile('package/package.json'))
        url = f'http://{self.headers["Host"]}/{os.path.basename(path)}'
        said['dist'] = {'tarball': url, 'integrity': 'sha512-' + install.sum64(content)}
        return json.dumps({'name': name, 'dist-tags': {'latest': VERSION}, 'versions': {VERSION: said}}).encode()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def registry(folder):
    handler = type('Own', (Registry,), {'folder': folder})
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f'http://127.0.0.1:{server.server_port}/'
    server.shutdown()


def npm(project, *words, cache='npm cache'):
    folder = judge.scratch_folder(project)
    if not os.path.exists(os.path.join(folder, 'package.json')):
        install.write(os.path.join(folder, 'package.json'), b'{}')
    return judge.run(('npm', 'install', '--no-audit', '--no-fund', '--no-update-notifier', '--fetch-retries=0',
                      '--cache', judge.scratch_folder(cache), *words), cwd=folder)


def launcher(project):
    return judge.scratch(project, 'node_modules', '.bin', 'methodbeat')


def by_npm(out):
    folder = os.path.join(out, 'npm')
    whole = os.path.join(folder, f'methodbeat-{VERSION}.tgz')
    done = npm('npm files', '--offline', whole, os.path.join(folder, f'methodbeat-linux-x64-{VERSION}.tgz'))
    judge.check(done.returncode == 0, f'npm from files: {done.stdout} {done.stderr}')
    install.works('npm from files', (launcher('npm files'),))
    records('npm', launcher('npm files'))
    with registry(folder) as url:
        done = npm('npm registry', '--registry', url, 'methodbeat')
        judge.check(done.returncode == 0, f'npm from a registry: {done.stdout} {done.stderr}')
        own = os.listdir(judge.scratch('npm registry', 'node_modules', '@methodbeat'))
        judge.check(own == ['linux-x64'], f'npm took {own}')
        install.works('npm from a registry', (launcher('npm registry'),))
        done = npm('npm offline', '--offline', '--registry', url, 'methodbeat')
        judge.check(done.returncode == 0, f'npm offline: {done.stdout} {done.stderr}')
        npm('npm omits', '--registry', url, '--omit=optional', 'methodbeat')
        install.refuses('npm without the optional one', judge.run((launcher('npm omits'), '--version')),
                        '@methodbeat/linux-x64 is not installed', '--omit=optional')
        install.write(judge.scratch('sunos.js'), b"Object.defineProperty(process, 'platform', {value: 'sunos'})\n")
        install.refuses('npm on another system', judge.run(('node', '-r', judge.scratch('sunos.js'),
                                                            launcher('npm omits'))),
                        'no command for sunos on', '@methodbeat/darwin-arm64')
        install.refuses('npm of another machine', npm('npm other', '--registry', url, '@methodbeat/win32-x64'),
                        'EBADPLATFORM')
        # What npm has noted of a package is what it has to be.
        lock = judge.scratch('npm registry', 'package-lock.json')
        noted = json.loads(judge.read(lock))
        noted['packages']['node_modules/methodbeat']['integrity'] = 'sha512-' + install.sum64(b'another')
        install.write(lock, json.dumps(noted).encode())
        shutil.rmtree(judge.scratch('npm registry', 'node_modules'))
        install.refuses('npm of a damaged package', npm('npm registry', '--registry', url, cache='other cache'),
                        'EINTEGRITY')


# ---- pip ----

def pip(venv, *words):
    return judge.run((os.path.join(venv, 'bin', 'python'), '-m', 'pip', *words), env={
        **{name: value for name, value in os.environ.items() if not name.startswith('PIP_')},
        'PIP_CONFIG_FILE': os.devnull, 'PIP_DISABLE_PIP_VERSION_CHECK': '1'})


def by_pip(out):
    venv = judge.scratch('venv')
    judge.must((sys.executable, '-m', 'venv', venv))
    folder = os.path.join(out, 'pypi')
    wheels = ('--no-index', '--find-links', folder)
    done = pip(venv, 'install', *wheels, '--require-hashes', '-r', os.path.join(folder, 'requirements.txt'))
    judge.check(done.returncode == 0, f'pip: {done.stdout} {done.stderr}')
    install.works('pip', (os.path.join(venv, 'bin', 'methodbeat'),))
    records('pip', os.path.join(venv, 'bin', 'methodbeat'))
    for platform in 'win_amd64', 'macosx_12_0_arm64', 'manylinux2014_aarch64', 'musllinux_1_1_aarch64':
        done = pip(venv, 'download', *wheels, '--only-binary=:all:', '--platform', platform, '--dest',
                   judge.scratch_folder(platform), 'methodbeat')
        judge.check(done.returncode == 0, f'pip for {platform}: {done.stderr}')
    install.refuses('pip of another system', pip(venv, 'download', *wheels, '--only-binary=:all:', '--platform',
                                                 'win32', '--dest', judge.scratch('win32'), 'methodbeat'),
                    'No matching distribution found for methodbeat')
    bad = shutil.copytree(folder, judge.scratch('bad wheels'))
    install.damage(glob.glob(os.path.join(bad, '*manylinux_2_17_x86_64*.whl'))[0])
    install.refuses('pip of a damaged wheel', pip(venv, 'install', '--force-reinstall', '--no-index', '--find-links',
                                                  bad, '-r', os.path.join(bad, 'requirements.txt')),
                    'DO NOT MATCH THE HASHES')


# ---- dpkg ----

def dpkg(root, package):
    """Into a folder, where what Debian has is not installed."""
    for part in 'info', 'updates', 'triggers':
        os.makedirs(os.path.join(root, 'var/lib/dpkg', part), exist_ok=True)
    for name in 'status', 'available':
        install.write(os.path.join(root, 'var/lib/dpkg', name), b'')
    return judge.run(('dpkg', f'--root={root}', '--force-not-root', '--force-depends', '--log=/dev/null', '-i', package))


def deb(out, machine):
    return os.path.join(out, 'debian', f'methodbeat_{VERSION}_{machine}.deb')


def lint(what, package):
    """Nothing to warn of."""
    done = judge.run(('lintian', '--no-cfg', '--allow-root', '--fail-on', 'error,warning', package))
    judge.check(done.returncode == 0, f'{what}: {done.stdout} {done.stderr}')


def by_dpkg(out):
    root = judge.scratch_folder('root')
    done = dpkg(root, deb(out, 'amd64'))
    judge.check(done.returncode == 0, f'dpkg: {done.stdout} {done.stderr}')
    install.works('dpkg', (os.path.join(root, 'usr/bin/methodbeat'),))
    records('dpkg', os.path.join(root, 'usr/bin/methodbeat'))
    judge.must(('man', '--warnings', '-E', 'UTF-8', '-l', os.path.join(root, 'usr/share/man/man1/methodbeat.1.gz')))
    with gzip.open(os.path.join(root, 'usr/share/doc/methodbeat/changelog.gz'), 'rt') as file:
        judge.check('\n  * The first version.\n' in file.read(), 'the changelog has no items')
    needs = judge.must(('dpkg-deb', '-f', deb(out, 'amd64'), 'Depends')).stdout
    judge.check(needs == 'libc6 (>= 2.17)\n', f'needs {needs}')
    for machine in 'amd64', 'arm64':
        lint(machine, deb(out, machine))
    install.refuses('dpkg of another machine', dpkg(judge.scratch_folder('root arm'), deb(out, 'arm64')),
                    'package architecture (arm64) does not match system (amd64)')
    bad = shutil.copy(deb(out, 'amd64'), judge.scratch('bad.deb'))
    install.damage(bad)
    install.refuses('dpkg of a damaged package', dpkg(judge.scratch_folder('root bad'), bad), 'compressed data')


def records(what, command):
    """The recorder of the package is found."""
    folder = judge.scratch(f'records {what}')
    install.write(os.path.join(folder, 'Main.java'),
                  b'public class Main { public static void main(String[] a) { for (int i = 0; i < 9; i++) Other.go(i); }\n}\n'
                  b'class Other { static int sum; static void go(int n) { for (int i = 0; i < n; i++) sum += i * n; } }\n')
    judge.compile_java(folder, (os.path.join(folder, 'Main.java'),))
    done = judge.run((command, 'run', 'java', '-cp', folder, 'Main'), cwd=folder)
    judge.check(done.returncode == 0 and 'Main.main' in done.stdout + done.stderr,
                f'{what}, run: {done.returncode} {done.stdout} {done.stderr}')


def main():
    done = judge.run(('bash', '-c', 'command -v npm || { . "$1"; install_packages npm; }', '-',
                      os.path.join(judge.TESTS, 'packages.sh')))
    for tool in 'npm', 'lintian':
        if not shutil.which(tool):
            judge.skip(f'{tool} is not installed: {done.stderr.strip()}')
    out = packs()
    for channel in by_maven, by_npm, by_pip, by_dpkg:
        channel(out)
    print('Maven, npm, pip, dpkg')
    judge.finish()


main()
