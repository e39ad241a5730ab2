"""A release is signed by a key that is made for it, and published by each channel's own client, on a server that stands in
for npm, PyPI and Maven Central, and by a gh that notes what it is asked. Nothing goes out without an owner, a signature or a
right, or with an archive that is not the one that was packed.

usage: publish.py METHODBEAT
"""
import base64
import contextlib
import http.server
import io
import json
import os
import re
import shutil
import threading
import zipfile

import install
from install import VERSION, judge

RIGHTS = {'github': 'GH_TOKEN', 'npm': 'NPM_TOKEN', 'pypi': 'UV_PUBLISH_TOKEN', 'maven': 'MAVEN_TOKEN'}
GH = f'''#!/bin/sh
test "$2" != view || exit 1
printf '%s\\n' "$@" > {judge.scratch('gh.txt')}
'''


class Takes(http.server.BaseHTTPRequestHandler):
    """What comes is kept: (method, path, right, content)."""
    kept = []

    def _take(self):
        content = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        if self.headers.get('Transfer-Encoding') == 'chunked':
            while size := int(self.rfile.readline(), 16):
                content += self.rfile.read(size)
                self.rfile.readline()
        self.kept.append((self.command, self.path, self.headers.get('Authorization'), content))
        self.send_response(404 if self.command == 'GET' else 200)
        self.end_headers()
        self.wfile.write(b'{}')

    do_GET = do_PUT = do_POST = _take

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def server():
    own = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Takes)
    threading.Thread(target=own.serve_forever, daemon=True).start()
    yield f'http://127.0.0.1:{own.server_port}'
    own.shutdown()


def made_key():
    """The fingerprint of a new key; gpg's folder is in this run's own, by a name that is short enough for its socket."""
    os.environ['GNUPGHOME'] = judge.scratch_folder('g')
    os.chmod(os.environ['GNUPGHOME'], 0o700)
    judge.must(('gpg', '--batch', '--quiet', '--passphrase', '', '--quick-generate-key', 'release@example.org', 'default', 'sign'))
    return re.search(r'^fpr:+(\w+):', judge.must(('gpg', '--batch', '--with-colons', '--list-keys')).stdout, re.M)[1]


def signed(key):
    """A copy of the release, each file of which that people take is signed."""
    folder = judge.scratch('release')
    for part in 'archives', 'channels':
        shutil.copytree(os.path.join(install.BUILT, part), os.path.join(folder, part))
    sign = os.path.join(judge.ROOT, 'samples', 'release', 'sign.sh')
    install.refuses('a key that nobody has', judge.run((sign, folder, 'other@example.org')), 'other@example.org')
    judge.must((sign, folder, key))
    files = {os.path.join(at, name) for part in ('archives', 'channels/maven', 'channels/debian')
             for at, _, names in os.walk(os.path.join(folder, part)) for name in names}
    plain = {path for path in files if not re.search(r'\.(asc|md5|sha\d+)$|verification-metadata\.xml$', path)}
    odd = {f'{path}.asc' for path in plain} ^ {path for path in files if path.endswith('.asc')}
    judge.check(not odd and len(plain) > 15, f'of {len(plain)} files, signed or not: {odd}')
    for path in plain:
        judge.must(('gpg', '--batch', '--quiet', '--verify', f'{path}.asc', path))
    return folder


def scripts(registered):
    """Those of samples/release in a tree of their own, whose owner is registered or not."""
    tree = judge.scratch(f'tree {registered}')
    shutil.copytree(os.path.join(judge.ROOT, 'samples', 'release'), os.path.join(tree, 'samples', 'release'))
    for name in 'meson.build', 'tests/packages.sh':
        install.write(os.path.join(tree, name), install.read(os.path.join(judge.ROOT, name)))
    owner = os.path.join(tree, 'samples', 'release', 'owner.ini')
    install.write(owner, re.sub('(?m)^registered = .*', f'registered = {registered}', judge.read(owner)).encode())
    return os.path.join(tree, 'samples', 'release', 'publish.sh')


def publish(script, url, folder, *channels, tag=f'v{VERSION}', without=None):
    rights = {right: f'the {right}' for right in RIGHTS.values() if right != without}
    return judge.run((script, folder, tag, *channels), env={
        **{name: value for name, value in os.environ.items() if name not in RIGHTS.values()}, **rights,
        'PATH': judge.scratch_folder('tools') + os.pathsep + os.environ['PATH'], 'NPM_CONFIG_REGISTRY': f'{url}/npm/',
        'NPM_CONFIG_CACHE': judge.scratch_folder('npm cache'), 'UV_PUBLISH_URL': f'{url}/pypi/', 'MAVEN_CENTRAL_URL': url})


def refuses(url, folder, script):
    damaged = shutil.copytree(folder, judge.scratch('damaged'))
    install.damage(os.path.join(damaged, 'archives', f'methodbeat-{VERSION}-linux-x64.tar.gz'))
    for what, done, said in (
            ('placeholders', publish(scripts('no'), url, folder, *RIGHTS), 'placeholders'),
            ('another version', publish(script, url, folder, *RIGHTS, tag='v9'), 'v9 is no tag of version'),
            ('no signature', publish(script, url, install.BUILT, *RIGHTS), 'is not signed'),
            ('a damaged archive', publish(script, url, damaged, *RIGHTS), 'is not what was packed'),
            ('no right', publish(script, url, folder, *RIGHTS, without='MAVEN_TOKEN'), 'maven: MAVEN_TOKEN is not set'),
            ('no channel', publish(script, url, folder, 'npm', 'cpan'), 'cpan: a channel is one of')):
        install.refuses(what, done, said)
    judge.check(not Takes.kept and not os.path.exists(judge.scratch('gh.txt')), f'published all the same: {Takes.kept}')


def puts(prefix):
    return [(path, right, content) for method, path, right, content in Takes.kept if method != 'GET' and path.startswith(prefix)]


def judge_taken(folder):
    asked = judge.read(judge.scratch('gh.txt')).splitlines()
    judge.check(asked[:3] == ['release', 'create', f'v{VERSION}'] and '--draft' in asked and {
        os.path.basename(path) for path in asked if path.startswith(folder)} == {
            name for part in ('archives', 'channels/debian') for name in os.listdir(os.path.join(folder, part))}, f'gh {asked}')
    packages = [json.loads(content)['name'] for _, right, content in puts('/npm/') if right == 'Bearer the NPM_TOKEN']
    judge.check(packages[-1:] == ['methodbeat'] and '@methodbeat/linux-x64' in packages, f'npm: {packages}')
    token = base64.b64encode(b'__token__:the UV_PUBLISH_TOKEN').decode()
    wheels = [re.search(rb'filename="(.*?)"', content)[1].decode() for _, right, content in puts('/pypi/') if right == f'Basic {token}']
    judge.check(sorted(wheels) == sorted(name for name in os.listdir(os.path.join(folder, 'channels', 'pypi'))
                                         if name.endswith('.whl')), f'PyPI: {wheels}')
    (path, right, content), = puts('/api/')
    judge.check('publishingType=USER_MANAGED' in path and right == 'Bearer the MAVEN_TOKEN', f'Maven: {path} {right}')
    with zipfile.ZipFile(io.BytesIO(content[content.index(b'PK\3\4'):])) as bundle:
        names = [name for name in bundle.namelist() if not name.endswith('/')]
    plain = [name for name in names if not re.search(r'\.(asc|md5|sha\d+)$', name)]
    judge.check(all(f'{name}{end}' in names for name in plain for end in ('.asc', '.md5', '.sha1'))
                and all(name.startswith('io/github/methodbeat/') for name in names) and len(plain) > 10, f'Maven: {names}')


def main():
    said = install.release()
    judge.check('not signed: no --sign KEY' in said or 'MB_RELEASED' in os.environ, f'release.sh: {said}')
    judge.run(('bash', '-c', '. "$1"; command -v npm || install_packages npm; install_packages curl gnupg', '-',
               os.path.join(judge.TESTS, 'packages.sh')))
    for tool in 'gpg', 'npm', 'curl', 'zip':
        if not shutil.which(tool):
            judge.skip(f'{tool} is not installed')
    folder = signed(made_key())
    install.write(judge.scratch('tools', 'gh'), GH.encode())
    os.chmod(judge.scratch('tools', 'gh'), 0o755)
    script = scripts('yes')
    with server() as url:
        refuses(url, folder, script)
        done = publish(script, url, folder, *RIGHTS)
    if 'No matching distribution' in done.stderr or 'Failed to establish' in done.stderr:
        judge.skip(f'no uv: {done.stderr[-300:]}')
    judge.check(done.returncode == 0, f'publish.sh: {done.stdout} {done.stderr}')
    judge_taken(folder)
    judge.finish()


main()
