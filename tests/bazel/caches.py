"""The rules for Bazel: what comes out is what one run makes; two workspaces in different folders share a cache, of a
disk or over HTTP, and after one class more only the steps that it touches run.

usage: caches.py METHODBEAT
"""
import collections
import functools
import glob
import http.server
import json
import os
import shutil
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'support'), os.path.join(HERE, '..', 'cli')]
import judge  # noqa: E402
from inputs import make_jar  # noqa: E402

COUNT = 12  # jars; each knows the one before it
RULES = os.path.join(judge.ROOT, 'samples', 'bazel', 'methodbeat.bzl')
# java_library and java_import need tools that are out of reach.
PLAIN = '''def _impl(ctx):
    return [JavaInfo(output_jar = ctx.file.jar, compile_jar = ctx.file.jar,
                     runtime_deps = [dep[JavaInfo] for dep in ctx.attr.deps])]

plain_jar = rule(implementation = _impl, attrs = {
    "jar": attr.label(allow_single_file = True),
    "deps": attr.label_list(providers = [JavaInfo]),
})
'''
CONFIG = '''load(":methodbeat.bzl", "methodbeat_config")
methodbeat_config(name = "config", command = "methodbeat", blacklist = ["blacklist.txt"], options = ["--exceptions=finally"],
                  ledger = "ledger.txt", activities = ["gone.Screen"], visibility = ["//visibility:public"])
'''
APP = '''load("//methodbeat:methodbeat.bzl", "methodbeat_instrument")
load("//methodbeat:plain.bzl", "plain_jar")
methodbeat_instrument(name = "app", deps = [":m{last}"])
'''
OPTIONS = ('--exceptions=finally', '--activity', 'gone.Screen')
ALL = {'Collect': COUNT, 'Number': 1, 'Instrument': COUNT, 'Join': 2}
CHANGED = {'Collect': 1, 'Number': 1, 'Instrument': 1, 'Join': 1}  # nothing more is ignored


def entries(number):
    """Of a jar: a chain of Activities, and calls of what other jars may have without probes."""
    above = f'm/M{number - 1}' if number else 'gone/Screen'
    return [f'm/M{number}:{above} !run go -x', 'lib/Twice a', f'm/Open{number}:gone/Open{number} !run']


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def create(folder):
    for name, text in {'WORKSPACE': '', 'methodbeat/BUILD': CONFIG, 'methodbeat/plain.bzl': PLAIN,
                       'methodbeat/blacklist.txt': '-keepclass m/Open3\n'}.items():
        write(folder, name, text)
    write(folder, 'app/BUILD', APP.format(last=COUNT - 1) + ''.join(
        f'plain_jar(name = "m{i}", jar = "m{i}.jar", deps = {[f":m{i - 1}"] if i else []})\n' for i in range(COUNT)))
    shutil.copy(RULES, os.path.join(folder, 'methodbeat'))
    shutil.copy(judge.METHODBEAT, os.path.join(folder, 'methodbeat', 'methodbeat'))
    for i in range(COUNT):
        make_jar(os.path.join(folder, 'app', f'm{i}.jar'), entries(i))


def one_run(folder):
    """Its jars and maps, which the ledger is of."""
    out = judge.scratch_folder('one')
    judge.instrument('-q', '-o', out, '--blacklist', os.path.join(folder, 'methodbeat', 'blacklist.txt'), *OPTIONS,
                     *(os.path.join(folder, 'app', f'm{i}.jar') for i in range(COUNT)))
    shutil.copy(os.path.join(out, 'methodMapping.txt'), os.path.join(folder, 'methodbeat', 'ledger.txt'))
    return judge.digests(out)


class Workspace:
    """At one place, with an output base of its own."""

    def __init__(self, command, folder):
        self.command, self.folder = command, folder

    def build(self, cache):
        """The steps that ran, and those that came from the cache."""
        log = judge.scratch('log.json')
        judge.must((self.command, f'--output_user_root={self.folder}-root', '--batch', 'build', '//app', cache,
                    f'--execution_log_json_file={log}'), cwd=self.folder)
        text, at, counts = judge.read(log).strip(), 0, {False: collections.Counter(), True: collections.Counter()}
        while at < len(text):
            spawn, at = json.JSONDecoder().raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
            counts[bool(spawn.get('remoteCacheHit'))][spawn['mnemonic'].replace('Methodbeat', '')] += 1
        return dict(counts[False]), dict(counts[True])

    def made(self):
        out = os.path.join(self.folder, 'bazel-bin', 'app', 'app.methodbeat')
        jars = {os.path.basename(path): judge.digests(os.path.dirname(path))[os.path.basename(path)]
                for path in glob.glob(os.path.join(out, '*', '*.jar'))}
        maps = judge.digests(out)
        return {**jars, **{name: maps[name] for name in ('methodMapping.txt', 'ignoreMethodMapping.txt')}}

    def move(self, name):
        return Workspace(self.command, shutil.copytree(self.folder, judge.scratch(name, 'there'), symlinks=True,
                                                       ignore=shutil.ignore_patterns('bazel-*')))


class Store(http.server.BaseHTTPRequestHandler):
    """The cache of https://bazel.build/remote/caching: GET and PUT of /ac/ and /cas/."""

    def __init__(self, kept, *arguments):
        self.kept = kept
        super().__init__(*arguments)

    def do_GET(self):
        content = self.kept.get(self.path)
        self.send_response(200 if content is not None else 404)
        self.send_header('Content-Length', str(len(content or b'')))
        self.end_headers()
        self.wfile.write(content or b'')

    def do_PUT(self):
        self.kept[self.path] = self.rfile.read(int(self.headers['Content-Length']))
        self.send_response(200)
        self.send_header('Content-Length', '0')
        self.end_headers()

    protocol_version = 'HTTP/1.1'

    def log_message(self, format, *arguments):
        pass


def shares(first, cache, name):
    """Nothing is done again in another folder; then one class more."""
    judge.check(first.build(cache) == (ALL, {}), f'{name}: the first build did not run all')
    other = first.move(f'{name}-other')
    judge.check(other.build(cache) == ({}, ALL), f'{name}: another folder ran something')
    judge.check(other.made() == first.made(), f'{name}: another folder has other outputs')
    make_jar(os.path.join(other.folder, 'app', 'm5.jar'), [*entries(5), 'm/More !run'])
    ran, cached = other.move(f'{name}-more').build(cache)
    judge.check(ran == CHANGED and sum(cached.values()) == sum(ALL.values()) - sum(ran.values()),
                f'{name}: one class more ran {ran}, not {cached}')


def refuses_twins(workspace):
    """Two copies of a class with methods of one hash, which would have one id."""
    for number, name in enumerate(('collidesWithThat', 'aKGcnyZpLeJjePLR')):
        make_jar(os.path.join(workspace.folder, 'app', f'm{number}.jar'), [*entries(number), f'lib/Twin {name}'])
    done = judge.run((workspace.command, f'--output_user_root={workspace.folder}-root', '--batch', 'build', '//app'), cwd=workspace.folder)
    judge.check(done.returncode != 0 and 'lib.Twin collidesWithThat ()V' in done.stderr and 'have one hash: rename one' in done.stderr,
                f'twins: {done}')


def main():
    command = shutil.copy(judge.corpus('bazel'), judge.scratch('bazel'))
    os.chmod(command, 0o755)
    first = Workspace(command, judge.scratch('here', 'there'))
    create(first.folder)
    one = one_run(first.folder)
    shares(first, f'--disk_cache={judge.scratch("cache")}', 'disk')
    judge.check(first.made() == one, 'what the steps make is not what one run does')
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Store, {}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    shares(first.move('http'), f'--remote_cache=http://127.0.0.1:{server.server_port}', 'http')
    server.shutdown()
    refuses_twins(first.move('twins'))
    print(f'{COUNT} jars, {sum(ALL.values())} actions, 2 caches, 3 builds each')
    judge.finish()


main()
