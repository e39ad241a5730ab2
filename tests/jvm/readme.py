"""The README's snippet for Gradle, as it stands there, in a build of one class: it compiles the
script, instruments, and has nothing to do the second time."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

SOURCE = """package shop;
public class Till {
    static int sum(int[] prices) { int sum = 0; for (int p : prices) sum += p; return sum; }
    public static void main(String[] words) { System.out.println(sum(new int[] {1, 2})); }
}
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def build(folder, tools):
    return judge.run(('gradle', '--offline', '--no-daemon', '--console=plain',
                      '--gradle-user-home', judge.scratch('gradle-home'), 'instrument'), cwd=folder,
                     env={**os.environ, 'PATH': tools + os.pathsep + os.environ['PATH']})


def main():
    if not shutil.which('gradle'):
        judge.skip('gradle is not installed')
    snippets = re.findall(r'^```groovy\n(.*?)^```', judge.read(os.path.join(judge.ROOT, 'README.md')),
                          re.M | re.S)
    judge.check(len(snippets) == 1, f'{len(snippets)} snippets for Gradle')
    tools = judge.scratch_folder('tools')
    os.symlink(judge.METHODBEAT, os.path.join(tools, 'methodbeat'))
    for number, snippet in enumerate(snippets):
        folder = judge.scratch(f'build{number}')
        write(os.path.join(folder, 'settings.gradle'), "rootProject.name = 'till'\n")
        write(os.path.join(folder, 'build.gradle'), "apply plugin: 'java'\n" + snippet)
        write(os.path.join(folder, 'blacklist.txt'), '-keepclass shop/None\n')
        write(os.path.join(folder, 'src/main/java/shop/Till.java'), SOURCE)
        first = build(folder, tools)
        judge.check(first.returncode == 0, f'first run: {first.stdout} {first.stderr}')
        names = os.path.join(folder, 'build', 'methodbeat', 'methodMapping.txt')
        judge.check(os.path.exists(names) and 'shop.Till main' in judge.read(names),
                    'Till.main is traced')
        second = build(folder, tools)
        judge.check(':instrument UP-TO-DATE' in second.stdout, f'second run: {second.stdout}')
    print(f'{len(snippets)} snippet, 2 builds')
    judge.finish()


main()
