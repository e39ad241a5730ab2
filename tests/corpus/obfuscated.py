"""Obfuscated input with its real mapping.txt, by ProGuard and R8: original names come out.

ProGuard only renames here, so exactly the same methods as in the original must be listed. R8 also
removes and merges, so its methods must be among the original ones.
"""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

CONFIGURATION = '''-dontoptimize
-ignorewarnings
-dontnote
-dontwarn
-repackageclasses ''
-keepattributes *
'''


def listed(output):
    """The names of the traced and of the ignored methods."""
    names = {name for _, name in judge.traced(os.path.join(output, 'methodMapping.txt'))}
    ignored = judge.read(os.path.join(output, 'ignoreMethodMapping.txt')).splitlines()
    judge.check(ignored[0] == 'ignore methods:', 'the first line of the ignored methods')
    return names, set(ignored[1:])


def proguard(jar):
    target, mapping = judge.scratch('proguard.jar'), judge.scratch('proguard.txt')
    rules = judge.scratch('proguard.pro')
    with open(rules, 'w', encoding='utf-8') as file:
        file.write(CONFIGURATION + '-dontshrink\n-dontpreverify\n'
                   f'-injars {jar}(!META-INF/**)\n-outjars {target}\n-printmapping {mapping}\n')
    judge.must(('proguard', f'@{rules}'))
    return target, mapping


def r8(jar):
    target, mapping = judge.scratch('r8.jar'), judge.scratch('r8.txt')
    rules = judge.scratch('r8.pro')
    with open(rules, 'w', encoding='utf-8') as file:
        file.write(CONFIGURATION.replace('-dontoptimize\n', '') +
                   '-keep,allowobfuscation class org.mozilla.** { *; }\n'
                   '-keep class com.yahoo.** { *; }\n')
    judge.must(('java', *judge.BRIEF, '-cp', judge.corpus('bundletool'), 'com.android.tools.r8.R8', '--classfile',
                '--pg-conf', rules, '--pg-map-output', mapping, '--output', target, jar))
    return target, mapping


def instrument(jar, what, *options):
    output = judge.scratch(what)
    judge.instrument('--output', output, *options, jar)
    return listed(output)


def check_blacklist(what, jar, mapping, names):
    """Original names in a blacklist hit the renamed classes, and only those."""
    package, cls, other = names
    blacklist = judge.scratch('blacklist.txt')
    with open(blacklist, 'w', encoding='utf-8') as file:
        file.write(f'[package]\n-keeppackage {package.replace(".", "/")}\n-keepclass {cls}\n')
    traced, ignored = instrument(jar, what + '-blacklist', '--mapping', mapping,
                                 '--blacklist', blacklist)
    judge.check(not any(name.startswith((package, cls)) for name in traced),
                f'{what}: the blacklist counts')
    judge.check(any(name.startswith(package) for name in ignored)
                and any(name.startswith(cls) for name in ignored), f'{what}: it hit something')
    judge.check(any(name.startswith(other) for name in traced), f'{what}: it blocks no others')


def main():
    guava, yui = judge.corpus('guava', 'yui')
    traced, ignored = instrument(guava, 'original')
    renamed, mapping = proguard(guava)
    found = instrument(renamed, 'proguard', '--mapping', mapping)
    judge.check(found[0] == traced, f'proguard: traced {sorted(found[0] ^ traced)[:6]}')
    judge.check(found[1] == ignored, f'proguard: ignored {sorted(found[1] ^ ignored)[:6]}')
    without = instrument(renamed, 'no-mapping')
    judge.check(len(without[0] & traced) < len(traced) / 10, 'without the mapping names are short')
    check_blacklist('proguard', renamed, mapping, (
        'com.google.common.cache.', 'com.google.common.io.ByteStreams', 'com.google.common.base.'))
    print(f'proguard: {len(found[0])} traced and {len(found[1])} ignored methods as in the original')

    known = set().union(*instrument(yui, 'original-yui'))
    renamed, mapping = r8(yui)
    found = instrument(renamed, 'r8', '--mapping', mapping)
    unknown = sorted(found[0] - known)
    judge.check(len(unknown) < len(found[0]) / 20, f'r8: not in the original: {unknown[:9]}')
    check_blacklist('r8', renamed, mapping, (
        'org.mozilla.classfile.', 'org.mozilla.javascript.Parser', 'org.mozilla.javascript.Node'))
    print(f'r8: {len(found[0])} traced methods, {len(unknown)} of them made by R8')
    judge.finish()


if not shutil.which('proguard'):
    judge.skip('proguard is not installed')
main()
