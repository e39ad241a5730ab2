"""npm: a package with the launcher, and an optional one for each system, of which npm takes the one that fits. No
script runs at install."""
import json
import os

import fixed
from built import HOMEPAGE, LICENCE, SUMMARY, TARGETS, read

HERE = os.path.dirname(os.path.abspath(__file__))


def described(name, version, **more):
    return json.dumps({'name': name, 'version': version, 'description': SUMMARY, 'license': LICENCE,
                       'homepage': HOMEPAGE, **more}, indent=2).encode() + b'\n'


def package(path, files):
    fixed.write(path, fixed.gz(fixed.tar([(f'package/{name}', *rest) for name, *rest in files])))


def write(built, version, folder):
    optional = {}
    for name in built.targets:
        system = TARGETS[name]
        own = f'{system.os}-{system.cpu}'
        optional[f'@methodbeat/{own}'] = version
        package(os.path.join(folder, f'methodbeat-{own}-{version}.tgz'), [
            ('package.json', described(f'@methodbeat/{own}', version, os=[system.os], cpu=[system.cpu],
                                       preferUnplugged=True), 0o644),
            ('LICENSE', built.licence, 0o644),
            (f'bin/{system.command}', built.command(name), 0o755),
            *((f'lib/methodbeat/{library}', content, 0o644) for library, content in built.libraries(name))])
    package(os.path.join(folder, f'methodbeat-{version}.tgz'), [
        ('package.json', described('methodbeat', version, bin={'methodbeat': 'cli.js'}, engines={'node': '>=14'},
                                   man=[f'share/{path}' for path, _ in built.shared() if path.startswith('man/')],
                                   optionalDependencies=optional), 0o644),
        ('LICENSE', built.licence, 0o644),
        ('README.md', read(HERE, 'about.md'), 0o644),
        *((f'share/{path}', content, 0o644) for path, content in built.shared()),
        ('cli.js', read(HERE, 'npm-launcher.js'), 0o755)])
