"""Maven: a repository as a folder. The command has a classifier for each system, as protoc has; the plug-in for Gradle
has the two artifacts by which Gradle finds a plug-in by its name."""
import io
import os
import re
import zipfile

import fixed
from built import HOMEPAGE, LICENCE, OWNER, ROOT, SUMMARY, TARGETS, read

GROUP = OWNER['group']
POM = '''<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>{group}</groupId>
  <artifactId>{artifact}</artifactId>
  <version>{version}</version>
  <packaging>{packaging}</packaging>
  <name>{artifact}</name>
  <description>{summary}</description>
  <url>{homepage}</url>
  <licenses>
    <license>
      <name>{licence}</name>
      <url>https://spdx.org/licenses/{licence}.html</url>
    </license>
  </licenses>
  <developers>
    <developer>
      <name>{name}</name>
      <email>{email}</email>
    </developer>
  </developers>
  <scm>
    <connection>scm:git:https://{repository}</connection>
    <developerConnection>scm:git:https://{repository}</developerConnection>
    <url>{homepage}</url>
  </scm>{more}
</project>
'''
NEEDS = '''
  <dependencies>
    <dependency>
      <groupId>{group}</groupId>
      <artifactId>methodbeat-gradle</artifactId>
      <version>{version}</version>
    </dependency>
  </dependencies>'''


VERIFICATION = '''<?xml version="1.0" encoding="UTF-8"?>
<verification-metadata xmlns="https://schema.gradle.org/dependency-verification">
   <configuration>
      <verify-metadata>true</verify-metadata>
      <verify-signatures>false</verify-signatures>
   </configuration>
   <components>
{components}   </components>
</verification-metadata>
'''


def put(path, content):
    fixed.write(path, content)
    for kind in ('md5', 'sha1', 'sha256', 'sha512'):
        fixed.write(f'{path}.{kind}', fixed.digest(content, kind).encode())


class Artifact:
    """In a group of its own, or in the group of all."""

    def __init__(self, folder, artifact, version, packaging, group=GROUP, more=''):
        self.base = os.path.join(folder, *group.split('.'), artifact, version, f'{artifact}-{version}')
        put(f'{self.base}.pom', POM.format(group=group, artifact=artifact, version=version, packaging=packaging,
                                           summary=SUMMARY, licence=LICENCE, more=more,
                                           **{key: OWNER[key] for key in ("name", "email", "homepage", "repository")}).encode())

    def file(self, ending, content):
        put(self.base + ending, content)


def manifest(version):
    """The plug-in knows by it whose it is, and which version of the command is its own."""
    return (f'Manifest-Version: 1.0\r\nImplementation-Title: methodbeat\r\nImplementation-Vendor: {GROUP}\r\n'
            f'Implementation-Version: {version}\r\n\r\n').encode()


def plugins(jar):
    """Their ids, by which builds apply them; each begins with the group."""
    with zipfile.ZipFile(io.BytesIO(jar)) as given:
        ids = [found[1] for found in (re.fullmatch(r'META-INF/gradle-plugins/(.*)\.properties', name)
                                      for name in given.namelist()) if found]
    for name in ids:
        if not f'{name}.'.startswith(f'{GROUP}.'):
            raise SystemExit(f'the plug-in {name} is not in the group {GROUP} of owner.ini')
    return ids


# What the classes of a jar are made of.
SOURCES = {'methodbeat-runtime': ('src/jni/java',), 'methodbeat-noop': ('src/jni/noop',),
           'methodbeat-android': ('src/jni/java', 'src/jni/android'),
           'methodbeat-gradle': ('samples/gradle-plugin/src/main/java',)}
NO_PAGES = b'The comments of the sources say what each class and method does: see the jar of sources beside this one.\n'


def sources(artifact):
    """A jar of them."""
    tops = [os.path.join(ROOT, top) for top in SOURCES[artifact]]
    found = {os.path.relpath(os.path.join(folder, name), top): read(folder, name)
             for top in tops for folder, _, names in os.walk(top) for name in names if name.endswith('.java')}
    return fixed.pack([(name, found[name], 0o644) for name in sorted(found)])


def verification(folder):
    """The sums of all that is there, for builds in which Gradle verifies what it takes."""
    for at, folders, names in os.walk(folder):
        folders.sort()
        files = sorted(name for name in names if name.endswith(('.pom', '.jar', '.aar', '.exe', '.so')))
        if files:
            group, artifact, version = os.path.relpath(at, folder).rsplit(os.sep, 2)
            yield f'      <component group="{group.replace(os.sep, ".")}" name="{artifact}" version="{version}">\n'
            for name in files:
                yield (f'         <artifact name="{name}">\n            <sha256 value="{fixed.digest(read(at, name))}"'
                       ' origin="release"/>\n         </artifact>\n')
            yield '      </component>\n'


def write_commands(built, version, folder):
    command = Artifact(folder, 'methodbeat', version, 'pom')
    for name in built.targets:
        command.file(f'-{TARGETS[name].maven}.exe', built.command(name))
        for library, content in built.libraries(name):
            if library.endswith('libmethodbeat.so'):
                command.file(f'-{TARGETS[name].maven}{"-musl" * library.startswith("musl/")}.so', content)


def write(built, version, folder):
    if built.targets:
        write_commands(built, version, folder)
    for name, content in built.jars.items():
        artifact, packaging = name.rsplit('.', 1)
        if artifact == 'methodbeat-gradle':
            content = fixed.repack(content, manifest(version))
            for plugin in plugins(content):
                Artifact(folder, f'{plugin}.gradle.plugin', version, 'pom', plugin, NEEDS.format(group=GROUP, version=version))
        own = Artifact(folder, artifact, version, packaging)
        own.file(f'.{packaging}', content)
        own.file('-sources.jar', sources(artifact))
        own.file('-javadoc.jar', fixed.pack([('README.txt', NO_PAGES, 0o644)]))
    fixed.write(os.path.join(folder, 'verification-metadata.xml'),
                VERIFICATION.format(components=''.join(verification(folder))).encode())
