"""Which methods code without probes may call, by what --explain says of a program, and that a run which resumes
finds the same after another class has changed.

usage: boundary.py METHODBEAT
"""
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

SOURCES = os.path.join(judge.TESTS, 'jvm', 'boundary')
ALWAYS = {
    '<clinit>': 'initializer', 'main': 'main', 'plain': None, 'toString': 'overrides',
    'Task.call()Ljava/lang/Object;': 'overrides', 'Task.call()Ljava/lang/Long;': None, 'Task.helps': None,
    'Works.run': 'overrides', 'Works.walk': None, 'take': None, 'give': None,
    'forOwn': 'lambda', 'forOutside': 'lambda', 'forMixed': 'lambda', 'lambda$make$0': 'lambda',
    'lambda$make$1': 'lambda', 'Bound.virtual': 'called', 'Bound2.virtual': 'called', 'make': None,
    'Made.<init>': 'called', 'Stored.readObject': 'serialization', 'Stored.writeReplace': 'serialization',
    'WithNative.back': 'overrides', 'WithNative.own': 'native', 'Listener.onEvent': 'annotated',
    'Listener.onOwnEvent': 'annotated', 'Listener.onNothing': None, 'Hooks.hidden': None,
}
UNKNOWN = {'Hooks.hook': 'unknown-supertype', 'Hooks.handle': 'unknown-supertype',
           'Hooks.other': 'unknown-supertype'}
INSIDE = {'Hooks.hook': None, 'Hooks.handle': None, 'Hooks.other': None}
WAYS = {  # what the options change
    'known': {**INSIDE, 'calledByBlocked': None},
    'unknown': {**UNKNOWN, 'calledByBlocked': None},
    'blocked': {**INSIDE, 'calledByBlocked': 'called'},
}


def compile_all():
    library = judge.compile_java(judge.scratch('lib'), (os.path.join(SOURCES, 'lib'),))
    return library, judge.compile_java(judge.scratch('app'), (os.path.join(SOURCES, 'app'),), '-cp', library)


def explained(*options):
    """The boundary of each traced method, as 'Class.method', and as that with its descriptor."""
    output = judge.scratch_folder('out')
    judge.instrument('--output', output, '--explain', judge.scratch('explain'), *options)
    found = {}
    with open(judge.scratch('explain'), encoding='utf-8') as lines:
        for line in map(json.loads, lines):
            if line['verdict'] == 'trace':
                name = f"{line['class'].removeprefix('inside/Inside').lstrip('$')}.{line['method']}".lstrip('.')
                found[name] = found[name + line['descriptor']] = line.get('boundary')
    return found


def check_ways(library, app):
    blacklist = judge.scratch('blacklist')
    with open(blacklist, 'w', encoding='utf-8') as out:
        out.write('-keepclass inside/Inside$Blocked\n')
    options = {'known': (library,), 'unknown': (), 'blocked': ('--blacklist', blacklist, library)}
    for way, expected in WAYS.items():
        found = explained(*options[way], app)
        for name, boundary in {**ALWAYS, **expected}.items():
            judge.check(name in found and found[name] == boundary,
                        f'{way}: {name} is {found.get(name, "not traced")}, not {boundary}')
        print(f'{way}: {len(ALWAYS) + len(expected)} methods as expected')


def read_bytes(path):
    with open(path, 'rb') as file:
        return file.read()


def resume(what, inputs, change):
    """A run that resumes after a change of one input writes what a run from nothing writes."""
    for turn in ('before', 'after'):
        judge.instrument('--output', judge.scratch_folder(what), '--state', judge.scratch(f'{what}.state'), *inputs)
        if turn == 'before':
            change()
    whole = judge.scratch_folder(f'{what}-whole')
    judge.instrument('--output', whole, '--base-method-map', judge.scratch(what, 'methodMapping.txt'), *inputs)
    names = [os.path.basename(path) for path in inputs]
    for name in names:
        judge.check(read_bytes(judge.scratch(what, name)) == read_bytes(os.path.join(whole, name)),
                    f'{what}: {name} differs from that of a run from nothing')


def check_state(library):
    """The base is in a jar that does not change when a class below it names an unknown type, and when it stops to."""
    texts = {'Base': 'public class Base { public void walk() { System.nanoTime(); } }',
             'Plain': 'public class Sub extends Base { }',
             'Walks': 'public class Sub extends Base implements outside.Outside.Walker { }'}
    for name, text in texts.items():
        with open(judge.scratch(f'java-{name}', ('Base' if name == 'Base' else 'Sub') + '.java'), 'w',
                  encoding='utf-8') as out:
            out.write(text)
    base = judge.compile_java(judge.scratch('base'), (judge.scratch('java-Base'),))
    jars = {'Base': base}
    for name in ('Plain', 'Walks'):
        jars[name] = judge.compile_java(judge.scratch(name), (judge.scratch(f'java-{name}'),), '-cp',
                                        f'{base}:{library}')
    for name, folder in jars.items():
        judge.must(('jar', '--create', '--file', judge.scratch('jars', f'{name}.jar'), '-C', folder, '.'))
    inputs = [judge.scratch('in', 'base.jar'), judge.scratch('in', 'sub.jar')]
    shutil.copy(judge.scratch('jars', 'Base.jar'), inputs[0])
    sizes = {}
    for first, then in (('Plain', 'Walks'), ('Walks', 'Plain')):
        shutil.copy(judge.scratch('jars', f'{first}.jar'), inputs[1])
        resume(f'{first}-{then}', inputs, lambda: shutil.copy(judge.scratch('jars', f'{then}.jar'), inputs[1]))
        sizes[then] = os.path.getsize(judge.scratch(f'{first}-{then}', 'base.jar'))
    judge.check(sizes['Walks'] > sizes['Plain'], f'the base has no handler: {sizes}')
    print(f'resumed: the base takes {sizes}')


outside, inside = compile_all()
check_ways(outside, inside)
check_state(outside)
judge.finish()
