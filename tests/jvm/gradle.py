"""The Gradle sample: builds, instruments, runs; the second run finds all of it up to date."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402


def gradle(folder, *arguments):
    home = judge.scratch('gradle-home')
    return judge.run(('gradle', '--offline', '--no-daemon', '--console=plain',
                      '--gradle-user-home', home, f'-Pmethodbeat={judge.METHODBEAT}', *arguments),
                     cwd=folder)


def main():
    if not shutil.which('gradle'):
        judge.skip('gradle is not installed')
    # A copy with the same neighbours, so that the tree stays clean.
    for part in ('samples', os.path.join('tests', 'jvm', 'runtime')):
        shutil.copytree(os.path.join(judge.ROOT, part), judge.scratch('copy', part),
                        ignore=shutil.ignore_patterns('build', '.gradle'))
    folder = judge.scratch('copy', 'samples', 'gradle')
    first = gradle(folder)
    judge.check(first.returncode == 0, f'first run: {first.stdout} {first.stderr}')
    judge.check('8 86352150' in first.stdout, f'the program ran: {first.stdout}')
    found = judge.totals(judge.read(os.path.join(folder, 'build', 'count.txt')))
    judge.check(found and found['in'] > 3 and found['in'] == found['out'], f'calls: {found}')
    instrumented = os.path.join(folder, 'build', 'instrumented')
    names = judge.read(os.path.join(instrumented, 'methodMapping.txt'))
    judge.check('shop.Basket add' in names, 'Basket.add is traced')
    judge.check('shop.codec.' not in names, 'the blacklist counts')
    second = gradle(folder)
    judge.check(':instrument UP-TO-DATE' in second.stdout, f'second run: {second.stdout}')
    with open(os.path.join(folder, 'blacklist.txt'), 'w', encoding='utf-8') as file:
        file.write('-keepclass shop/Basket\n')
    third = gradle(folder)
    judge.check(third.returncode == 0 and ':instrument UP-TO-DATE' not in third.stdout,
                f'a new blacklist instruments again: {third.stdout}')
    names = judge.read(os.path.join(instrumented, 'methodMapping.txt'))
    judge.check('shop.codec.Checksum of' in names and 'shop.Basket' not in names,
                f'the new blacklist counts: {names}')
    print('3 builds')
    judge.finish()


main()
