"""What the suite 'gradle' shares: the plug-in, compiled, and projects that use it."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402
from distribution import Distribution  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PLUGIN = os.path.join(judge.ROOT, 'samples', 'gradle-plugin')

# An application of two modules and a library that came as a jar.
SHOP = {
    'settings.gradle': '''rootProject.name = 'shop'
include 'app', 'core'
''',
    'core/build.gradle': "apply plugin: 'java-library'\n",
    'core/src/main/java/core/Sum.java': '''package core;
public class Sum {
    public static int of(int... prices) { int sum = 0; for (int p : prices) sum += p; return sum; }
}
''',
    'app/src/main/java/app/Till.java': '''package app;
public class Till {
    static String bill(int... prices) { return words.Words.shout("sum " + core.Sum.of(prices)); }
    public static void main(String[] arguments) { System.out.println(bill(1, 2)); }
}
''',
}
WORDS = '''package words;
public class Words {
    public static String shout(String text) {
        String out = "";
        for (char c : text.toCharArray()) out += c;
        return out + "!";
    }
}
'''
METHODS = {'app.Till bill', 'app.Till main', 'core.Sum of', 'words.Words shout'}


def write(folder, files):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)


def library(path):
    """A jar of one class, which nobody has in a repository."""
    folder = judge.scratch_folder('words')
    write(folder, {'source/words/Words.java': WORDS})
    judge.compile_java(os.path.join(folder, 'classes'), (os.path.join(folder, 'source'),), '--release', '8',
                       '-Xlint:-options')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    judge.must(('jar', '--create', '--file', path, '-C', os.path.join(folder, 'classes'), '.'))


def methods(method_map):
    """The traced methods, without what the compiler gives them."""
    return {' '.join(name.split()[:2]) for _, name in judge.traced(method_map)}


def outcome(done, task):
    """What Gradle says of a task: UP-TO-DATE, FROM-CACHE, or '' if it ran; None if it does not mention it."""
    found = re.search(rf'^> Task {task}(?: (UP-TO-DATE|FROM-CACHE|FAILED|SKIPPED|NO-SOURCE))?$', done.stdout, re.M)
    return found and (found[1] or '')


class Gradle:
    """Runs a command that is Gradle, where `methodbeat` is found as if it were installed."""

    def __init__(self, command):
        self.command = command
        self.path = judge.scratch_folder('tools')
        if not os.path.exists(os.path.join(self.path, 'methodbeat')):
            os.symlink(judge.METHODBEAT, os.path.join(self.path, 'methodbeat'))
        self.home = judge.scratch_folder(f'gradle-home-{len(command)}')

    def run(self, folder, *arguments):
        return judge.run((*self.command, '--offline', '--console=plain', '--gradle-user-home', self.home,
                          *arguments), cwd=folder,
                         env={**os.environ, 'PATH': self.path + os.pathsep + os.environ['PATH']})

    def must(self, folder, *arguments):
        done = self.run(folder, *arguments)
        if done.returncode != 0:
            print(done.stdout[-6000:], done.stderr[-6000:])
            raise SystemExit(f'gradle {" ".join(arguments)}: {done.returncode}')
        return done


class Modern(Gradle):
    """A new Gradle with our plug-in and a stand-in for Android's."""

    def __init__(self):
        jars = judge.corpus(*(f'gradle-{part}' for part in ('api', 'kotlin', 'groovy', 'json', 'xml', 'ant')))
        self.kotlin, self.distribution = jars[1], Distribution(*jars)
        super().__init__(self.distribution.command)

    def plugin_jar(self):
        """The plug-in, compiled against Gradle's own classes and our stubs of AGP's."""
        plugin = self._compile(os.path.join(PLUGIN, 'src', 'main', 'java'), self._compile('agp'))
        write(plugin, {f'META-INF/gradle-plugins/{name}.properties': f'implementation-class=methodbeat.gradle.{main}\n'
                       for name, main in (('io.github.methodbeat', 'MethodBeatPlugin'), ('io.github.methodbeat.names', 'NamesPlugin'))})
        return self._jar(plugin)

    def agp_jar(self):
        """The stand-in, as a plug-in."""
        stubs = self._compile('agp')
        runner = self._compile('agp-runner', stubs)
        shutil.copytree(stubs, runner, dirs_exist_ok=True)
        for name, plugin in (('application', 'App'), ('library', 'Module'), ('dynamic-feature', 'Module')):
            write(runner, {f'META-INF/gradle-plugins/com.android.{name}.properties':
                           f'implementation-class=standin.{plugin}Plugin\n'})
        return self._jar(runner)

    def agp_stubs(self):
        """The class path that the plug-in's own build needs in place of AGP's."""
        return f'{self._compile("agp")}:{self.kotlin}'

    def _compile(self, sources, *class_path):
        target = judge.scratch('classes', os.path.basename(sources))
        if not os.path.isdir(target):
            judge.compile_java(target, (os.path.join(HERE, sources),), '--release', '8',
                               '-Xlint:all,-options,-processing', '-Werror', '-cp',
                               ':'.join((self.distribution.class_path, *class_path)))
        return target

    @staticmethod
    def _jar(folder):
        path = f'{folder}.jar'
        judge.must(('jar', '--create', '--file', path, '-C', folder, '.'))
        return path


def copy(folder, target):
    """A project at another place, without what was built."""
    return shutil.copytree(folder, target, ignore=shutil.ignore_patterns('build', '.gradle'))
