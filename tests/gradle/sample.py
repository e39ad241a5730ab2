"""The plug-in as its README has it: built by its own build, taken in by an application that names it.

usage: sample.py METHODBEAT RUNTIME_JAR LIBRARY
"""
import os
import re
import shutil
import sys

import build
from build import judge

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
MORE = '''
dependencies { implementation project(':core'), files('libs/words.jar') }
application { mainClass = 'app.Till' }
run { jvmArgs '-Xverify:all', '-Dmethodbeat.library=%s', '-Dmethodbeat.file=app.mbtrace' }
'''


def main():
    settings, script, _ = re.findall(r'^```groovy\n(.*?)^```', judge.read(os.path.join(build.PLUGIN, 'README.md')),
                                     re.M | re.S)
    gradle = build.Modern()
    shop = judge.scratch('shop')
    build.copy(build.PLUGIN, os.path.join(shop, 'gradle-plugin'))
    build.write(shop, build.SHOP)
    build.write(shop, {'settings.gradle': settings + build.SHOP['settings.gradle'],
                       'app/build.gradle': script + MORE % LIBRARY, 'app/blacklist.txt': '-keepclass core/Sum\n'})
    build.library(os.path.join(shop, 'app', 'libs', 'words.jar'))
    shutil.copy(RUNTIME, os.path.join(shop, 'app', 'libs', 'methodbeat-runtime.jar'))
    done = gradle.must(shop, f'-PandroidApi={gradle.agp_stubs()}', 'run')
    judge.check('sum 3!' in done.stdout, f'the program ran: {done.stdout}')
    traced = build.methods(os.path.join(shop, 'app/build/outputs/methodbeat/methodMapping.txt'))
    judge.check(traced == build.METHODS - {'core.Sum of'}, f'traced: {traced}')
    judge.check(os.path.exists(os.path.join(shop, 'app', 'app.mbtrace')), 'no trace')
    print(f'Gradle {gradle.distribution.version}, 1 build')
    judge.finish()


main()
