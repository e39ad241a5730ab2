"""The Gradle plug-in behind a stand-in for AGP: a stand-in of our own, whose interfaces are written after the
documentation of 7.4 to 9. It shows that the tasks are wired and cached, not that AGP takes them.

usage: agp.py METHODBEAT RUNTIME_JAR NOOP_JAR LIBRARY
"""
import json
import os
import sys

import build
from build import judge

RUNTIME, NOOP, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
APP = '''buildscript { dependencies { classpath files(pluginJar, agpJar, kotlinJar) } }
apply plugin: 'com.android.application'
apply plugin: 'io.github.methodbeat'
dependencies { implementation files('libs/words.jar') }
methodbeat {
    variants = ['release']
    blacklist.from 'blacklist.txt'
    runtime = file(runtimeJar)
    noop = file(noopJar)
}
tasks.withType(JavaCompile) { options.incremental = false }
'''
TILL = '''package app;
public class Till {
    public static void main(String[] arguments) {
        methodbeat.Monitors.begin();
        System.out.println(words.Words.shout("sum"));
    }
}
'''
TASK = ':instrumentReleaseClasses'


class App:
    def __init__(self, gradle, folder):
        self.gradle, self.folder = gradle, folder

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def build(self, *arguments):
        return self.gradle.must(self.folder, '--build-cache', '--configuration-cache', *arguments)


def create(gradle, folder):
    build.write(folder, {
        'settings.gradle': f"buildCache {{ local {{ directory = '{judge.scratch('cache')}' }} }}\n",
        'gradle.properties': f'pluginJar={gradle.plugin_jar()}\nagpJar={gradle.agp_jar()}\nkotlinJar={gradle.kotlin}\n'
                             f'runtimeJar={RUNTIME}\nnoopJar={NOOP}\n',
        'build.gradle': APP, 'blacklist.txt': '-keepclass app/None\n', 'src/main/java/app/Till.java': TILL})
    build.library(os.path.join(folder, 'libs', 'words.jar'))
    build.library(os.path.join(folder, 'libs', 'android.jar'))
    return App(gradle, folder)


def knows_its_map(app, packed):
    """A trace of the app is refused with another map than that of its build."""
    trace, other = judge.scratch('app.mbtrace'), judge.scratch('other.txt')
    judge.must(('java', f'-Dmethodbeat.library={LIBRARY}', f'-Dmethodbeat.file={trace}', '-cp', packed, 'app.Till'))
    method_map = app.path('build', 'outputs', 'methodbeat', 'release', 'methodMapping.txt')
    with open(method_map, encoding='utf-8') as file, open(other, 'w', encoding='utf-8') as copy:
        copy.write(file.read().replace('Words', 'Birds'))
    right = judge.must((judge.METHODBEAT, 'report', '--format=json', '--method-map', method_map, trace))
    judge.check(json.loads(right.stdout)['app']['channel'] == 'release', f'whose it is: {right.stdout}')
    wrong = judge.run((judge.METHODBEAT, 'report', '--method-map', other, trace))
    judge.check(wrong.returncode == 1 and 'other.txt' in wrong.stderr, f'a wrong map: {wrong.returncode} {wrong.stderr}')


def fails_clearly(app, gradle):
    """Before anything is built; a word of what is wrong."""
    def expect(line, *words):
        build.write(app.folder, {'build.gradle': APP + line + '\n'})
        done = gradle.run(app.folder, 'packagerelease')
        judge.check(done.returncode != 0 and all(word in done.stderr for word in words) and
                    ':compile' not in done.stdout, f'{line}: {done.returncode} {done.stdout} {done.stderr}')
    expect("methodbeat { variants = ['release', 'relaese'] }", 'no variant', 'relaese', 'debug, release')
    expect("methodbeat { scope = 'project ' }", "scope 'project ' is not known", "'all' or 'project'")
    expect("methodbeat { runtime = file('none.aar') }", 'runtime is not there', 'none.aar')
    expect("methodbeat { noop = file('none.jar') }", 'noop is not there', 'none.jar')
    expect("methodbeat { executable = file('none') }", 'executable is not there')
    for module in ('library', 'dynamic-feature'):
        build.write(app.folder, {'build.gradle': APP.splitlines()[0] + f"\napply plugin: 'com.android.{module}'\n"
                                                 "apply plugin: 'io.github.methodbeat'\n"})
        done = gradle.run(app.folder, 'tasks')
        judge.check(done.returncode != 0 and "the application's module" in done.stderr, f'{module}: {done.stderr}')
    build.write(app.folder, {'build.gradle': APP.replace('runtime = file(runtimeJar)', '')})
    done = gradle.run(app.folder, 'packagerelease')
    judge.check(done.returncode != 0 and 'runtime is not set' in done.stderr, f'no runtime: {done.stderr}')


def has_its_own(app):
    """Probes and what they call are in release alone; debug has the API that does nothing, or none."""
    names = set(judge.class_names(app.path('build', 'outputs', 'apk', 'release.jar')))
    judge.check('methodbeat/NativeProbes.class' in names, f'release: {names}')
    ran = judge.must(('java', '-cp', ':'.join((app.path('build', 'classes', 'debug'), NOOP,
                                               app.path('libs', 'words.jar'))), 'app.Till'))
    judge.check(ran.stdout == 'sum!\n' and ran.stderr == '', f'debug ran: {ran.stdout} {ran.stderr}')
    said = judge.read(app.path('build', 'tmp', 'instrumentReleaseClasses', 'arguments.txt')).splitlines()
    judge.check({f"--classpath={app.path('libs', name)}" for name in ('words.jar', 'android.jar')} <= set(said),
                f'the class path: {said}')
    build.write(app.folder, {'build.gradle': APP.replace('noop = file(noopJar)', '')})
    app.build('packagerelease')
    done = app.gradle.run(app.folder, 'packagedebug')
    judge.check(done.returncode != 0 and 'package methodbeat does not exist' in done.stderr, f'debug: {done.stderr}')
    build.write(app.folder, {'build.gradle': APP})


def main():
    gradle = build.Modern()
    app = create(gradle, judge.scratch('app'))
    done = app.build('packagerelease', 'packagedebug')
    judge.check(build.outcome(done, TASK) == '' and 'instrumentDebugClasses' not in done.stdout,
                f'release alone: {done.stdout}')
    traced = build.methods(app.path('build', 'outputs', 'methodbeat', 'release', 'methodMapping.txt'))
    judge.check(traced == {'app.Till main', 'words.Words shout'}, f'traced: {traced}')
    packed = app.path('build', 'outputs', 'apk', 'release.jar')
    judge.check({'app/Till.class', 'words/Words.class', 'methodbeat/MethodBeat.class'}
                <= set(judge.class_names(packed)), 'classes are missing')
    ran = judge.must(('java', '-Xverify:all', '-cp', packed, 'app.Till'))
    judge.check(ran.stdout == 'sum!\n', f'the app ran: {ran.stdout} {ran.stderr}')
    again = app.build('packagerelease')
    judge.check(build.outcome(again, TASK) == 'UP-TO-DATE', f'second run: {again.stdout}')
    knows_its_map(app, packed)
    has_its_own(app)
    other = App(gradle, build.copy(app.folder, judge.scratch('elsewhere', 'app')))
    done = other.build('packagerelease')
    judge.check(build.outcome(done, TASK) == 'FROM-CACHE', f'after the move: {done.stdout}')
    fails_clearly(app, gradle)
    print(f'Gradle {gradle.distribution.version}, 13 builds')
    judge.finish()


main()
