"""An app that has taken the AAR in: instrumented, shrunk by R8 with the rules of the AAR, and run on the real
framework. All of the AAR is used but its libraries, which are Android's: a JVM loads the one for its own libc.
"""
import json
import os
import xml.etree.ElementTree

import judge
from robolectric import Framework, facts_of

HERE = os.path.dirname(os.path.abspath(__file__))
LEVEL = 34
LEAST_LEVEL = 23
ANDROID = '{http://schemas.android.com/apk/res/android}'
# What the build tools make of the app's own manifest, and what the test asks of it.
RULES = '''-dontnote **
-ignorewarnings
-keep class sample.shop.*Activity, sample.shop.ShopApplication { public *; }
-keep class methodbeat.Monitors, methodbeat.Monitors$* { *; }
'''
SLOW = 'sample.shop.CatalogueActivity.search'  # its callee has another name by then
SETTINGS = {'evil_ms': 700, 'cpu_enable': 0, 'gap_ms': 600000, 'often': ''}


def judge_manifest(folder):
    """Nothing that a merge could not take, and nothing more: no permission, no component."""
    root = xml.etree.ElementTree.parse(os.path.join(folder, 'AndroidManifest.xml')).getroot()
    judge.check(root.get('package') == 'methodbeat.android', f"manifest: package {root.get('package')}")
    judge.check([child.tag for child in root] == ['uses-sdk'], f'manifest: has {[child.tag for child in root]}')
    judge.check(root[0].get(f'{ANDROID}minSdkVersion') == str(LEAST_LEVEL), 'manifest: the least level')


def shrink(framework_jar, folder, app):
    """As an Android build does: the app and the AAR's classes, by the app's rules and the AAR's."""
    shrunk, rules = judge.scratch('shrunk.jar'), judge.scratch('app.pro')
    with open(rules, 'w', encoding='utf-8') as file:
        file.write(RULES)
    jar = judge.scratch('app.jar')
    judge.must(('jar', 'cfM', jar, '-C', app, '.'))
    judge.must(('java', *judge.BRIEF, '-cp', judge.corpus('bundletool'),
                'com.android.tools.r8.R8', '--classfile', jar, os.path.join(folder, 'classes.jar'), '--lib',
                framework_jar, '--pg-conf', rules, '--pg-conf', os.path.join(folder, 'proguard.txt'),
                '--output', shrunk))
    names = judge.class_names(shrunk)
    judge.check('sample/shop/Catalogue.class' not in names and 'methodbeat/MethodBeat.class' in names,
                f'consumer: the app is renamed, what probes call is not: {names}')
    return shrunk


def judge_consumer(folder, library):
    """folder: the AAR, unpacked; library: the recorder for this machine."""
    judge_manifest(folder)
    framework = Framework(LEVEL)
    classes = os.path.join(folder, 'classes.jar')
    app = framework.compile('consumer', [os.path.join(judge.ROOT, 'samples', 'android', 'shop')], classes)
    tests = framework.compile('consumer-tests', [os.path.join(HERE, 'java', name) for name in ('consumer', 'stage')],
                              app, classes)
    output = judge.scratch('consumer-instrumented')
    plain_framework = judge.corpus(f'android-{LEVEL}')
    judge.instrument('--output', output, '--classpath', plain_framework, app)
    shrunk = shrink(plain_framework, folder, os.path.join(output, os.path.basename(app)))
    trace = judge.scratch('consumer.mbtrace')
    options = [f'-Dmethodbeat.{name}={value}' for name, value in
               {**SETTINGS, 'library': library, 'file': trace}.items()]
    facts = facts_of(framework.run('consumer.Consumer', tests, shrunk, application='sample.shop.ShopApplication',
                                   options=options))
    judge.check(facts['watched'] == ['true'] and facts['recorded'] == ['true'], 'consumer: watched and recorded')
    judge.check(facts.get('focus') == ['CatalogueActivity true', 'CatalogueActivity false'],
                f"consumer: focus {facts.get('focus')}")
    issues = [json.loads(text) for text in facts.get('issue', [])]  # of a busy machine's framework, too
    slow = [issue for issue in issues if SLOW in issue['methodbeat'].get('hottest', {}).get('frames', [])]
    report = judge.must((judge.METHODBEAT, 'report', '--method-map', os.path.join(output, 'methodMapping.txt'),
                         trace)).stdout
    judge.check('sample.shop.Catalogue.score' in report, f'consumer: what is slow is named in\n{report}')
    judge.check(len(slow) == 1 and slow[0]['scene'] == 'sample.shop.CatalogueActivity', f'consumer: issues {slow}')
    print(f'consumer: {os.path.getsize(shrunk)} bytes after R8, the slow message is told of')
