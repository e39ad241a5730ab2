"""The programs: where their classes are, and how each is run over something large or small."""
import glob
import os
import re
import shutil
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
FETCH = os.path.join(HERE, '..', '..', 'corpus', 'fetch.sh')


def must(*command, **more):
    """Standard output of a command that succeeds."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors='replace',
                          check=False, **more)
    if done.returncode != 0:
        raise RuntimeError(f'exit code {done.returncode}: {" ".join(map(str, command))[:300]}\n'
                           f'{done.stderr[-1500:]}')
    return done.stdout


class OutOfReach(Exception):
    """A download."""


def corpus(name):
    done = subprocess.run([FETCH, name], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OutOfReach(done.stderr.strip())
    return done.stdout.strip()


# Where tables are ordered by hash codes of objects. With equal ones javac does not understand large inputs.
SAME_HASHES = ('-XX:+UnlockExperimentalVMOptions', '-XX:hashCode=2')


class Program:
    """originals are the jars or class folders that get probes; work is a folder of its own."""
    name = ''
    java = ()  # options
    small_java = ()  # more, with small input
    is_deterministic = True  # with small input, the same calls each time

    def __init__(self, work):
        self.work = os.path.join(work, self.name)
        os.makedirs(self.work, exist_ok=True)
        self.originals = self.prepare()

    def path(self, *names):
        return os.path.join(self.work, *names)

    def out(self):
        shutil.rmtree(self.path('out'), ignore_errors=True)  # or a compiler reads what the run before it left
        os.makedirs(self.path('out'))
        return self.path('out')

    def write(self, name, text):
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text)
        return self.path(name)

    def prepare(self):
        """Fetch and make all that the runs need; the originals."""
        raise NotImplementedError

    def arguments(self, jars, is_large):
        """Of java, with these in place of the originals."""
        raise NotImplementedError


class H2(Program):
    name = 'h2'

    def prepare(self):
        must('javac', '-d', self.path('rows'), os.path.join(HERE, 'Rows.java'))
        return [corpus('h2'), self.path('rows')]

    def arguments(self, jars, is_large):
        return ('-cp', ':'.join(jars), 'Rows', 60000 if is_large else 3000)


class Fop(Program):
    name = 'fop'

    def prepare(self):
        for size in (8, 260):
            self.write(f'{size}.fo', document(size))
        return sorted(glob.glob(os.path.join(corpus('fop'), '*.jar')))

    def arguments(self, jars, is_large):
        return ('-cp', ':'.join(jars), 'org.apache.fop.cli.Main', '-q', '-fo',
                self.path('260.fo' if is_large else '8.fo'), '-pdf', os.path.join(self.out(), 'fo.pdf'))


class Closure(Program):
    name = 'closure'
    is_deterministic = False  # two threads share work
    small_java = SAME_HASHES

    def prepare(self):
        self.write('small.js', 'function hello(a, b) { var c = a ? b : 2; return c + 1; } alert(hello(1, 2));\n')
        return [corpus('closure')]

    def arguments(self, jars, is_large):
        return ('-jar', jars[0], '-W', 'QUIET', '--js', corpus('three') if is_large else self.path('small.js'),
                '--js_output_file', os.path.join(self.out(), 'out.js'))


class Javac(Program):
    name = 'javac'
    java = ('-Xmx1g',)
    small_java = SAME_HASHES

    def prepare(self):
        home = os.path.dirname(os.path.dirname(os.path.realpath(must('which', 'javac').strip())))
        with zipfile.ZipFile(os.path.join(home, 'lib', 'src.zip')) as sources:
            for name in sources.namelist():
                if name.startswith('java.base/java/util/') and name.endswith('.java'):
                    sources.extract(name, self.path('src'))
        return [corpus('jdk.compiler')]

    def arguments(self, jars, is_large):
        base = self.path('src', 'java.base')
        sources = glob.glob(os.path.join(base, 'java/util', '**' if is_large else 'regex', '*.java'), recursive=True)
        return ('--patch-module', f'jdk.compiler={jars[0]}', '--add-reads', 'jdk.compiler=ALL-UNNAMED',
                '-m', 'jdk.compiler/com.sun.tools.javac.Main', '-nowarn', '-XDignore.symbol.file',
                '--patch-module', f'java.base={base}', '-d', self.out(),
                *(() if is_large else ('-implicit:none',)), *sorted(sources))


class Kotlinc(Program):
    name = 'kotlinc'
    java = ('-Xmx1500m',)
    is_deterministic = False  # its compiler's services have threads of their own

    def prepare(self):
        with zipfile.ZipFile(corpus('kotlinpoet')) as sources:
            sources.extractall(self.path('src'))
        self.write('small.kt', 'fun main() { println(listOf(1, 2).map { it + 1 }) }\n')
        return [corpus('kotlin')]

    def arguments(self, jars, is_large):
        library = self.path('kotlinc' + re.sub(r'\W', '_', jars[0]), 'lib')  # it looks there for what it needs
        os.makedirs(library, exist_ok=True)
        for other in glob.glob('/usr/share/kotlin/kotlinc/lib/*.jar'):
            link = os.path.join(library, os.path.basename(other))
            if not os.path.lexists(link):
                os.symlink(jars[0] if link.endswith('/kotlin-compiler.jar') else other, link)
        sources = glob.glob(self.path('src', '**', '*.kt'), recursive=True)
        return ('-cp', os.path.join(library, 'kotlin-preloader.jar'), 'org.jetbrains.kotlin.preloading.Preloader',
                '-cp', os.path.join(library, 'kotlin-compiler.jar'), 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler',
                '-nowarn', '-cp', corpus('kotlin-reflect'), '-d', self.out(),
                *(sorted(sources) if is_large else [self.path('small.kt')]))


class Vnu(Program):
    name = 'vnu'
    small_java = SAME_HASHES

    def prepare(self):
        """The pages are what javadoc makes of java.util and its packages."""
        javac = Javac(os.path.dirname(self.work))
        if not os.path.isdir(self.path('pages')):
            must('javadoc', '-quiet', '-Xdoclint:none', '-notimestamp', '-nohelp', '-noindex', '-notree', '-d',
                 self.path('pages'), '--patch-module', f'java.base={javac.path("src", "java.base")}', '-sourcepath',
                 javac.path('src', 'java.base'), '-subpackages', 'java.util')
        self.write('small.html', '<!DOCTYPE html><html><head><title></title></head><body><p id=a><b><i></b></i>\n')
        return [corpus('vnu')]

    def arguments(self, jars, is_large):
        return ('-Dnu.validator.client.quiet=1', '-jar', jars[0], '--format', 'json', '--exit-zero-always',
                '--skip-non-html', self.path('pages' if is_large else 'small.html'))


PROGRAMS = (H2, Fop, Closure, Javac, Kotlinc, Vnu)

WORDS = ('the quick brown fox jumps over a lazy dog while seven wizards mix rare potions under old stone bridges'
         ' near quiet rivers').split()


def sentence(seed):
    return ' '.join(WORDS[(seed * 7 + i * i * 3 + i * seed) % len(WORDS)] for i in range(9 + seed % 13)) + '. '


def document(chapters):
    """XSL-FO: text in columns, tables, links, and page numbers that need the layout of other pages."""
    parts = ['<fo:root xmlns:fo="http://www.w3.org/1999/XSL/Format"><fo:layout-master-set>'
             '<fo:simple-page-master master-name="page" page-height="297mm" page-width="210mm" margin="20mm">'
             '<fo:region-body margin-top="10mm"/><fo:region-before extent="8mm"/></fo:simple-page-master>'
             '</fo:layout-master-set><fo:page-sequence master-reference="page">'
             '<fo:static-content flow-name="xsl-region-before"><fo:block text-align="end">page <fo:page-number/>'
             '</fo:block></fo:static-content><fo:flow flow-name="xsl-region-body">']
    for chapter in range(chapters):
        before = f'c{max(chapter - 1, 0)}'
        parts.append(f'<fo:block id="c{chapter}" font-size="14pt" space-before="12pt" keep-with-next="always">'
                     f'Chapter {chapter}</fo:block>')
        for seed in range(chapter * 11, chapter * 11 + 30, 5):
            text = ''.join(sentence(seed + i) for i in range(8))
            parts.append(f'<fo:block text-align="justify" space-after="4pt">{text}'
                         f'See <fo:basic-link internal-destination="{before}">before</fo:basic-link>, page '
                         f'<fo:page-number-citation ref-id="{before}"/>.</fo:block>')
        parts.append(table(chapter))
    return '\n'.join([*parts, '</fo:flow></fo:page-sequence></fo:root>', ''])


def table(seed):
    columns = ''.join(f'<fo:table-column column-width="{width}mm"/>' for width in (30, 50, 60))
    cell = '<fo:table-cell border="0.25pt solid gray" padding="1pt"><fo:block>{}</fo:block></fo:table-cell>'
    rows = ''.join('<fo:table-row>' + ''.join(cell.format(sentence(seed + row + column)[:40]) for column in range(3))
                   + '</fo:table-row>' for row in range(12))
    return (f'<fo:table table-layout="fixed" width="100%">{columns}<fo:table-body>{rows}</fo:table-body>'
            '</fo:table>')


if __name__ == '__main__':
    sys.exit('run.sh is the one to run')
