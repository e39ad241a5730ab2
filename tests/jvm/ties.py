"""What an input records of others' bytes: programs of signed jars, and of modules with hashes of others, run as before.

usage: ties.py METHODBEAT
"""
import os
import shutil
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

LOAD = 'for (String name : names) System.out.println(name + (Class.forName(name).getSigners() != null)); '
MAIN = '{ public static int f(int x) { return Math.abs(x); } public static void main(String[] names) throws Exception { ' \
       + LOAD + 'System.out.println(f(-3)); } }'
KEY = '-keystore', judge.scratch('keys'), '-storepass', 'secret'


def compiled(name, *sources, path=()):
    """A folder of classes: (file, text)."""
    for file, text in sources:
        with open(judge.scratch('src', name, file), 'w', encoding='utf-8') as out:
            out.write(text)
    return judge.compile_java(judge.scratch(name), [judge.scratch('src', name, file) for file, _ in sources], *path)


def signed(name, *sources, into='jars'):
    """A signed jar of classes."""
    jar = judge.scratch(into, name + '.jar')
    judge.must(('jar', '--create', '--file', jar, '-C', compiled(name, *sources), '.'))
    judge.must(('jarsigner', *KEY, jar, 'key'))
    return jar


def is_signed(jar):
    return any(name.endswith('.SF') for name in zipfile.ZipFile(jar).namelist())


def judge_signers():
    """Jars without a probe lose their signature where a neighbour in one of their packages does, and only there."""
    judge.must(('keytool', '-genkeypair', *KEY, '-alias', 'key', '-keyalg', 'RSA', '-dname', 'CN=test'))
    jars = [signed('main', ('Main.java', 'package p; public class Main ' + MAIN)),
            signed('beside', ('I.java', 'package p; interface I { }'), ('J.java', 'package q; interface J { }')),
            signed('behind', ('K.java', 'package q; interface K { }')),
            signed('apart', ('L.java', 'package r; interface L { }'))]
    names = 'p.Main', 'p.Main', 'p.I', 'q.J', 'q.K', 'r.L'
    plain = judge.java('-cp', ':'.join(jars), *names)
    judge.check(plain.stdout == ''.join(f'{name}true\n' for name in names[1:]) + '3\n', f'plain: {plain}')
    output = judge.scratch('out')
    for order in jars, jars[::-1]:
        done = judge.instrument('-o', output, *order)
        outputs = [os.path.join(output, os.path.basename(jar)) for jar in jars]
        judge.check([is_signed(jar) for jar in outputs] == [False, False, False, True], f'signatures: {done.stdout}')
        judge.check('3 signed jars lost the signature' in done.stdout, done.stdout)
        found = judge.java('-cp', ':'.join(outputs), *names)
        judge.check(found.stdout == plain.stdout.replace('true', 'false', 4), f'signed jars: {found}')
    return jars


def judge_state(jars):
    """A jar that the last run left signed, or not, follows what its neighbours are now."""
    quiet = signed('quiet', ('M.java', 'package p; interface M { }'), into='other')
    loud, state, full = judge.scratch('loud.jar'), judge.scratch('state'), judge.scratch('full')
    shutil.copy(jars[0], loud)
    for step, now in enumerate((loud, quiet, loud, loud, quiet)):
        shutil.copy(now, jars[0])
        base = ('--base-method-map', judge.scratch('kept.txt')) if step > 0 else ()
        judge.instrument('-o', judge.scratch('resumed'), '--state', state, *jars)
        judge.instrument('-o', full, *base, *jars)
        shutil.copy(judge.scratch('resumed', 'methodMapping.txt'), judge.scratch('kept.txt'))
        judge.check(judge.digests(judge.scratch('resumed')) == judge.digests(full), f'with a state, step {step}')
        judge.check(is_signed(judge.scratch('full', 'behind.jar')) == (now == quiet), f'step {step}: signature')


def module(name, requires, text):
    folder = compiled('m-' + name, ('module-info.java', f'module {name} {{ exports {name}; {requires} }}'),
                      ('C.java', f'package {name}; public class C {{ public static int f(int x) {{ return {text}; }}'
                                 f' public static void main(String[] names) {{ System.out.println(f(-5)); }} }}'),
                      path=('--module-path', judge.scratch_folder('mods')))
    judge.must(('jar', '--create', '--file', judge.scratch('mods', name + '.jar'), '-C', folder, '.'))


def hashes(jar):
    """Modules that it has hashes of."""
    text = judge.must(('jar', '--describe-module', '--file', jar)).stdout
    return sorted(line.split()[1] for line in text.splitlines() if line.startswith('hashes '))


def judge_modules():
    """Of a chain c on b on a, where a has hashes of both and b of c, each may change alone."""
    module('a', '', 'Math.abs(x)')
    module('b', 'requires transitive a;', 'a.C.f(x) + 1')
    module('c', 'requires b;', 'b.C.f(x) + 1')
    mods = judge.scratch('mods')
    for name, others in ('b', 'c'), ('a', '[bc]'):
        judge.must(('jar', '--update', '--file', os.path.join(mods, name + '.jar'), '--module-path', mods,
                    '--hash-modules', others, '-C', judge.scratch('m-' + name), 'module-info.class'))
    reads = [word for name in 'abc' for word in ('--add-reads', f'{name}=ALL-UNNAMED')]
    run = lambda path: judge.java(*reads, '--module-path', path, '-m', 'c/c.C')
    judge.check(run(mods).stdout == '7\n' and hashes(os.path.join(mods, 'a.jar')) == ['b', 'c'], f'plain: {run(mods)}')
    for changed in 'abc', 'a', 'b', 'c', '':
        output, listed = judge.scratch('hashed-' + changed), judge.scratch('list.txt')
        with open(listed, 'w', encoding='utf-8') as file:
            file.write(''.join(f'-keepclass {name}/C\n' for name in 'abc' if name not in changed))
        done = judge.instrument('-o', output, '--blacklist', listed, mods)
        found = run(os.path.join(output, 'mods'))
        kept = ''.join(name for name in 'ab' if hashes(os.path.join(output, 'mods', name + '.jar')))
        judge.check(found.stdout == '7\n' and kept == ('' if changed else 'ab'), f'{changed} changed: {kept} {found}')
        judge.check(('2 modules lost hashes' in done.stdout) == (changed != ''), f'{changed} changed: {done.stdout}')


def main():
    judge_state(judge_signers())
    judge_modules()
    judge.finish()


main()
