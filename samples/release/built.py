"""What was built, as the channels take it: a folder for each target, and one of jars."""
import collections
import os
import re
import struct

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUMMARY = 'Makes Java and Android programs record which methods ran and for how long'
HOMEPAGE = 'https://github.com/methodbeat/methodbeat'
LICENCE = 'BSD-3-Clause'

# The same machine in the words of npm, Maven (osdetector's), wheels and Debian.
Target = collections.namedtuple('Target', 'os cpu maven wheel debian command')
TARGETS = {
    'linux-x64': Target('linux', 'x64', 'linux-x86_64',
                        'manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64', 'amd64', 'methodbeat'),
    'linux-arm64': Target('linux', 'arm64', 'linux-aarch_64',
                          'manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64', 'arm64', 'methodbeat'),
    'macos-x64': Target('darwin', 'x64', 'osx-x86_64', 'macosx_11_0_x86_64', None, 'methodbeat'),
    'macos-arm64': Target('darwin', 'arm64', 'osx-aarch_64', 'macosx_11_0_arm64', None, 'methodbeat'),
    'windows-x64': Target('win32', 'x64', 'windows-x86_64', 'win_amd64', None, 'methodbeat.exe'),
    'windows-arm64': Target('win32', 'arm64', 'windows-aarch_64', 'win_arm64', None, 'methodbeat.exe'),
}
LIBRARIES = ('libmethodbeat.so', 'libmethodbeat-agent.so')  # what records; the command looks in ../lib/methodbeat
JARS = ('methodbeat-runtime.jar', 'methodbeat-noop.jar', 'methodbeat-android.aar', 'methodbeat-gradle.jar')


def read(*names):
    with open(os.path.join(*names), 'rb') as file:
        return file.read()


def source(*names):
    return read(ROOT, *names)


def version():
    """Of the one place that says it."""
    return re.search(r"^  version: '([0-9.]+)',$", source('meson.build').decode(), re.M)[1]


def is_static(elf):
    """No program header asks for a loader."""
    at, size, count = struct.unpack_from('<Q14xHH', elf, 32)
    return all(struct.unpack_from('<I', elf, at + i * size)[0] != 3 for i in range(count))


class Built:
    """targets: name -> file -> content; jars: name -> content."""

    def __init__(self, folder):
        self.folder = folder
        self.targets = {name: self._target(name, target.command) for name, target in TARGETS.items()
                        if os.path.exists(os.path.join(folder, name, target.command))}
        self.jars = self._present('jars', JARS)
        self.licence = source('LICENSE') + b''.join(self._present('.', ('third-party.txt',)).values())

    def _present(self, within, names):
        return {name: read(self.folder, within, name) for name in names
                if os.path.exists(os.path.join(self.folder, within, name))}

    def _target(self, name, command):
        return self._present(name, (command, *LIBRARIES))

    def libraries(self, name):
        return [(library, content) for library, content in self.targets[name].items() if library in LIBRARIES]

    def command(self, name):
        return self.targets[name][TARGETS[name].command]
