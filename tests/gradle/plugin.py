"""The Gradle plug-in in builds of plain Java: what it makes runs and is recorded; nothing is done twice, not
even after a move; what methodbeat says is the build's word.

usage: plugin.py METHODBEAT RUNTIME_JAR LIBRARY
"""
import json
import os
import re
import shutil
import sys
import zipfile

import build
from build import judge

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
APP = '''buildscript { dependencies { classpath files(pluginJar) } }
apply plugin: 'application'
apply plugin: 'io.github.methodbeat'
version = '5.2'
jar.archiveVersion = ''
dependencies { implementation project(':core'), files('libs/words.jar') }
methodbeat {
    blacklist.from 'blacklist.txt'
    exceptions = 'finally'
    runtime = file(runtimeJar)
}
application { mainClass = 'app.Till' }
run {
    jvmArgs '-Xverify:all', '-Dmethodbeat.throttle=off', '-Dmethodbeat.library=' + recorder,
        '-Dmethodbeat.file=build/app.mbtrace'
}
'''
INSTRUMENT = ':app:instrument'
METHOD_MAP = 'build/outputs/methodbeat/methodMapping.txt'


class Shop:
    """The project, at one place."""

    def __init__(self, gradle, folder):
        self.gradle, self.folder = gradle, folder

    @classmethod
    def create(cls, gradle, folder, cache):
        build.write(folder, build.SHOP)
        build.write(folder, {
            'build.gradle': 'subprojects { tasks.withType(JavaCompile) { options.incremental = false } }\n',
            'gradle.properties': f'pluginJar={gradle.plugin_jar()}\nruntimeJar={RUNTIME}\nrecorder={LIBRARY}\n',
            'app/build.gradle': APP, 'app/blacklist.txt': '-keepclass core/None\n',
            'settings.gradle': build.SHOP['settings.gradle']
            + f"buildCache {{ local {{ directory = '{cache}' }} }}\n"})
        build.library(os.path.join(folder, 'app', 'libs', 'words.jar'))
        return cls(gradle, folder)

    def moved(self, folder):
        return Shop(self.gradle, build.copy(self.folder, folder))

    def path(self, *names):
        return os.path.join(self.folder, 'app', *names)

    def write(self, name, text):
        build.write(self.folder, {os.path.join('app', name): text})

    def script(self, more, library='words.jar'):
        self.write('build.gradle', APP.replace('words.jar', library) + more + '\n')

    def ids(self):
        return dict(reversed(row) for row in judge.traced(self.path(METHOD_MAP)))

    def build(self, *arguments):
        return self.gradle.must(self.folder, '--build-cache', '--configuration-cache', *arguments)

    def methods(self):
        return build.methods(self.path(METHOD_MAP))

    def jars(self):
        return judge.digests(self.path('build', 'methodbeat'))


def same_classes(shop):
    """No class is lost: each jar has those of the jar that it was made of."""
    sources = {'app.jar': shop.path('build', 'libs', 'app.jar'), 'words.jar': shop.path('libs', 'words.jar'),
               'core.jar': os.path.join(shop.folder, 'core', 'build', 'libs', 'core.jar')}
    judge.check(set(shop.jars()) == set(sources), f'jars: {sorted(shop.jars())}')
    for name, source in sources.items():
        judge.check(judge.class_names(shop.path('build', 'methodbeat', name)) == judge.class_names(source),
                    f'{name}: other classes')


def recorded(shop):
    """The calls that the trace of a run has."""
    done = judge.must((judge.METHODBEAT, 'report', '--format=json', '--method-map',
                       shop.path(METHOD_MAP), shop.path('build/app.mbtrace')))
    found = json.loads(done.stdout)
    whose = {'id': 'shop.app', 'version': '5.2', 'channel': None, 'os': 'Linux'}
    judge.check({key: found['app'].get(key) for key in whose} == whose and re.fullmatch('[0-9a-f]{16}', found['app']['build']),
                f"whose it is: {found['app']}")
    return {method['name']: method['calls'] for method in found['methods']}


def runs(shop):
    done = shop.build('run')
    judge.check('sum 3!' in done.stdout, f'the program ran: {done.stdout}')
    judge.check(shop.methods() == build.METHODS, f'traced: {shop.methods()}')
    same_classes(shop)
    calls = recorded(shop)
    judge.check(calls == {name.replace(' ', '.'): 1 for name in build.METHODS}, f'recorded: {calls}')
    again = shop.build('run')
    judge.check(build.outcome(again, INSTRUMENT) == 'UP-TO-DATE', f'second run: {again.stdout}')
    judge.check('Reusing configuration cache' in again.stdout, f'configuration cache: {again.stdout}')


def moves(shop):
    """At another place nothing is done again: what decides is what is in the files."""
    other = shop.moved(judge.scratch('elsewhere', 'shop'))
    done = other.build('instrument')
    judge.check(build.outcome(done, INSTRUMENT) == 'FROM-CACHE', f'after the move: {done.stdout}')
    judge.check(other.jars() == shop.jars() and other.methods() == shop.methods(), 'other outputs')


def fails(shop):
    """A wrong blacklist fails the build, with the line; the outputs of the last one stay."""
    before = shop.jars()
    shop.write('blacklist.txt', '-keepclas core/Sum\n')
    done = shop.gradle.run(shop.folder, '--configuration-cache', 'instrument')
    judge.check(done.returncode != 0 and 'blacklist.txt:1' in done.stderr and '-keepclas' in done.stderr,
                f'a wrong blacklist: {done.returncode} {done.stdout} {done.stderr}')
    judge.check(shop.jars() == before, 'a failure changed outputs')
    shop.write('blacklist.txt', '-keepclass core/Sum\n')
    done = shop.build('instrument')
    judge.check(shop.methods() == build.METHODS - {'core.Sum of'}, f'a new blacklist: {shop.methods()}')


def survives(shop):
    """A class that cannot be read is told of, and goes out as it came."""
    damaged = b'\xca\xfe\xba\xbe\0\0\0\x34\xff\xff'
    with zipfile.ZipFile(shop.path('libs', 'words.jar'), 'a') as jar:
        jar.writestr('words/Broken.class', damaged)
    done = shop.build('run')
    judge.check('words/Broken.class' in done.stdout + done.stderr and 'sum 3!' in done.stdout,
                f'a broken class: {done.stdout} {done.stderr}')
    with zipfile.ZipFile(shop.path('build', 'methodbeat', 'words.jar')) as jar:
        judge.check(jar.read('words/Broken.class') == damaged, 'the broken class has changed')


def steps(shop):
    """incremental: only what changed is written anew, ids stay, and what is gone goes."""
    shop.script('instrument.incremental = true')
    shop.build('instrument')
    before, ids = shop.jars(), shop.ids()
    stamp = os.stat(shop.path('build', 'methodbeat', 'words.jar')).st_mtime_ns
    shop.write('src/main/java/app/Ahead.java',
               'package app; class Ahead { static int count(int n) { int m = 0; while (m < n) m++; return m; } }\n')
    shop.build('instrument')
    changed = {name for name, digest in shop.jars().items() if before[name] != digest}
    judge.check(changed == {'app.jar'}, f'changed: {changed}')
    judge.check(os.stat(shop.path('build', 'methodbeat', 'words.jar')).st_mtime_ns == stamp, 'words.jar is new')
    now = shop.ids()
    judge.check({name: now.get(name) for name in ids} == ids and len(now) == len(ids) + 1, f'ids: {ids} {now}')
    shutil.move(shop.path('libs', 'words.jar'), shop.path('libs', 'phrases.jar'))
    shop.script('instrument.incremental = true', library='phrases.jar')
    shop.build('instrument')
    judge.check(set(shop.jars()) == {'app.jar', 'core.jar', 'phrases.jar'}, f'left: {sorted(shop.jars())}')


def chooses(shop):
    """scope and base map; two jars of one name have no place."""
    base = shop.path('base.txt')
    with open(base, 'w', encoding='utf-8') as file:
        file.write('4711,9,app.Till main ([Ljava.lang.String;)V\n')
    shop.script("methodbeat { scope = 'project'; baseMap = file('base.txt') }", library='phrases.jar')
    done = shop.build('run')
    judge.check('sum 3!' in done.stdout and set(shop.jars()) == {'app.jar'}, f'scope project: {sorted(shop.jars())}')
    said = judge.read(shop.path('build', 'tmp', 'instrument', 'arguments.txt')).splitlines()
    libraries = {shop.path('libs', 'phrases.jar'), os.path.join(shop.folder, 'core', 'build', 'libs', 'core.jar')}
    judge.check({line for line in said if line.startswith('--classpath=')}
                == {f'--classpath={path}' for path in libraries}, f'the class path: {said}')
    judge.check(shop.ids().get('app.Till main ([Ljava.lang.String;)V') == 4711, f'base map: {shop.ids()}')
    build.library(shop.path('libs', 'other', 'core.jar'))
    shop.script("dependencies { implementation files('libs/other/core.jar') }", library='phrases.jar')
    done = shop.gradle.run(shop.folder, 'instrument')
    judge.check(done.returncode != 0 and 'two parts of the class path are named core.jar' in done.stderr,
                f'two of a name: {done.returncode} {done.stderr}')


def main():
    gradle = build.Modern()
    shop = Shop.create(gradle, judge.scratch('shop'), judge.scratch('cache'))
    steps_of_life = (runs, moves, fails, survives, steps, chooses)
    for step in steps_of_life:
        step(shop)
    print(f'Gradle {gradle.distribution.version}, {len(steps_of_life)} steps')
    judge.finish()


main()
