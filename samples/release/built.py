"""What was built, as the channels take it: a folder for each target, and one of jars."""
import collections
import configparser
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUMMARY = 'Makes Java and Android programs record which methods ran and for how long'
_ASKED = configparser.ConfigParser()
_ASKED.read(os.path.join(ROOT, 'samples', 'release', 'owner.ini'))
OWNER = _ASKED['owner']
HOMEPAGE = OWNER['homepage']
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
# What records, for glibc and for musl: the command looks for it in ../lib/methodbeat.
LIBRARIES = ('libmethodbeat.so', 'libmethodbeat-agent.so', 'musl/libmethodbeat.so', 'musl/libmethodbeat-agent.so')
JARS = ('methodbeat-runtime.jar', 'methodbeat-noop.jar', 'methodbeat-android.aar', 'methodbeat-gradle.jar')


def read(*names):
    with open(os.path.join(*names), 'rb') as file:
        return file.read()


def source(*names):
    return read(ROOT, *names)


def of_options():
    """The module that makes pages and completions from the table of options."""
    sys.path.insert(0, os.path.join(ROOT, 'src', 'cli'))
    import options  # pylint: disable=import-outside-toplevel
    return options


def manuals():
    """(name, bytes) of each page."""
    return [(os.path.basename(page), of_options().manual(page).encode()) for page in of_options().pages()]


def completions():
    """(path below share, bytes) for each shell."""
    return [(place, make().encode()) for place, make in of_options().SHELLS.values()]


def version():
    """Of the one place that says it."""
    return re.search(r"^  version: '([0-9.]+)',$", source('meson.build').decode(), re.M)[1]


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

    def shared(self):
        """(path below share, content) of what is the same for each system: jars, pages, completions."""
        yield from ((f'methodbeat/{jar}', content) for jar, content in self.jars.items()
                    if jar in ('methodbeat-runtime.jar', 'methodbeat-noop.jar'))
        yield from ((f'man/man1/{page}', content) for page, content in manuals())
        yield from completions()

    def command(self, name):
        return self.targets[name][TARGETS[name].command]
