"""methodbeat run on programs that hide classes from each other: modules, OSGi bundles; and a JVM that warns. With
probes by instrument, and as they come, by the agent.

usage: started.py METHODBEAT RUNTIME_JAR LIBRARY AGENT
"""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY, AGENT = (os.path.abspath(path) for path in sys.argv[2:5])
RUN = (judge.METHODBEAT, 'run', '--runtime', RUNTIME, '--library', LIBRARY)
RUN_BY_AGENT = (judge.METHODBEAT, 'run', '--agent', AGENT)
DERBY = ('derby', 'derby-client', 'derby-shared', 'derby-tools')
GOGO = ('gogo-runtime', 'gogo-command', 'gogo-shell')
TOOL = 'org.apache.derby.tools/org.apache.derby.tools.ij'
DELEGATION = 'org.osgi.framework.bootdelegation'
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
# What a framework's own settings say of packages that bundles have from the JVM.
CONFIGURED = ('', f'{DELEGATION}=sun.*,\\\n  com.sun.*\n', f'  {DELEGATION} = sun.* \n')


def write(text, *path):
    with open(os.path.join(*path), 'w', encoding='utf-8') as file:
        file.write(text)


def judge_modules():
    """Modules that require each other, or find each other as services; one of them nobody needs."""
    home = judge.scratch_folder('derby')
    judge.instrument('--output', 'out', *judge.corpus(*DERBY), cwd=home)
    write(QUESTIONS, home, 'questions.sql')
    write(f'--module-path\n"out"\n-m {TOOL}\n', home, 'ij.args')
    for run, *command in ((RUN, 'java', '-p', 'out', '-m', TOOL), (RUN, 'java', '@ij.args'),
                          (RUN, 'env', 'java', '--module-path=out', '--module', TOOL),
                          (RUN_BY_AGENT, 'java', '-p', 'out', '-m', TOOL),
                          (RUN_BY_AGENT, 'java', '-p', ':'.join(judge.corpus(*DERBY)), '-m', TOOL)):
        done = judge.run((*run, 'file=it.mbtrace', *command, 'questions.sql'), cwd=home)
        judge.check(done.returncode == 0 and '43' in done.stdout.split(), f'{command}: {done}')
        judge.check('org.apache.derby.tools.ij.main' in done.stderr and '.derby.impl.' in done.stderr
                    and 'Unknown module' not in done.stderr, f'{command}: {done.stderr[:3000]}')
    print('Derby as modules, 5 ways')


def run_felix(home, *command, run=RUN):
    done = judge.run((*run, 'file=it.mbtrace', *command), cwd=home, input='lb\nexit 0\n')
    active = [line for line in done.stdout.splitlines() if '|Active' in line]
    judge.check(done.returncode == 0 and len(active) == 1 + len(GOGO), f'{command}: {done}')
    judge.check('org.apache.felix.main.Main.main' in done.stderr, f'{command}: {done.stderr[:3000]}')


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
        run_felix(place, 'java', '-jar', 'bin/felix.jar', run=RUN_BY_AGENT)
        report = judge.must((judge.METHODBEAT, 'report', '--format=json', '--top=100000', 'it.mbtrace'), cwd=place).stdout
        judge.check('"org.apache.felix.gogo.runtime.' in report, f'{place}: bundles have names by the agent')
        shutil.rmtree(os.path.join(place, 'felix-cache'))
        os.remove(os.path.join(place, 'it.mbtrace'))
    for configured in CONFIGURED:
        write(FELIX + configured, home, 'conf', 'config.properties')
        run_felix(home, 'java', '-jar', 'bin/felix.jar')
    run_felix(home, 'java', f'-D{DELEGATION}=sun.*', '-jar', 'bin/felix.jar')
    write(FELIX + CONFIGURED[1], home, 'own.properties')
    run_felix(home, 'java', '-Dfelix.config.properties=file:own.properties', '-cp', 'bin/felix.jar',
              'org.apache.felix.main.Main')
    show = ('import java.util.*; class Show { public static void main(String[] a) { '
            f'System.out.println(System.getProperty("{DELEGATION}")); }} }}')
    write(show, home, 'Show.java')
    judge.must(('javac', '-d', '.', 'Show.java'), cwd=home)
    for options, wanted in (((), 'sun.*,com.sun.*,methodbeat'), ((f'-D{DELEGATION}=a.*',), 'a.*,methodbeat')):
        write(FELIX + CONFIGURED[1], home, 'conf', 'config.properties')
        done = judge.run((*RUN, 'java', *options, '-cp', 'bin/felix.jar:.', 'Show'), cwd=home)
        judge.check(done.stdout == wanted + '\n', f'{options}: {done}')
    write(FELIX + f'{DELEGATION}=${{a}}\n', home, 'conf', 'config.properties')
    done = judge.run((*RUN, 'java', '-cp', 'bin/felix.jar:.', 'Show'), cwd=home)
    judge.check(done.stdout == 'null\n' and 'bootdelegation needs "methodbeat" added' in done.stderr, f'{done}')
    print(f'Felix, {len(CONFIGURED) + 3} ways')


def judge_warnings():
    """The newest JDK warns of libraries that are loaded; one that does not know the option is not given it."""
    home = judge.scratch_folder('plain')
    write('class Main { public static void main(String[] a) { System.out.println(work(20)); }\n'
          'static int work(int n) { return n < 2 ? n : work(n - 1) + work(n - 2); } }', home, 'Main.java')
    judge.compile_java(os.path.join(home, 'classes'), (os.path.join(home, 'Main.java'),))
    judge.instrument('--output', 'out', 'classes', cwd=home)
    done = judge.run((*RUN, os.path.join(judge.jdk(), 'bin', 'java'), '-cp', 'out/classes', 'Main'), cwd=home)
    judge.check(done.returncode == 0 and done.stdout == '6765\n' and 'Main.work' in done.stderr, f'{done}')
    judge.check('WARNING' not in done.stderr, f'{done.stderr[:3000]}')


def main():
    judge_modules()
    judge_bundles()
    judge_warnings()
    judge.finish()


main()
