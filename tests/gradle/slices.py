"""The Gradle plug-in's three steps: what comes out is what the one task makes with the same ledger; in another
folder all is FROM-CACHE, and after a change what has to do with it is run.

usage: slices.py METHODBEAT RUNTIME_JAR
"""
import os
import re
import sys

import build
from build import judge

RUNTIME = os.path.abspath(sys.argv[2])
APP = '''buildscript { dependencies { classpath files(pluginJar) } }
apply plugin: 'application'
apply plugin: 'io.github.methodbeat'
dependencies { implementation project(':core'), project(':tax'), files('libs/words.jar') }
methodbeat {
    blacklist.from rootProject.file('blacklist.txt')
    arguments.addAll '--activity', 'gone.Screen', '--no-default-blacklist'
    runtime = file(runtimeJar)
}
application { mainClass = 'app.Till' }
run { jvmArgs '-Xverify:all' }
'''
NAMES = '''buildscript { dependencies { classpath files(pluginJar) } }
apply plugin: 'java-library'
apply plugin: 'io.github.methodbeat.names'
methodbeat {
    blacklist.from rootProject.file('blacklist.txt')
    arguments.add '--no-default-blacklist'
}
'''
EACH = "methodbeat { each = true; baseMap = file('ledger.txt') }\n"
MORE = 'package core; public class More { public static int twice(int n) { return Sum.of(n, n); } }\n'
TWIN = 'package core; public class Twin { public static void %s() { System.out.println("at work"); } }\n'
JARS = ('app.jar', 'core.jar', 'tax.jar', 'words.jar')
STEPS = {':core:collectNames', *(f':app:collect-{jar}' for jar in JARS if jar != 'core.jar'), ':app:numberMethods',
         *(f':app:rewrite-{jar}' for jar in JARS), ':app:instrumentEach'}


def create(gradle, folder):
    build.write(folder, build.SHOP)
    build.write(folder, {
        'settings.gradle': build.SHOP['settings.gradle'] + "include 'tax'\n"
        f"buildCache {{ local {{ directory = '{judge.scratch('cache')}' }} }}\n",
        'build.gradle': '''subprojects {
    tasks.withType(JavaCompile) { options.incremental = false }
    tasks.withType(AbstractArchiveTask) { preserveFileTimestamps = false; reproducibleFileOrder = true }
}
''',
        'gradle.properties': f'pluginJar={gradle.plugin_jar()}\nruntimeJar={RUNTIME}\norg.gradle.parallel=true\n',
        'blacklist.txt': '-keepclass core/None\n', 'app/build.gradle': APP, 'core/build.gradle': NAMES,
        'tax/build.gradle': "apply plugin: 'java-library'\ndependencies { implementation project(':core') }\n",
        'tax/src/main/java/tax/Rate.java':
            'package tax; public class Rate extends core.Sum { static int of(int n) { return of(n, n) + 1; } }\n'})
    build.library(os.path.join(folder, 'app', 'libs', 'words.jar'))


class Shop:
    """At one place; what its tasks did in the last build."""

    def __init__(self, gradle, folder):
        self.gradle, self.folder = gradle, folder

    def build(self, *arguments):
        return self.gradle.must(self.folder, '--build-cache', '--configuration-cache', '--warning-mode=fail', *arguments)

    def steps(self):
        """Those that ran, and those that came from the cache."""
        done = self.build(':app:instrumentEach')
        said = {step: build.outcome(done, re.escape(step)) for step in STEPS}
        return {step for step in said if said[step] == ''}, {step for step in said if said[step] == 'FROM-CACHE'}

    def made(self, *folders):
        """The jars, and the maps."""
        app = os.path.join(self.folder, 'app', 'build')
        return {jar: judge.digests(os.path.join(app, *(name.format(jar) for name in folders)))[jar] for jar in JARS}, \
            judge.digests(os.path.join(app, 'outputs', 'methodbeat'))

    def rewritten(self):
        return self.made('intermediates', 'methodbeat', 'rewritten', '{}')

    def move(self, name):
        return Shop(self.gradle, build.copy(self.folder, judge.scratch(name, 'shop')))


def check_steps(shop, wanted, what):
    ran, cached = shop.steps()
    judge.check(ran == wanted and cached == STEPS - wanted, f'{what}: ran {sorted(ran)}, cached {sorted(cached)}')


def makes_the_same(one):
    """As the one task, with its map as ledger."""
    one.build(':app:instrument')
    build.write(one.folder, {'app/ledger.txt': judge.read(os.path.join(
        one.folder, 'app', 'build', 'outputs', 'methodbeat', 'methodMapping.txt'))})
    each = one.move('each')
    build.write(each.folder, {'app/build.gradle': APP + EACH})
    check_steps(each, STEPS, 'first')
    done = each.build('run')
    judge.check('sum 3!' in done.stdout, f'the program ran: {done.stdout}')
    judge.check(each.rewritten() == one.made('methodbeat'), 'what the steps make is not what the one task does')
    return each


def refuses_twins(shop):
    """Two copies of a class with methods of one hash, which would have one id."""
    build.write(shop.folder, {'core/src/main/java/core/Twin.java': TWIN % 'collidesWithThat', 'app/src/main/java/core/Twin.java': TWIN % 'aKGcnyZpLeJjePLR'})
    done = shop.gradle.run(shop.folder, ':app:instrumentEach')
    judge.check(done.returncode != 0 and re.search(r'core\.Twin \w+ \(\)V and core\.Twin \w+ \(\)V have one hash: rename one', done.stderr + done.stdout),
                f'twins: {done}')


def main():
    gradle = build.Modern()
    create(gradle, judge.scratch('one', 'shop'))
    each = makes_the_same(Shop(gradle, judge.scratch('one', 'shop')))
    other = each.move('other')
    check_steps(other, set(), 'another folder')
    judge.check(other.rewritten() == each.rewritten(), 'another folder: other outputs')
    changed = each.move('changed')
    build.write(changed.folder, {'core/src/main/java/core/More.java': MORE})
    check_steps(changed, {':core:collectNames', ':app:numberMethods', ':app:rewrite-core.jar', ':app:instrumentEach'},
                'a class more')
    jars, before = changed.rewritten()[0], each.rewritten()[0]
    judge.check({jar for jar in JARS if jars[jar] != before[jar]} == {'core.jar'}, 'a class more: other jars')
    again = changed.build(':app:instrumentEach')
    judge.check('Reusing configuration cache' in again.stdout and
                build.outcome(again, ':app:rewrite-app.jar') == 'UP-TO-DATE', f'again: {again.stdout}')
    refuses_twins(changed.move('twins'))
    print(f'Gradle {gradle.distribution.version}, 6 builds')
    judge.finish()


main()
