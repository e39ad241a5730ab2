"""The plug-in for Gradle as people take it: from a repository, naming nothing but its id. It finds its command, what
probes call and what records there, and a report comes out.

usage: gradle.py METHODBEAT
"""
import contextlib
import functools
import glob
import http.server
import os
import shutil
import sys
import threading

import install
from install import VERSION, judge

sys.path.insert(0, os.path.join(judge.TESTS, 'gradle'))
import build  # noqa: E402

HOME = os.path.join('io', 'github', 'methodbeat', 'methodbeat', VERSION)  # of the command in a repository
SETTINGS = '''pluginManagement { repositories { maven { url = '%s'; allowInsecureProtocol = true } } }
rootProject.name = 'shop'
'''
SCRIPT = '''plugins {
    id 'application'
    id 'io.github.methodbeat' version '%s'
}
application { mainClass = 'app.Till' }
''' % VERSION
TILL = '''package app;
public class Till {
    static int bill(int... prices) { int sum = 0; for (int p : prices) sum += p; return sum; }
    public static void main(String[] arguments) { System.out.println("sum " + bill(1, 2)); }
}
'''


class Shop:
    """A project of one class, and a Gradle without anything in its caches."""

    def __init__(self, gradle, name, repository, more=''):
        self.gradle, self.folder = gradle, judge.scratch(name, 'shop')
        self.home = judge.scratch(name, 'home')
        build.write(self.folder, {'settings.gradle': SETTINGS % repository, 'build.gradle': SCRIPT + more,
                                  'src/main/java/app/Till.java': TILL})

    def run(self, *arguments):
        return judge.run((*self.gradle, '--console=plain', '--gradle-user-home', self.home, *arguments),
                         cwd=self.folder)

    def must(self, what, *arguments):
        done = self.run(*arguments)
        judge.check(done.returncode == 0, f'{what}: {done.returncode} {done.stdout} {done.stderr}')
        return done

    def commands(self):
        return glob.glob(os.path.join(self.home, '**', f'methodbeat-{VERSION}-linux-x86_64.exe'), recursive=True)


@contextlib.contextmanager
def proxy(folder):
    """A repository over HTTP, as one that stands in for others."""
    handler = functools.partial(type('Quiet', (http.server.SimpleHTTPRequestHandler,),
                                     {'log_message': lambda *_: None}), directory=folder)
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f'http://127.0.0.1:{server.server_port}/'
    server.shutdown()


def reports(gradle, repository):
    """From a folder: a report, and nothing is done twice."""
    shop = Shop(gradle, 'files', repository)
    done = shop.must('run', '--configuration-cache', 'run')
    judge.check('sum 3' in done.stdout and 'app.Till.main' in done.stdout, f'no report: {done.stdout} {done.stderr}')
    again = shop.must('run again', '--configuration-cache', 'run')
    judge.check(build.outcome(again, ':instrument') == 'UP-TO-DATE' and 'Reusing configuration cache' in again.stdout
                and 'app.Till.main' in again.stdout, f'again: {again.stdout}')
    judge.check(all(os.access(path, os.X_OK) for path in shop.commands()) and shop.commands(),
                f'commands: {shop.commands()}')
    exe = os.path.join(repository, HOME, f'methodbeat-{VERSION}-linux-x86_64.exe')
    judge.check(not os.access(exe, os.X_OK), 'the repository has changed')


def each(gradle, repository):
    """By a task for each jar."""
    done = Shop(gradle, 'each', repository, 'methodbeat { each = true }\n').must('each', 'run')
    judge.check('app.Till.main' in done.stdout, f'each: {done.stdout}')


def lacks(gradle, repository):
    """Where there is no recorder, as on macOS, the program runs, and the build says what to do."""
    without = shutil.copytree(repository, judge.scratch('lacks', 'maven'))
    for path in glob.glob(os.path.join(without, HOME, '*.so')):
        os.remove(path)
    done = Shop(gradle, 'lacks', without).must('no recorder', 'run')
    judge.check('sum 3' in done.stdout and 'there is no recorder for linux-x86_64. Run the program on Linux'
                in done.stdout + done.stderr, f'no recorder: {done.stdout} {done.stderr}')


def proxied(gradle, repository):
    """Over HTTP, then without a network and without what was built."""
    with proxy(repository) as url:
        shop = Shop(gradle, 'proxy', url)
        shop.must('proxy', 'run')
    given = [path for path in shop.commands() if 'files-2' in path]
    judge.check(len(given) == 1 and not os.access(given[0], os.X_OK), f'in the cache: {given}')
    shutil.rmtree(os.path.join(shop.folder, 'build'))
    for said in 'Configuration cache entry stored', 'Reusing configuration cache':
        done = shop.must('offline', '--offline', '--configuration-cache', 'run')
        judge.check('app.Till.main' in done.stdout and said in done.stdout, f'offline: {done.stdout}')


def chooses(gradle, repository):
    """What the build script names wins; with it, nothing is asked of the repository."""
    without = shutil.copytree(repository, judge.scratch('without', 'maven'))
    for path in glob.glob(os.path.join(without, HOME, '*.exe')):
        os.remove(path)
    shop = Shop(gradle, 'without', without)
    install.refuses('no command in the repository', shop.run('run'), 'the command for linux-x86_64 is not to be had',
                    "set 'executable'", 'linux-x86_64.exe')
    build.write(shop.folder, {'build.gradle': SCRIPT + "methodbeat { executable = file('own') }\n",
                              'own': f'#!/bin/sh\necho "$1" >> {shop.folder}/asked\nexec {judge.METHODBEAT} "$@"\n'})
    os.chmod(os.path.join(shop.folder, 'own'), 0o755)
    judge.check('app.Till.main' in shop.must('executable', 'run').stdout, 'no report by another command')
    asked = judge.read(os.path.join(shop.folder, 'asked')).split()
    judge.check('instrument' in asked and 'report' in asked, f'asked: {asked}')


def verified(gradle, repository):
    """Gradle's verification of dependencies, with the sums that come with the repository."""
    bad = shutil.copytree(repository, judge.scratch('verified', 'maven'))
    shop = Shop(gradle, 'verified', bad)
    os.makedirs(os.path.join(shop.folder, 'gradle'))
    shutil.copy(os.path.join(bad, 'verification-metadata.xml'), os.path.join(shop.folder, 'gradle'))
    shop.must('verified', 'run')
    install.damage(glob.glob(os.path.join(bad, HOME, '*linux-x86_64.exe'))[0])
    install.refuses('a damaged command', shop.run('run'), 'Dependency verification failed', 'linux-x86_64.exe')


def main():
    modern = build.Modern()
    install.release()
    for step in reports, each, proxied, chooses, lacks, verified:
        step(modern.distribution.command, os.path.join(install.BUILT, 'channels', 'maven'))
    print(f'Gradle {modern.distribution.version}')
    judge.finish()


main()
