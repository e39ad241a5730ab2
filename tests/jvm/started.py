"""methodbeat run on programs that hide classes from each other: modules, OSGi bundles; with probes by instrument, and
as they come.

usage: started.py METHODBEAT AGENT
"""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
RUN = (judge.METHODBEAT, 'run', '--agent', AGENT)
DERBY = ('derby', 'derby-client', 'derby-shared', 'derby-tools')
GOGO = ('gogo-runtime', 'gogo-command', 'gogo-shell')
TOOL = 'org.apache.derby.tools/org.apache.derby.tools.ij'
QUESTIONS = """connect 'jdbc:derby:memory:t;create=true';
create table a(x int);
insert into a values (1), (2), (40);
select sum(x) from a;
exit;
"""
FELIX = """felix.auto.deploy.action=install,start
org.osgi.framework.storage.clean=onFirstInit
gogo.shell.args=-s
"""


def write(text, *path):
    with open(os.path.join(*path), 'w', encoding='utf-8') as file:
        file.write(text)


def names_of(home):
    return judge.must((judge.METHODBEAT, 'report', '--format=json', '--top=100000', 'it.mbtrace'), cwd=home).stdout


def judge_modules():
    """Modules that require each other, or find each other as services; one of them nobody needs."""
    home = judge.scratch_folder('derby')
    judge.instrument('--output', 'out', *judge.corpus(*DERBY), cwd=home)
    write(QUESTIONS, home, 'questions.sql')
    write(f'--module-path\n"out"\n-m {TOOL}\n', home, 'ij.args')
    for command in (('java', '-p', 'out', '-m', TOOL), ('java', '@ij.args'), ('env', 'java', '--module-path=out', '--module', TOOL),
                    ('java', '-p', ':'.join(judge.corpus(*DERBY)), '-m', TOOL)):
        done = judge.run((*RUN, 'file=it.mbtrace', *command, 'questions.sql'), cwd=home)
        judge.check(done.returncode == 0 and '43' in done.stdout.split(), f'{command}: {done}')
        judge.check('\nmethodbeat report it.mbtrace\n' in done.stderr, f'{command}: {done.stderr[:3000]}')
        names = names_of(home)
        judge.check('"org.apache.derby.tools.ij.main' in names and '"org.apache.derby.impl.' in names, f'{command}: {names[:3000]}')
    print('Derby as modules, 4 ways')


def run_felix(home, *command):
    done = judge.run((*RUN, 'file=it.mbtrace', *command), cwd=home, input='lb\nexit 0\n')
    active = [line for line in done.stdout.splitlines() if '|Active' in line]
    judge.check(done.returncode == 0 and len(active) == 1 + len(GOGO), f'{command}: {done}')
    judge.check('\nmethodbeat report it.mbtrace\n' in done.stderr, f'{command}: {done.stderr[:3000]}')


def judge_bundles():
    dist = judge.scratch_folder('felix', 'dist')
    for folder in ('bin', 'bundle', 'conf'):
        os.makedirs(os.path.join(dist, folder))
    shutil.copy(judge.corpus('felix'), os.path.join(dist, 'bin', 'felix.jar'))
    for bundle in judge.corpus(*GOGO):
        shutil.copy(bundle, os.path.join(dist, 'bundle'))
    judge.instrument('--output', 'out', 'dist', cwd=os.path.dirname(dist))
    home = os.path.join(os.path.dirname(dist), 'out', 'dist')
    os.makedirs(os.path.join(home, 'conf'), exist_ok=True)
    for place in (dist, home):
        write(FELIX, place, 'conf', 'config.properties')
        run_felix(place, 'java', '-jar', 'bin/felix.jar')
        names = names_of(place)
        judge.check('"org.apache.felix.main.Main.main' in names and '"org.apache.felix.gogo.runtime.' in names,
                    f'{place}: bundles have names')
    print('Felix, 2 ways')


def main():
    judge_modules()
    judge_bundles()
    judge.finish()


main()
