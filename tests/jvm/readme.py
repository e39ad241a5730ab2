"""What README.md shows is what the command prints, by names and shape; its commands for a JVM work as they stand, but for
seconds and numbers of processes; and no figure stands beside another of the same thing.

usage: readme.py METHODBEAT
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

README = judge.read(os.path.join(judge.ROOT, 'README.md'))
ROW = re.compile(r'^ *[\d.]+ [a-z]+ +[\d.]+ #* +[\d.]+ [a-z]+ +\d+( +)(\S+)')  # of a hot path
APP = '''public class App {
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static int request() { return fib(16); }
    public static void main(String[] words) throws Exception {
        long end = System.nanoTime() + Long.parseLong(words.length > 0 ? words[0] : "1") * 1000000000L;
        for (; System.nanoTime() < end; Thread.sleep(1)) request();
    }
}
'''


def blocks(section):
    """The indented blocks of a section."""
    text = re.search(rf'^## {section}\n(.*?)^## ', README, re.M | re.S)[1]
    return [re.sub(r'^ {4}', '', block, flags=re.M) for block in re.findall(r'((?:^(?: {4}.*)?\n)+)', text, re.M) if block.strip()]


def environment():
    return {**os.environ, 'PATH': os.path.dirname(judge.METHODBEAT) + os.pathsep + os.environ['PATH']}


# ---- What is shown ----

def rows(lines):
    return {(found[2], len(found[1])) for found in map(ROW.match, lines) if found}


def first_paragraph(lines):
    """What it says of threads, without figures."""
    at = next((i for i, line in enumerate(lines) if re.match(r'(The \d+ threads|\S+ was)', line)), 0)
    end = next((i for i in range(at, len(lines)) if not lines[i].strip() or lines[i].startswith('(')), len(lines))
    return ' '.join(lines[at:end])


def judge_shown():
    folder = judge.scratch_folder('shown')
    compiler, script = judge.corpus('closure', 'jquery')
    shutil.copy(compiler, os.path.join(folder, 'closure-compiler.jar'))
    shutil.copy(script, os.path.join(folder, 'jquery.js'))
    command, *shown = blocks('See it')[0].strip('\n').splitlines()
    judge.check(command.startswith('$ methodbeat run '), f'the command: {command}')
    done = judge.run(('sh', '-c', command[2:]), cwd=folder, env=environment(), timeout=900)
    said = (done.stdout + done.stderr).splitlines()
    judge.check(done.returncode == 0 and said[0] == shown[0] and re.fullmatch(r'methodbeat report \S+\.mbtrace', said[1]) and
                re.fullmatch(r'methodbeat report \S+\.mbtrace', shown[1]), f'how it begins: {shown[:2]} {said[:2]}')
    ours, theirs = first_paragraph(said), first_paragraph(shown)
    for name in re.findall(r'com\.google\.\S+\w|threads \w+ were|time went to|\bmain was waiting for', theirs):
        judge.check(name in ours, f'{name!r} is not in: {ours}')
    judge.check(any(re.fullmatch(r'\(closure-compiler, pid \d+\)', line) for line in said), 'the program')
    judge.check(len(rows(shown)) == 3 and rows(shown) <= rows(said), f'rows: {rows(shown)} {sorted(rows(said))}')
    for line in shown:
        is_judged = ROW.match(line) or line in theirs or line.startswith(('(', '...')) or 'methodbeat report' in line
        judge.check(is_judged or line in said or line.strip() in theirs, f'not printed: {line!r}')


# ---- What is to be typed ----

def make_program(folder):
    with open(os.path.join(folder, 'App.java'), 'w', encoding='utf-8') as file:
        file.write(APP)
    judge.compile_java(os.path.join(folder, 'classes'), (os.path.join(folder, 'App.java'),))
    judge.must(('jar', '--create', '--file', 'app.jar', '--main-class', 'App', '-C', 'classes', '.'), cwd=folder)
    for name in 'old', 'new', 'app':
        judge.must((judge.METHODBEAT, 'run', '--trace', f'{name}.mbtrace', 'java', '-jar', 'app.jar'), cwd=folder)


def judge_line(line, folder, server):
    line = line.split('#')[0].strip().replace('--for 10 app.jar', f'--for 2 {server.pid}').replace('4711', str(server.pid))
    what = line.split()[1]
    with subprocess.Popen(('sh', '-c', 'exec ' + line), cwd=folder, env=environment(), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as child:
        if what == 'top':
            time.sleep(5)
            child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=120)[0]
    codes = (0, 3) if '--fail-above' in line else (0,)
    words = {'jvms': 'app.jar', 'report': 'App' if '--diff' in line else ''}.get(what, 'App.')
    judge.check(child.returncode in codes and words in said, f'{line}: {child.returncode} {said[-2000:]}')
    if '-o ' in line:
        path = os.path.join(folder, re.search(r'-o (\S+)', line)[1])
        judge.check(os.path.getsize(path) > 0, f'{line}: {path}')
    return what


def judge_typed():
    folder = judge.scratch_folder('typed')
    make_program(folder)
    with subprocess.Popen(('java', '-jar', 'app.jar', '300'), cwd=folder) as server:
        time.sleep(2)
        done = [judge_line(line, folder, server) for line in blocks('JVM')[0].strip('\n').splitlines()]
        server.kill()
    judge.check({'run', 'jvms', 'attach', 'top', 'report'} <= set(done), f'commands: {done}')


# ---- Figures ----

def judge_figures():
    """The range that the table of rivals gives is that of the table of costs; the samples say the same of speed."""
    wall = [float(figure) for figure in re.findall(r'\d\.\d+', re.search(r'^\| wall \|.*', README, re.M)[0])]
    said = re.search(r'([\d.]+) to ([\d.]+) times the wall time', README)
    worst = re.search(r'\*\*([\d.]+)\*\*; it', README)
    judge.check(said and worst and (float(said[1]), float(said[2]), float(worst[1])) == (min(wall), max(wall), max(wall)),
                f'cost: {said and said[0]}, {worst and worst[0]}, {wall}')
    samples = judge.read(os.path.join(judge.ROOT, 'samples', 'README.md'))
    warm = re.search(r'takes (\d+ to \d+) times as long in a warm JVM', README)
    judge.check(warm and f'{warm[1]} times warm' in samples, f'warm: {warm and warm[0]}')
    guava = re.search(r'Instrumenting guava takes ([\d.]+) s', README)
    fast = re.search(r'^\| guava \| [\d.]+ \| ([\d.]+)', samples, re.M)
    judge.check(guava and fast and abs(float(guava[1]) - float(fast[1])) < 0.005, f'guava: {guava and guava[0]}, {fast and fast[1]}')


def main():
    judge_figures()
    judge_typed()
    judge_shown()
    judge.finish()


main()
