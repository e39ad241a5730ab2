"""Frames of programs that R8 shrank, as `issues --mapping` names them, beside what R8's own retrace makes of them:
one frame for each end of each range of a mapping, one without a line for each name. Dex and class files, with methods
that were inlined, merged and taken out of others."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

METHOD = re.compile(r'^\s+(?:(\d+)(?::(\d+))?:)?\S+ .*\(.*\)(?::\d+(?::\d+)?)? -> (\S+)$')
RULES = '''-dontwarn **
-ignorewarnings
-keepattributes LineNumberTable,SourceFile
'''
# Of some programs all is shrunk that nothing reaches, and the rest merged; of others each name is kept from being removed.
JAVA = '-keep class org.jsoup.Jsoup, com.google.gson.Gson { *; }\n'
KOTLIN = '-keep,allowobfuscation class kotlinx.coroutines.**, androidx.compose.** { *; }\n'
# 40 methods with the same calls, which R8 takes out of them for dex.
OUTLINED = 'package out;\npublic class Outlined {\n    static int n;\n    static void begin() {\n    }\n' + ''.join(f'''
    static String m{i}(java.util.Map<String, Object> a, String k) {{
        n += {i};
        StringBuilder b = new StringBuilder();
        b.append("m{i}");
        b.append(k);
        b.append(a.get(k).toString());
        b.append(", ");
        return b.toString();
    }}
''' for i in range(40)) + '}\n'


def outlined():
    source = judge.scratch('source', 'out', 'Outlined.java')
    os.makedirs(os.path.dirname(source), exist_ok=True)
    with open(source, 'w', encoding='utf-8') as file:
        file.write(OUTLINED)
    classes = judge.scratch('outlined')
    judge.compile_java(classes, [source], '--release', '8')
    judge.must(('jar', '-cf', classes + '.jar', '-C', classes, '.'))
    return classes + '.jar'


def shrink(name, keep, jars, *options):
    rules, mapping, out = judge.scratch(f'{name}.pro'), judge.scratch(f'{name}.map'), judge.scratch(f'{name}.zip')
    with open(rules, 'w', encoding='utf-8') as file:
        file.write(RULES + keep)
    judge.must(('java', '-Xmx2g', *judge.BRIEF, '-cp', R8, 'com.android.tools.r8.R8', '--lib', LIBRARY,
                '--release', '--pg-conf', rules, '--pg-map-output', mapping, '--output', out, *options, *jars))
    return mapping


def proguard(name, keep, jar):
    """By ProGuard 7.8, which inlines and merges classes too."""
    rules, mapping = judge.scratch(f'{name}.pro'), judge.scratch(f'{name}.map')
    with open(rules, 'w', encoding='utf-8') as file:
        file.write(RULES + keep + f'-dontnote\n-optimizationpasses 3\n-injars {jar}(!META-INF/**)\n-outjars {judge.scratch(name + ".jar")}\n'
                   f'-printmapping {mapping}\n-libraryjars {LIBRARY}\n')
    judge.must(('java', '-Xmx2g', *judge.BRIEF, '-cp', judge.corpus('proguard-7.8') + '/*', 'proguard.ProGuard', f'@{rules}'))
    return mapping


def frames_of(mapping):
    holder, frames = '', set()
    for line in judge.read(mapping).splitlines():
        if line.lstrip().startswith('#'):
            continue
        if not line.startswith(' '):
            holder = line.rstrip(':').split(' -> ')[1]
        found = METHOD.match(line)
        if found and 'REMOVED' not in holder:
            frames.add(f'{holder}.{found[3]}')
            frames |= {f'{holder}.{found[3]}(SourceFile:{number})' for number in found.groups()[:2] if number}
    return sorted(frames)


def plain(line):
    """'at a.b.C.m(C.java:7)' as 'a.b.C.m:7'."""
    return re.sub(r'\(([^()]*?)(?::(\d+))?\)$', lambda m: f':{m[2]}' if m[2] else '', line.strip().removeprefix('at '))


def retraced(mapping, stacks):
    """What may be meant by each line of each stack: a list of sets."""
    path = judge.scratch('stacks.txt')
    with open(path, 'w', encoding='utf-8') as file:
        for number, stack in enumerate(stacks):
            file.write(f'==={number}\n')
            file.writelines(f'\tat {frame if "(" in frame else frame + "(Unknown Source)"}\n' for frame in stack)
    ran = judge.must(('java', '-Xmx2g', *judge.BRIEF, '-cp', R8, 'com.android.tools.r8.retrace.Retrace', '--quiet', mapping, path))
    found = [[] for _ in stacks]
    for line in ran.stdout.splitlines():
        line = line.strip()
        if line.startswith('==='):
            rows = found[int(line[3:])]
        elif '<OR> ' in line:
            rows[-1].add(plain(line.replace('<OR> ', '')))
        elif line:
            rows.append({plain(line)})
    return found


def possibilities(line):
    """'a.b.C.m or n or a.D.o' as three; how many more there are."""
    line, _, more = line.partition(' more')[0].rpartition(' or ') if line.endswith(' more') else (line, '', '0')
    found, holder = set(), ''
    for part in line.split(' or '):
        part = plain(part)
        holder = part.rpartition('.')[0] or holder
        found.add(part if '.' in part else f'{holder}.{part}')
    return found, int(more.split()[-1])


def named(mapping, stacks):
    path = judge.scratch('issues.json')
    with open(path, 'w', encoding='utf-8') as file:
        for number, stack in enumerate(stacks):
            own = {'schema': 1, 'incident': f'5f1c-{number + 1}', 'detail': 'LAG', 'ended': 'normal', 'app_key': f'Mark.m{number}',
                   'cost_ns': 6 * 10**9, 'watched_ns': 6 * 10**9, 'hottest': {'samples': 9, 'frames': stack, 'repeats': [8]}}
            file.write(json.dumps({'tag': 'Trace_EvilMethod', 'process': 'p', 'time': 1790000000000, 'detail': 'ANR', 'cost': 6000,
                                   'methodbeat': own}) + '\n')
    ran = judge.must((judge.METHODBEAT, 'issues', '--top', str(len(stacks)), '--format', 'json', '--mapping', mapping, path))
    found = {group['group']: group['longest']['frames'] for group in json.loads(ran.stdout)['groups']}
    return [[possibilities(line) for line in found[f'Mark.m{number}']] for number in range(len(stacks))]


def is_equal(stack, theirs, ours):
    """Of a frame without a line retrace leaves out what has the types of another, or stands between two of one."""
    return len(theirs) == len(ours) and all(
        len(a) == len(b) + more and b <= a if more else a == b or ('(' not in stack[0] and a < b)
        for a, (b, more) in zip(theirs, ours))


def is_part(theirs, ours):
    """Retrace leaves out the caller of an outline around what is inlined, and takes overloads of one line, which
    ProGuard's accessors are, for an inlining; of ranges that overlap it takes the last."""
    found = [found for found, _ in ours]
    return theirs == found[:len(theirs)] or found == [set().union(*theirs)] or \
        (len(found) == len(theirs) and all(a <= b for a, b in zip(theirs, found)))


def compare(mapping, stacks):
    """Where retrace has nothing, R8 made the frame, which then stays alone, or it is the caller of an outline in what R8
    has wrapped: retrace leaves that out."""
    wrong, more = [], 0
    for stack, theirs, ours in zip(stacks, retraced(mapping, stacks), named(mapping, stacks)):
        if not theirs:
            more += [found for found, _ in ours] != [{plain(stack[0])}]
        elif is_equal(stack, theirs, ours):
            more += any(a < b for a, (b, left_out) in zip(theirs, ours) if not left_out)
        elif is_part(theirs, ours):
            more += 1
        else:
            wrong.append((stack, theirs, ours))
    judge.check(len(stacks) > 40 and not wrong, f'{os.path.basename(mapping)}: {len(wrong)} of {len(stacks)}: {wrong[:3]}')
    judge.check(more <= len(stacks) // 100, f'{os.path.basename(mapping)}: {more} of {len(stacks)} may be more')
    print(f'{os.path.basename(mapping)}: {len(stacks)} stacks as retrace has them, {more} of them with more')


def compare_frames(mapping):
    compare(mapping, [[frame] for frame in frames_of(mapping)])


def callers(mapping):
    """Each line of an outline below each caller that the mapping gives one."""
    frames = frames_of(mapping)
    inside = [frame for frame in frames if not frame.startswith('out.') and '(' in frame]
    outside = [frame for frame in frames if frame.startswith('out.Outlined.') and '(' in frame]
    return [[a, b, 'java.lang.Thread.run(Thread.java:840)'] for a in inside for b in outside[:60]]


R8 = judge.corpus('r8')
LIBRARY = judge.java_base()
java = [judge.corpus(name) for name in ('jsoup', 'gson')]
kotlin = [judge.corpus(name) for name in ('kotlin-stdlib', 'coroutines')]
compose = [judge.corpus(name) for name in ('gradle-kotlin', 'coroutines', 'collection', 'compose-runtime')]
compare_frames(shrink('dex', JAVA + KOTLIN, [*java, *compose], '--min-api', '21'))
compare_frames(shrink('classes', JAVA + KOTLIN, [*java, *kotlin], '--classfile'))
compare_frames(proguard('proguard', JAVA, java[0]))
path = shrink('outlined', '-keep class out.Outlined { void begin(); }\n-keep,allowobfuscation class out.Outlined { *; }\n', [outlined()],
              '--min-api', '21')
compare_frames(path)
compare(path, callers(path))
judge.finish()
