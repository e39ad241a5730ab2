"""PyPI: a wheel for each system, with the command among its scripts, and requirements.txt with their hashes."""
import os

import fixed
from built import HOMEPAGE, LICENCE, SUMMARY, TARGETS, read

HERE = os.path.dirname(os.path.abspath(__file__))


def metadata(version):
    return (f'Metadata-Version: 2.1\nName: methodbeat\nVersion: {version}\nSummary: {SUMMARY}\nLicense: {LICENCE}\n'
            f'Home-page: {HOMEPAGE}\nRequires-Python: >=3.7\nDescription-Content-Type: text/markdown\n\n'
            ).encode() + read(HERE, 'about.md')


def recorded(files, path):
    """The list of the files with their hashes, itself without."""
    lines = [f"{name},sha256={fixed.digest64(content, 'sha256').translate(str.maketrans('+/', '-_', '='))},{len(content)}"
             for name, content, _ in files]
    return '\n'.join((*lines, f'{path},,', '')).encode()


def wheel(built, version, name):
    target, base = TARGETS[name], f'methodbeat-{version}'
    said = ''.join(f'Tag: py3-none-{tag}\n' for tag in target.wheel.split('.'))
    files = [
        (f'{base}.data/scripts/{target.command}', built.command(name), 0o755),
        *((f'{base}.data/data/lib/methodbeat/{library}', content, 0o644) for library, content in built.libraries(name)),
        *((f'{base}.data/data/share/{path}', content, 0o644) for path, content in built.shared()),
        (f'{base}.dist-info/METADATA', metadata(version), 0o644),
        (f'{base}.dist-info/WHEEL', f'Wheel-Version: 1.0\nGenerator: methodbeat\nRoot-Is-Purelib: false\n{said}'.encode(),
         0o644),
        (f'{base}.dist-info/licenses/LICENSE', built.licence, 0o644)]
    path = f'{base}.dist-info/RECORD'
    return fixed.pack([*files, (path, recorded(files, path), 0o644)])


def write(built, version, folder):
    hashes = []
    for name in built.targets:
        content = wheel(built, version, name)
        fixed.write(os.path.join(folder, f'methodbeat-{version}-py3-none-{TARGETS[name].wheel}.whl'), content)
        hashes.append(f'--hash=sha256:{fixed.digest(content)}')
    fixed.write(os.path.join(folder, 'requirements.txt'),
                ' \\\n    '.join((f'methodbeat=={version}', *sorted(hashes))).encode() + b'\n')
