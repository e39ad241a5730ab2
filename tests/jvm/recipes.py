"""The recipes work as they stand in samples/recipes/README.md, and samples/site.sh makes its pages.

usage: recipes.py METHODBEAT RUNTIME_JAR LIBRARY
"""
import glob
import os
import re
import shutil
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
SHOP = '''package com.acme;
public class Shop {
    static int hash(String text) { int h = 0; for (int k = 0; k < 50; k++) for (char c : text.toCharArray()) h = h * 31 + c; return h; }
    static int parse(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += hash("line " + i); return sum; }
    public static void main(String[] words) { System.out.println("sum " + parse(50000 * TIMES)); }
}
'''
CHECK = '''package com.acme;
public class ShopTest {
    @org.junit.Test public void parses() { org.junit.Assert.assertEquals(Shop.parse(9000), Shop.parse(9000)); }
}
'''
KOTLIN = '''package com.acme
import kotlinx.coroutines.*
object Shop {
    suspend fun parse(n: Int): Int { delay(1); return hash(n) }
    fun hash(n: Int): Int { var h = n; for (i in 1..100000) h = h * 31 + i; return h }
}
fun main() { println(runBlocking { var sum = 0; for (i in 1..100) sum += Shop.parse(i); sum }) }
'''
POM = '''<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.acme</groupId><artifactId>shop</artifactId><version>1</version>
  <properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
  <dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version></dependency></dependencies>
</project>
'''
GRADLE = '''apply plugin: 'java'
task run(type: JavaExec, dependsOn: classes) {
    classpath = sourceSets.main.runtimeClasspath
    main = 'com.acme.Shop'
}
'''


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def make_program(name, times=1):
    folder = judge.scratch_folder(name)
    write(folder, 'src/main/java/com/acme/Shop.java', SHOP.replace('TIMES', str(times)))
    write(folder, 'settings.gradle', '')
    write(folder, 'build.gradle', GRADLE)
    judge.compile_java(os.path.join(folder, 'classes'), (os.path.join(folder, 'src'),))
    judge.must(('jar', '--create', '--file', 'app.jar', '--main-class', 'com.acme.Shop', '-C', 'classes', '.'), cwd=folder)
    with zipfile.ZipFile(os.path.join(folder, 'library.aar'), 'w') as aar:
        aar.write(os.path.join(folder, 'app.jar'), 'classes.jar')
        aar.writestr('AndroidManifest.xml', '<manifest package="com.acme"/>')
    return folder


def make_boot(folder):
    """The program as Spring Boot packs one: its loader starts it."""
    with zipfile.ZipFile(judge.corpus('boot-loader-3')) as loader:
        loader.extractall(os.path.join(folder, 'boot'), [name for name in loader.namelist() if name.startswith('org/')])
    shutil.copytree(os.path.join(folder, 'classes'), os.path.join(folder, 'boot', 'BOOT-INF', 'classes'))
    write(folder, 'manifest', 'Main-Class: org.springframework.boot.loader.launch.JarLauncher\nStart-Class: com.acme.Shop\n'
          'Spring-Boot-Classes: BOOT-INF/classes/\nSpring-Boot-Lib: BOOT-INF/lib/\n')
    judge.must(('jar', 'cfm0', 'app.jar', 'manifest', '-C', 'boot', '.'), cwd=folder)


def make_kotlin(folder):
    libraries = judge.corpus('kotlin-stdlib', 'coroutines')
    write(folder, 'Shop.kt', KOTLIN)
    judge.must(('kotlinc', '-no-reflect', '-cp', os.pathsep.join(libraries), '-d', 'kotlin', 'Shop.kt'), cwd=folder)
    for path in libraries:
        shutil.copy(path, folder)
    names = ' '.join(map(os.path.basename, libraries))
    write(folder, 'manifest', f'Main-Class: com.acme.ShopKt\nClass-Path: {names}\n')
    judge.must(('jar', 'cfm', 'app.jar', 'manifest', '-C', 'kotlin', '.'), cwd=folder)


def make_clone(folder):
    os.symlink(os.path.join(judge.ROOT, 'samples'), os.path.join(folder, 'samples'))
    os.symlink(os.path.join(os.path.dirname(judge.METHODBEAT), '..', '..'), os.path.join(folder, 'build'))


# Those that need another program than the one in Java, and what their reports say.
MADE = {'Spring Boot': (make_boot, r'com\.acme\.Shop\.hash'), 'Kotlin coroutines': (make_kotlin, r'com\.acme\.Shop\.(hash|parse)'),
        'C': (make_clone, r'\bprime')}


def recipes():
    """heading -> its block, of those that have one"""
    text = judge.read(os.path.join(judge.ROOT, 'samples', 'recipes', 'README.md'))
    parts = re.findall(r'^## (.*?)\n(.*?)(?=^## |\Z)', text, re.M | re.S)
    return {name: block for name, part in parts for block in re.findall(r'^```sh\n(.*?)^```', part, re.M | re.S)}


def run_recipe(folder, block):
    tools = judge.scratch_folder('tools')
    if not os.path.exists(os.path.join(tools, 'methodbeat')):
        os.symlink(judge.METHODBEAT, os.path.join(tools, 'methodbeat'))
        shutil.copy(RUNTIME, tools)
        shutil.copy(LIBRARY, os.path.join(tools, 'libmethodbeat.so'))  # as it is installed, whatever the build calls it
    return judge.run(('bash', '-ec', block), cwd=folder,
                     env={**os.environ, 'PATH': tools + os.pathsep + os.environ['PATH'], 'LIBRARIES': tools})


def judge_recipe(name, block, folder):
    done = run_recipe(folder, block)
    if name.startswith('A gate') and done.returncode == 3:  # half a second on a busy machine is not always the same
        done = run_recipe(folder, block)
    said = done.stdout + done.stderr
    judge.check(done.returncode == 0, f'{name}: {done.returncode} {said[-3000:]}')
    if name.startswith('A gate'):
        judge.check('No certain change' in said or 'certain' in said, f'{name}: {said}')
    elif 'Android' in name:
        judge.check(os.path.exists(os.path.join(folder, 'out', 'library.aar')), f'{name}: {said}')
    else:
        words = MADE[name][1] if name in MADE else r'com\.acme\.Shop\.(hash|parse)'
        judge.check(re.search(words, said), f'{name}: {said[-3000:]}')
    judge.check('WARNING: ' not in said, f'{name}: warns: {said[:2000]}')


def can_run(name, folder):
    """Maven needs its own plug-ins, from a repository."""
    if name.startswith('Maven'):
        write(folder, 'pom.xml', POM)
        write(folder, 'src/test/java/com/acme/ShopTest.java', CHECK)
        return shutil.which('mvn') and judge.run(('mvn', '-q', 'test'), cwd=folder, timeout=200).returncode == 0
    if name.startswith('Kotlin'):
        judge.corpus('kotlin')  # its compiler
    tools = {'Gradle: JavaExec and tests': 'gradle', 'Kotlin coroutines': 'kotlinc'}
    return name not in tools or shutil.which(tools[name])


def judge_action(folder):
    """What GitHub is to run, in its shell: a summary is written, and each trace is the old one of the next run."""
    text = judge.read(os.path.join(judge.ROOT, 'samples', 'recipes', 'README.md'))
    lines = re.findall(r'^- run: (.*)', re.search(r'^```yaml\n(.*?)^```', text, re.M | re.S)[1], re.M)
    os.environ['GITHUB_STEP_SUMMARY'] = os.path.join(folder, 'summary')
    os.remove(os.path.join(folder, 'old.mbtrace'))
    for _ in 'the first', 'the second':
        done = run_recipe(folder, '\n'.join(('set -o pipefail', *lines)))
        said = judge.read(os.path.join(folder, 'summary')) if os.path.exists(os.path.join(folder, 'summary')) else ''
        judge.check(len(lines) == 3 and done.returncode in (0, 3), f'action: {done.returncode} {done.stderr[-2000:]}')
    judge.check(re.search(r'^    .*certain', said, re.M) and 'com.acme.Shop' in said, f'action: {said[-2000:]}')


def judge_slower(block):
    """The gate closes for a program that does ten times the work: of half a second a busy machine makes twice as much."""
    folder = make_program('slower', 40)
    shutil.copy(judge.scratch('shop', 'old.mbtrace'), folder)
    done = run_recipe(folder, block)
    judge.check(done.returncode == 3 and 'slower by' in done.stderr, f'slower: {done.returncode} {done.stderr[-2000:]}')


def judge_site():
    """The manual, the documents and two live reports by one command."""
    site = judge.scratch('site')
    if not all(map(shutil.which, ('cmark-gfm', 'mandoc'))):
        print('out of reach: the site')
        return
    done = judge.run((os.path.join(judge.ROOT, 'samples', 'site.sh'), site, judge.METHODBEAT))
    judge.check(done.returncode == 0, f'site: {done.stderr[-2000:]}')
    index = judge.read(os.path.join(site, 'index.html'))
    for page in 'reports/words.html', 'reports/words--sample.html':
        judge.check(f'href="{page}"' in index and 'Words' in judge.read(os.path.join(site, page)), f'site: {page}')
    judge.check('TROUBLESHOOTING' in judge.read(os.path.join(site, 'methodbeat.1.html')), 'site: the manual')
    pages = [page for page in glob.glob(os.path.join(site, '**', '*.html'), recursive=True) if '/reports/' not in page]
    gone = [(page, link) for page in pages for link in re.findall(r'(?:href|src)="(?!https?:|#)([^"#]+)', judge.read(page))
            if not os.path.exists(os.path.join(os.path.dirname(page), link)) or '/.github/' in page]
    judge.check(len(pages) > 30 and not gone, f'site: {gone}')


def main():
    folder = make_program('shop', 4)
    judge.must((judge.METHODBEAT, 'run', '--trace', 'old.mbtrace', 'java', '-jar', 'app.jar'), cwd=folder)
    found, count = recipes(), 0
    for name, block in found.items():
        if can_run(name, folder):
            own = make_program(name) if name in MADE else folder
            if name in MADE:
                MADE[name][0](own)
            judge_recipe(name, block, own)
            count += 1
        else:
            print(f'out of reach: {name}')
    judge_action(folder)
    judge_slower(found['A gate in CI'])
    judge_site()
    judge.check(len(found) >= 9 and count >= 7, f'recipes: {list(found)}')
    print(f'{count} recipes')
    judge.finish()


main()
