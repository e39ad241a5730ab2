"""The recipes' snippet for Gradle, as it stands there, in the application of two modules and a library's jar, by
Debian's Gradle and by a new one: it compiles the script, loses no class, has nothing to do the second time, and
after a change writes what changed, with the ids that there were."""
import glob
import os
import re
import shlex
import shutil

import build
from build import judge

APP = '''apply plugin: 'java'
dependencies { implementation project(':core'), files('libs/words.jar') }
'''
SUM = 'core/src/main/java/core/Sum.java'


def project(folder, snippet):
    build.write(folder, build.SHOP)
    build.write(folder, {
        'build.gradle': 'subprojects { tasks.withType(JavaCompile) { options.incremental = false } }\n',
        'app/build.gradle': APP + snippet})
    build.library(os.path.join(folder, 'app', 'libs', 'words.jar'))


def ids(folder):
    return dict(reversed(row) for row in judge.traced(os.path.join(folder, 'methodMapping.txt')))


def same_classes(shop, out):
    parts = [os.path.join(shop, 'app', 'build', 'libs', 'app.jar'), os.path.join(shop, 'app', 'libs', 'words.jar'),
             os.path.join(shop, 'core', 'build', 'libs', 'core.jar')]
    for part in parts:
        name = os.path.basename(part)
        judge.check(judge.class_names(os.path.join(out, name)) == judge.class_names(part), f'{name}: other classes')


def judge_build(shop, run):
    out = os.path.join(shop, 'app', 'build', 'methodbeat')
    first = run()
    if not judge.check(first.returncode == 0, f'first run: {first.stdout} {first.stderr}'):
        return
    judge.check(build.methods(os.path.join(out, 'methodMapping.txt')) == build.METHODS, f'traced: {ids(out)}')
    same_classes(shop, out)
    jars = ':'.join(glob.glob(os.path.join(out, '*.jar')))
    ran = judge.java('-cp', jars, 'app.Till', count=judge.scratch('count'))
    judge.check(ran.stdout == 'sum 3!\n', f'the program ran: {ran.stdout} {ran.stderr}')
    record = re.search(r"^record them: methodbeat (.*) MAINCLASS$", first.stdout, re.M)
    if judge.check(record, f'the next step: {first.stdout}'):
        words = shlex.split(record[1])
        done = judge.run((judge.METHODBEAT, *words, 'app.Till'), cwd=os.path.join(shop, 'app'))
        judge.check(done.stdout == 'sum 3!\n' and 'app.Till.main' in done.stderr, f'{words}: {done.stdout} {done.stderr}')
    second = run()
    judge.check(re.search(':app:instrument UP-TO-DATE', second.stdout), f'second run: {second.stdout}')
    before, known = judge.digests(out), ids(out)
    build.write(shop, {SUM: build.SHOP[SUM].replace('public static', 'static int none(int n) { for (;;) n++; }\n'
                                                    '    public static')})
    third = run()
    judge.check(third.returncode == 0, f'third run: {third.stdout} {third.stderr}')
    changed = {name for name, digest in judge.digests(out).items()
               if name.endswith('.jar') and before[name] != digest}
    judge.check(changed == {'core.jar'}, f'changed: {changed}')
    now = ids(out)
    judge.check({name: now.get(name) for name in known} == known and len(now) == len(known) + 1,
                f'ids: {known} {now}')


def main():
    if not shutil.which('gradle'):
        judge.skip('gradle is not installed')
    snippets = re.findall(r'^```groovy\n(.*?)^```', judge.read(os.path.join(judge.ROOT, 'samples', 'recipes', 'README.md')),
                          re.M | re.S)
    judge.check(len(snippets) == 1, f'{len(snippets)} snippets for Gradle')
    debian = build.Gradle(('gradle', '--no-daemon'))
    for name, gradle in {'debian': debian, 'new': build.Modern()}.items():
        shop = judge.scratch(name, 'shop')
        project(shop, snippets[0])
        judge_build(shop, lambda: gradle.run(shop, 'instrument'))
    print('1 snippet, 2 kinds of Gradle, 3 builds each')
    judge.finish()


main()
