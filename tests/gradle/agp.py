"""The Gradle plug-in behind a stand-in for AGP: a stand-in of our own, whose interfaces are written after the
documentation of 7.4 to 9. It shows that the tasks are wired and cached, not that AGP takes them.

usage: agp.py METHODBEAT RUNTIME_JAR
"""
import os
import sys

import build
from build import judge

RUNTIME = os.path.abspath(sys.argv[2])
APP = '''buildscript { dependencies { classpath files(pluginJar, agpJar, kotlinJar) } }
apply plugin: 'com.android.application'
apply plugin: 'methodbeat'
dependencies { implementation files('libs/words.jar') }
methodbeat {
    variants = ['release']
    blacklist.from 'blacklist.txt'
    runtime = file(runtimeJar)
}
tasks.withType(JavaCompile) { options.incremental = false }
'''
TILL = '''package app;
public class Till {
    public static void main(String[] arguments) { System.out.println(words.Words.shout("sum")); }
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
                             f'runtimeJar={RUNTIME}\n',
        'build.gradle': APP, 'blacklist.txt': '-keepclass app/None\n', 'src/main/java/app/Till.java': TILL})
    build.library(os.path.join(folder, 'libs', 'words.jar'))
    return App(gradle, folder)


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
    other = App(gradle, build.copy(app.folder, judge.scratch('elsewhere', 'app')))
    done = other.build('packagerelease')
    judge.check(build.outcome(done, TASK) == 'FROM-CACHE', f'after the move: {done.stdout}')
    print(f'Gradle {gradle.distribution.version}, 3 builds')
    judge.finish()


main()
