"""Programs on Android's own framework: its classes as compiled for a JVM, of a level that is asked for.

Robolectric carries them. In its mode INSTRUMENTATION_TEST the main thread runs the framework's own
Looper.loop, and messages, frames, life cycles and the focus come the way they come on a device; what
lies below, in native code, it imitates. Clocks are the JVM's, but for those of the framework, which
stand still until somebody waits for them.
"""
import glob
import os
import re
import signal
import subprocess
import time
import zipfile

import judge

MOST_SECONDS = 900  # a run takes 5 on an idle machine
DIED = 9  # the exit code of a test that ends the process itself
NEWEST = 34  # what imitates native code is compiled against it
PINNED = 'android-all-instrumented-15-robolectric-12650502-i7.jar'  # see Framework


def run_or_dump(command):
    """judge.run, but a JVM that hangs says where."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors='replace', cwd=judge.scratch_folder('run')) as process:
        try:
            output = process.communicate(timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGQUIT)
            time.sleep(5)
            process.kill()
            output = process.communicate()
            print(f'still running after {MOST_SECONDS} seconds:\n{output[0][-20000:]}')
        return subprocess.CompletedProcess(command, process.returncode, *output)


def facts_of(lines):
    """Of lines FACT name value: the values of each name, in order."""
    facts = {}
    for line in lines:
        if line.startswith('FACT '):
            _, name, value = line.split(' ', 2)
            facts.setdefault(name, []).append(value)
    return facts


class Framework:
    """A level of it, fetched when needed."""

    def __init__(self, level):
        self.level = level
        jars, junit, hamcrest, own, newest = judge.corpus(
            'robolectric', 'junit', 'hamcrest', f'robolectric-{level}', f'robolectric-{NEWEST}')
        self.jars = [newest, junit, hamcrest, *sorted(glob.glob(f'{jars}/*.jar')),
                     *(self._classes_of(aar) for aar in sorted(glob.glob(f'{jars}/*.aar')))]
        self.levels = judge.scratch_folder(f'levels-{level}')
        # Robolectric takes resources from the newest level it knows, which we do not have.
        for name in {os.path.basename(own), PINNED}:
            if not os.path.lexists(os.path.join(self.levels, name)):  # made twice in one run
                os.symlink(own, os.path.join(self.levels, name))

    @staticmethod
    def _classes_of(archive):
        target = judge.scratch('aar', os.path.basename(archive) + '.jar')
        with zipfile.ZipFile(archive) as file, open(target, 'wb') as out:
            out.write(file.read('classes.jar'))
        return target

    def compile(self, name, sources, *class_path):
        return judge.compile_java(judge.scratch('classes', name), sources, '-cp',
                                  ':'.join((*class_path, *self.jars)))

    def run(self, test, *class_path, application='android.app.Application', options=(), dies=False):
        """What the test prints, a list of lines; it must pass, or end the process."""
        settings = judge.scratch(f'settings-{test}-{self.level}', 'robolectric.properties')
        with open(settings, 'w', encoding='utf-8') as file:
            file.write(f'sdk={self.level}\napplication={application}\nmanifest=--none\n')
        done = run_or_dump(
            ('java', *judge.BRIEF, '-Xshare:auto', f'-Djava.io.tmpdir={judge.scratch_folder("tmp")}',
             '-Drobolectric.offline=true',
             f'-Drobolectric.dependency.dir={self.levels}', '-Drobolectric.graphicsMode=LEGACY',
             '-Drobolectric.conscryptMode=OFF', *options, '-cp',
             ':'.join((os.path.dirname(settings), *class_path, *self.jars)),
             'org.junit.runner.JUnitCore', test))
        passes = done.returncode == 0 and re.search(r'^OK \(', done.stdout, re.M)
        judge.check(done.returncode == DIED if dies else passes,
                    f'{test} at level {self.level}: exit code {done.returncode}\n'
                    f'{done.stdout[-6000:]}\n{done.stderr[-3000:]}')
        return [line.lstrip('.') for line in done.stdout.splitlines()]  # JUnit's, one for a test
