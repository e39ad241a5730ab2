"""Android's own runtime, built from packages (build.sh): dex for it, programs in it, and what its verifier says.

It interprets, since Debian has neither its compiler nor images; it is Android 11's with the java.* of Android 10.
Every program runs under CheckJNI.
"""
import atexit
import hashlib
import os
import re
import subprocess
import zipfile

import judge

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARIES = '/usr/lib/x86_64-linux-gnu/android'
ROOTS = ('ROOT', 'DATA', 'ART_ROOT', 'I18N_ROOT', 'TZDATA_ROOT', 'RUNTIME_ROOT')
MIN_API = 26  # the first whose ART honours @CriticalNative
OPTIONS = ('-Ximage:/nonexistent/boot.art', '-Xnorelocate', '-Xnoimage-dex2oat', '-Xusejit:false')
# What ART says of code or natives that it finds wrong. It says more that is of no interest here.
COMPLAINT = re.compile(r'JNI (?:DETECTED|ERROR|WARNING)|CheckJNI|VerifyError|failed lock verification|'
                       r'Rejecting (?:class|re-init)|Verification (?:error|failed)|Fatal signal|Check failed')
LOCKS = re.compile(r'Class (.*?) failed lock verification')
SLOW = '-'  # no class has that name
VERDICTS = ('clean', 'access', 'soft', 'hard', 'unlinked')  # ever worse


class Dexer:
    """D8 in one process, which gets faster; jars of dex are what it makes."""

    def __init__(self, home):
        self.home = home
        self.log = judge.scratch('d8.log')
        with open(self.log, 'wb') as log:
            self.process = subprocess.Popen(
                ('java', '-Xmx2g', *judge.BRIEF, '-cp', f'{home}/tools.jar:{home}/d8.jar', 'Dexer'),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        atexit.register(self.process.kill)

    def make(self, output, *jars, class_path=(), min_api=MIN_API):
        words = ['--min-api', str(min_api), '--lib', f'{self.home}/core.jar', '--output', output]
        for path in class_path:
            words += '--classpath', path
        self.process.stdin.write('\t'.join((*words, *jars)) + '\n')
        self.process.stdin.flush()
        if self.process.stdout.readline() != 'done\n':
            raise SystemExit(f'D8 of {jars}: {judge.read(self.log)[-3000:]}')
        return output


def build():
    """The folder of the runtime, built when needed; the suite is skipped where its packages are out of reach."""
    done = judge.run((os.path.join(HERE, 'build.sh'),), timeout=3600)
    if done.returncode == 77 or 'out of reach' in done.stderr:
        judge.skip(done.stderr.strip())
    if done.returncode != 0:
        print(done.stderr)
        raise SystemExit(1)
    return done.stdout.strip()


class Art:
    def __init__(self):
        self.home = build()
        self.dexer = None
        self.made = {}  # what verdicts link with
        root = judge.scratch_folder('android')
        for name in 'data/dalvik-cache', 'none':
            judge.scratch_folder(root, name)
        self.environment = {
            **os.environ, **{f'ANDROID_{name}': f'{root}/none' for name in ROOTS}, 'ANDROID_DATA': f'{root}/data',
            'ANDROID_LOG_TAGS': '*:w', 'LD_LIBRARY_PATH': f'{self.home}/lib:{LIBRARIES}', 'TZ': 'UTC'}

    # ---- Dex ----

    def dex(self, name, *paths, class_path=()):
        """A jar with the dex of jars and folders of classes, and all else that is in them."""
        self.dexer = self.dexer or Dexer(self.home)
        jars = [self._jar_of(path) for path in paths]
        output = self.dexer.make(judge.scratch('dex', f'{name}.jar'), *jars,
                                 class_path=[self._jar_of(path) for path in class_path])
        with zipfile.ZipFile(output, 'a') as out:
            known = set(out.namelist())
            for jar in map(zipfile.ZipFile, jars):
                for entry in jar.namelist():
                    if not entry.endswith(('.class', '/')) and entry not in known:
                        known.add(entry)
                        out.writestr(entry, jar.read(entry))
        return output

    def _dex_once(self, paths):
        if paths not in self.made:
            self.made[paths] = self.dex(f'path-{len(self.made)}', *paths)
        return self.made[paths]

    @staticmethod
    def _jar_of(path):
        """D8 takes jars; a folder becomes one."""
        if not os.path.isdir(path):
            return path
        name = hashlib.sha256(path.encode()).hexdigest()[:12]
        with zipfile.ZipFile(judge.scratch('jars', f'{name}.jar'), 'w') as jar:
            for folder, _, names in sorted(os.walk(path)):
                for each in sorted(names):
                    jar.write(os.path.join(folder, each), os.path.relpath(os.path.join(folder, each), path))
        return jar.filename

    # ---- Programs ----

    def run(self, main, *arguments, class_path, settings=None, options=(), check_jni=True, timeout=300):
        """Run a program to its end; complaints are of lines of ART's own on standard error."""
        boot = f'{self.home}/boot-core.jar:{self.home}/boot-icu.jar'
        words = [f'-D{name}={value}' for name, value in (settings or {}).items()]
        done = judge.run(
            (f'{self.home}/run', f'-Xbootclasspath:{boot}', f'-Xbootclasspath-locations:{boot}', *OPTIONS,
             *(('-Xcheck:jni',) if check_jni else ()), f'-Djava.class.path={":".join(class_path)}', *words, *options,
             '--', main, *arguments), timeout=timeout, env=self.environment)
        done.complaints = [line for line in done.stderr.splitlines() if COMPLAINT.search(line)]
        return done

    # ---- The verifier ----

    def judge_classes(self, dex, class_path=()):
        """What the verifier says of each class in a jar of dex."""
        report = judge.scratch('verdicts')
        done = self.run('Verify', f'{self.home}/lib/libverify.so', report, dex, ':'.join(class_path),
                        class_path=(f'{self.home}/verify.jar',), options=('-Xmx1g',), check_jni=False, timeout=1200)
        if done.returncode != 0:
            raise SystemExit(f'Verify {dex}: {done.returncode} {done.stderr[-3000:]}')
        slow = sorted(set(LOCKS.findall(done.stderr)))
        return judge.read(report) + ''.join(f'{SLOW} {name}\n' for name in slow)

    def verdicts(self, name, jars, class_path):
        """The Verdicts of jars of classes that are linked with others, and whether ART said so before, of the same bytes."""
        digest = hashlib.sha256()
        for jar in (*jars, *class_path):
            with open(jar, 'rb') as file:
                digest.update(file.read())
        path = os.path.join(self.home, 'verdicts', digest.hexdigest())
        if os.path.exists(path):
            return Verdicts(judge.read(path)), True
        dex = self.dex(name, *jars)
        text = self.judge_classes(dex, [self._dex_once(class_path)])
        os.unlink(dex)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(f'{path}.{os.getpid()}', 'w', encoding='utf-8') as file:
            file.write(text)
        os.replace(f'{path}.{os.getpid()}', path)
        return Verdicts(text), False


class Verdicts:
    """classes: name to (one of VERDICTS, why); slow: the classes with a method that ART never
    compiles, for the monitors that it holds."""

    def __init__(self, text):
        rows = [line.split(' ', 2) for line in text.splitlines()]
        self.classes = {name: (verdict, ' '.join(why)) for name, verdict, *why in rows if name != SLOW}
        self.slow = {' '.join(row[1:]) for row in rows if row[0] == SLOW}

    def __str__(self):
        kinds = [verdict for verdict, _ in self.classes.values()]
        counts = ', '.join(f'{kinds.count(kind)} {kind}' for kind in VERDICTS if kind in kinds)
        return f'{len(kinds)} classes: {counts}; {len(self.slow)} slow'

    def worse(self, after):
        """What ART thinks worse of afterwards, or what is gone, as lines."""
        def rank(verdict):
            return VERDICTS.index(verdict[0]) if verdict else len(VERDICTS)

        return [f'{name}: {after.classes.get(name)}, was {verdict}' for name, verdict in self.classes.items()
                if rank(after.classes.get(name)) > rank(verdict)] + [f'{name}: slow' for name in sorted(after.slow - self.slow)]
