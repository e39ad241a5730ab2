"""Jars in folders, fat jars and WARs do what they did before, as their own launchers start them.

usage: containers.py METHODBEAT
"""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import urllib.request
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

APP = '''package demo;
import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.math.IntMath;
public final class App {
    public static void main(String[] words) { System.out.println(say(words)); }
    static String say(String... words) {
        return Joiner.on(", ").join(ImmutableSortedSet.copyOf(words)) + ' ' + IntMath.factorial(5);
    }
}
'''
SERVLET = '''package demo;
import java.io.IOException;
import javax.servlet.http.*;
public final class Hello extends HttpServlet {
    @Override protected void doGet(HttpServletRequest in, HttpServletResponse out) throws IOException {
        if (in.getParameter("end") != null) {
            new Thread(() -> System.exit(0)).start();
        }
        out.getWriter().print(App.say("shelf", "table", "shelf"));
    }
}
'''
WEB_XML = '''<web-app xmlns="http://xmlns.jcp.org/xml/ns/javaee" version="3.1">
<servlet><servlet-name>h</servlet-name><servlet-class>demo.Hello</servlet-class></servlet>
<servlet-mapping><servlet-name>h</servlet-name><url-pattern>/hello</url-pattern></servlet-mapping>
</web-app>
'''
SCRIPT = b'#!/bin/sh\nexec java $JAVA_OPTS -jar "$0" "$@"\n'
LOG = 'org.eclipse.jetty.util.log'
WORDS = ('shelf', 'table', 'chair')
STARTED = re.compile(r'Started ServerConnector.*:(\d+)}')


def compile_app(guava, *class_path):
    sources = []
    for name, text in (('App', APP), ('Hello', SERVLET if class_path else None)):
        if text is not None:
            sources.append(judge.scratch('sources', f'{name}.java'))
            with open(sources[-1], 'w', encoding='utf-8') as file:
                file.write(text)
    return judge.compile_java(judge.scratch('classes', str(len(class_path))), sources,
                              '-cp', ':'.join((guava, *class_path)))


def pack(path, classes, prefix, others):
    """An archive of the classes below prefix, and of (name, bytes, compression)."""
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as jar:
        for name, data, compression in others:
            jar.writestr(zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6)), data, compression)
        for name, data in judge.classes(classes):
            jar.writestr(prefix + name, data)
    return path


def read_bytes(path):
    with open(path, 'rb') as file:
        return file.read()


def fat_jar(path, guava, loader, main):
    """As Spring Boot's plug-ins make them: the loader's classes, libraries stored."""
    manifest = (f'Manifest-Version: 1.0\nMain-Class: {main}\nStart-Class: demo.App\n'
                'Spring-Boot-Classes: BOOT-INF/classes/\nSpring-Boot-Lib: BOOT-INF/lib/\n\n')
    others = [('META-INF/MANIFEST.MF', manifest, zipfile.ZIP_DEFLATED)]
    others += [(name, b'', zipfile.ZIP_STORED)
               for name in ('BOOT-INF/', 'BOOT-INF/classes/', 'BOOT-INF/lib/')]
    with zipfile.ZipFile(loader) as jar:
        others += [(name, jar.read(name), zipfile.ZIP_DEFLATED) for name in jar.namelist()
                   if name.startswith('org/') and not name.endswith('/')]
    others.append(('BOOT-INF/lib/guava.jar', read_bytes(guava), zipfile.ZIP_STORED))
    return pack(path, compile_app(guava), 'BOOT-INF/classes/', others)


def war(path, guava, server):
    others = [('WEB-INF/web.xml', WEB_XML, zipfile.ZIP_DEFLATED),
              ('WEB-INF/lib/guava.jar', read_bytes(guava), zipfile.ZIP_DEFLATED)]
    return pack(path, compile_app(guava, server), 'WEB-INF/classes/', others)


def folder(path, guava):
    os.makedirs(path)
    shutil.copy(guava, path)
    pack(os.path.join(path, 'app.jar'), compile_app(guava), '', ())
    return path


def script_jar(path, jar):
    with open(path, 'wb') as file:
        file.write(SCRIPT + read_bytes(jar))
    os.chmod(path, 0o755)
    return path


# Each returns exit code and what was said.

def start_jar(path, count=None):
    done = judge.java('-jar', path, *WORDS, count=count)
    return done.returncode, done.stdout


def start_folder(path, count=None):
    done = judge.java('-cp', os.path.join(path, '*'), 'demo.App', *WORDS, count=count)
    return done.returncode, done.stdout


def start_script(path, count=None):
    options = judge.java_command(count=count)[1:]
    done = judge.run((path, *WORDS), env={**os.environ, 'JAVA_OPTS': ' '.join(options)})
    return done.returncode, done.stdout


def start_war(path, count=None):
    """In a Jetty that chooses its port, and says which."""
    server = judge.corpus('jetty-runner')
    command = judge.java_command(f'-D{LOG}.class={LOG}.StdErrLog', '-jar', server, '--host', '127.0.0.1', '--port', '0', path,
                                 count=count)
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                          cwd=judge.scratch_folder('server')) as jetty:
        said = ''
        for line in jetty.stderr:
            said += line
            if STARTED.search(line):
                break
        started = STARTED.search(said)
        if not started:
            return jetty.wait(timeout=240), said
        url = f'http://127.0.0.1:{started[1]}/hello'
        with urllib.request.urlopen(url, timeout=300) as answer:
            text = answer.read().decode()
        with contextlib.suppress(OSError), urllib.request.urlopen(url + '?end', timeout=300):
            pass
        jetty.stderr.read()
        return jetty.wait(timeout=300), text


def judge_container(what, original, start):
    before = start(original)
    judge.check(before[0] == 0 and '120' in before[1], f'{what} works as it is: {before}')
    output, count = judge.scratch(f'out-{what}'), judge.scratch('count')
    judge.instrument('--output', output, original)
    after = start(os.path.join(output, os.path.basename(original)), count=count)
    judge.check(after == before, f'{what}: {after}, was {before}')
    found = judge.totals(judge.read(count)) if os.path.exists(count) else None
    names = {name.split()[0] for _, name in
             judge.traced(os.path.join(output, 'methodMapping.txt'))}
    for name in 'demo.App', 'com.google.common.base.Joiner':
        judge.check(name in names, f'{what}: {name} is traced')
    if judge.check(found and found['in'] > 50 and found['unmatched_out'] == 0,
                   f'{what}: calls {found}'):
        os.unlink(count)
        print(f'{what}: {found["in"]} calls')


def main():
    guava, old, new, server = judge.corpus('guava', 'boot-loader-2', 'boot-loader-3',
                                           'jetty-runner')
    scratch = judge.scratch_folder('in')
    judge_container('folder', folder(os.path.join(scratch, 'lib'), guava), start_folder)
    fat = fat_jar(os.path.join(scratch, 'fat2.jar'), guava, old,
                  'org.springframework.boot.loader.JarLauncher')
    judge_container('fat jar, Spring Boot 2', fat, start_jar)
    judge_container('fat jar with a script', script_jar(os.path.join(scratch, 'run.jar'), fat),
                    start_script)
    judge_container('fat jar with a script, as a jar',
                    script_jar(os.path.join(scratch, 'same.jar'), fat), start_jar)
    fat = fat_jar(os.path.join(scratch, 'fat3.jar'), guava, new,
                  'org.springframework.boot.loader.launch.JarLauncher')
    judge_container('fat jar, Spring Boot 3', fat, start_jar)
    judge_container('WAR', war(os.path.join(scratch, 'app.war'), guava, server), start_war)
    judge.finish()


main()
