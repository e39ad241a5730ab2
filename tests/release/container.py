"""The lines of samples/container/README.md work as they stand, but for the seconds, on the archive of a release: a program in
a container is recorded from its start, from inside and from the host, in turn. docker.py makes the containers.

usage: container.py METHODBEAT
"""
import glob
import json
import os
import re
import shutil
import signal
import sys

import install
from install import judge

RECIPE = os.path.join(judge.ROOT, 'samples', 'container')
PROGRAM = b'''public class App {
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static int request() { return fib(16); }
    public static void main(String[] words) throws Exception {
        int seconds = new java.io.File("/traces").exists() ? 3 : 300;
        for (long end = System.nanoTime() + seconds * 1000000000L; System.nanoTime() < end; Thread.sleep(1)) request();
        System.out.println("served");
    }
}
'''


def blocks():
    return re.findall(r'^```sh\n(.*?)^```', judge.read(os.path.join(RECIPE, 'README.md')), re.M | re.S)


def prepare(folder):
    """A folder with the archive of a release and a program, as the page has it."""
    install.release()
    archive, = glob.glob(os.path.join(install.BUILT, 'archives', 'methodbeat-*-linux-x64.tar.gz'))
    shutil.copy(archive, folder)
    shutil.copy(os.path.join(RECIPE, 'Containerfile'), folder)
    install.write(os.path.join(folder, 'App.java'), PROGRAM)
    judge.compile_java(os.path.join(folder, 'classes'), (os.path.join(folder, 'App.java'),), '--release', '11')
    judge.must(('jar', '--create', '--file', 'app.jar', '--main-class', 'App', '-C', 'classes', '.'), cwd=folder)


def run_block(block, folder):
    tools = judge.scratch_folder('tools')
    if not os.path.exists(os.path.join(tools, 'docker')):
        os.symlink(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'docker.py'), os.path.join(tools, 'docker'))
    path = os.pathsep.join((tools, os.path.join(folder, 'methodbeat', 'bin'), os.environ['PATH']))
    return judge.run(('bash', '-ec', block.replace('--for 10', '--for 2')), cwd=folder, timeout=120,
                     env={**os.environ, 'PATH': path, 'MB_IMAGES': judge.scratch_folder('images')})


def judge_block(what, block, folder, *words):
    done = run_block(block, folder)
    said = done.stdout + done.stderr
    judge.check(done.returncode == 0 and all(word in said for word in words), f'{what}: {done.returncode} {said[-3000:]}')
    return said


def judge_start(folder, block):
    done = run_block(block, folder)
    if done.returncode == 99:
        judge.skip('no overlay of files')
    judge.check(done.returncode == 0 and 'served' in done.stdout and 'App.request' in done.stdout + done.stderr,
                f'from its start: {done}')
    trace = os.path.join(folder, 'traces', 'app.mbtrace')
    rows = json.loads(judge.must((judge.METHODBEAT, 'report', '--format', 'json', trace)).stdout)['methods']
    judge.check('App.request' in {row['name'] for row in rows}, f'the trace: {rows[:3]}')


def judge_running(folder, inside, outside):
    judge_block('from inside', inside, folder, 'App.request')
    with open(judge.scratch('images', 'container-app', 'note.json'), encoding='utf-8') as file:
        container = json.load(file)
    try:
        said = judge_block('from the host', outside, folder, 'App.request')
        judge.check(re.search(rf'^ *{container["pid"]} .*\bapp\.jar\b', said, re.M), f'jvms: {said[:2000]}')
        for what, block in (('from inside again', inside), ('from the host again', outside)):
            judge_block(what, block.splitlines()[1], folder, 'App.request')
        left = glob.glob(f'/proc/{container["pid"]}/root/tmp/*methodbeat*')
        judge.check(not left, f'what stays in its /tmp: {left}')
    finally:
        os.kill(container['outer'], signal.SIGKILL)


def main():
    within = 'unshare', '--mount', '--pid', '--fork', 'true'
    if os.geteuid() != 0 or judge.run(within).returncode != 0:
        judge.skip('no namespaces of our own')
    folder = judge.scratch_folder('container')
    prepare(folder)
    made, from_start, inside, outside = blocks()
    judge_block('the image', made, folder)
    judge_start(folder, from_start)
    judge_running(folder, inside, outside)
    print('from its start, from inside, from the host, and again')
    judge.finish()


main()
