"""The page's program as TypeScript's compiler understands it: types as they are written beside it, names,
and how many arguments a function has.

usage: page_types.py METHODBEAT
"""
import glob
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402


def main():
    node = shutil.which('node')
    if node is None:
        judge.skip('no node')
    compiler = os.path.join(judge.corpus('typescript'), 'lib', 'tsc.js')
    programs = sorted(glob.glob(os.path.join(judge.ROOT, 'src', 'formats', 'page', '*.js')))
    done = judge.run((node, compiler, '--noEmit', '--allowJs', '--checkJs', '--target', 'es2022', '--lib',
                      'es2022,dom,dom.iterable', *programs))
    judge.check(len(programs) > 10 and done.returncode == 0, f'{len(programs)} files\n{done.stdout}{done.stderr}')
    judge.finish()


main()
