"""What the files of an Android app say of whom they come from, and what they never do. Its system are a few classes
that say what they are told to; the true ones are in app.py.

usage: identity.py METHODBEAT RUNTIME_JAR ANDROID_JAR LIBRARY
"""
import glob
import json
import os
import re
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402

RUNTIME, ANDROID, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
SYSTEM = {'package.name': 'com.acme', 'package.version': '5.2.1', 'package.code': 521, 'maker': 'Acme', 'model': 'Anvil 3',
          'abi': 'arm64-v8a'}
USUAL = {'id': 'com.acme', 'version': '5.2.1', 'code': 521, 'maker': 'Acme', 'model': 'Anvil 3', 'os': 'Android',
         'os_level': '23', 'abi': 'arm64-v8a', 'share': 10000}
KEYS = {'id', 'version', 'code', 'channel', 'build', 'r8', 'device', 'model', 'maker', 'os', 'os_level', 'abi', 'cores', 'memory', 'class', 'share',
        'session'}
ASKED = {'Context.getPackageManager', 'Context.getPackageName', 'PackageManager.getPackageInfo', 'PackageInfo.packageName',
         'PackageInfo.versionName', 'PackageInfo.versionCode', 'Build.MANUFACTURER', 'Build.MODEL', 'Build.CPU_ABI',
         'Build$VERSION.SDK_INT'}
NEVER = re.compile(r'android/(?:accounts|bluetooth|location|net|nfc|provider|telephony)\b|advertis|\bSERIAL\b|getSerial|\bIMEI\b|'
                   r'Settings\$Secure|java/net/(?:Inet|Network)', re.I)


class Run:
    """Of the app, with other properties of the system and settings: what app is in its files, and what it said."""

    def __init__(self, name, *settings, first=(), **system):
        self.name, self.spool = name, judge.scratch_folder(f'spool-{name}')
        told = {**SYSTEM, **{key.replace('_', '.'): value for key, value in system.items()}}
        done = judge.run(('java', '-Xcheck:jni', f'-Dmethodbeat.library={LIBRARY}',
                          *(f'-D{key}={value}' for key, value in told.items() if value is not None), '-cp',
                          ':'.join((*first, judge.scratch('app'), RUNTIME, ANDROID, judge.scratch('stubs'))),
                          'methodbeat.Shown', f'spool={self.spool}', *settings), env={**os.environ, 'LC_ALL': 'C.UTF-8'})
        self.check(done.returncode == 0 and done.stdout == 'watched true\ntold true\n', done)
        self.said = [line for line in done.stderr.splitlines() if 'Android is not watched' not in line]
        self.files = {path: judge.read(path) for path in glob.glob(f'{self.spool}/**/*', recursive=True) if os.path.isfile(path)}
        self.found = [json.loads(text) for path, text in self.files.items() if path.endswith('.json')]
        self.apps = [found.get('app') or found.get('methodbeat', {}).get('app') for found in self.found
                     if 'issues' in found or 'methodbeat' in found]
        self.app = self.apps[0] if self.apps else {}
        self.check(self.apps and all(app == self.app for app in self.apps), f'its files say the same: {self.apps}')

    def check(self, holds, shown):
        judge.check(holds, f'{self.name}: {shown}')

    def has(self, **wanted):
        """These, and no key that is not documented."""
        found = {key: self.app.get(key) for key in wanted}
        self.check(found == wanted and set(self.app) <= KEYS and not self.said, f'{self.app} is not {wanted}; {self.said}')


def judge_usual():
    run = Run('usual')
    run.has(**USUAL)
    run.check(set(run.app) == set(USUAL) | {'cores', 'memory', 'class', 'device', 'session'} and run.app['cores'] > 0 and
              re.fullmatch('[0-9a-f]{16}', run.app['device']), run.app)
    run.check(len(run.apps) == 2, f'an issue and a session: {list(run.files)}')
    run.check(Run('again').app['device'] != run.app['device'], 'each installation has a number of its own')
    for path in '/etc/machine-id', '/proc/sys/kernel/random/boot_id':
        number = judge.read(path).strip() if os.path.exists(path) else 'none'
        run.check(not any(form in text for text in run.files.values() for form in (number, number[:16], number.replace('-', ''))),
                  f'the number of the machine, {path}')


def judge_given():
    """What the program says goes before what the system says; app= is silence."""
    Run('given', 'app=id=mine,version=9,channel=beta').has(**{**USUAL, 'id': 'mine', 'version': '9', 'channel': 'beta'})
    Run('property', methodbeat_app='channel=beta').has(**USUAL, channel='beta')
    Run('twice', 'app=channel=beta', 'app=channel=alpha').has(**USUAL, channel='alpha')
    silent = Run('silent', 'app=')
    silent.check(silent.apps == [None] and not os.path.exists(f'{silent.spool}/.device') and
                 not any('Anvil' in text or 'com.acme' in text for text in silent.files.values()), silent.files)


def judge_hostile():
    """One odd value leaves the others as they are."""
    Run('commas', package_version='5,2=x').has(**{**USUAL, 'version': '5_2=x'})
    Run('lines', package_version=' 5.2\n\u202e\x7f\t"}').has(**{**USUAL, 'version': '5.2____"}'})
    Run('letters', package_version='5.2 β+1', model='红米 😀').has(**{**USUAL, 'version': '5.2 β+1', 'model': '红米 😀'})
    Run('half', model='odd').has(**{**USUAL, 'model': 'odd_'})
    Run('empty', package_version=None, package_code=-1, model='', maker=' ').has(version=None, code=None, model=None, maker=None,
                                                                                 id='com.acme', os='Android')
    long = Run('long', package_name='c' * 300, package_version='ü' * 300, model='😀' * 99, maker='m' * 127, abi='a' * 200)
    long.has(id='c' * 127, version='ü' * 63, model='😀' * 31, maker='m' * 127, os='Android')
    full = Run('full', 'app=' + ','.join(f'{key}={"x" * 121}' for key in ('channel', 'build', 'r8', 'device', 'abi', 'os')),
               package_name='c' * 300, package_version='v' * 300)
    full.check(full.app['id'] == 'c' * 127 and 'version' not in full.app and full.app['os_level'] == '23' and not full.said, full.app)
    gone = Run('gone', package_name=None)
    gone.check(gone.app['model'] == 'Anvil 3' and 'version' not in gone.app and
               len(gone.said) == 1 and 'version of the app is not known' in gone.said[0], f'{gone.app} {gone.said}')


def judge_build():
    """The build's class says which method map, and may say more; R8 leaves its number in place of files' names."""
    source = judge.scratch('built', 'Mapping.java')
    with open(source, 'w', encoding='utf-8') as file:
        file.write('package methodbeat; public class Mapping { public static final String HASH = "00000000000000ab",'
                   ' APP = "channel=beta,version=none"; }')
    built = judge.compile_java(judge.scratch('mapping'), (source,))
    Run('built', first=(built,)).has(**USUAL, build='00000000000000ab', channel='beta')
    silent = Run('built-silent', 'app=', first=(built,))
    silent.check(silent.apps == [None], silent.apps)
    shrunk = judge.scratch('shrunk', 'methodbeat', 'Device.class')
    with zipfile.ZipFile(ANDROID) as jar, open(shrunk, 'wb') as file:
        file.write(jar.read('methodbeat/Device.class').replace(b'\x01\x00\x0bDevice.java', b'\x01\x00\x11r8-map-id-0a1b2c3'))
    Run('r8', first=(judge.scratch('shrunk'),)).has(**USUAL, r8='0a1b2c3')


def judge_asked():
    """What the system is asked for is what is documented; nothing of ours names what tells one person or device."""
    text = judge.must((judge.DUMP, f'{ANDROID}!methodbeat/Device.class')).stdout
    asked = set(re.findall(r'(?:invoke\w+|getstatic|getfield) android/(?:\w+/)*([\w$]+\.\w+)', text))
    judge.check(asked == ASKED, f'the system is asked for {sorted(asked ^ ASKED)}')
    for jar in RUNTIME, ANDROID:
        found = NEVER.search(judge.must((judge.DUMP, jar)).stdout)
        judge.check(not found, f'{jar} names {found}')


def main():
    judge.compile_java(judge.scratch('stubs'), (os.path.join(judge.ROOT, 'src', 'jni', 'stubs', 'android'),), '-Xlint:-options')
    judge.compile_java(judge.scratch('app'), (os.path.join(HERE, 'java', 'identity'),), '-cp',
                       ':'.join((RUNTIME, ANDROID, judge.scratch('stubs'))))
    judge_usual()
    judge_given()
    judge_hostile()
    judge_build()
    judge_asked()
    judge.finish()


main()
