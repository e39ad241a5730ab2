"""Maven: a repository as a folder. The command has a classifier for each system, as protoc has; the plug-in for Gradle
has the two artifacts by which Gradle finds a plug-in by its name."""
import io
import os
import zipfile

import fixed
from built import HOMEPAGE, LICENCE, SUMMARY, TARGETS, read

PLUGINS = ('methodbeat', 'methodbeat.names')
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
    </license>
  </licenses>{more}
</project>
'''
NEEDS = '''
  <dependencies>
    <dependency>
      <groupId>methodbeat</groupId>
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
    def __init__(self, folder, group, artifact, version, packaging, more=''):
        self.base = os.path.join(folder, *group.split('.'), artifact, version, f'{artifact}-{version}')
        put(f'{self.base}.pom', POM.format(group=group, artifact=artifact, version=version, packaging=packaging,
                                           summary=SUMMARY, homepage=HOMEPAGE, licence=LICENCE, more=more).encode())

    def file(self, ending, content):
        put(self.base + ending, content)


def with_version(jar, version):
    """The plug-in knows by its manifest which version of the command is its own."""
    manifest = f'Manifest-Version: 1.0\r\nImplementation-Title: methodbeat\r\nImplementation-Version: {version}\r\n\r\n'
    with zipfile.ZipFile(io.BytesIO(jar)) as given:
        names = sorted(name for name in given.namelist() if name != 'META-INF/MANIFEST.MF' and not name.endswith('/'))
        return fixed.pack([('META-INF/MANIFEST.MF', manifest.encode(), 0o644),
                           *((name, given.read(name), 0o644) for name in names)])


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


def write(built, version, folder):
    command = Artifact(folder, 'methodbeat', 'methodbeat', version, 'pom')
    for name in built.targets:
        command.file(f'-{TARGETS[name].maven}.exe', built.command(name))
        for library, content in built.libraries(name):
            if library == 'libmethodbeat.so':
                command.file(f'-{TARGETS[name].maven}.so', content)
    for name, content in built.jars.items():
        artifact, packaging = name.rsplit('.', 1)
        if artifact == 'methodbeat-gradle':
            content = with_version(content, version)
            for plugin in PLUGINS:
                Artifact(folder, plugin, f'{plugin}.gradle.plugin', version, 'pom', NEEDS.format(version=version))
        Artifact(folder, 'methodbeat', artifact, version, packaging).file(f'.{packaging}', content)
    fixed.write(os.path.join(folder, 'verification-metadata.xml'),
                VERIFICATION.format(components=''.join(verification(folder))).encode())
