"""A Gradle that runs, made of its classes as Maven Central has them.

Of Gradle itself only Debian's 4.4.1 is in reach. But `dev.gradleplugins:gradle-api` carries all classes of
a release in one jar, its command line, configuration cache and build cache among them. Here that jar gets
what it needs to start: for each module an empty jar that names its parts, where Gradle looks for them.
What is not in it: the half of the incremental compiler that runs in javac (`missing` stands in for it), the
workers that tests run in, scripts in Kotlin. 8.7 is the newest of which the jar has the command line.
"""
import mmap
import os
import re
import shutil
import zipfile

import judge

HERE = os.path.dirname(os.path.abspath(__file__))
# What must not be in a jar that Gradle is started from: that it cannot be; and file systems, which the JVM
# asks for by the loader that is about to load them.
UNWANTED = (b'META-INF/.gradle-runtime-shaded', b'META-INF/services/java.nio.file.spi.FileSystemProvider')
MANIFEST = re.compile(r'(gradle-[a-z0-9-]+)-classpath\.properties')
# Modules that are not in the jar, with our stand-ins for them, and libraries that are looked for by name.
MISSING = ('gradle-installation-beacon', 'gradle-java-compiler-plugin', 'gradle-worker-main')
EXTERNAL = ('ant', 'ant-launcher', 'javax.inject', 'javaparser-core', 'groovy-astbuilder', 'groovy-console',
            'groovy-datetime', 'groovy-dateutil', 'groovy-docgenerator', 'groovy-groovydoc', 'groovy-nio',
            'groovy-sql', 'groovy-swing', 'groovy-templates', 'groovy-test')
OPENED = ('java.lang', 'java.lang.invoke', 'java.util', 'java.net', 'java.nio.charset',
          'java.util.concurrent.atomic')  # what Gradle itself has opened in its processes
JVM = (*judge.BRIEF, '-Dorg.gradle.internal.instrumentation.agent=false',
       *(f'--add-opens=java.base/{package}=ALL-UNNAMED' for package in OPENED))


class Distribution:
    """A Gradle home; gradle() runs it."""

    def __init__(self, api, *languages):
        self.version = re.search(r'gradle-api-([0-9.]+)\.jar$', api)[1]
        self.home = judge.scratch_folder(f'gradle-{self.version}')
        self.lib = judge.scratch_folder(self.home, 'lib')
        judge.scratch_folder(self.lib, 'plugins')  # by which Gradle knows its home
        whole = self._jar('gradle-all')
        shutil.copy(api, whole)
        self._hide(whole)
        self.languages = [shutil.copy(jar, self.lib) for jar in languages]
        runtime = ','.join(os.path.basename(path) for path in (whole, *self.languages))
        with zipfile.ZipFile(whole) as jar:
            for name in jar.namelist():
                if MANIFEST.fullmatch(name):
                    self._module(MANIFEST.fullmatch(name)[1], jar.read(name).decode(), runtime)
        for name in MISSING:
            self._module(name, 'projects=\n', runtime)
        self._add_missing()
        for name in EXTERNAL:
            self._empty(self._jar(name))
        self.class_path = ':'.join((whole, self._jar('gradle-installation-beacon'), *self.languages))

    @staticmethod
    def _hide(path):
        """Another name, of the same length, so that nothing in the jar moves."""
        with open(path, 'r+b') as file, mmap.mmap(file.fileno(), 0) as content:
            for name in UNWANTED:
                at = content.find(name)
                while at >= 0:
                    content[at:at + len(name)] = name[:-1] + b'_'
                    at = content.find(name, at)

    def _jar(self, name):
        return os.path.join(self.lib, f'{name}-{self.version}.jar')

    def _empty(self, path, *files):
        with zipfile.ZipFile(path, 'w') as jar:
            for name, text in files:
                jar.writestr(name, text)

    def _module(self, name, manifest, runtime):
        lines = [line for line in manifest.splitlines() if not line.startswith('runtime=')]
        self._empty(self._jar(name),
                    (f'{name}-classpath.properties', '\n'.join((*lines, f'runtime={runtime}', ''))))

    def _add_missing(self):
        classes = judge.compile_java(judge.scratch('missing'), (os.path.join(HERE, 'missing'),))
        for module in MISSING[:2]:
            with zipfile.ZipFile(self._jar(module), 'a') as jar:
                for name in judge.class_names(classes):
                    jar.write(os.path.join(classes, name), name)

    @property
    def command(self):
        """Its command line, in one process."""
        return ('java', *JVM, '-cp', self.class_path, 'org.gradle.launcher.GradleMain', '--no-daemon')
