"""Instrumented programs that are then shrunk, optimised and renamed with the runtime beside them, in the
order of an Android build, still run and record: our part of the rules is what the runtime jar carries.

The keep rules below are those that the programs need anyway. A shrunk program must print and write what
it did before, and its trace must have the same calls of the same methods as without shrinking, but for
what makes classes and objects: shrinkers leave out static initialisers that have no use.

usage: shrunk.py METHODBEAT RUNTIME_JAR LIBRARY
"""
import json
import os
import re
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402
import programs  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
CRITICAL = b'Ldalvik/annotation/optimization/CriticalNative;'
SETTINGS = {'throttle': 'off', 'threads': 'all', 'words': 1 << 23}

# Of what programs call, java.base is all that is there.
COMMON = '''-dontnote **
-ignorewarnings
-keep class %s { public static void main(java.lang.String[]); }
'''
ANTLR_RULES = '-keep class antlr.*CodeGenerator, antlr.*Token { *; }\n'
ASM_RULES = '-keepnames class org.objectweb.asm.**\n'
ANTLR_GRAMMAR = '''class P extends Parser;
prog : (expr SEMI!)+ ;
expr : mult ((PLUS^ | MINUS^) mult)* ;
mult : INT (STAR^ INT)* ;
class L extends Lexer;
PLUS : '+' ;  MINUS : '-' ;  STAR : '*' ;  SEMI : ';' ;
INT : ('0'..'9')+ ;
WS : (' ' | '\\n') { $setType(Token.SKIP); } ;
'''


def yui(out):
    del out
    return programs.yui('', '')[2:]


def antlr(out):
    return '-o', out, programs.put('expr.g', ANTLR_GRAMMAR)


def asm(out):
    """It prints a class."""
    del out
    return (os.path.join(judge.corpus('java.base'), 'java', 'util', 'HashMap.class'),)


# Corpus: main class, rules for what is found by reflection, arguments.
PROGRAMS = {
    'yui': ('com.yahoo.platform.yui.compressor.YUICompressor', '', yui),
    'antlr-2': ('antlr.Tool', ANTLR_RULES, antlr),
    'asm': ('org.objectweb.asm.util.Textifier', ASM_RULES, asm),
}


def r8(output, rules, *inputs):
    """It finds the rules in the runtime jar by itself."""
    judge.must(('java', *judge.BRIEF, '-cp', judge.corpus('bundletool'), 'com.android.tools.r8.R8', *inputs,
                RUNTIME, '--lib', judge.java_base(), '--pg-conf', rules, '--output', output))


def shrink_r8(jars, rules, output):
    r8(output, rules, '--classfile', *jars)


def shrink_proguard(jars, rules, output):
    with zipfile.ZipFile(RUNTIME) as runtime:
        ours = programs.put('methodbeat.pro',
                            runtime.read('META-INF/proguard/methodbeat-runtime.pro').decode())
    judge.must(('java', *judge.BRIEF, '-cp', os.path.join(judge.corpus('proguard-7'), '*'),
                'proguard.ProGuard', f'@{rules}', '-include', ours, '-injars',
                os.pathsep.join((*jars, f'{RUNTIME}(methodbeat/**)')), '-outjars', output, '-libraryjars',
                judge.java_base()))


def run(name, mapping, *class_path):
    """What the program did, and the calls of its methods."""
    main, _, arguments = PROGRAMS[name]
    trace, out = judge.scratch(f'{name}.mbtrace'), judge.scratch_folder(f'{name}-files')
    settings = {**SETTINGS, 'library': LIBRARY, 'file': trace, 'mapping': mapping}
    done = judge.run(('java', *judge.BRIEF, '-Xverify:all', '-cp', os.pathsep.join(class_path),
                      *(f'-Dmethodbeat.{name}={value}' for name, value in settings.items()),
                      main, *arguments(out)))
    judge.check(done.returncode == 0 and 'methodbeat:' not in done.stderr,
                f'{name}: {done.returncode} {done.stderr}')
    report = judge.must((judge.METHODBEAT, 'report', '--method-map', mapping, '--format=json',
                         '--top', 1 << 20, trace))
    os.unlink(trace)
    calls = {method['name']: method['calls'] for method in json.loads(report.stdout)['methods']
             if 'init>' not in method['name']}
    return (done.stdout, programs.files_below(out)), calls


def judge_programs(names):
    """All in one, so that a shrinker starts once."""
    originals = [judge.corpus(name) for name in names]
    out = judge.scratch('out')
    judge.instrument('--output', out, *originals)
    jars = [os.path.join(out, os.path.basename(original)) for original in originals]
    mapping = os.path.join(out, 'methodMapping.txt')
    rules = programs.put('programs.pro', ''.join(COMMON % PROGRAMS[name][0] + PROGRAMS[name][1] for name in names))
    before = {name: run(name, mapping, *jars, RUNTIME) for name in names}
    for shrink in (shrink_r8, shrink_proguard):
        shrunk = judge.scratch('shrunk.jar')
        shrink(jars, rules, shrunk)
        with zipfile.ZipFile(shrunk) as result:
            judge.check(CRITICAL in result.read('methodbeat/CriticalProbes.class'),
                        f'{shrink.__name__}: CriticalProbes has its annotation')
        print(f'{shrink.__name__}: {sum(map(os.path.getsize, jars))} to {os.path.getsize(shrunk)} bytes', flush=True)
        for name, (did, calls) in before.items():
            what = f'{name} after {shrink.__name__}'
            judge.check(sum(calls.values()) > 1000, f'{name}: {len(calls)} methods are recorded')
            after, found = run(name, mapping, shrunk)
            judge.check(after == did, f'{what}: it does the same')
            other = sorted(found.items() ^ calls.items())
            judge.check(not other, f'{what}: other calls {other[:20]}')
            print(f'{what}: {sum(found.values())} calls of {len(found)} methods', flush=True)
        os.unlink(shrunk)


def judge_dex():
    """Without a rule of the app's: no class is missed, and the annotation is there."""
    folder = judge.scratch_folder('dex')
    r8(folder, programs.put('app.pro', '-dontwarn jdk.**,sun.**\n'), '--min-api', '21')
    with open(os.path.join(folder, 'classes.dex'), 'rb') as file:
        judge.check(CRITICAL in file.read(), 'dex: CriticalProbes has its annotation')


def hottest_of(what, mapping, *class_path):
    """What was written of the issue of Sampled, and what is shown of it."""
    done = judge.must(('java', *judge.BRIEF, f'-Dmethodbeat.library={LIBRARY}', '-cp', os.pathsep.join(class_path),
                       'Sampled'))
    written = programs.put(f'{what}.json', done.stdout)
    shown = judge.must((judge.METHODBEAT, 'issues', '--format=json', '--group=detail', *mapping, written))
    lag, = (group for group in json.loads(shown.stdout)['groups'] if group['group'] == 'LAG')
    with open(written, encoding='utf-8') as file:
        raw = next(hottest for line in file if (hottest := json.loads(line)['methodbeat'].get('hottest')))
    return raw['frames'], lag['longest']['frames'], lag['longest']['app_key']


def judge_frames():
    """Sampled frames of a shrunk program come back with their lines and with what was inlined."""
    classes = judge.compile_java(judge.scratch('sampled'), (os.path.join(judge.TESTS, 'corpus', 'Sampled.java'),),
                                 '-cp', RUNTIME)
    jar, shrunk, mapping = (judge.scratch(name) for name in ('sampled.jar', 'small.jar', 'sampled.txt'))
    with zipfile.ZipFile(jar, 'w') as archive:
        for name in sorted(os.listdir(classes)):
            archive.write(os.path.join(classes, name), name)
    rules = programs.put('sampled.pro', COMMON % 'Sampled' + '-keepattributes SourceFile,LineNumberTable\n'
                         '-renamesourcefileattribute SourceFile\n-repackageclasses\n')
    r8(shrunk, rules, '--classfile', jar, '--pg-map-output', mapping)
    _, plain, key = hottest_of('plain', (), jar, RUNTIME)
    raw, named, named_key = hottest_of('shrunk', ('--mapping', mapping), shrunk)
    print('\n'.join(raw), '\n'.join(named), sep='\n= \n')
    wanted = [re.sub(r'\(.*:(\d+)\)', r':\1', frame) for frame in plain if frame.startswith('Sampled')]
    ours = [frame for frame in named if frame.startswith('Sampled')]
    judge.check(len(wanted) == 7 and ours == wanted, f'frames: {wanted} from {named} of {raw}')
    judge.check(len(raw) < len(plain), f'frames: something was inlined: {raw}')
    judge.check(key == named_key == 'Sampled$Basket.rest',
                f'frames: the method that explains it is {key}, {named_key}')


def causes_of(spool, *mapping):
    """Of each issue: what groups of issues and rows of a fleet say of it, in order."""
    shown = judge.must((judge.METHODBEAT, 'issues', '--format=json', *mapping, spool))
    rows = judge.scratch('screens.ndjson')
    judge.must((judge.METHODBEAT, 'fleet', 'rows', '-o', rows, *mapping, spool))
    groups = sorted(group['group'] for group in json.loads(shown.stdout)['groups'])
    lines = [json.loads(line) for line in judge.read(rows).splitlines()]
    return groups, sorted({(row['cause'], row['cause_name']) for row in lines if row.get('cause_name')})


def judge_spools():
    """Who waits in a library is one cause by the same name, whatever a shrinker made of both."""
    jars = [judge.corpus(name) for name in ('coroutines', 'kotlin-stdlib')]
    classes = judge.compile_java(judge.scratch('screens'), (os.path.join(judge.TESTS, 'corpus', 'Screens.java'),),
                                 '-cp', os.pathsep.join((RUNTIME, *jars)))
    jar, shrunk, mapping = (judge.scratch(name) for name in ('screens.jar', 'screens-small.jar', 'screens.txt'))
    judge.must(('jar', '-cf', jar, '-C', classes, '.'))
    rules = programs.put('screens.pro', COMMON % 'Screens' + '-dontwarn **\n-repackageclasses x\n-keep class methodbeat.** { *; }\n'
                         '-keepattributes SourceFile,LineNumberTable\n-keep,allowobfuscation class Screens$* { *; }\n')
    r8(shrunk, rules, '--classfile', jar, *jars, '--pg-map-output', mapping)
    found = []
    for what, class_path, options in ('plain', (jar, *jars, RUNTIME), ()), ('shrunk', (shrunk,), ('--mapping', mapping)):
        spool = judge.scratch_folder(f'screens-{what}')
        judge.must(('java', *judge.BRIEF, f'-Dmethodbeat.library={LIBRARY}', '-cp', os.pathsep.join(class_path), 'Screens', spool))
        found.append(causes_of(spool, *options))
    print(*found, sep='\n')
    plain, small = found
    judge.check(len(plain[1]) == 3 and plain == small, f'spools: {plain} and {small}')


judge_dex()
judge_frames()
judge_spools()
judge_programs(sys.argv[4:] or PROGRAMS)
judge.finish()
